// AI SDK with its provider for servers of OpenAI's shape.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

import { serveModel } from './ai.mjs';

serveModel((baseURL, name) => createOpenAICompatible({ name: 'parley', baseURL })(name));
