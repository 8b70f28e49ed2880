// What messages become, in either shape, whole and in chunks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addStored, Growing, type Lmc, type Segment, type Stored } from '../../src/chat/segments';

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
  assert.deepEqual(
    stored({
      role: 'user',
      content: [{ type: 'text', text: 'see' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }],
      context: { files: [{ uuid: 'file-1', name: 'a.txt' }] },
    }),
    [
      { type: 'file', name: 'a.txt', id: 'file-1', text: '' },
      { type: 'text', text: 'see' },
      { type: 'image', text: 'data:image/png;base64,AA' },
    ],
  );
  assert.deepEqual(stored({ role: 'computer', type: 'image', format: 'base64.jpeg', content: 'AA' }), [
    { type: 'image', text: 'data:image/jpeg;base64,AA' },
  ]);
});
