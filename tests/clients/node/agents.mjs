// What the programs of OpenAI's agents share: a tool is called, and its result goes back to the
// model, within one run.
import { Agent, OpenAIProvider, run, setTracingDisabled, tool } from '@openai/agents';

import { once, serve, tool as note } from './jobs.mjs';

setTracingDisabled(true); // else it tells OpenAI of each run
const taken = tool({ name: 'note', description: 'Takes a note',
	parameters: { ...note.function.parameters, additionalProperties: false },
	strict: false, execute: () => 'taken' });

// In a loop, the first agent hands over to one that has the tool.
async function agent(provider, job) {
	const model = await provider(job.url).getModel(job.model);
	const able = new Agent({ name: 'able', model, instructions: job.loop && 'Be able.',
		tools: job.tools ? [taken] : [] });
	return job.loop ? new Agent({ name: 'first', model, handoffs: [able] }) : able;
}

// serveAgents(how): how are options of the provider.
export const serveAgents = (how) => {
	const provider = once((baseURL) => new OpenAIProvider({ apiKey: 'none', baseURL, ...how }));
	serve(async (job, say) => {
		const first = await agent(provider, job);
		if (!job.stream) {
			say((await run(first, job.prompt)).finalOutput);
			return;
		}
		const answer = await run(first, job.prompt, { stream: true });
		for await (const piece of answer.toTextStream()) say(piece);
		await answer.completed;
	});
};
