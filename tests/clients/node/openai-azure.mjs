// openai-node with its class for Azure, whose paths name a deployment.
import { AzureOpenAI } from 'openai';

import { once } from './jobs.mjs';
import { serveChats } from './openai.mjs';

serveChats(once((endpoint) => new AzureOpenAI({
	endpoint, apiKey: 'none', apiVersion: '2024-10-21' })));
