// What the programs of the AI SDK's providers share.
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';

import { serve, tool as note } from './jobs.mjs';

const noted = { description: 'Takes a note', inputSchema: jsonSchema(note.function.parameters) };
const asked = { note: tool(noted) };
const run = { note: tool({ ...noted, execute: () => 'taken' }) };

// The pieces of fullStream are the place where errors show, beside onError.
async function heard(ask, say) {
	const answer = streamText({ ...ask, onError() {} });
	for await (const part of answer.fullStream) {
		if (part.type === 'text-delta') say(part.text);
		else if (part.type === 'tool-call' && !ask.stopWhen) say(part.input.text);
		else if (part.type === 'error') throw part.error;
	}
	return (await answer.response).messages;
}

async function told(ask, say) {
	const answer = await generateText(ask);
	for (const step of answer.steps) say(step.text);
	if (!ask.stopWhen) for (const made of answer.toolCalls) say(made.input.text);
	return answer.response.messages;
}

// serveModel(choose): choose(url, name) gives the model.
export const serveModel = (choose) => serve(async (job, say) => {
	const ask = { model: choose(job.url, job.model), ...(job.tools && { tools: asked }) };
	const one = job.stream ? heard : told;
	if (!job.loop) {
		await one({ ...ask, prompt: job.prompt }, say);
		return;
	}
	const messages = [];
	for (const content of [job.prompt, job.loop]) {
		messages.push({ role: 'user', content });
		messages.push(...await one({ ...ask, messages, tools: run, stopWhen: stepCountIs(3) }, say));
	}
});
