// What the strip of a provider's health says in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import './dom';
import { healthText, type HealthInterval } from '../../src/parts/health';

const from = 1_000_000;
const to = from + 24 * 3600;
const whole: HealthInterval[] = [{ from: from - 50, to, state: 'fine' }];

test('where not all of the time is known, the words say how much is', () => {
  const known = (of: HealthInterval[]) => healthText(of, from, to);
  assert.equal(known(whole), 'Healthy all the time');
  assert.equal(known([{ from: to - 720, to, state: 'fine' }]), 'Healthy in the 12 min that are known');
  assert.equal(known([{ from: to - 45, to, state: 'fine' }]), 'Healthy in the 45 s that are known');
  assert.equal(
    known([
      { from: to - 10 * 3600, to: to - 3600, state: 'fine' },
      { from: to - 3600, to, state: 'open' },
    ]),
    'Healthy 90 % of the 10 h that are known; Down 60 min',
  );
});

test('nothing known, all fine, and what else there was', () => {
  assert.match(healthText([], from, to), /not known/);
  assert.match(healthText(whole, from, to), /Healthy/);
  const some = healthText(
    [
      { from, to: from + 600, state: 'fine' },
      { from: from + 600, to: from + 1200, state: 'open' },
      { from: from + 1200, to, state: 'fine' },
    ],
    from,
    to,
  );
  assert.match(some, /99/);
  assert.match(some, /10 min/);
});
