// The chats of the sidebar: their order and days, pins, names, ends, other tabs, what programs have stored, the drawer.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { accessible, client, lookAs, openPage, startBrowser, startGateway, until } from './kit.mjs';

let gateway, browser, call, console_, page;

const ask = (from, text, more = {}) =>
  from('POST', '/v1/chat', { config: { model: 'echo' }, messages: [{ role: 'user', content: text }], ...more });

before(async () => {
  gateway = await startGateway();
  browser = await startBrowser();
  call = client(gateway.url);
  // in a gateway without keys, whoever calls from its own page is the console
  console_ = (method, path, body) => client(gateway.url)(method, path, body, { Origin: gateway.url });
});
beforeEach(async () => {
  for (const one of (await call('GET', '/v1/conversations?limit=100')).data)
    await call('DELETE', `/v1/conversations/${one.id}`);
  await ask(console_, 'The oldest of three');
  await ask(console_, 'The middle one');
  await ask(console_, 'The newest chat');
  await ask(call, 'What a program asked');
  page = await openPage(browser, gateway.url, '#/usage');
  await chat('The newest chat').waitFor();
});
afterEach(async () => {
  assert.deepEqual(page.complaints, []);
  await page.close();
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

const side = (of = page) => of.getByRole('navigation', { name: 'Chats' });
const chat = (title, of = page) => side(of).getByRole('link', { name: title, exact: true });
const titles = (of = page) => side(of).locator('section li > a').allTextContents();
const item = (title) => side().getByRole('listitem').filter({ hasText: title });

test('the newest turns come first, below their day, and two requests tell them', async () => {
  assert.deepEqual(await titles(), ['The newest chat', 'The middle one', 'The oldest of three']);
  await side().getByRole('heading', { name: 'Today' }).waitFor();
  // the same two again, if news have come meanwhile
  const asked = new Set(page.asked.filter((one) => one.startsWith('GET /v1/conversations')));
  assert.equal(asked.size, 2, [...asked].join(', '));
  await chat('The middle one').click();
  await until('the chat', () => page.url().includes('#/chat/conv_'));
  assert.equal(await chat('The middle one').getAttribute('aria-current'), 'page');
  await accessible(page);
});

test('a chat that goes on elsewhere, and a new one, come by themselves', async () => {
  const { data } = await call('GET', '/v1/conversations?origin=console&order=asc&limit=1');
  await ask(console_, 'and on', { conversation: data[0].id });
  await until('the other order', async () => (await titles())[0] === 'The oldest of three');
  await ask(console_, 'From another browser');
  await chat('From another browser').waitFor();
});

test('a pin stands above all, and stays', async () => {
  await item('The oldest of three').hover();
  await item('The oldest of three').getByRole('button', { name: 'Pin', exact: true }).click();
  await side().getByRole('heading', { name: 'Pinned' }).waitFor();
  await until('the order', async () => (await titles())[0] === 'The oldest of three');
  await page.reload();
  await side().getByRole('heading', { name: 'Pinned' }).waitFor();
  await item('The oldest of three').getByRole('button', { name: 'Unpin' }).click();
  await side().getByRole('heading', { name: 'Pinned' }).waitFor({ state: 'detached' });
});

test('a name is given in its place, in all tabs, and Escape keeps the old one', async () => {
  const other = await openPage(browser, gateway.url, '#/files');
  await chat('The middle one', other).waitFor();
  await item('The middle one').getByRole('button', { name: 'Rename' }).click();
  const field = side().getByRole('textbox', { name: 'Title' });
  assert.equal(await field.inputValue(), 'The middle one');
  await field.fill('something else');
  await field.press('Escape');
  await chat('The middle one').waitFor();
  await item('The middle one').getByRole('button', { name: 'Rename' }).click();
  await field.fill('שלום <b>world</b>');
  await field.press('Enter');
  await chat('שלום <b>world</b>').waitFor();
  await chat('שלום <b>world</b>', other).waitFor();
  const { data } = await call('GET', '/v1/conversations?origin=console');
  assert.equal(data.find((one) => one.title.endsWith('</b>')).title_source, 'user');
  await other.close();
});

test('a deletion asks first, and an open chat makes room for a new one', async () => {
  await chat('The middle one').click();
  await until('the chat', () => page.url().includes('#/chat/conv_'));
  await item('The middle one').getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await item('The middle one').getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await chat('The middle one').waitFor({ state: 'detached' });
  await until('a new chat', () => page.url().endsWith('#/chat'));
});

test('the question of a deletion looks the same here as on the page of conversations', async () => {
  const look = async () => {
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const found = await dialog.evaluate((box) => {
      const { inlineSize, blockSize, padding, fontSize, color } = getComputedStyle(box);
      const title = getComputedStyle(box.querySelector('h2'));
      return { inlineSize, blockSize, padding, fontSize, color, title: [title.fontSize, title.color, title.margin, title.fontWeight] };
    });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    return found;
  };
  await item('The middle one').hover();
  await item('The middle one').getByRole('button', { name: 'Delete' }).click();
  const here = await look();
  await page.goto(`${gateway.url}/console/#/conversations`);
  await page.getByRole('button', { name: 'Delete: The middle one' }).click();
  assert.deepEqual(here, await look());
});

test('the chats have the room, and the pages stand below, those of administrators folded', async () => {
  for (let n = 0; n < 20; n++) await ask(console_, `Chat number ${n}`);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  const unfold = pages.getByText('Administration');
  const keys = pages.getByRole('link', { name: 'Keys' });
  const seen = () =>
    side().evaluate((box) => {
      const { top, bottom } = box.getBoundingClientRect();
      const whole = (link) => link.getBoundingClientRect();
      return [...box.querySelectorAll('section li > a')].map(whole).filter((one) => one.height > 0 && one.top >= top && one.bottom <= bottom).length;
    });
  const share = () => pages.evaluate((box) => box.clientHeight / box.parentElement.clientHeight);
  for (const [width, height, least] of [[1440, 900, 11], [1280, 720, 6], [768, 1024, 11], [390, 844, 9], [320, 640, 4]]) {
    await page.setViewportSize({ width, height });
    await page.reload();
    const button = page.getByRole('button', { name: 'Menu' });
    if (await button.isVisible()) await button.click();
    await chat('Chat number 19').waitFor();
    assert.ok((await seen()) >= least, `${await seen()} chats are seen at ${width}x${height}`);
    assert.ok(await side().evaluate((box) => box.getBoundingClientRect().bottom <= document.querySelector('.pages').getBoundingClientRect().top));
    await unfold.click();
    await keys.waitFor();
    assert.ok((await share()) <= 0.41, `the pages take ${await share()} at ${width}x${height}`);
    await unfold.click();
    await keys.waitFor({ state: 'hidden' });
  }
  await lookAs(page, {});
  await page.reload();
  // by keyboard; and as it was left, over a reload
  await unfold.focus();
  await page.keyboard.press('Enter');
  await keys.waitFor();
  await accessible(page);
  await page.reload();
  await keys.waitFor();
  await unfold.click();
  await page.reload();
  await chat('Chat number 19').waitFor();
  assert.equal(await keys.isVisible(), false);
  // a page of the group unfolds it, however it was opened
  await page.evaluate(() => (location.hash = '#/audit'));
  await keys.waitFor();
  assert.equal(await pages.getByRole('link', { name: 'Audit' }).getAttribute('aria-current'), 'page');
});

test('no two pages of the menu have the same drawing', async () => {
  const drawings = await page.locator('.pages li a').evaluateAll((links) => links.map((link) => [link.textContent, link.querySelector('path').getAttribute('d')]));
  assert.ok(drawings.length > 10);
  const same = drawings.filter(([, d]) => drawings.filter((other) => other[1] === d).length > 1).map(([name]) => name);
  assert.deepEqual(same, []);
});

test('what programs have stored is a list of its own, folded', async () => {
  assert.equal(await side().getByText('What a program asked').count(), 0);
  await side().getByText('From the API', { exact: true }).click();
  await chat('What a program asked').waitFor();
  await side().getByRole('link', { name: 'All from the API' }).click();
  await page.getByRole('main').getByRole('link', { name: 'What a program asked' }).waitFor();
  assert.equal(await page.getByRole('main').getByRole('link', { name: 'The newest chat' }).count(), 0);
});

test('the drawer of a phone takes the focus, gives it back, and closes with Escape and by a choice', async () => {
  await lookAs(page, { narrow: true });
  const menu = page.getByRole('button', { name: 'Menu' });
  assert.equal(await chat('The newest chat').isVisible(), false);
  await menu.click();
  await chat('The newest chat').waitFor();
  assert.ok(await page.evaluate(() => document.getElementById('menu').contains(document.activeElement)));
  await page.keyboard.press('Escape');
  await chat('The newest chat').waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate(() => document.activeElement.id), 'menu-button');
  await menu.click();
  await chat('The newest chat').click();
  await chat('The newest chat').waitFor({ state: 'hidden' });
  await page.getByRole('log').or(page.getByRole('main')).first().waitFor();
});

test('long and many titles leave the page as wide as it is', async () => {
  const { conversation } = await ask(console_, 'x');
  await call('POST', `/v1/conversations/${conversation}`, { title: 'unbroken'.repeat(25) });
  await page.reload();
  await chat('unbroken'.repeat(25)).waitFor();
  await accessible(page);
});

test('a list that is refused says why, and is asked for again', async () => {
  const refuse = (route) =>
    route.fulfill({ status: 503, json: { error: { message: 'the disk is full', code: 'storage_unavailable' } } });
  await page.route('**/v1/conversations?*', refuse);
  await page.reload();
  const alert = side().getByRole('alert');
  await alert.getByText('the disk is full').waitFor();
  await accessible(page);
  await page.unrouteAll();
  await alert.getByRole('button').click();
  await chat('The newest chat').waitFor();
  assert.equal(await alert.count(), 0);
  // what was read stays when the next reading is refused
  await page.route('**/v1/conversations?*', refuse);
  const asked = page.asked.length;
  await ask(console_, 'Meanwhile');
  await until('a reading', () => page.asked.slice(asked).some((one) => one.startsWith('GET /v1/conversations')));
  assert.deepEqual(await titles(), ['The newest chat', 'The middle one', 'The oldest of three']);
});

test('a pin or a name that is refused says so, and the list stays as it was', async () => {
  const refuse = (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 503, json: { error: { message: 'no write now', code: 'storage_unavailable' } } })
      : route.continue();
  await page.route('**/v1/conversations/*', refuse);
  await item('The middle one').hover();
  await item('The middle one').getByRole('button', { name: 'Pin', exact: true }).click();
  await side().getByRole('alert').getByText('no write now').waitFor();
  assert.equal(await side().getByRole('heading', { name: 'Pinned' }).count(), 0);
  await page.unrouteAll();
  await item('The middle one').getByRole('button', { name: 'Pin', exact: true }).click();
  await side().getByRole('heading', { name: 'Pinned' }).waitFor();
  assert.equal(await side().getByRole('alert').count(), 0);
  await page.route('**/v1/conversations/*', refuse);
  await item('The newest chat').getByRole('button', { name: 'Rename' }).click();
  await side().getByRole('textbox', { name: 'Title' }).fill('Another');
  await side().getByRole('textbox', { name: 'Title' }).press('Enter');
  await side().getByRole('alert').getByText('no write now').waitFor();
  await chat('The newest chat').waitFor();
});

test('a gateway that is away leaves what was read, and the list goes on when it is back', async () => {
  const [, address] = gateway.url.split('://');
  await gateway.kill();
  await item('The middle one').hover();
  await item('The middle one').getByRole('button', { name: 'Pin', exact: true }).click();
  await page.getByText('The gateway can’t be reached. What was read stays here').waitFor();
  await side().getByRole('alert').waitFor();
  assert.deepEqual(await titles(), ['The newest chat', 'The middle one', 'The oldest of three']);
  await accessible(page);
  await page.reload().catch(() => {}); // the page itself comes from the gateway
  await gateway.start(address);
  // the browser's own page for the reload that failed may come that late, and asks again by itself
  const open = () => page.goto(`${gateway.url}/console/#/usage`);
  await until('the page', () => open().then(() => true, (failure) => void assert.match(String(failure), /interrupted|ERR_/)));
  await chat('The newest chat').waitFor();
  await ask(console_, 'And on it goes');
  await chat('And on it goes').waitFor();
});

test('nothing stored is said', async () => {
  for (const one of (await call('GET', '/v1/conversations?limit=100')).data)
    await call('DELETE', `/v1/conversations/${one.id}`);
  await page.reload();
  await side().getByText('No chats yet').waitFor();
});
