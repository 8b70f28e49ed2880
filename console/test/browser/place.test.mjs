// Where one is: the address before the first words, a hit of a search on its whole branch, two tabs, branches of an imported
// conversation, and a page whose file is gone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, signIn, until } from '../pages/kit.mjs';
import { complete, conversationOf, drawnText, lastAnswer, prefer, say, startAll } from './chat.mjs';
import { gate } from './upstream.mjs';

let all, page, call;
before(async () => {
  all = await startAll();
  call = client(all.gateway.url);
  page = await all.open('#/chat');
});
after(() => all.stop());

async function chatWith(model) {
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model });
  await page.goto(`${all.front.url}/console/#/chat`);
}

test('the address has the conversation before the first words, and a reload finds it', async () => {
  const { open, opened } = gate();
  all.upstream.script('slow', async (answer) => {
    await opened;
    await answer.text('here it is');
    await answer.finish();
  });
  await chatWith('s/slow');
  await say(page, 'take your time');
  await until('the call', () => all.upstream.requests.length > 0);
  assert.ok(conversationOf(page));
  await page.reload();
  await page.locator('.turn.user').getByText('take your time').waitFor();
  await page.getByText('Waiting for the first words …').waitFor();
  open();
  await complete(page);
  await page.getByText('here it is').waitFor();
});

test('Stop before the first words ends the run at the gateway', async () => {
  all.upstream.script('silent', async (answer) => {
    await new Promise((_, fail) => answer.response.on('close', () => fail(new Error('gone'))));
  });
  const before = all.upstream.requests.length;
  await chatWith('s/silent');
  await say(page, 'go');
  await until('the call', () => all.upstream.requests.length > before);
  const id = conversationOf(page);
  await page.keyboard.press('Escape');
  await until('the end', async () => (await call('GET', `/v1/runs?conversation=${id}`)).data[0]?.status === 'cancelled');
  for (const round of ['at once', 'after a reload']) {
    if (round !== 'at once') await page.reload();
    await page.getByText('Stopped.').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    assert.equal(await page.locator('.turn.user').count(), 1);
    assert.equal(await page.getByRole('alert').count(), 0, 'who has stopped it knows why');
  }
});

// A conversation of so many turns, of which one has a word of its own.
async function talk(turns, word, at) {
  let id;
  for (let n = 0; n < turns; n++) {
    const text = n === at ? `the ${word} stands here` : `turn ${n}, ${'and some more words '.repeat(20)}`;
    id = (await call('POST', '/v1/chat', { messages: [text], conversation: id, config: { model: 'echo' } })).conversation;
  }
  return id;
}

test('a hit opens the whole branch, is scrolled to and marked; what is written goes on at the end', async () => {
  const id = await talk(60, 'porcelain', 5);
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model: 'echo' });
  await page.goto(`${all.front.url}/console/#/conversations?q=porcelain`);
  for (const [width, scheme] of [[1440, 'light'], [320, 'dark']]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(`${all.front.url}/console/#/conversations?q=porcelain`);
    await page.locator('main[data-page="conversations"] a[href*="at=msg_"]').last().click();
    const hit = page.locator('.turn.hit');
    await hit.getByText('the porcelain stands here').waitFor();
    await until('the hit on the screen', () => hit.evaluate((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      const log = one.closest('.log').getBoundingClientRect();
      return top >= log.top && bottom <= log.bottom;
    }));
    assert.equal(await hit.count(), 1);
    assert.equal(await page.locator('.turn').count(), 120, 'the branch goes on after it');
    assert.notEqual(await hit.evaluate((one) => getComputedStyle(one).backgroundColor), 'rgba(0, 0, 0, 0)');
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await accessible(page);
  const before = (await call('GET', `/v1/conversations/${id}/messages?limit=1000`)).data.length;
  await say(page, 'and on it goes');
  await until('the end', async () => (await call('GET', `/v1/conversations/${id}/messages?limit=1000`)).data.length === before + 2);
  await complete(page);
  assert.doesNotMatch(page.url(), /at=/);
});

test('a hit on another branch than the newest opens that one to its end', async () => {
  const first = await call('POST', '/v1/chat', { messages: ['the root'], config: { model: 'echo' } });
  const side = await call('POST', '/v1/chat', { messages: ['a crockery word'], conversation: first.conversation, config: { model: 'echo' } });
  await call('POST', '/v1/chat', { messages: ['after the crockery'], conversation: first.conversation, config: { model: 'echo' } });
  await call('POST', '/v1/chat', { messages: ['the newest branch'], conversation: first.conversation, parent: first.message_id, config: { model: 'echo' } });
  await page.goto(`${all.front.url}/console/#/chat/${first.conversation}?at=${side.message_id}`);
  await page.locator('.turn.hit').waitFor();
  assert.equal(await page.locator('.turn').count(), 6);
  await lastAnswer(page).getByText('after the crockery').waitFor();
  await say(page, 'more of this');
  await page.locator('.turn').nth(7).locator('footer').waitFor();
  await page.reload();
  await lastAnswer(page).getByText('more of this').waitFor();
  assert.equal(await page.locator('.turn').count(), 8, 'it went on where it was read');
});

