// Sign-in: for a tab, for the browser, in further tabs; and what stays when a session ends under a page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, signIn, startBrowser, startGateway, until } from './kit.mjs';
import { config } from './stored.mjs';

let gateway, browser, call, admin;

before(async () => {
  gateway = await startGateway(config);
  browser = await startBrowser();
  admin = (await client(gateway.url)('POST', '/v1/admin/keys', { name: 'root', scopes: ['chat', 'read', 'files', 'admin'] })).key;
  call = client(gateway.url, admin);
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

const make = (more = {}) => call('POST', '/v1/admin/keys', { name: 'desk', scopes: ['chat', 'read', 'files'], ...more });
const opened = () => openPage(browser, gateway.url, '#/chat');
const atForm = (page) => page.getByRole('heading', { name: 'Sign in' }).waitFor();
const inside = (page) => page.getByRole('textbox', { name: 'Message' }).waitFor();
const kept = (page) => page.evaluate(() => ({ local: { ...localStorage }, tab: { ...sessionStorage } }));
const close = (...pages) => Promise.all(pages.map((page) => page.close()));
// Something that the page asks of the gateway.
const ask = (page) => page.locator('input[type=file]').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });

test('"Keep me signed in": for the browser, until one signs out in any tab', async () => {
  const { key } = await make();
  let page = await opened();
  await atForm(page);
  await accessible(page);
  await page.getByLabel('Keep me signed in').check();
  await signIn(page, key);
  await inside(page);
  const { local } = await kept(page);
  const session = JSON.parse(local['parley.session']);
  assert.ok(Math.abs(session.ends_at * 1000 - Date.now() - 30 * 86_400_000) < 60_000, 'it lasts');
  assert.ok(!JSON.stringify(await kept(page)).includes(key), 'the key is stored nowhere');
  const spare = await browser.context.newPage(); // or the browser ends with its last tab
  await page.close();
  page = await opened();
  await inside(page);
  const second = await opened();
  await inside(second);
  await second.evaluate(() => localStorage.setItem('parley.options', '{"owner":"me","chats":[]}'));
  await second.getByRole('button', { name: 'Sign out' }).click();
  await atForm(second);
  await atForm(page);
  assert.deepEqual(Object.keys((await kept(page)).local), [], 'nothing is left');
  assert.equal((await kept(page)).tab['parley.session'], undefined);
  assert.equal((await client(gateway.url, session.token)('GET', '/v1/me').catch((error) => error)).message.includes('401'), true);
  assert.deepEqual([...page.complaints, ...second.complaints], []);
  await close(page, second, spare);
});

test('without it, another tab has the session from one that lives, and storage has none', async () => {
  const { key } = await make();
  const page = await opened();
  await signIn(page, key);
  await inside(page);
  const second = await opened();
  await inside(second);
  assert.equal((await kept(second)).local['parley.session'], undefined);
  await second.reload();
  await inside(second);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await atForm(page);
  await atForm(second);
  // and signing in goes to all that wait at the form
  await signIn(page, key);
  await inside(second);
  await close(page, second);
  const third = await opened();
  await atForm(third);
  await third.close();
});

for (const keep of [false, true])
  test(`a key is revoked under a page: it says so, and what was written stays (${keep ? 'kept' : 'of a tab'})`, async () => {
    const first = await make();
    const heir = await make({ shares: first.id });
    const page = await opened();
    await page.getByLabel('Keep me signed in').setChecked(keep);
    await signIn(page, first.key);
    await inside(page);
    await page.getByRole('textbox', { name: 'Message' }).fill('a long thought, half written');
    const place = page.url();
    await call('DELETE', `/v1/admin/keys/${first.id}`);
    await ask(page);
    await page.getByText('This key was revoked').waitFor();
    await accessible(page);
    const looks = await kept(page);
    assert.equal(looks.local['parley.session'] ?? looks.tab['parley.session'], undefined);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByLabel('Key', { exact: true }).fill(heir.key);
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key was revoked').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'a long thought, half written');
    assert.equal(page.url(), place);
    await ask(page);
    await page.getByText('a.txt').first().waitFor();
    assert.deepEqual(page.complaints, []);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await atForm(page);
    await page.close();
  });

