// Google's SDK for its own API.
import { GoogleGenAI } from '@google/genai';

import { once, serve, tool } from './jobs.mjs';

const { name, description, parameters } = tool.function;
const tools = [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }];
const sdk = once((baseUrl) => new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } }));

function tell(piece, say) {
	for (const part of piece.candidates?.[0]?.content?.parts ?? []) say(part.functionCall?.args.text ?? part.text);
}

serve(async (job, say) => {
	const { models } = sdk(job.url);
	const ask = { model: job.model, contents: job.prompt, config: job.tools ? { tools } : {} };
	if (!job.stream) {
		tell(await models.generateContent(ask), say);
		return;
	}
	for await (const piece of await models.generateContentStream(ask)) tell(piece, say);
});
