// The states of each page in which there is nothing to show: loading, refused, empty; and the gateway away, with what was
// read still on the page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, startBrowser, startGateway, until } from './kit.mjs';
import { config, store } from './stored.mjs';

let gateway, browser, stored;

before(async () => {
  gateway = await startGateway(config);
  browser = await startBrowser();
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

// what: the address of what a page shows; empty: what it says without anything; full: a part of what it shows else.
const pages = {
  conversations: { what: '**/v1/conversations?*', empty: 'No conversations yet', full: 'a >> text=Tea pots 1' },
  overview: { what: '**/calls/hours?*', empty: 'No calls in this time', full: 'h2 >> text=By model' },
  runs: { what: /\/v1\/(admin\/)?runs(\?|$)/, empty: 'No runs yet', full: 'tbody .badge' },
  usage: { what: '**/v1/**/usage?*', empty: 'No usage in this time', full: 'h2 >> text=By model' },
  files: { what: '**/v1/files?*', empty: 'No files yet', full: 'button >> text=notes.txt' },
  models: { what: '**/v1/admin/overview', full: 'nav a >> text=Providers' },
  settings: { what: '**/v1/admin/overview', full: 'h2 >> text=Secrets' },
};
const error = {
  message: 'the gateway has too much to do',
  type: 'server_error',
  param: null,
  code: 'overloaded',
  request_id: 'req_of_the_test',
};

for (const [name, { empty }] of Object.entries(pages)) {
  if (!empty) continue;
  test(`${name}: empty`, async () => {
    const page = await openPage(browser, gateway.url, `#/${name}`);
    await page.getByText(empty).waitFor();
    await accessible(page);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });
}

test('something is stored', async () => {
  const call = client(gateway.url);
  stored = await store(call);
  const form = new FormData();
  form.append('purpose', 'user_data');
  form.append('file', new Blob(['Bring an umbrella.']), 'notes.txt');
  await call('POST', '/v1/files', form);
  await until('the usage', async () => (await call('GET', '/v1/usage')).data.length > 0);
  assert.ok(stored.first.conversation);
});

for (const [name, { what, full }] of Object.entries(pages)) {
  test(`${name}: loading, then there`, async () => {
    const page = await openPage(browser, gateway.url, '#/chat');
    await page.getByRole('textbox').first().waitFor();
    let go;
    const wait = new Promise((resume) => (go = resume));
    await page.route(what, async (route) => {
      await wait;
      await route.continue();
    });
    await page.evaluate((to) => (location.hash = to), `#/${name}`);
    await page.locator('main').getByText('Loading …').first().waitFor();
    assert.equal(await page.getByRole('main').getAttribute('data-page'), name);
    go();
    await page.locator('main').locator(full).first().waitFor();
    assert.equal(await page.getByText('Loading …').count(), 0);
    await page.close();
  });

  test(`${name}: refused, then tried again`, async () => {
    const page = await openPage(browser, gateway.url, '#/chat');
    await page.getByRole('textbox').first().waitFor();
    await page.route(what, (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) }),
    );
    await page.evaluate((to) => (location.hash = to), `#/${name}`);
    const refused = page.locator('main').getByRole('alert');
    await refused.waitFor();
    for (const part of [error.message, error.request_id, error.code])
      assert.ok((await refused.textContent()).includes(part), part);
    await accessible(page);
    await page.unroute(what);
    await refused.getByRole('button', { name: 'Retry' }).click();
    await page.locator('main').locator(full).first().waitFor();
    assert.equal(await refused.count(), 0);
    await page.close();
  });
}

test('the gateway goes away and comes back: what was read stays', async () => {
  const page = await openPage(browser, gateway.url, '#/conversations');
  await page.getByRole('link', { name: 'Tea pots 1' }).waitFor();
  const { host } = new URL(gateway.url);
  await gateway.kill();
  await page.getByRole('searchbox').fill('porcelain'); // a question that can't be asked now
  await page.getByRole('searchbox').press('Enter');
  await page.locator('.offline').waitFor();
  await page.locator('main').getByRole('alert').getByText('The gateway can’t be reached').waitFor();
  await accessible(page);
  await page.getByRole('searchbox').fill('');
  await page
    .getByRole('link', { name: 'Tea pots 1' })
    .waitFor({ state: 'detached' })
    .catch(() => {});
  await gateway.start(host);
  await page.locator('.offline').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('link', { name: 'Tea pots 1' }).waitFor();
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('a further page that is refused leaves the rows', async () => {
  const call = client(gateway.url);
  for (let i = 0; i < 60; i++) await call('POST', '/v1/conversations', { title: `Filler ${i}` });
  const page = await openPage(browser, gateway.url, '#/conversations');
  await page.getByRole('link', { name: 'Filler 59' }).waitFor();
  assert.equal(await page.locator('.entries > li').count(), 50);
  await page.route('**/v1/conversations?*after=*', (route) =>
    route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) }),
  );
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await page.locator('.entries > li').count(), 50);
  await page.unroute('**/v1/conversations?*after=*');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('link', { name: 'Tea pots 1' }).waitFor();
  await page.close();
});

test('the last row of a page is deleted, and the next page comes all the same', async () => {
  const page = await openPage(browser, gateway.url, '#/conversations');
  const last = await page.locator('.entries > li').nth(49).getByRole('link').first().textContent();
  await page.getByRole('button', { name: `Delete: ${last}`, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('link', { name: last, exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('link', { name: 'Tea pots 0' }).waitFor();
  const titles = await page.locator('.entries .what > a').allTextContents();
  const fillers = titles.filter((title) => title.startsWith('Filler'));
  assert.equal(fillers.length, 59);
  assert.equal(new Set(fillers).size, 59);
  await page.close();
});
