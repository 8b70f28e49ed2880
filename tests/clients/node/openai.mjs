// What openai-node's programs for chat completions share.
import { serve, tool } from './jobs.mjs';

// serveChats(sdk): sdk(url) gives the client.
export const serveChats = (sdk) => serve(async (job, say) => {
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
