// Usage: what stands in the chart stands in the tables too; the budget; the CSV file; all keys for administrators.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, signIn, startBrowser, startGateway, until } from './kit.mjs';
import { config } from './stored.mjs';

let gateway, browser, page, shop, root;

before(async () => {
  gateway = await startGateway(`${config}\nusage_tags: [customer]\n`);
  browser = await startBrowser();
  root = await client(gateway.url)('POST', '/v1/admin/keys', {
    name: 'root',
    scopes: ['chat', 'read', 'files', 'admin'],
  });
  shop = await client(gateway.url, root.key)('POST', '/v1/admin/keys', {
    name: 'shop',
    budget: { money: '20', window: '30d' },
  });
  const say = (key, model, text, more) =>
    client(gateway.url, key)('POST', '/v1/chat', { messages: [text], config: { model, max_tokens: 1000 }, ...more });
  for (let i = 0; i < 3; i++)
    await say(shop.key, 'priced', 'four words stand here', i ? { metadata: { customer: 'acme' } } : {});
  await say(root.key, 'echo', 'without a price');
  await say(root.key, 'priced', 'with a price');
  await until(
    'the usage',
    async () =>
      (await client(gateway.url, root.key)('GET', '/v1/admin/usage?group=key')).data.reduce(
        (sum, row) => sum + row.calls,
        0,
      ) === 5,
  );
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

const region = (name) => page.getByRole('region', { name });

test('a key sees its own usage and what is left of its budget', async () => {
  page = await openPage(browser, gateway.url, '#/usage');
  await signIn(page, shop.key);
  await page.getByRole('img').waitFor();
  const report = await client(gateway.url, shop.key)('GET', '/v1/usage');
  const budget = report.budget.cost;
  const shown = await page.locator('.budget').innerText();
  for (const word of ['Spent', 'Reserved', 'Left', 'Limit']) assert.ok(shown.includes(word), word);
  const figure = async (name) =>
    (await page.locator('.budget-figures > div').filter({ hasText: name }).locator('dd').innerText()).replace(/^\$/, '');
  assert.ok(Math.abs(Number(await figure('Spent')) - Number(budget.spent)) < 0.01);
  assert.ok(Math.abs(Number(await figure('Left')) - Number(budget.left)) < 0.01);
  const spent = Number(await page.locator('.budget-bar .budget-spent').getAttribute('width'));
  assert.ok(Math.abs(spent - (100 * Number(budget.spent)) / 20) < 0.1);
  assert.equal(await page.getByLabel('Usage of').count(), 0);
  const row = await region('By model').locator('tbody tr').allInnerTexts();
  assert.equal(row.length, 1);
  assert.match(row[0], /priced\s+3\s/);
  await page.getByLabel('Stacked by').selectOption('customer');
  await region('By customer').getByText('acme').waitFor();
  const customers = await region('By customer').locator('tbody tr').allInnerTexts();
  assert.match(customers[0], /acme\s+2\s/);
  assert.match(customers[1], /No customer\s+1\s/);
  assert.match(await page.locator('.legend').innerText(), /acme/);
  await accessible(page);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('all keys, stacked by key, as a chart, a table and a file', async () => {
  page = await openPage(browser, gateway.url, '#/usage');
  await signIn(page, root.key);
  await page.getByLabel('Usage of').selectOption('all keys');
  await page.getByLabel('Stacked by').selectOption('Key');
  await region('By key').getByText(shop.id).waitFor();
  await page.getByLabel('Show').selectOption('Calls');
  await page.locator('.legend').getByText(shop.id).waitFor();
  assert.equal(await page.locator('.chart-bar').count(), 2);
  const [most, other] = await page
    .locator('.chart-bar')
    .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))));
  assert.ok(Math.abs(most / other - 3 / 2) < 0.01, 'three calls and two');
  const totals = await page.locator('.totals').innerText();
  assert.match(totals, /1 call has no price/);
  await accessible(page);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = join(gateway.folder, 'usage.csv');
  await (await download).saveAs(file);
  const [head, ...lines] = (await readFile(file, 'utf8')).trim().split('\r\n');
  assert.equal(
    head,
    'day,key,calls,calls_estimated,calls_unpriced,input_tokens,output_tokens,cached_tokens,reasoning_tokens,cost',
  );
  const rows = lines.map((line) => line.split(','));
  assert.equal(rows.find((row) => row[1] === shop.id)[2], '3');
  assert.equal(rows.find((row) => row[1] === root.id)[4], '1');
});

test('a year has 366 bars at most, and two requests', async () => {
  const before = page.asked.length;
  await page.getByLabel('Time').selectOption('Last 366 days');
  await until('the year', async () => (await page.locator('.chart-place').count()) === 366);
  assert.equal(page.asked.length - before, 2);
  await page.locator('summary').getByText('The days as a table').click();
  await page.getByRole('region', { name: 'The days as a table' }).locator('tbody tr').first().waitFor();
  await accessible(page);
  assert.deepEqual(page.complaints, []);
});
