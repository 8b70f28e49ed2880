// The picture of a conversation's branches: where turns stand, and where keys lead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelOf, layOut, leafOf, moveFrom, pathTo, type TreeMessage, type Turn } from '../../src/pages/branches_tree';

// One turn: a question and its answer. The ids of later turns are larger.
function turn(n: number, parent: number | null): TreeMessage[] {
  const at = { created_at: n, preview: `question ${n}`, run_id: `run_${n}`, model: null };
  return [
    { ...at, id: `msg_${n}q`, parent_id: parent === null ? null : `msg_${parent}r`, role: 'user' },
    { ...at, id: `msg_${n}r`, parent_id: `msg_${n}q`, role: 'assistant', preview: `answer ${n}`, model: 'echo' },
  ];
}

// 1 - 2 - 4
//   \ 3 - 5
//       \ 6
const messages = [turn(1, null), turn(2, 1), turn(3, 1), turn(4, 2), turn(5, 3), turn(6, 3)].flat();
const rows = layOut(messages);
const of = (n: number): Turn => rows.find((row) => row.id === `msg_${n}r`)!;

test('the newest branch goes straight on, and the others stand before it to the side', () => {
  assert.deepEqual(
    rows.map((row) => [row.id, row.lane]),
    [
      ['msg_1r', 0],
      ['msg_2r', 1],
      ['msg_4r', 1],
      ['msg_3r', 0],
      ['msg_5r', 1],
      ['msg_6r', 0],
    ],
  );
  assert.deepEqual(
    rows.map((row) => row.row),
    [0, 1, 2, 3, 4, 5],
  );
});

test('no line runs through a turn that is not its own', () => {
  for (const row of rows) {
    if (!row.parent) continue;
    const between = rows.slice(row.parent.row + 1, row.row);
    assert.ok(
      between.every((other) => other.lane !== row.parent!.lane),
      row.id,
    );
  }
});

test('a turn leads to the newest leaf behind it', () => {
  assert.equal(leafOf(of(1)).id, 'msg_6r');
  assert.equal(leafOf(of(2)).id, 'msg_4r');
  assert.equal(leafOf(of(5)).id, 'msg_5r');
});

test('a path has all turns before a message', () => {
  assert.deepEqual(
    [...pathTo(rows, 'msg_4q')].map((row) => row.id),
    ['msg_4r', 'msg_2r', 'msg_1r'],
  );
  assert.equal(pathTo(rows, 'msg_of_another').size, 0);
});

test('keys stay in the picture', () => {
  const path = pathTo(rows, 'msg_4r');
  assert.equal(moveFrom(rows, of(1), 'ArrowDown', path), of(2));
  assert.equal(moveFrom(rows, of(1), 'ArrowDown', new Set()), of(3));
  assert.equal(moveFrom(rows, of(2), 'ArrowRight', path), of(3));
  assert.equal(moveFrom(rows, of(2), 'ArrowLeft', path), of(2));
  assert.equal(moveFrom(rows, of(1), 'ArrowUp', path), of(1));
  assert.equal(moveFrom(rows, of(4), 'ArrowDown', path), of(4));
  assert.equal(moveFrom(rows, of(3), 'End', path), of(6));
});

test('messages without a run are turns of their own, and a turn is named by its question', () => {
  const alone = layOut([
    { ...turn(1, null)[0]!, run_id: null },
    { ...turn(2, null)[0]!, run_id: null, parent_id: 'msg_1q' },
  ]);
  assert.equal(alone.length, 2);
  assert.equal(labelOf(of(3)).preview, 'question 3');
});

test('thousands of turns in a row do not overflow the stack', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => turn(i + 1, i === 0 ? null : i)).flat();
  const laid = layOut(many);
  assert.equal(laid.length, 20_000);
  assert.ok(leafOf(laid[0]!));
});
