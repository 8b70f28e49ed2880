// The audit: what was done is listed, filtered and saved as CSV.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { accessible, client, lookAs, openPage, overflow, signIn, startBrowser, startGateway, until } from './kit.mjs';

let gateway, browser, page, root, shop;
const groups = {};

before(async () => {
  gateway = await startGateway();
  browser = await startBrowser();
  root = await client(gateway.url)('POST', '/v1/admin/keys', { name: 'root', scopes: ['chat', 'read', 'files', 'admin'] });
  const api = client(gateway.url, root.key);
  shop = await api('POST', '/v1/admin/keys', { name: 'shop' });
  await api('POST', `/v1/admin/keys/${shop.id}/rotate`, {});
  await api('DELETE', `/v1/admin/keys/${shop.id}`);
  for (const name of ['customers', 'gone']) groups[name] = await api('POST', '/v1/admin/groups', { name });
  await api('DELETE', `/v1/admin/groups/${groups.gone.id}`);
  for (let i = 0; i < 60; i++) {
    const { id } = await api('POST', '/v1/conversations', {});
    await api('DELETE', `/v1/conversations/${id}`);
  }
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

const rows = () => page.locator('tbody tr');

test('what was done stands in the list, newest first, page by page', async () => {
  page = await openPage(browser, gateway.url, '#/audit');
  await signIn(page, root.key);
  await rows().first().waitFor();
  assert.match(await rows().first().innerText(), /Signed in/);
  assert.equal(await rows().count(), 50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('Nobody (no keys yet)').waitFor();
  assert.equal(await rows().count(), 68);
  assert.match(await rows().last().innerText(), /Key made/);
  assert.ok(!(await page.content()).includes(root.key.slice(-20)));
  await accessible(page);
  await lookAs(page, {});
  await page.setViewportSize({ width: 320, height: 700 });
  assert.ok((await overflow(page)) <= 0);
  await lookAs(page, {});
});

test('keys and groups have their names beside their ids, and no column is cut', async () => {
  await page.goto(`${gateway.url}/console/#/audit?action=group.create`);
  await until('the groups', async () => (await rows().count()) === 2);
  assert.equal(await page.getByLabel('Action').inputValue(), 'group.create');
  await page.getByText('customers').waitFor();
  const [gone, customers] = await rows().allInnerTexts();
  assert.match(customers, new RegExp(`Group made\\s+customers\\s+${groups.customers.id}\\s+root\\s+${root.id}`));
  assert.match(gone, new RegExp(`Group made\\s+${groups.gone.id}\\s+root`), 'a deleted group has its id alone');
  await page.goto(`${gateway.url}/console/#/audit?object=${shop.id}`);
  await page.getByText('shop').first().waitFor();
  await page.goto(`${gateway.url}/console/#/audit`);
  await until('the list', async () => (await rows().count()) === 50);
  for (const width of [1440, 1280, 768]) {
    await page.setViewportSize({ width, height: 900 });
    const cut = await page.locator('.scroll').evaluate((box) => box.scrollWidth - box.clientWidth);
    assert.ok(cut <= 0, `${cut} pixels are cut at ${width}`);
  }
  await lookAs(page, {});
});

test('filters are in the address, and what they leave is saved', async () => {
  await page.getByLabel('Object').fill(shop.id);
  await page.getByLabel('Object').press('Enter');
  await page.waitForURL(new RegExp(`object=${shop.id}`));
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 3);
  const [revoked, rotated, made] = await rows().allInnerTexts();
  assert.match(revoked, /Key revoked/);
  assert.match(rotated, /Key rotated/);
  assert.match(made, /Key made/);
  assert.ok(made.includes(root.id) && made.includes(shop.id) && made.includes('127.0.0.1'));
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const lines = (await readFile(await (await saving).path(), 'utf8')).trim().split('\r\n');
  assert.equal(lines.length, 4);
  assert.match(lines[1], /,key\.revoke,/);
  assert.equal(await page.getByText('The file ends after').count(), 0);
  await page.getByLabel('Action').selectOption('Signed out');
  await page.getByText('Nothing fits these filters').waitFor();
  assert.deepEqual(page.complaints, []);
});

// With pages of the size that the gateway gives, the test would need as many entries.
const smallPages = (limit) =>
  page.route('**/v1/admin/audit?*format=csv*', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', String(limit));
    return route.continue({ url: url.href });
  });
const saved = async () => {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  return (await readFile(await (await saving).path(), 'utf8')).trim().split('\r\n');
};

test('the file has all pages of the gateway, and the names of the columns once', async () => {
  await page.goto(`${gateway.url}/console/#/audit?action=conversation.delete`);
  await until('the list', async () => (await rows().count()) === 50);
  await smallPages(25);
  const lines = await saved();
  assert.equal(lines.length, 61);
  assert.equal(new Set(lines).size, 61);
  assert.match(lines[0], /^at,actor,/);
  assert.ok(lines.slice(1).every((line) => line.includes(',conversation.delete,')));
  assert.equal(page.asked.filter((one) => one.includes('format=csv') && one.includes('after=')).length, 2);
  await page.unrouteAll();
});

test('a file that ends before the list does says so', async () => {
  // 100,000 lines of one page are too many to make, so the page is told that it has them
  await page.route('**/v1/admin/audit?*format=csv*', async (route) => {
    const lines = 'audit_1\r\n'.repeat(100_000);
    await route.fulfill({ contentType: 'text/csv', headers: { 'x-next': 'audit_1' }, body: `id\r\n${lines}` });
  });
  assert.equal((await saved()).length, 100_001);
  await page.getByText('The file ends after 100,000 lines, and there are more.').waitFor();
  await page.unrouteAll();
  await accessible(page);
});