test('what is said in one tab comes in the other', async () => {
  const { open, opened } = gate();
  let turn = 0;
  all.upstream.script('shared', async (answer) => {
    await answer.text('first words, ');
    if (turn++ === 1) await opened;
    await answer.text('last words');
    await answer.finish();
  });
  await chatWith('s/shared');
  await say(page, 'hello tabs');
  await complete(page);
  const other = await openPage(all.browser, all.front.url, `#/chat/${conversationOf(page)}`);
  await lastAnswer(other).getByText('last words').waitFor();
  await say(page, 'do you both see this?');
  await other.locator('.turn.user').getByText('do you both see this?').waitFor();
  await page.locator('.turn.assistant').nth(1).getByText('first words,').waitFor();
  await other.locator('.turn.assistant').nth(1).getByText('first words,').waitFor();
  open();
  await other.locator('.turn.assistant').nth(1).locator('footer').waitFor();
  await page.locator('.turn.assistant').nth(1).locator('footer').waitFor();
  await until('the same text', async () => (await drawnText(other)) === (await drawnText(page)));
  await say(other, 'and back');
  await page.locator('.turn.user').getByText('and back').waitFor();
  assert.deepEqual([...page.complaints, ...other.complaints], []);
  await other.close();
});

test('the branch that is shown is marked, also where the newest message is not on it', async () => {
  // An export of another program may have its current branch before the others.
  const mapping = { root: { id: 'root', parent: null, children: ['a'], message: null } };
  const add = (name, parent, role, text, time, children) =>
    (mapping[name] = { id: name, parent, children, message: { id: name, author: { role }, create_time: time, content: { content_type: 'text', parts: [text] } } });
  add('a', 'root', 'user', 'the question', 1, ['b', 'c']);
  add('b', 'a', 'assistant', 'the current answer', 2, []);
  add('c', 'a', 'assistant', 'the other answer', 3, []);
  const body = JSON.stringify([{ title: 'Imported', create_time: 1, update_time: 3, mapping, current_node: 'b', conversation_id: 'x' }]);
  await call('POST', '/v1/conversations/import', body, { 'Content-Type': 'application/json' });
  const list = await call('GET', '/v1/conversations?limit=100');
  const imported = list.data.find(({ title }) => title === 'Imported').id;
  await page.goto(`${all.front.url}/console/#/chat/${imported}`);
  await lastAnswer(page).getByText('the current answer').waitFor();
  await page.getByRole('button', { name: 'Branches' }).click();
  const current = page.locator('.branch-tree [aria-current="true"]');
  await current.waitFor();
  const leaf = await call('GET', `/v1/conversations/${imported}/messages?order=desc&limit=1`);
  const tree = await call('GET', `/v1/conversations/${imported}/tree`);
  assert.notEqual(tree.data.at(-1).id, leaf.first_id, 'the newest message is on another branch');
  assert.match(await current.innerText(), /the current answer/);
});

test('a page whose file is gone says that Parley was updated; without a network it says so, and comes back', async () => {
  for (const [width, scheme] of [[1440, 'light'], [768, 'dark'], [390, 'light'], [320, 'dark']]) {
    const open = await openPage(all.browser, all.front.url, '#/usage');
    await open.setViewportSize({ width, height: 800 });
    await open.emulateMedia({ colorScheme: scheme });
    await open.getByRole('main').getByRole('heading').first().waitFor();
    await open.route(/\/a\/files\..*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
    await open.evaluate(() => (location.hash = '#/files'));
    await open.getByText('Parley was updated').waitFor();
    if (width === 1440) await accessible(open);
    await open.unroute(/\/a\/files\..*\.js$/);
    await open.getByRole('button', { name: 'Reload' }).click();
    await open.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    await open.route(/\/a\/branches\..*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
    await open.evaluate((to) => (location.hash = to), `#/chat/${(await call('GET', '/v1/conversations?limit=1')).data[0].id}`);
    await open.getByRole('button', { name: 'Branches' }).click();
    await open.getByRole('complementary').getByText('Parley was updated').waitFor();
    await open.close();
  }
  const away = await openPage(all.browser, all.front.url, '#/usage');
  await away.getByRole('main').getByRole('heading').first().waitFor();
  await away.context().setOffline(true);
  await away.evaluate(() => (location.hash = '#/files'));
  await away.getByRole('main').getByText('The gateway can’t be reached').waitFor();
  await away.context().setOffline(false);
  await away.getByRole('heading', { name: 'Files', level: 1 }).waitFor(); // by itself
  await away.close();
});

test('a session that has ended: what was to be said is there when one has signed in again', async () => {
  const { key } = await call('POST', '/v1/admin/keys', { name: 'writer', scopes: ['chat', 'read'] });
  const tab = await openPage(all.browser, all.front.url, '#/chat');
  await signIn(tab, key);
  await prefer(tab, { model: 'echo' });
  await say(tab, 'the first');
  await complete(tab);
  for (const fresh of [false, true]) {
    if (fresh) await tab.goto(`${all.front.url}/console/#/chat`);
    if (fresh) await tab.getByText('What would you like to ask?').waitFor();
    await tab.evaluate(async () => {
      const { token } = JSON.parse(sessionStorage.getItem('parley.session') ?? localStorage.getItem('parley.session'));
      await fetch('/v1/session', { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } });
    });
    await say(tab, 'a long thought');
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(tab, key);
    const message = tab.getByLabel('Message', { exact: true });
    await until('the draft', async () => (await message.inputValue()) === 'a long thought');
    await tab.getByRole('button', { name: 'Send', exact: true }).click();
    await lastAnswer(tab).getByText('a long thought').waitFor();
    await complete(tab);
  }
  await tab.close();
});
