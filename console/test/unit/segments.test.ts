// What messages become, in either shape, whole and in chunks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addStored, Growing, openCalls, userMessage, type Lmc, type Segment, type Stored } from '../../src/chat/segments';

function stored(...messages: Stored[]): Segment[] {
  const segments: Segment[] = [];
  for (const message of messages) addStored(segments, message);
  return segments;
}

function grown(...chunks: (Lmc | { choices: { delta: Stored; finish_reason: null }[] })[]): Segment[] {
  const growing = new Growing();
  for (const chunk of chunks) growing.add(chunk);
  return growing.segments;
}

const delta = (one: Stored) => ({ choices: [{ delta: one, finish_reason: null }] });

test('reasoning, text and calls, in pieces', () => {
  assert.deepEqual(
    grown(
      delta({ role: 'assistant', reasoning_content: 'hm' }),
      delta({ reasoning_content: '!' }),
      delta({ content: 'a' }),
      delta({ content: 'b' }),
      delta({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '' } }] }),
      delta({ tool_calls: [{ index: 1, function: { name: 'g', arguments: '{' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
      delta({ tool_calls: [{ index: 1, function: { arguments: '}' } }] }),
    ),
    [
      { type: 'reasoning', text: 'hm!' },
      { type: 'text', text: 'ab' },
      { type: 'call', name: 'f', text: '{}' },
      { type: 'call', name: 'g', text: '{}' },
    ],
  );
});

const code = { role: 'assistant', type: 'code', format: 'python' };
const computer = { role: 'computer', type: 'console' };

test('LMC in chunks is what LMC is when it is read back', () => {
  const chunks: Lmc[] = [
    { role: 'assistant', type: 'message', start: true },
    { role: 'assistant', type: 'message', content: 'Look: ' },
    { role: 'assistant', type: 'message', end: true },
    { ...code, start: true },
    { ...code, content: 'x = 1\n' },
    { ...code, content: 'x' },
    { ...code, end: true },
    { ...computer, start: true },
    { ...computer, format: 'active_line', content: 2 },
    { ...computer, format: 'output', content: '1' },
    { ...computer, format: 'active_line', content: null },
    { ...computer, end: true },
    { ...code, start: true },
    { ...code, content: 'y' },
    { ...code, end: true },
  ];
  const whole: Stored[] = [
    { role: 'assistant', lmc: [{ role: 'assistant', type: 'message', content: 'Look: ' }, { ...code, content: 'x = 1\nx' }] },
    { ...computer, format: 'output', content: '1' },
    { ...code, content: 'y' },
  ];
  assert.deepEqual(grown(...chunks), stored(...whole));
});

test('the active line is that of the last code, live and when it is read back', () => {
  const line = { ...computer, format: 'active_line', content: 2 };
  const live = grown({ ...code, start: true, content: 'x\ny' }, line);
  const back = stored({ ...code, content: 'x\ny' }, line);
  assert.deepEqual(live, back);
  assert.equal(live[0].type === 'code' && live[0].active, 2);
});

test('parts, files and images', () => {
  const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } };
  assert.deepEqual(
    stored({
      role: 'user',
      content: [{ type: 'text', text: 'see' }, part],
      context: { files: [{ uuid: 'file-1', name: 'a.txt' }] },
    }),
    [
      { type: 'file', name: 'a.txt', id: 'file-1', text: '' },
      { type: 'text', text: 'see' },
      { type: 'image', text: 'data:image/png;base64,AA', part },
    ],
  );
  assert.deepEqual(stored({ role: 'computer', type: 'image', format: 'base64.jpeg', content: 'AA' }), [
    { type: 'image', text: 'data:image/jpeg;base64,AA' },
  ]);
});

test('a message of a user is sent as it came', () => {
  const files = { files: [{ uuid: 'file-1', name: 'a.txt' }, { name: 'b.txt', content: 'bee' }] };
  const parts = [
    { type: 'text', text: 'see' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
    { type: 'file', file: { filename: 'c.pdf', file_data: 'data:application/pdf;base64,AA' } },
    { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
  ];
  for (const content of ['see', parts])
    for (const more of [{}, { context: files }]) {
      const message = { role: 'user', content, ...more };
      assert.deepEqual(userMessage(stored(message)), message);
    }
  assert.deepEqual(userMessage(stored({ role: 'user', type: 'image', format: 'base64.png', content: 'AA' })), {
    role: 'user',
    content: [parts[1]].map(({ type }) => ({ type, image_url: { url: 'data:image/png;base64,AA' } })),
  });
});

test('the line that runs is marked in code of an earlier turn, until the answer has code of its own', () => {
  const earlier = stored({ ...code, content: 'x\ny' });
  const growing = new Growing(earlier);
  const lines = () => [...earlier, ...growing.segments].map((one) => (one.type === 'code' ? one.active : undefined));
  assert.equal(growing.add({ ...computer, format: 'active_line', content: 2 }), true);
  assert.deepEqual(lines(), [2]);
  assert.equal(growing.add({ ...computer, format: 'active_line', content: null }), true);
  assert.deepEqual(lines(), [null]);
  growing.add({ ...code, start: true, content: 'z' });
  assert.equal(growing.add({ ...computer, format: 'active_line', content: 1 }), false);
  assert.deepEqual(lines(), [null, 1]);
  growing.end();
  assert.deepEqual(lines(), [null, null]);
});

test('calls without a result wait for one, until something is said', () => {
  const call = (id: string) => ({ id, function: { name: 'f', arguments: '{}' } });
  const asked: Stored = { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] };
  const result = (id: string): Stored => ({ role: 'tool', tool_call_id: id, content: 'r' });
  const waiting = (...messages: Stored[]) => openCalls(stored(...messages)).map(({ id }) => id);
  assert.deepEqual(waiting(asked), ['a', 'b']);
  assert.deepEqual(waiting(asked, result('b')), ['a']);
  assert.deepEqual(waiting(asked, result('a'), result('b')), []);
  assert.deepEqual(waiting(asked, { role: 'assistant', content: 'never mind' }), []);
});
