// AI SDK with its provider for OpenAI's own API; its models ask for responses unless told otherwise.
import { createOpenAI } from '@ai-sdk/openai';

import { serveModel } from './ai.mjs';

serveModel((baseURL, name) => createOpenAI({ baseURL, apiKey: 'none' })(name));
