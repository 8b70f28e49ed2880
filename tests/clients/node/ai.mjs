// What the programs of the AI SDK's two providers share.
import { generateText, jsonSchema, streamText, tool } from 'ai';

import { serve, tool as note } from './jobs.mjs';

const tools = { note: tool({ description: 'Takes a note',
	inputSchema: jsonSchema(note.function.parameters) }) };

// serveModel(choose): choose(url, name) gives the model.
export const serveModel = (choose) => serve(async (job, say) => {
	const ask = { model: choose(job.url, job.model), prompt: job.prompt,
		...(job.tools && { tools }) };
	if (!job.stream) {
		const answer = await generateText(ask);
		say(answer.text);
		for (const made of answer.toolCalls) say(made.input.text);
		return;
	}
	// The pieces of fullStream are the place where errors show, beside onError.
	for await (const part of streamText({ ...ask, onError() {} }).fullStream) {
		if (part.type === 'text-delta') say(part.text);
		else if (part.type === 'tool-call') say(part.input.text);
		else if (part.type === 'error') throw part.error;
	}
});
