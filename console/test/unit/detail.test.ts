// What is shown of the messages of errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailOf, somethingLeft } from '../../src/parts/detail';
import { nameCurrency } from '../../src/parts/format';

const quota = { code: 'insufficient_quota', type: 'insufficient_quota', param: 'key', asked: false };

test('sums of a budget have the currency', () => {
  nameCurrency('USD');
  const shown = (message: string) => detailOf({ ...quota, message });
  assert.equal(
    shown("key: this call may cost up to 0.041035, and 0.001 is left of this key's budget of 0.001"),
    "this call may cost up to $0.041, and $0.001 is left of this key's budget of $0.001",
  );
  assert.equal(
    shown("this call may cost up to 2.5, and 1 is left of this key's budget for customer=of 12 of 20; the budget is renewed in 60 s"),
    "this call may cost up to $2.50, and $1.00 is left of this key's budget for customer=of 12 of $20.00; the budget is renewed in 60 s",
  );
  assert.equal(
    shown("the answer ends here: the budget of this key's group of 0.3 is used up"),
    "the answer ends here: the budget of this key's group of $0.30 is used up",
  );
  const tokens = "this call may take up to 42 tokens, and 3 are left of this key's budget of 10 tokens";
  assert.equal(shown(tokens), tokens);
  const theirs = 'this call may cost up to 2.5, and 1 is left of 3';
  assert.equal(detailOf({ ...quota, param: null, asked: true, message: theirs }), theirs, "a provider's words stay");
  nameCurrency('');
});

test('a wait is said once, and not in thousands of seconds', () => {
  const limit = {
    code: 'rate_limit_exceeded',
    type: 'requests',
    param: 'key',
    asked: false,
    message: 'key: this API key may ask models 2 times in 1h, and that is used up; try again in 3595 s',
  };
  const text = 'this API key may ask models 2 times in 1h, and that is used up';
  assert.equal(detailOf({ ...limit, retry_after: 3600 }), text);
  assert.equal(detailOf(limit), `${text}; try again in 59 min 55 s`);
  const cooling = "the provider's limit for the model 'x' is reached";
  assert.equal(
    detailOf({ code: 'upstream_rate_limited', asked: false, message: `${cooling}; try again in 600 s`, retry_after: 600 }),
    cooling,
  );
  const theirs = 'Slow down; try again in 600 s';
  assert.equal(detailOf({ ...limit, asked: true, message: theirs }), theirs, "a provider's words stay");
});

test('a budget is used up, or there is something left', () => {
  assert.ok(somethingLeft("this call may cost up to 0.041035, and 0.001 is left of this key's budget of 0.001"));
  assert.ok(somethingLeft("this call may take up to 42 tokens, and 3 are left of this key's budget of 10 tokens"));
  assert.ok(!somethingLeft("this call may cost up to 0.041035, and 0 is left of this key's budget of 0.001"));
  assert.ok(!somethingLeft("this call may take up to 42 tokens, and 0 are left of this key's budget of 10 tokens"));
  assert.ok(!somethingLeft("the answer ends here: this key's budget of 0.3 is used up"));
});
