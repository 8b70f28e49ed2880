// A scripted provider. A model's name picks the script that answers: an async function of the answer, which
// writes with the helpers below. OpenAI's shape at /v1/chat/completions, LMC at /v1/chat.
import { once } from 'node:events';
import { createServer } from 'node:http';

export async function startUpstream() {
  const scripts = new Map();
  const requests = [];
  const refusals = new Map();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const asked = JSON.parse(body || '{}');
    const script = scripts.get(asked.model ?? asked.config?.model);
    if (!script) return void response.writeHead(404).end();
    requests.push(asked);
    if (refusals.get(asked.model)?.length) {
      const { status, headers, message } = refusals.get(asked.model).shift();
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      return void response.end(JSON.stringify({ error: { message, type: 'error', code: null } }));
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    try {
      await script(new Answer(response), asked);
    } catch (error) {
      if (!response.destroyed) throw error; // the gateway has left: a stream that was cancelled
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests, // the bodies, in the order of their coming
    script: (model, answer) => scripts.set(model, answer),
    // refuse: so many requests as are given, before the script answers.
    refuse: (model, ...all) => refusals.set(model, all),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

// gate: a promise that the test opens.
export function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { open, opened };
}

class Answer {
  constructor(response) {
    this.response = response;
  }

  async data(value) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (this.response.destroyed) throw new Error('the gateway has left');
    if (!this.response.write(`data: ${text}\n\n`)) await once(this.response, 'drain');
  }

  delta(delta, finish = null) {
    return this.data({
      id: 'chatcmpl-up', object: 'chat.completion.chunk', created: 1700000000, model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  }

  text(content) {
    return this.delta({ content });
  }

  // The end of a good answer in OpenAI's shape.
  async finish(usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }, reason = 'stop') {
    await this.delta({}, reason);
    await this.data({ id: 'chatcmpl-up', object: 'chat.completion.chunk', created: 1700000000, model: 'scripted', choices: [], usage });
    await this.data('[DONE]');
  }

  // A segment of LMC, and the end of an answer in it.
  async segment(head, ...contents) {
    await this.data({ ...head, start: true });
    for (const content of contents) await this.data(typeof content === 'object' ? { ...head, ...content } : { ...head, content });
    await this.data({ ...head, end: true });
  }

  complete() {
    return this.data({ role: 'server', type: 'status', content: 'complete' });
  }
}
