// OpenAI's agents with responses, which are their preset.
import { serveAgents } from './agents.mjs';

serveAgents({});
