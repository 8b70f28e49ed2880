// The live rule against a network that is written down: each answer of the gateway in its turn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import './dom';
import { follow, pauseAfter, type End, type Sink, type World } from '../../src/chat/live';
import type { Request } from '../../src/api';

type Step = { status?: number; blocks?: string; cut?: boolean; away?: boolean; error?: unknown };

const RUN = 'run_1';
const block = (id: number, data: string, event?: string) => `id: ${id}\n${event ? `event: ${event}\n` : ''}data: ${data}\n\n`;
const done = (id: number) => block(id, '[DONE]', 'done');

async function play(steps: Step[], known = false) {
  const { ApiError } = await import('../../src/api');
  const calls: { path: string; request: Request }[] = [];
  const got: string[] = [];
  const pauses: number[] = [];
  const world: World = {
    async call(path, request = {}) {
      calls.push({ path, request });
      const step = steps.shift();
      assert.ok(step, `one call too many: ${path}`);
      if (step.away) throw new ApiError(0, 'away');
      if (step.status && step.status >= 400) throw new ApiError(step.status, 'refused');
      if (step.status === 204) return new Response(null, { status: 204 });
      const bytes = new TextEncoder().encode(step.blocks ?? '');
      const body = new ReadableStream({
        start(control) {
          control.enqueue(bytes);
          if (!step.cut) control.close();
        },
        pull(control) {
          if (step.cut) control.error(new TypeError('network error'));
        },
      });
      return new Response(body, { headers: { 'X-Run-Id': RUN, 'X-Conversation-Id': 'conv_1' } });
    },
    pause: async (ms) => void pauses.push(ms),
    random: () => 1,
  };
  const sink: Sink = { began: () => {}, block: (one) => got.push(one.data), cut: () => {}, back: () => {} };
  const source = known ? { run: RUN } : { path: '/v1/chat', body: { a: 1 }, key: 'k1' };
  const end: End = await follow(source, sink, new AbortController().signal, world);
  assert.equal(steps.length, 0, 'every answer was asked for');
  return { end, calls, got, pauses };
}

const paths = (calls: { path: string }[]) => calls.map(({ path }) => path);

test('an answer that comes whole is asked for once', async () => {
  const { end, calls, got } = await play([{ blocks: block(1, 'a') + block(2, 'b') + done(3) }]);
  assert.deepEqual(end, { kind: 'done' });
  assert.deepEqual(got, ['a', 'b', '[DONE]']);
  assert.deepEqual(calls[0].request.headers, { 'Idempotency-Key': 'k1' });
});

test('a stream that ends without its last block was cut, whether the connection broke or closed', async () => {
  for (const cut of [true, false]) {
    const { end, calls, got } = await play([{ blocks: block(1, 'a') + block(2, 'b'), cut }, { blocks: block(3, 'c') + done(4) }]);
    assert.deepEqual(end, { kind: 'done' });
    assert.deepEqual(got, ['a', 'b', 'c', '[DONE]']);
    assert.deepEqual(paths(calls), ['/v1/chat', `/v1/runs/${RUN}/events`]);
    assert.deepEqual(calls[1].request.headers, { 'Last-Event-ID': '2' });
  }
});

test('a block that was cut in its middle comes again whole', async () => {
  const { got } = await play([{ blocks: `${block(1, 'a')}id: 2\ndata: hal`, cut: true }, { blocks: block(2, 'half') + done(3) }]);
  assert.deepEqual(got, ['a', 'half', '[DONE]']);
});

test('before the run is known the same request goes again with the same key', async () => {
  const { calls } = await play([{ away: true }, { away: true }, { blocks: done(1) }]);
  assert.deepEqual(paths(calls), ['/v1/chat', '/v1/chat', '/v1/chat']);
  for (const { request } of calls) {
    assert.deepEqual(request.headers, { 'Idempotency-Key': 'k1' });
    assert.deepEqual(request.body, { a: 1 });
  }
});

test('204: nothing follows, it was complete; 410 and 404: what is stored has to be read', async () => {
  assert.deepEqual((await play([{ blocks: block(1, 'a'), cut: true }, { status: 204 }])).end, { kind: 'done' });
  assert.deepEqual((await play([{ blocks: block(1, 'a'), cut: true }, { status: 410 }])).end, { kind: 'gone' });
  assert.deepEqual((await play([{ status: 404 }], true)).end, { kind: 'gone' });
});

test('a refusal of the request ends it; one while a run is read on does not, if it is the gateway’s own', async () => {
  const { end } = await play([{ status: 503 }]);
  assert.equal(end.kind, 'refused');
  assert.deepEqual((await play([{ blocks: block(1, 'a'), cut: true }, { status: 503 }, { away: true }, { blocks: done(2) }])).end, { kind: 'done' });
  assert.equal((await play([{ status: 401 }], true)).end.kind, 'refused');
});

test('event: error is an end', async () => {
  const { end, got } = await play([{ blocks: block(1, 'a') + block(2, '{"error":{}}', 'error') }]);
  assert.deepEqual(end, { kind: 'failed' });
  assert.equal(got.length, 2);
});

test('the pauses double from a quarter of a second to five seconds, and begin anew after a block', async () => {
  const away = Array.from({ length: 7 }, () => ({ away: true }));
  const { pauses } = await play([...away, { blocks: block(1, 'a'), cut: true }, { blocks: done(2) }]);
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 5000, 5000, 250]);
  assert.equal(pauseAfter(1, 0), 125);
});
