// Sign-in at a real issuer (tests/oidc): the browser goes there and comes back, and the page connects to nobody else.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, openPage, startBrowser, startGateway, until } from './kit.mjs';

let issuer, at, gateway, browser;

before(async () => {
  issuer = spawn('node', ['issuer.mjs'], { cwd: resolve(import.meta.dirname, '../../../tests/oidc'), stdio: ['pipe', 'pipe', 'ignore'] });
  at = JSON.parse(await new Promise((told) => issuer.stdout.once('data', (data) => told(String(data))))).issuer;
  gateway = await startGateway(`
default_model: echo
tokens:
  - issuer: ${at}
    audience: parley
    name: email
    scopes: {claim: roles, map: {boss: [admin, read, chat]}, default: [chat, read]}
    console: {client_id: console}
`);
  browser = await startBrowser();
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
  issuer?.stdin.end();
});

const button = (page) => page.getByRole('button', { name: `Sign in with ${new URL(at).host}` });
const inside = (page) => page.getByRole('textbox', { name: 'Message' }).waitFor();
const storage = (page) => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));

// The buttons of oidc-provider's own pages.
async function atIssuer(page, name) {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('x');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('a person signs in at the issuer, and is back where the sign-in began', async () => {
  const tokens = [];
  const strange = [];
  const page = await openPage(browser, gateway.url, '#/runs');
  page.on('request', (request) => {
    const own = request.frame().url().startsWith(gateway.url);
    if (own && !request.isNavigationRequest() && !request.url().startsWith(gateway.url)) strange.push(request.url());
    const sent = /Bearer (ey\S+)/.exec(request.headers().authorization ?? '');
    if (sent) tokens.push(sent[1]);
  });
  await button(page).waitFor();
  await accessible(page);
  assert.deepEqual(page.complaints, []);
  await button(page).click();
  await atIssuer(page, 'ann');
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  assert.equal(page.url(), `${gateway.url}/console/#/runs`, 'neither code nor state stay in the address');
  assert.equal(tokens.length, 1, 'the token was sent once, for the session');
  assert.ok(!(await storage(page)).includes('eyJ'), 'the browser stores no token');
  assert.deepEqual(strange, [], 'the page asks nobody but its own gateway');
  const session = JSON.parse(await page.evaluate(() => sessionStorage.getItem('parley.session')));
  assert.ok(Math.abs(session.ends_at - Date.now() / 1000 - 660) < 60, 'the session ends with the token');
  await page.goto(`${gateway.url}/console/#/chat`);
  await page.reload();
  await inside(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await button(page).waitFor();
  await page.close();
});

test('an answer that does not name the issuer is not believed', async () => {
  const page = await openPage(browser, gateway.url, '#/chat');
  const begun = page.waitForRequest((request) => request.url().startsWith(at) && request.url().includes('state='));
  await button(page).click();
  const state = new URL((await begun).url()).searchParams.get('state');
  await page.goto(`${gateway.url}/console/?code=stolen&state=${state}`);
  await page.getByText('The answer does not name the issuer that you chose').waitFor();
  assert.ok(!page.asked.some((one) => one.startsWith('POST /v1/sign-in')), 'the code goes nowhere');
  await page.close();
});

test('a sign-in that this tab has not begun is not believed', async () => {
  const page = await openPage(browser, gateway.url, '?code=stolen&state=x#/chat');
  await page.getByText('This sign-in was not begun in this tab.').waitFor();
  await until('the address without the code', async () => page.url() === `${gateway.url}/console/`);
  assert.ok(!page.asked.some((one) => one.startsWith('POST /v1/sign-in')), 'the code goes nowhere');
  assert.deepEqual(page.complaints, []);
  await page.close();
});
