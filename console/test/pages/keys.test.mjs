// Keys: the first one of an open gateway, and what is done to all others. What a key may not see stays unseen.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, axe, client, openPage, signIn, startBrowser, startGateway, until } from './kit.mjs';
import { config, store } from './stored.mjs';

const KEY = /^parley_sk_[0-9a-z]{8}_[0-9A-Za-z]{49}$/;

let gateway, browser, stranger, page, stored, root; // root: the text of the first key

before(async () => {
  gateway = await startGateway(`${config}\nusage_tags: [customer]\n`);
  browser = await startBrowser();
  stranger = await startBrowser(); // tabs of one browser share a session
  stored = await store(client(gateway.url));
  page = await openPage(browser, gateway.url, '#/keys');
});
after(async () => {
  await browser?.stop();
  await stranger?.stop();
  await gateway?.stop();
});

const dialog = () => page.getByRole('dialog');
const line = (name) => page.getByRole('row').filter({ hasText: name });

async function textShown(within) {
  const text = await within.getByLabel('Secret').inputValue();
  assert.match(text, KEY);
  return text;
}

test('the first key closes the gateway, signs in, and takes along what was said', async () => {
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByText('conversations were taken along').waitFor();
  root = await textShown(page);
  await page.getByText('You are signed in with this key.').waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await line('this session').waitFor();

  await assert.rejects(client(gateway.url)('GET', '/v1/conversations'), /401/);
  const call = client(gateway.url, root);
  assert.deepEqual((await call('GET', '/v1/me')).scopes.sort(), ['admin', 'chat', 'files', 'read']);
  const { data } = await call('GET', '/v1/conversations?limit=100');
  assert.deepEqual(
    data
      .filter((one) => one.title_source === 'user')
      .map((one) => one.title)
      .sort(),
    ['Tea pots 0', 'Tea pots 1', 'Tea pots 2'],
  );
  const tree = await call('GET', `/v1/conversations/${data.find((one) => one.title === 'Tea pots 0').id}/tree`);
  assert.equal(tree.data.length, 8, 'all branches came along');
  assert.ok(stored.first.conversation);
});

test('the text of the first key is neither in the storage nor in the address', async () => {
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.body.innerText]),
  );
  assert.ok(!kept.includes(root));
});

test('a key with scopes, models, expiry, limits and a budget', async () => {
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog().getByLabel('Name').fill('web shop');
  await dialog().getByLabel('files uploaded files').uncheck();
  await dialog().getByLabel('Expires').fill('2099-01-02T03:04');
  await dialog().getByLabel('Only these models').fill('echo\npriced');
  await dialog().getByText('Limits', { exact: true }).click();
  await dialog().getByLabel('Requests').fill('60');
  await dialog().getByText('Budget', { exact: true }).click();
  await dialog().getByLabel('Money').fill('12.5');
  const note = await dialog().getByText('These models have no price').textContent();
  assert.match(note, /: echo$/, 'of the models that the key may use');
  await accessible(page);
  await dialog().getByRole('button', { name: 'New key' }).click();
  await dialog().getByText('It is shown this once').waitFor();
  const text = await textShown(dialog());
  assert.deepEqual(await axe(page), []);
  await dialog().getByRole('button', { name: 'I have kept it' }).click();
  await dialog().waitFor({ state: 'detached' });
  assert.ok(!(await page.content()).includes(text));

  const mine = await client(gateway.url, text)('GET', '/v1/me');
  assert.deepEqual(mine.scopes.sort(), ['chat', 'read']);
  assert.deepEqual(mine.models.sort(), ['echo', 'priced']);
  assert.equal(mine.limits.requests.count, 60);
  assert.equal(Number(mine.budget.money), 12.5);
  assert.ok(mine.expires_at > Date.now() / 1000);
  await line('web shop').getByText('60 requests in 1m').waitFor();
});

test('a change of the name leaves the rest as it was', async () => {
  const call = client(gateway.url, root);
  const before = (await call('GET', '/v1/admin/keys')).data.find((key) => key.name === 'web shop');
  await page.getByRole('button', { name: 'Change: web shop' }).click();
  await dialog().getByLabel('Name').fill('web store');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await line('web store').waitFor();
  const now = await call('GET', `/v1/admin/keys/${before.id}`);
  assert.deepEqual({ ...now, last_used_at: null }, { ...before, name: 'web store', last_used_at: null });
});

