// openai-node, asked for chat completions.
import OpenAI from 'openai';

import { once } from './jobs.mjs';
import { serveChats } from './openai.mjs';

serveChats(once((baseURL) => new OpenAI({ baseURL, apiKey: 'none' })));
