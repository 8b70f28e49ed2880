// A conversation as Markdown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import './dom';
import { fileName, markdownOf } from '../../src/chat/export';
import type { Segment } from '../../src/chat/segments';
import type { Turn } from '../../src/chat/store';

const turn = (role: Turn['role'], ...segments: Segment[]): Turn => ({
  key: '', id: null, parent: null, role, segments, at: 0, model: role === 'user' ? null : 'echo', run: null, others: [], messages: [],
});

test('what was said keeps its source; a fence is longer than those within', () => {
  const text = markdownOf('Title', 'Be brief.', [
    turn('user', { type: 'file', name: 'a.txt', id: 'f', text: '' }, { type: 'text', text: 'so \\(x\\)?' }),
    turn('assistant', { type: 'reasoning', text: 'hm\n\nso' }, { type: 'code', language: 'md', text: '```\nx\n```\n', active: null }),
    turn('assistant', { type: 'console', text: '1' }, { type: 'text', text: '# Yes' }),
  ]);
  assert.equal(
    text,
    '# Title\n\n## Instruction\n\nBe brief.\n\n## You\n\n*a.txt*\n\nso \\(x\\)?\n\n## echo\n\n> **Reasoning**\n>\n> hm\n>\n> so\n\n' +
      '````md\n```\nx\n```\n````\n\nOutput\n\n```\n1\n```\n\n# Yes\n',
  );
});

test('the name of the file is one that all systems take', () => {
  assert.equal(fileName('a/b: "c"?\n'), 'a b c.md');
  assert.equal(fileName('  '), 'Conversation.md');
  assert.equal(fileName('x'.repeat(200)).length, 83);
});
