// Ollama's own client.
import { Ollama } from 'ollama';

import { once, serve, tool } from './jobs.mjs';

const sdk = once((host) => new Ollama({ host, headers: { Authorization: 'Bearer none' } }));

function tell(piece, say) {
	say(piece.message.content);
	for (const call of piece.message.tool_calls ?? []) say(call.function.arguments.text);
}

serve(async (job, say) => {
	const ask = { model: job.model, messages: [{ role: 'user', content: job.prompt }],
		...(job.tools && { tools: [tool] }) };
	if (!job.stream) {
		tell(await sdk(job.url).chat(ask), say);
		return;
	}
	for await (const piece of await sdk(job.url).chat({ ...ask, stream: true })) tell(piece, say);
});
