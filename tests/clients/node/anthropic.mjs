// Anthropic's SDK; streams by its helper.
import Anthropic from '@anthropic-ai/sdk';

import { once, serve, tool } from './jobs.mjs';

const { name, description, parameters } = tool.function;
const sdk = once((baseURL) => new Anthropic({ baseURL, apiKey: 'none' }));

// The SDK itself runs the tool.
async function loop(job, say) {
	const runner = sdk(job.url).beta.messages.toolRunner({
		model: job.model, max_tokens: 1000, stream: job.stream,
		messages: [{ role: 'user', content: job.prompt }],
		tools: [{ name, description, input_schema: parameters, parse: (input) => input,
			run: () => 'taken' }] });
	for await (const answer of runner) {
		const message = job.stream ? await answer.finalMessage() : answer;
		for (const block of message.content) if (block.type === 'text') say(block.text);
	}
}

serve(async (job, say) => {
	if (job.loop) {
		await loop(job, say);
		return;
	}
	const ask = { model: job.model, max_tokens: 1000,
		messages: [{ role: 'user', content: job.prompt }],
		...(job.tools && { tools: [{ name, description, input_schema: parameters }] }) };
	if (!job.stream) {
		for (const block of (await sdk(job.url).messages.create(ask)).content) say(block.text);
		return;
	}
	const stream = sdk(job.url).messages.stream(ask);
	for await (const event of stream)
		if (event.type === 'content_block_delta') say(event.delta.text ?? event.delta.partial_json);
	await stream.finalMessage();
});
