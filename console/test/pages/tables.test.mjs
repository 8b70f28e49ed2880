// Each page with something on it: axe in all looks, no page wider than its screen, at most two requests.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, startBrowser, startGateway } from './kit.mjs';
import { config, store } from './stored.mjs';

let gateway, browser, run;

before(async () => {
  gateway = await startGateway(config);
  browser = await startBrowser();
  const call = client(gateway.url);
  await store(call);
  const form = new FormData();
  form.append('purpose', 'user_data');
  form.append('file', new Blob(['Bring an umbrella.'], { type: 'text/plain' }), 'notes.txt');
  await call('POST', '/v1/files', form);
  const runs = await call('GET', '/v1/runs?limit=50');
  run = runs.data.find((one) => one.attempts > 1) ?? runs.data[0];
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

const shown = {
  conversations: ['#/conversations', (page) => page.getByRole('link', { name: 'Tea pots 2' })],
  search: ['#/conversations?q=porcelain', (page) => page.locator('mark').first()],
  filter: ['#/conversations?key=topic&value=garden', (page) => page.getByRole('link', { name: 'Tea pots 0' })],
  overview: ['#/overview', (page) => page.getByRole('img').nth(3)],
  runs: ['#/runs', (page) => page.getByRole('cell', { name: 'Failed' }).first()],
  run: [() => `#/runs/${run.id}`, (page) => page.getByRole('link', { name: 'Conversation', exact: true })],
  usage: ['#/usage', (page) => page.getByRole('img')],
  models: ['#/models', (page) => page.getByRole('link', { name: 'Providers' })],
  providers: ['#/models?show=providers', (page) => page.getByRole('region', { name: 'Providers' })],
  files: ['#/files', (page) => page.getByRole('button', { name: 'notes.txt', exact: true })],
  settings: ['#/settings', (page) => page.getByRole('heading', { name: 'Secrets' })],
  keys: ['#/keys', (page) => page.getByRole('button', { name: 'Make the key' })],
};

// The frame asks who it is, whether it may administrate, and for the chats beside the page; the rest is the page's.
const ofFrame = (asked) =>
  /^GET \/v1\/(me|admin\/overview|runs\/live|conversations\?(pinned=true|origin=console&sort=recent)&limit=\d+)$/.test(asked);

for (const [name, [hash, there]] of Object.entries(shown)) {
  test(name, async () => {
    const page = await openPage(browser, gateway.url, typeof hash === 'function' ? hash() : hash);
    await there(page).waitFor();
    assert.equal(await page.locator('main').count(), 1);
    assert.equal(await page.locator('main h1').count(), 1);
    const asked = page.asked.filter((one) => !ofFrame(one));
    // the overview has hours twice, the budgets and the health of providers
    assert.ok(asked.length <= (name === 'overview' ? 4 : 2), `too many requests: ${asked.join(', ')}`);
    await accessible(page);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });
}
