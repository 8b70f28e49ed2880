// Money says its currency, and is told apart from nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration, money, nameCurrency, percent, plainWords } from '../../src/parts/format';

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

test('a duration is said in the units that fit', () => {
  const said = (seconds: number) => duration(1000 * seconds);
  assert.equal(said(0.34), '340 ms');
  assert.equal(said(1.254), '1.25 s');
  assert.equal(said(75), '75 s');
  assert.equal(said(119.4), '119 s');
  assert.equal(said(120), '2 min');
  assert.equal(said(3595), '59 min 55 s');
  assert.equal(said(3599.6), '1 h');
  assert.equal(said(3600), '1 h');
  assert.equal(said(3690), '1 h 2 min');
  assert.equal(said(86400), '24 h');
  assert.equal(said(2 * 86400 + 3 * 3600), '2 d 3 h');
  assert.equal(said(3 * 86400 - 10), '3 d');
  assert.equal(said(30 * 86400), '30 d');
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
