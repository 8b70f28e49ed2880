// The log: lines as they come, by level and request; paused and resumed; usable on a small screen.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client, lookAs, openPage, overflow, startBrowser, startGateway } from './kit.mjs';

let gateway, browser, page, api;

before(async () => {
  gateway = await startGateway('', { level: 'info' });
  browser = await startBrowser();
  api = client(gateway.url);
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

const lines = () => page.locator('.log-lines li');
const said = async () => (await fetch(`${gateway.url}/v1/chat`, { method: 'POST', body: '{"messages":["hi"]}' })).headers.get('x-request-id');

test('lines come by themselves, and one request can be picked', async () => {
  page = await openPage(browser, gateway.url, '#/log');
  await page.getByText('Live', { exact: true }).waitFor();
  const id = await said();
  const line = lines().filter({ hasText: id });
  await line.waitFor();
  assert.match(await line.innerText(), /Info/);
  await line.locator('summary').click();
  assert.match(await line.locator('dl').innerText(), /route\s+chat/);
  await accessible(page);
  await page.setViewportSize({ width: 320, height: 700 });
  assert.ok((await overflow(page)) <= 0);
  assert.ok(await page.evaluate(() => {
    const box = document.querySelector('.log-lines');
    return box.scrollWidth <= box.clientWidth;
  }), 'long lines do not scroll to the side');
  await lookAs(page, {});
  await line.getByRole('button', { name: 'Lines of this request' }).click();
  await page.waitForURL(new RegExp(`request=${id}`));
  await page.waitForFunction(() => document.querySelectorAll('.log-lines li').length === 1);
  await page.getByLabel('Request').fill('');
  await page.getByLabel('Request').press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.log-lines li').length > 1);
});

test('a pause keeps the page as it is, and nothing is lost', async () => {
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  const id = await said();
  await api('GET', `/v1/admin/log?request_id=${id}`);
  assert.equal(await lines().filter({ hasText: id }).count(), 0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await lines().filter({ hasText: id }).waitFor();
  const ids = await lines().allInnerTexts();
  assert.equal(new Set(ids).size, ids.length, 'no line is there twice');
});

test('levels are words, and a filter takes worse ones along', async () => {
  await page.getByLabel('Level').selectOption('Errors only');
  await page.getByText('No line fits these filters').waitFor();
  await page.getByLabel('Level').selectOption('All levels');
  await lines().first().waitFor();
  assert.deepEqual(page.complaints, []);
});
