// The branches of a conversation beside its chat.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, startBrowser, startGateway, until } from './kit.mjs';
import { config, store } from './stored.mjs';

let gateway, browser, call, stored, page, conversation;

before(async () => {
  gateway = await startGateway(config);
  browser = await startBrowser();
  call = client(gateway.url);
  stored = await store(call);
  conversation = stored.first.conversation;
  page = await openPage(browser, gateway.url, `#/chat/${conversation}`);
  await page.getByRole('button', { name: 'Branches' }).click();
  await nodes().first().waitFor();
});
after(async () => {
  assert.deepEqual(page.complaints, []);
  await browser?.stop();
  await gateway?.stop();
});

const tree = () => page.getByRole('complementary', { name: 'Branches' });
const nodes = () => tree().getByRole('listitem').getByRole('button');
const node = (text) => nodes().filter({ hasText: text });
const focused = () => page.evaluate(() => document.activeElement?.title);

test('there is a node for each turn, and the branch that is shown is marked', async () => {
  assert.equal(await nodes().count(), 4);
  assert.equal(await node('The third question').getAttribute('aria-current'), 'true');
  await accessible(page);
});

test('keys move along the branch and to its neighbours', async () => {
  await node('The third question').focus();
  const steps = [
    ['ArrowUp', 'The second question'],
    ['ArrowRight', 'Another second question'],
    ['ArrowLeft', 'The second question'],
    ['ArrowUp', 'Porcelain number 0 keeps the tea warm'],
    ['ArrowUp', 'Porcelain number 0 keeps the tea warm'],
    ['End', 'The third question'],
    ['Home', 'Porcelain number 0 keeps the tea warm'],
    ['ArrowDown', 'The second question'],
  ];
  for (const [key, title] of steps) {
    await page.keyboard.press(key);
    assert.equal(await focused(), title, key);
  }
  assert.equal(await tree().locator('li button[tabindex="0"]').count(), 1);
});

test('Enter opens the branch of a leaf', async () => {
  await node('Another second question').focus();
  await page.keyboard.press('Enter');
  await until('the address', () => page.url().endsWith(`?leaf=${stored.other.message_id}`));
  await page
    .getByRole('region', { name: /messages/i })
    .getByText('Another second question')
    .first()
    .waitFor();
  await until('the mark', async () => (await node('Another second question').getAttribute('aria-current')) === 'true');
});

test('a turn inside leads to the newest leaf behind it', async () => {
  await node('The second question').click();
  await until('the address', () => page.url().endsWith(`?leaf=${stored.third.message_id}`));
  await until('the mark', async () => (await node('The third question').getAttribute('aria-current')) === 'true');
});

test('a fork is made from any node', async () => {
  await node('Another second question').focus();
  await tree().getByRole('button', { name: 'Fork from “Another second question”' }).click();
  await until('another conversation', () => !page.url().includes(conversation));
  const made = /conv_[0-9a-f]{32}/.exec(page.url())[0];
  const { data } = await call('GET', `/v1/conversations/${made}/tree`);
  assert.deepEqual(
    data.map((one) => one.preview),
    [
      'Porcelain number 0 keeps the tea warm',
      'Porcelain number 0 keeps the tea warm',
      'Another second question',
      'Another second question',
    ],
  );
});

test('a refusal is shown with its request', async () => {
  await page.goto(`${gateway.url}/console/#/chat/${conversation}`);
  await node('The third question').waitFor();
  await page.route('**/fork', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({
        error: {
          message: 'too much to do',
          type: 'server_error',
          param: null,
          code: 'overloaded',
          request_id: 'req_1',
        },
      }),
    }),
  );
  await tree()
    .getByRole('button', { name: /^Fork from/ })
    .click();
  await tree().getByRole('alert').getByText('req_1').waitFor();
});
