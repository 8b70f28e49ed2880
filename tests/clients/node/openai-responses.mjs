// openai-node, asked for responses; streams by its helper.
import OpenAI from 'openai';

import { once, flat, serve } from './jobs.mjs';

const sdk = once((baseURL) => new OpenAI({ baseURL, apiKey: 'none' }));

// A tool is run and the talk goes on; each request has all items again.
async function loop(job, say) {
	const input = [{ role: 'user', content: job.prompt }];
	for (let n = 0; n < 3; n++) {
		const ask = { model: job.model, input, tools: [flat] };
		const answer = job.stream ? await sdk(job.url).responses.stream(ask).finalResponse()
			: await sdk(job.url).responses.parse(ask);
		say(answer.output_text);
		const results = answer.output.filter((item) => item.type === 'function_call').map(
			({ call_id }) => ({ type: 'function_call_output', call_id, output: 'taken' }));
		input.push(...answer.output);
		input.push(...results.length ? results : [{ role: 'user', content: job.loop }]);
	}
}

serve(async (job, say) => {
	if (job.loop) {
		await loop(job, say);
		return;
	}
	const ask = { model: job.model, input: job.prompt, ...(job.tools && { tools: [flat] }) };
	if (!job.stream) {
		say((await sdk(job.url).responses.create(ask)).output_text);
		return;
	}
	const stream = sdk(job.url).responses.stream(ask);
	for await (const event of stream)
		if (/^response\.(output_text|function_call_arguments)\.delta$/.test(event.type))
			say(event.delta);
	await stream.finalResponse();
});
