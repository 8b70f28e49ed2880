// The words of the audit are those of the project's table of acts, each in its place.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { words } from '../../src/words';

test('every act of the audit has words, and no words are left over', () => {
  const acts = [...readFileSync('../src/store/audit.h', 'utf8').matchAll(/^\s*X\([A-Z_]+, "([a-z.]+)"\)/gm)].map(([, name]) => name);
  assert.ok(acts.length > 10, 'the table is found');
  assert.deepEqual(Object.keys(words.audit.actions), acts);
});
