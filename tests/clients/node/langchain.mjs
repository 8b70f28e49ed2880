// LangChain for JavaScript.
import { ChatOpenAI } from '@langchain/openai';

import { serve, tool } from './jobs.mjs';

serve(async (job, say) => {
	const chat = new ChatOpenAI({ model: job.model, apiKey: 'none',
		configuration: { baseURL: job.url } });
	const model = job.tools ? chat.bindTools([tool]) : chat;
	if (!job.stream) {
		const answer = await model.invoke(job.prompt);
		say(answer.content);
		for (const made of answer.tool_calls ?? []) say(made.args.text);
		return;
	}
	for await (const part of await model.stream(job.prompt)) {
		say(part.content);
		for (const made of part.tool_call_chunks ?? []) say(made.args);
	}
});
