// AI SDK with its provider for OpenAI's own API, asked for completions.
import { createOpenAI } from '@ai-sdk/openai';

import { serveModel } from './ai.mjs';

serveModel((baseURL, name) => createOpenAI({ baseURL, apiKey: 'none' }).chat(name));
