// The sums behind the charts and tables of the usage page, and money without floats.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, subtract } from '../../src/decimal';
import { axisTop } from '../../src/parts/chart';
import { csvField } from '../../src/parts/csv';
import {
  csv,
  daysBetween,
  emptyRow,
  missing,
  stacked,
  sum,
  type UsageRow,
} from '../../src/pages/usage_sums';

const row = (more: Partial<UsageRow>): UsageRow => ({ ...emptyRow(), ...more });

test('decimals are added to the last digit', () => {
  assert.equal(add('0.1', '0.2'), '0.3');
  assert.equal(add('9999999999999999.999999999', '0.000000001'), '10000000000000000');
  assert.equal(add('1.50', '2'), '3.5');
  assert.equal(add('0', '0'), '0');
  assert.equal(subtract('0.3', '0.3'), '0');
  assert.equal(subtract('1', '1.25'), '-0.25');
});

test('days have neither gaps nor doubles, over months and leap days', () => {
  assert.deepEqual(daysBetween('2028-02-28', '2028-03-01'), ['2028-02-28', '2028-02-29', '2028-03-01']);
  assert.equal(daysBetween('2020-01-01', '2026-01-01').length, 366);
});

const days = ['2026-11-01', '2026-11-02'];
const totals = [row({ day: days[0], calls: 10 }), row({ day: days[1], calls: 4 })];

test('what the parts lack of a day is the others’', () => {
  const parts = stacked(
    days,
    totals,
    [row({ day: days[0], model: 'a', calls: 7 }), row({ day: days[1], model: 'b', calls: 4 })],
    'model',
    'calls',
  );
  assert.deepEqual(parts, [
    { name: 'a', total: 7, values: [7, 0] },
    { name: 'b', total: 4, values: [0, 4] },
    { name: null, total: 3, values: [3, 0] },
  ]);
});

test('the smallest of many models are one part', () => {
  const rows = Array.from({ length: 9 }, (_, i) => row({ day: days[0], model: `m${i}`, calls: 9 - i }));
  const parts = stacked(days, [row({ day: days[0], calls: 45 })], rows, 'model', 'calls');
  assert.equal(parts.length, 7);
  assert.deepEqual(parts[6], { name: null, total: 3 + 2 + 1, values: [6, 0] });
  assert.equal(
    parts.reduce((all, part) => all + part.total, 0),
    45,
  );
});

test('floats of cost leave no others behind', () => {
  const rows = ['0.1', '0.2', '0.7'].map((cost, i) => row({ day: days[0], model: `m${i}`, cost }));
  const parts = stacked(days, [row({ day: days[0], cost: '1' })], rows, 'model', 'cost');
  assert.ok(parts.every((part) => part.name !== null));
});

test('a sum and what is missing of it', () => {
  const rows = [row({ calls: 2, cost: '0.1' }), row({ calls: 3, cost: '0.25', calls_unpriced: 1 })];
  const total = [...rows, row({ calls: 1, cost: '0.05' })].reduce(sum, emptyRow());
  assert.equal(total.cost, '0.4');
  assert.deepEqual(missing(total, rows), row({ calls: 1, cost: '0.05' }));
});

test('a CSV file quotes what it must, and runs no formula', () => {
  assert.equal(csvField('a,"b"'), '"a,""b"""');
  assert.equal(csvField('=1+1'), "'=1+1");
  assert.equal(
    csv([row({ day: days[0], model: 'x,y', calls: 1, cost: '0.5' })], 'model').split('\r\n')[1],
    '2026-11-01,"x,y",1,0,0,0,0,0,0,0.5',
  );
});

test('the axis ends at or above the largest bar, and not far above', () => {
  for (const largest of [1, 7, 570, 0.0003, 123456789]) {
    const top = axisTop(largest);
    assert.ok(top >= largest && top < largest * 2, `${largest}: ${top}`);
  }
});
