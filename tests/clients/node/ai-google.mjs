// AI SDK with its provider for Google's API.
import { createGoogleGenerativeAI } from '@ai-sdk/google';

import { serveModel } from './ai.mjs';

serveModel((baseURL, name) => createGoogleGenerativeAI({ baseURL, apiKey: 'none' })(name));
