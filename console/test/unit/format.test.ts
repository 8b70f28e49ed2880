// Money says its currency, and is told apart from nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money, nameCurrency, percent, plainWords } from '../../src/parts/format';

test('money has the currency that the gateway names', () => {
  nameCurrency('');
  assert.equal(money('31.054'), '31.05');
  nameCurrency('USD');
  assert.equal(money('31.054'), '$31.05');
  assert.equal(money('20'), '$20.00');
  assert.equal(money('0.5'), '$0.50');
  assert.equal(money('0.0031234'), '$0.00312');
  assert.equal(money('0'), '$0.00');
  assert.equal(money(null), '–');
  nameCurrency('EUR');
  assert.equal(money('1234.5'), '€1,234.50');
  nameCurrency('');
});

test('a part that is there at all is not zero', () => {
  assert.equal(percent(0), '0%');
  assert.equal(percent(0.00001), '< 0.1%');
  assert.equal(percent(0.0356), '3.6%');
});

test('an excerpt has words, and no marks', () => {
  assert.equal(plainWords('1. **The wall.** Use `pots` # 5'), '1. The wall. Use pots  5');
  assert.equal(plainWords('# Tea'), ' Tea');
  assert.equal(plainWords('snake_case * 2'), 'snake_case * 2');
  assert.equal(plainWords('x'.repeat(120)), 'x'.repeat(120) + '…');
});