test('checkboxes have one size beside texts of any length', async () => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog().waitFor();
  const sizes = await dialog().locator('input[type=checkbox]').evaluateAll((all) => all.map((one) => `${one.offsetWidth}x${one.offsetHeight}`));
  assert.equal(new Set(sizes).size, 1, sizes.join());
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/new-key-320.png` });
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('a budget for each customer is shown, and a change of the name leaves it', async () => {
  const call = client(gateway.url, root);
  const each = { tag: 'customer', money: '5.00', window: '1d' };
  const made = await call('POST', '/v1/admin/keys', { name: 'many', budget: { each } });
  await page.reload();
  await line('many').getByText('Budget $5.00 for each customer every 1d').waitFor();
  await page.getByRole('button', { name: 'Change: many' }).click();
  await dialog().getByLabel('Name').fill('more');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await line('more').waitFor();
  assert.deepEqual((await call('GET', `/v1/admin/keys/${made.id}`)).budget, { each });
});

test('a change can take away limits, budget, models and expiry', async () => {
  await page.getByRole('button', { name: 'Change: web store' }).click();
  for (const label of ['Only these models', 'Expires', 'Requests', 'Money']) await dialog().getByLabel(label).fill('');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  const { data } = await client(gateway.url, root)('GET', '/v1/admin/keys');
  const { models, expires_at, limits, budget } = data.find((key) => key.name === 'web store');
  assert.deepEqual(
    { models, expires_at, limits, budget },
    { models: null, expires_at: null, limits: null, budget: null },
  );
});

test('a rotated key has a new secret, and the old one stays for its grace', async () => {
  const call = client(gateway.url, root);
  const old = await call('POST', '/v1/admin/keys', { name: 'turning' });
  await page.reload();
  await page.getByRole('button', { name: 'Rotate: turning' }).click();
  await dialog().getByLabel('The old secret stays valid').selectOption('not at all');
  await dialog().getByRole('button', { name: 'Rotate' }).click();
  await dialog().getByText('It is shown this once').waitFor();
  const text = await textShown(dialog());
  await dialog().getByRole('button', { name: 'I have kept it' }).click();
  assert.equal((await client(gateway.url, text)('GET', '/v1/me')).id, old.id);
  await assert.rejects(client(gateway.url, old.key)('GET', '/v1/me'), /401/);
});

test('a key is revoked after its name was typed', async () => {
  const call = client(gateway.url, root);
  const made = await call('POST', '/v1/admin/keys', { name: 'leaving' });
  await page.reload();
  await page.getByRole('button', { name: 'Revoke: leaving' }).click();
  const revoke = dialog().getByRole('button', { name: 'Revoke' });
  await dialog().getByLabel('To confirm').fill('leavin');
  assert.ok(await revoke.isDisabled());
  await dialog().getByLabel('To confirm').fill('leaving');
  assert.deepEqual(await axe(page), []);
  await revoke.click();
  await line('leaving').getByText('Revoked').waitFor();
  await assert.rejects(client(gateway.url, made.key)('GET', '/v1/me'), /401/);
});

test('the list of keys in all looks', async () => {
  await accessible(page);
  assert.deepEqual(page.complaints, []);
});

test('a foreign key sees nothing, and no page of administrators', async () => {
  const call = client(gateway.url, root);
  const { key } = await call('POST', '/v1/admin/keys', { name: 'stranger' });
  const other = await openPage(stranger, gateway.url, '#/conversations');
  await signIn(other, key);
  await other.getByText('No conversations yet').waitFor();
  assert.equal(await other.locator('.side a[href="#/keys"]').count(), 0);
  for (const [hash, said] of [
    ['#/runs', 'No runs yet'],
    ['#/files', 'No files yet'],
    ['#/usage', 'No usage in this time'],
    ['#/conversations?q=porcelain', 'Nothing was found'],
    ['#/keys', 'This page doesn’t exist'],
  ]) {
    await other.evaluate((to) => (location.hash = to), hash);
    await other.getByText(said).waitFor();
  }
  const { data } = await call('GET', '/v1/runs?limit=1');
  if (data.length) {
    await other.evaluate((to) => (location.hash = to), `#/runs/${data[0].id}`);
    await other.getByRole('alert').getByText('not_found').waitFor();
  }
  await other.evaluate(() => (location.hash = '#/settings'));
  await other.getByRole('heading', { name: 'This browser' }).waitFor();
  assert.equal(await other.getByRole('heading', { name: 'Gateway' }).count(), 0);
  await other.evaluate(() => (location.hash = '#/models'));
  await other.getByText('echo').first().waitFor();
  assert.equal(await other.getByRole('heading', { name: 'Providers' }).count(), 0);
  assert.deepEqual(other.complaints, []);
  await other.close();
});

test('a key that is revoked loses its page', async () => {
  const call = client(gateway.url, root);
  const { id, key } = await call('POST', '/v1/admin/keys', { name: 'short' });
  const other = await openPage(stranger, gateway.url, '#/conversations');
  await signIn(other, key);
  await other.getByText('No conversations yet').waitFor();
  await call('DELETE', `/v1/admin/keys/${id}`);
  await until('the form', async () => {
    await other.evaluate(() => (location.hash = location.hash === '#/runs' ? '#/files' : '#/runs'));
    return other.locator('input[type=password]').isVisible();
  });
  await other.close();
});
