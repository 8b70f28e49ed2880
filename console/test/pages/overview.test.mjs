// The overview: what the pictures, the figures and the tables say of given hours; what stands in its address; who sees what.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, overflow, signIn, startBrowser, startGateway, until } from './kit.mjs';

const HOUR = 3600;
const LONG = 'an-organisation-with-a-long-name/and-a-model-with-a-longer-one-2026-11-28';
let last = 0; // the hour that goes on, by the page's clock
const times = { p50_ms: 900, p95_ms: 2600, p99_ms: 5200, first_token_p50_ms: 240, first_token_p95_ms: 900 };
const row = (hour, more) => ({
  object: 'call.hour', hour, calls: 100, failed: 4, refused: 20, cancelled: 1, client_left: 2,
  prompt_tokens: 90000, completion_tokens: 20000, cost: '1.25', ...times, ...more,
});
const total = {
  calls: 300, failed: 12, refused: 60, cancelled: 3, client_left: 6,
  prompt_tokens: 270000, completion_tokens: 60000, cost: '3.75', ...times,
};

let gateway, browser, page, root, shop;

before(async () => {
  gateway = await startGateway();
  browser = await startBrowser();
  root = await client(gateway.url)('POST', '/v1/admin/keys', { name: 'root', scopes: ['chat', 'read', 'files', 'admin'] });
  shop = await client(gateway.url, root.key)('POST', '/v1/admin/keys', { name: 'shop', scopes: ['chat', 'read'] });
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

async function withHours(at) {
  const asked = [];
  await at.route(/\/v1\/(admin\/)?calls\/hours/, (route) => {
    const url = new URL(route.request().url());
    asked.push(`${url.pathname}${url.search}`);
    const by = url.searchParams.get('by');
    const names = { model: [LONG, 'small'], provider: ['acme'], key: [shop.id] }[by] ?? [null];
    last = Math.floor((Number(url.searchParams.get('to')) - 1) / HOUR) * HOUR;
    const hours = [last - 3 * HOUR, last - 2 * HOUR, last]; // with a gap before the last one
    const data = hours.flatMap((hour) =>
      names.map((name) => row(hour, name ? { [by]: name, ...(by === 'key' ? { key_name: 'shop' } : {}), calls: 100 / names.length } : {})),
    );
    return route.fulfill({ contentType: 'application/json', body: JSON.stringify({ object: 'list', data, total }) });
  });
  return asked;
}

test('pictures, figures and tables say the same', async () => {
  page = await openPage(browser, gateway.url, '#/settings');
  await signIn(page, root.key);
  const asked = await withHours(page);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('img', { name: /^Calls/ }).waitFor();
  assert.equal(asked.length, 2, 'the hours, and the same by model');
  assert.match(asked[0], /^\/v1\/admin\/calls\/hours\?from=\d+&to=\d+$/);

  const tiles = await page.locator('.totals').innerText();
  for (const text of ['300', '5%', '12 failed', '60 refused', '900 ms', 'p95 2.6 s', '240 ms', '$3.75'])
    assert.ok(tiles.includes(text), `${text} in ${tiles}`);

  // three bars of four parts each; the lines have a gap, and a dot for the hour that stands alone
  const calls = page.getByRole('img', { name: /^Calls/ });
  assert.equal(await calls.locator('.chart-place').count(), 24);
  assert.equal(await calls.locator('.chart-bar').count(), 12);
  const [good, failed] = await Promise.all(
    ['.tone-good', '.tone-bad'].map((tone) => calls.locator(`.chart-bar${tone}`).first().getAttribute('height')),
  );
  assert.ok(Math.abs(Number(good) / Number(failed) - 73 / 4) < 0.2, `${good} to ${failed}`);
  const durations = page.getByRole('img', { name: /^Duration/ });
  assert.equal(await durations.locator('.chart-dot').count(), 3);
  assert.match(await calls.locator('.chart-place title').last().textContent(), /Completed: 73\n.*\n.*Refused: 20\nFailed: 4/);

  await page.locator('summary').getByText('The hours as a table').click();
  const table = page.getByRole('region', { name: 'The hours as a table' });
  await until('the hours', async () => (await table.locator('tbody tr').count()) === 3);
  assert.match(await table.locator('tbody tr').first().innerText(), /100\s+5%\s+4\s+20\s+900 ms\s+2\.6 s\s+5\.2 s/);
  assert.ok((await table.getByRole('link').first().getAttribute('href')).includes(`from=${last}&to=${last + HOUR}`));
});

test('long names, four widths and all looks', async () => {
  await accessible(page);
  for (const width of [1440, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    assert.ok((await overflow(page)) <= 0, `${width} pixels`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('a name narrows the page, and the address keeps it', async () => {
  await page.getByRole('link', { name: LONG, exact: true }).click();
  const chip = page.locator('.chips').getByText(`Model: ${LONG}`);
  await chip.waitFor();
  assert.match(page.url(), /model=an-organisation/);
  await page.locator('main header').getByLabel('Time').selectOption('Last 7 days');
  await page.getByRole('link', { name: 'Key', exact: true }).click();
  await page.getByRole('region', { name: 'By key' }).getByRole('link', { name: 'shop', exact: true }).waitFor();
  const url = page.url();
  assert.match(url, /range=7d/);
  assert.match(url, /by=key/);
  const asked = await withHours(page);
  await page.goto('about:blank');
  await page.goto(url);
  await chip.waitFor();
  assert.ok(asked.every((one) => one.includes('&model=an-organisation')));
  assert.equal(await page.locator('main header').getByLabel('Time').inputValue(), '7d');
  const runs = await page.getByRole('link', { name: 'Runs of shop' }).getAttribute('href');
  assert.match(runs, new RegExp(`key=${shop.id}`));
  assert.match(runs, /model=an-organisation/);
  await page.getByRole('button', { name: /^Show all again/ }).click();
  await chip.waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('a bar leads to its runs', async () => {
  page = await openPage(browser, gateway.url, '#/settings');
  await signIn(page, root.key);
  await withHours(page);
  await page.getByRole('link', { name: 'Overview' }).click();
  const bar = page.getByRole('img', { name: /^Calls/ }).locator('.chart-place').last();
  await bar.click();
  await until('the runs', () => page.url().includes(`#/runs?from=${last}&to=${last + HOUR}`));
  await page.close();
});

test('a key sees its own calls alone', async () => {
  page = await openPage(browser, gateway.url, '#/usage');
  await signIn(page, shop.key);
  const asked = await withHours(page);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('img', { name: /^Calls/ }).waitFor();
  assert.ok(asked.every((one) => one.startsWith('/v1/calls/hours?')));
  assert.equal(await page.getByLabel('Calls of').count(), 0);
  assert.equal(await page.getByText('Administration').count(), 0);
  assert.deepEqual(page.asked.filter((one) => one.includes('/v1/admin/budgets')), []);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('what is wrong now stands at the top, with a way to each thing', async () => {
  const acme = { type: 'provider_down', subject: 'acme', at: Math.floor(Date.now() / 1000) - 90, text: 'the provider acme fails, and is asked no more for a while' };
  const budget = { type: 'budget_used_up', subject: shop.id, at: acme.at, text: `${shop.id} has used its budget up; its calls are refused` };
  const disk = { type: 'disk_low', subject: null, at: acme.at, text: 'the database’s disk has 12 MiB left, less than a twentieth of it' };
  let alerts = [acme, budget, disk];
  const other = await openPage(browser, gateway.url, '#/settings');
  const form = other.getByLabel('Key', { exact: true });
  await form.or(other.getByRole('link', { name: 'Overview' })).first().waitFor();
  if (await form.count()) await signIn(other, root.key);
  await withHours(other);
  await other.route('**/v1/admin/overview', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), alerts } });
  });
  await other.getByRole('link', { name: 'Overview' }).click();
  const list = other.getByRole('list', { name: 'Alerts' });
  await list.waitFor();
  const text = await list.innerText();
  for (const one of [acme, budget, disk]) assert.ok(text.includes(one.text));
  const places = await list.getByRole('link').evaluateAll((links) => links.map((one) => [one.innerText, one.hash]));
  assert.deepEqual(places, [['A provider is down', '#/models?show=providers'], ['A budget is used up', '#/keys'], ['The disk is nearly full', '#/settings']]);
  await accessible(other);
  if (process.env.PICTURES) {
    await other.screenshot({ path: `${process.env.PICTURES}/alerts.png` });
    await other.setViewportSize({ width: 390, height: 844 });
    await other.screenshot({ path: `${process.env.PICTURES}/alerts-390.png` });
  }
  alerts = [];
  await other.getByRole('button', { name: 'Refresh' }).click();
  await list.waitFor({ state: 'detached' });
  assert.deepEqual(other.complaints, []);
});
