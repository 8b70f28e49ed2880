// OpenAI's agents, asked for chat completions.
import { serveAgents } from './agents.mjs';

serveAgents({ useResponses: false });
