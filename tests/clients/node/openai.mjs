// openai-node.
import OpenAI from 'openai';

import { once, serve, tool } from './jobs.mjs';

const sdk = once((baseURL) => new OpenAI({ baseURL, apiKey: 'none' }));

serve(async (job, say) => {
	const answer = await sdk(job.url).chat.completions.create({
		model: job.model, messages: [{ role: 'user', content: job.prompt }], stream: job.stream,
		...(job.tools && { tools: [tool] }) });
	for await (const part of job.stream ? answer : [answer]) {
		for (const choice of part.choices) {
			const said = choice.delta ?? choice.message;
			say(said.content);
			for (const made of said.tool_calls ?? []) say(made.function.arguments);
		}
	}
});
