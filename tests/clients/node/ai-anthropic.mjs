// AI SDK with its provider for Anthropic's API.
import { createAnthropic } from '@ai-sdk/anthropic';

import { serveModel } from './ai.mjs';

serveModel((baseURL, name) => createAnthropic({ baseURL, apiKey: 'none' })(name));
