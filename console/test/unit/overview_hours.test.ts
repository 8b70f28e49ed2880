// The sums behind the overview: where a range begins, what a bar has, what a name has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bucketed,
  byName,
  completed,
  emptySums,
  errorRate,
  firstHour,
  hoursBetween,
  stepOf,
  type HourRow,
} from '../../src/pages/overview_hours';

const times = { p50_ms: 1, p95_ms: 2, p99_ms: 3, first_token_p50_ms: 1, first_token_p95_ms: 2 };
const row = (hour: number, more: Partial<HourRow>): HourRow => ({ hour, ...emptySums(), ...times, ...more });
const NOW = 1_800_000_000 + 1234; // not at the beginning of an hour
const LAST = Math.floor(NOW / 3600) * 3600;

test('a range ends with the hour that goes on', () => {
  assert.equal(firstHour('1h', NOW), LAST - 3600);
  assert.equal(hoursBetween(firstHour('24h', NOW), LAST).length, 24);
  assert.equal(hoursBetween(firstHour('7d', NOW), LAST).length, 168);
  const day = new Date(firstHour('30d', NOW) * 1000);
  assert.equal(day.getHours(), 0, 'thirty days begin with a day');
  const days = (NOW - firstHour('30d', NOW)) / 86_400;
  assert.ok(days >= 28.9 && days <= 30.1, String(days));
});

test('bars have what their hours have, and none is lost', () => {
  const first = firstHour('7d', NOW);
  const rows = hoursBetween(first, LAST).map((hour) => row(hour, { calls: 2, failed: 1, cost: '0.1' }));
  const bars = bucketed(rows, first, LAST, stepOf('7d'));
  assert.equal(bars.length, 56);
  assert.ok(bars.every(({ sums }) => sums.calls === 6 && sums.cost === '0.3'));
  assert.equal(bucketed([], first, LAST, 3600).length, 168);
});

test('refused calls are no errors of providers', () => {
  const sums = { ...emptySums(), calls: 10, failed: 2, refused: 2, client_left: 1 };
  assert.equal(errorRate(sums), 0.25);
  assert.equal(completed(sums), 5);
  assert.equal(errorRate({ ...emptySums(), calls: 3, refused: 3 }), null);
});

test('a name has all of its hours, the largest comes first, and a key has its name', () => {
  const rows = [
    row(0, { key: 'key_a', key_name: null, calls: 1 }),
    row(0, { key: 'key_b', key_name: 'web shop', calls: 2 }),
    row(3600, { key: 'key_b', key_name: 'web shop', calls: 3 }),
    row(3600, { key: null, calls: 1 }),
  ];
  assert.deepEqual(
    byName(rows, 'key').map(({ id, name, sums }) => [id, name, sums.calls]),
    [
      ['key_b', 'web shop', 5],
      ['', '', 1],
      ['key_a', 'key_a', 1],
    ],
  );
});