test('a kept session whose key was revoked meanwhile says so at the form', async () => {
  const made = await make();
  let page = await opened();
  await page.getByLabel('Keep me signed in').check();
  await signIn(page, made.key);
  await inside(page);
  const spare = await browser.context.newPage();
  await page.close();
  await call('DELETE', `/v1/admin/keys/${made.id}`);
  page = await opened();
  await page.getByText('This key was revoked').waitFor();
  await atForm(page);
  await close(page, spare);
});

test('another owner signs in, and sees nothing of the page before', async () => {
  const made = await make();
  const other = await make();
  const page = await opened();
  await signIn(page, made.key);
  await inside(page);
  await page.getByRole('textbox', { name: 'Message' }).fill('not for others');
  await call('DELETE', `/v1/admin/keys/${made.id}`);
  await ask(page);
  await page.getByText('This key was revoked').waitFor();
  await page.getByLabel('Key', { exact: true }).fill(other.key);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
  await until('an empty chat', async () => (await page.getByRole('textbox', { name: 'Message' }).inputValue()) === '');
  assert.ok(!(await page.content()).includes('not for others'));
  await page.close();
});

test('signing out where the gateway fails or is away says what is known, and can be done again', async () => {
  const { key } = await make();
  const page = await opened();
  await signIn(page, key);
  await inside(page);
  const out = page.getByRole('button', { name: 'Sign out' });
  const deleted = (route, act) => (route.request().method() === 'DELETE' ? act() : route.continue());
  await page.route('**/v1/session', (route) =>
    deleted(route, () => route.fulfill({ status: 503, json: { error: { message: 'no disk', code: 'storage_unavailable' } } })),
  );
  await out.click();
  await page.getByText('it is not known whether your session has ended').waitFor();
  await page.getByText('no disk').waitFor();
  await accessible(page);
  await page.unrouteAll();
  await page.route('**/v1/session', (route) => deleted(route, () => route.abort('connectionrefused')));
  await out.click();
  await page.getByText('so your session may go on').waitFor();
  await inside(page);
  assert.notEqual((await kept(page)).tab['parley.session'], undefined, 'the token that may live is not forgotten');
  await page.unrouteAll();
  await out.click();
  await atForm(page);
  assert.deepEqual(page.complaints, [], 'no rejection that nobody handles');
  await page.close();
});

// The timer of the next token, to be run when the test wants it.
const renewable = (page) =>
  page.addInitScript(() => {
    const real = window.setTimeout;
    window.setTimeout = (work, wait, ...more) => {
      if (wait > 600_000) window.renewNow = work;
      return real(work, wait, ...more);
    };
  });
const tokenOf = async (page) => JSON.parse((await kept(page)).tab['parley.session'] ?? 'null')?.token;

test('the token that one tab renews is that of all, and signing out meanwhile ends it in all', async () => {
  const { key } = await make();
  const page = await opened();
  await renewable(page);
  await page.reload();
  await signIn(page, key);
  await inside(page);
  const second = await opened();
  await inside(second);
  const old = await tokenOf(second);
  // A token has its end in seconds: one of the same second is the same.
  const made = Math.floor(Date.now() / 1000);
  await until('another second', () => Math.floor(Date.now() / 1000) > made);
  await page.evaluate(() => window.renewNow());
  await until('a new token', async () => (await tokenOf(page)) !== old);
  await until('the same one', async () => (await tokenOf(second)) === (await tokenOf(page)));
  assert.equal(second.asked.filter((one) => one === 'POST /v1/session').length, 0);

  let answered;
  const held = new Promise((open) => (answered = open));
  await page.route('**/v1/session', async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue();
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await until('the end', async () => (await client(gateway.url, await tokenOf(second))('GET', '/v1/me').catch(() => null)) === null);
  await page.evaluate(() => window.renewNow());
  await until('a refused renewal', () => page.asked.filter((one) => one === 'POST /v1/session').length === 3);
  answered();
  await atForm(page);
  await atForm(second);
  for (const one of [page, second]) assert.equal(await one.getByText('Your session has ended').count(), 0);
  assert.deepEqual([...page.complaints, ...second.complaints], []);
  await close(page, second);
});

test('a key that has expired', async () => {
  const page = await opened();
  const made = await make({ expires_in: 6 });
  await signIn(page, made.key);
  await inside(page);
  await until('its end', async () => (await client(gateway.url, made.key)('GET', '/v1/me').catch(() => null)) === null);
  await ask(page);
  await page.getByText('This key has expired').waitFor();
  await page.close();
});
