// OpenAI's agents: a tool is called, and its result goes back to the model, within one run.
import { Agent, OpenAIProvider, run, setTracingDisabled, tool } from '@openai/agents';

import { once, serve, tool as note } from './jobs.mjs';

setTracingDisabled(true); // else it tells OpenAI of each run
const provider = once((baseURL) => new OpenAIProvider({
	apiKey: 'none', baseURL, useResponses: false }));
const taken = tool({ name: 'note', description: 'Takes a note',
	parameters: { ...note.function.parameters, additionalProperties: false },
	strict: false, execute: () => 'taken' });

serve(async (job, say) => {
	const agent = new Agent({ name: 'one', model: await provider(job.url).getModel(job.model),
		tools: job.tools ? [taken] : [] });
	if (!job.stream) {
		say((await run(agent, job.prompt)).finalOutput);
		return;
	}
	const answer = await run(agent, job.prompt, { stream: true });
	for await (const piece of answer.toTextStream()) say(piece);
	await answer.completed;
});
