// The filters of the runs: what stands in the address is what is asked, and what a live run is measured by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import './dom';
import {
  addressOf,
  filtered,
  fits,
  merge,
  pathOf,
  questionOf,
  whole,
  wordOf,
  type Run,
} from '../../src/pages/runs_model';

const run = (more: Partial<Run> = {}): Run =>
  whole({
    id: 'run_1',
    status: 'completed',
    outcome: 'completed',
    stored: false,
    model: 'small',
    provider: 'local',
    created_at: 1000,
    created_at_ms: 1_000_250,
    duration_ms: 500,
    error: null,
    usage: null,
    key: 'key_a',
    attempts: 1,
    ...more,
  } as Run);
const asked = (address: string) => questionOf(new URLSearchParams(address), true);

test('an address says all of a question, and a question its address', () => {
  const address = 'status=refused&model=a%2Fb&provider=p&key=key_a&error=rate_limit_exceeded&stored=0&slow=900&whose=own';
  const of = asked(address);
  assert.deepEqual(addressOf(of), Object.fromEntries(new URLSearchParams(address)));
  assert.equal(
    pathOf(of, { limit: 50 }),
    '/v1/runs?outcome=refused&model=a%2Fb&provider=p&key=key_a&error=rate_limit_exceeded&stored=false&min_duration_ms=900&limit=50',
  );
  assert.ok(filtered(of));
  assert.ok(!filtered(asked('whose=own')));
  assert.deepEqual(addressOf(asked('')), {});
  assert.match(pathOf(asked('from=100&to=200'), {}), /created_after=99&created_before=200/);
  assert.equal(pathOf(asked('status=running'), {}), '/v1/admin/runs?status=running');
  assert.ok(!questionOf(new URLSearchParams(''), false).all);
});

test('a run that changes is measured by the same filters', () => {
  assert.ok(fits(run(), asked('status=completed&model=small&stored=0&slow=500&from=1000')));
  for (const address of ['status=failed', 'model=large', 'stored=1', 'slow=501', 'from=1001', 'to=1000', 'key=key_b', 'error=x'])
    assert.ok(!fits(run(), asked(address)), address);
});

test('a word for each end', () => {
  assert.equal(wordOf(run({ status: 'running', outcome: null })), 'running');
  assert.equal(wordOf(run({ status: 'failed', outcome: 'refused' })), 'refused');
  assert.equal(wordOf(run({ status: 'cancelled', outcome: 'client_left' })), 'client_left');
  assert.equal(wordOf({ status: 'incomplete', outcome: null }), 'failed');
});

test('a state of the stream takes no text away', () => {
  const known = run({ error: { code: 'overloaded', message: 'too much' }, key_name: 'shop' });
  const after = merge(known, run({ error: { code: 'overloaded' }, key_name: undefined, duration_ms: 900 }));
  assert.equal(after.error?.message, 'too much');
  assert.equal(after.key_name, 'shop');
  assert.equal(after.duration_ms, 900);
});
