// Messages that the gateway refuses, so that they are stored nowhere else: the page keeps them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client, signIn, until } from '../pages/kit.mjs';
import { complete, conversationOf, lastAnswer, prefer, say, startAll } from './chat.mjs';
import { gate } from './upstream.mjs';

let all, page, call;
before(async () => {
  all = await startAll();
  call = client(all.gateway.url);
  page = await all.open('#/chat');
});
after(() => all.stop());

const fresh = async () => {
  await page.goto(`${all.front.url}/console/#/start`);
  await page.goto(`${all.front.url}/console/#/chat`);
};
const alert = () => page.getByRole('alert');
const users = (of = page) => of.locator('.turn.user .content').allInnerTexts();
const unsent = (text, of = page) => of.locator('.turn.unsent').filter({ hasText: text });
const retry = (of = page) => of.getByRole('alert').getByRole('button', { name: 'Retry' });
const message = (of = page) => of.getByLabel('Message', { exact: true });
const answers = (count, of = page) => of.locator('.turn.assistant').nth(count - 1).locator('footer').waitFor();
async function choose(model) {
  await page.locator('.composer').getByRole('button', { name: /^Model/ }).click();
  await page.getByRole('combobox', { name: 'Search models' }).fill(model);
  await page.keyboard.press('Enter');
}
const conversations = async () => (await call('GET', '/v1/conversations?limit=100')).data;

test('first messages that are refused delete nothing in the name of who wrote them, and leave one conversation', async () => {
  await fresh();
  await prefer(page, { model: 'nobody' });
  for (const [place, text] of ['one', 'two', 'three'].entries()) {
    await fresh();
    await say(page, text);
    await alert().nth(place).getByText('model_not_found').waitFor();
    assert.equal(conversationOf(page), undefined);
  }
  const { data } = await call('GET', '/v1/admin/audit?limit=100');
  assert.deepEqual(data.filter(({ action }) => /delete/.test(action)), []);
  const [empty, ...others] = await conversations();
  assert.deepEqual(others, []);
  // what is said then is said there
  await prefer(page, { model: 'echo' });
  await fresh();
  await say(page, 'four');
  await complete(page);
  assert.equal(conversationOf(page), empty.id);
  await fresh();
  await say(page, 'five');
  await complete(page);
  assert.notEqual(conversationOf(page), empty.id);
});

test('a conversation that was left empty is not used when it is gone, or something was said in it', async () => {
  for (const change of ['gone', 'used']) {
    await prefer(page, { model: 'nobody' });
    await fresh();
    await say(page, 'refused');
    await alert().getByText('model_not_found').first().waitFor();
    const [{ id }] = await conversations();
    if (change === 'gone') await call('DELETE', `/v1/conversations/${id}`);
    else await call('POST', '/v1/chat', { conversation: id, messages: ['by a program'], config: { model: 'echo' } });
    await prefer(page, { model: 'echo' });
    await fresh();
    await say(page, 'taken');
    await complete(page);
    assert.notEqual(conversationOf(page), id);
  }
  assert.deepEqual(page.complaints.filter((line) => !/Failed to load/.test(line)), []);
});

test('a refused message stays where it was said while others are sent, over a reload, and in its chat alone', async () => {
  await prefer(page, { model: 'echo' });
  await fresh();
  await say(page, 'one');
  await answers(1);
  const here = page.url();
  await choose('nobody');
  await say(page, 'lost?');
  await alert().getByText('model_not_found').waitFor();
  await unsent('lost?').getByText('Not sent').waitFor();
  await accessible(page);
  await choose('echo');
  await say(page, 'two');
  await answers(2);
  assert.deepEqual(await users(), ['one', 'lost?', 'two']);
  await page.reload();
  await answers(2);
  await alert().getByText('model_not_found').waitFor();
  assert.deepEqual(await users(), ['one', 'lost?', 'two']);
  const { data } = await call('GET', `/v1/conversations/${conversationOf(page)}/messages`);
  assert.deepEqual(data.map(({ content }) => content), ['one', 'one', 'two', 'two'], 'it was not sent');
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.getByText('What would you like to ask?').waitFor();
  assert.equal(await unsent('lost?').count(), 0);
  await page.evaluate((to) => (location.href = to), here);
  await retry().click();
  await answers(3);
  await lastAnswer(page).getByText('lost?').waitFor();
  await complete(page);
  assert.deepEqual(await users(), ['one', 'two', 'lost?']);
  await page.reload();
  await answers(3);
  assert.equal(await alert().count(), 0);
});

test('a refused first message is there after a reload, with its file and its instruction', async () => {
  await prefer(page, { model: 'nobody' });
  await fresh();
  await page.locator('.composer input[type="file"]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Bring an umbrella.') });
  await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
  await say(page, 'What is this?');
  await retry().waitFor();
  await page.reload();
  await unsent('What is this?').getByText('notes.txt').waitFor();
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('dialog').getByLabel('Instruction').fill('Be brief.');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await retry().click(); // and once more in vain
  await page.locator('.waiting').waitFor({ state: 'detached' });
  await retry().waitFor();
  await choose('echo');
  await retry().click();
  await lastAnswer(page).getByText('Bring an umbrella.').waitFor();
  await complete(page);
  assert.deepEqual(await users().then((all) => all.length), 1);
  const read = await call('GET', `/v1/conversations/${conversationOf(page)}/messages`);
  assert.equal(read.instruction, 'Be brief.');
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.getByText('What would you like to ask?').waitFor();
  assert.equal(await page.locator('.turn').count(), 0);
});

test('an edited message and another answer that are refused leave what was shown', async () => {
  await prefer(page, { model: 'echo' });
  await fresh();
  await say(page, 'one');
  await answers(1);
  await say(page, 'two');
  await answers(2);
  await choose('nobody');
  await page.getByRole('button', { name: 'Edit the message' }).last().click();
  await page.locator('.editor').getByRole('textbox').fill('two, edited');
  await page.locator('.editor').getByRole('button', { name: 'Send' }).click();
  await retry().waitFor();
  assert.deepEqual(await users(), ['one', 'two, edited', 'two']);
  await answers(2);
  await choose('echo');
  await retry().click();
  await lastAnswer(page).getByText('two, edited').waitFor();
  await page.getByText('2 of 2').waitFor();
  await complete(page);
  assert.deepEqual(await users(), ['one', 'two, edited']);
  await choose('nobody');
  await page.getByRole('button', { name: 'Regenerate', exact: true }).last().click();
  await retry().waitFor();
  await lastAnswer(page).getByText('two, edited').waitFor();
  await choose('echo');
  await retry().click();
  await lastAnswer(page).getByText('2 of 2').waitFor();
  await complete(page);
  await choose('nobody');
  await page.getByRole('button', { name: 'Edit the message' }).first().click();
  await page.locator('.editor').getByRole('textbox').fill('one, edited');
  await page.locator('.editor').getByRole('button', { name: 'Send' }).click();
  await retry().waitFor();
  assert.deepEqual(await users(), ['one, edited', 'one', 'two, edited']);
  await choose('echo');
  await page.reload();
  await retry().click();
  await lastAnswer(page).getByText('one, edited').waitFor();
  await complete(page);
  assert.deepEqual(await users(), ['one, edited']);
});

test('what is said while an answer is made elsewhere stays, and can be sent when that has ended', async () => {
  const { open, opened } = gate();
  all.upstream.script('slow', async (answer) => {
    await answer.text('slowly');
    await opened;
    await answer.finish();
  });
  await prefer(page, { model: 'echo' });
  await fresh();
  await say(page, 'one');
  await answers(1);
  const conversation = conversationOf(page);
  await call('POST', '/v1/chat', { conversation, messages: ['by a program'], config: { model: 's/slow' }, background: true });
  await say(page, 'mine');
  await alert().getByText('conversation_busy').waitFor();
  await lastAnswer(page).getByText('slowly').waitFor(); // what was said elsewhere
  assert.deepEqual((await users()).toSorted(), ['by a program', 'mine', 'one']);
  open();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await retry().click();
  await answers(3);
  assert.deepEqual(await users(), ['one', 'by a program', 'mine']);
  assert.equal(all.upstream.requests.at(-1).messages.at(-1).content, 'mine');
});

test('a message that had not arrived when the page went is there after a reload; one that had is there once', async () => {
  const { open, opened } = gate();
  all.upstream.script('waits', async (answer) => {
    await opened;
    await answer.text('at last');
    await answer.finish();
  });
  await prefer(page, { model: 'echo' });
  await fresh();
  await say(page, 'one');
  await answers(1);
  await page.route(/\/v1\/chat$/, (route) => route.abort());
  await say(page, 'two');
  await page.getByText('The connection was cut.').waitFor();
  assert.deepEqual(await users(), ['one', 'two']);
  await page.reload();
  const notice = page.locator('.notice').filter({ hasText: 'The page was left before this message had arrived.' });
  await notice.waitFor();
  assert.deepEqual(await users(), ['one', 'two']);
  await accessible(page);
  await page.unroute(/\/v1\/chat$/);
  await notice.getByRole('button', { name: 'Retry' }).click();
  await answers(2);
  assert.deepEqual(await users(), ['one', 'two']);
  await choose('s/waits');
  await say(page, 'a longer one');
  await until('its call', () => all.upstream.requests.at(-1)?.messages.at(-1).content === 'a longer one');
  await page.reload();
  await page.locator('.turn.user').getByText('a longer one').waitFor();
  open();
  await lastAnswer(page).getByText('at last').waitFor();
  await answers(3);
  assert.deepEqual(await users(), ['one', 'two', 'a longer one']);
  assert.equal(await notice.count(), 0);
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify({ ...sessionStorage })), /error\\":null|a longer one/);
});

test('of a chat that is not stored, nothing that was refused is kept by the browser', async () => {
  await prefer(page, { model: 'nobody' });
  await fresh();
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('dialog').getByLabel('Store the conversation').uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await say(page, 'a secret');
  await retry().waitFor();
  await say(page, 'another secret');
  await retry().nth(1).waitFor();
  assert.deepEqual(await users(), ['a secret', 'another secret']);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  assert.doesNotMatch(stored, /secret/);
  assert.deepEqual(page.complaints.filter((line) => !/Failed to load/.test(line)), []);
});

test('a limit of two messages: the third and the fourth stay over a reload, and each can be sent or edited', async () => {
  const limits = (count) => ({ limits: { requests: { count, window: '1h' } } });
  const { key, id } = await call('POST', '/v1/admin/keys', { name: 'hasty', scopes: ['chat', 'read', 'admin'], ...limits(2) });
  const hasty = await all.open('#/chat');
  await signIn(hasty, key);
  await prefer(hasty, { model: 'echo' });
  for (const [place, text] of ['one', 'two'].entries()) {
    await say(hasty, text);
    await answers(place + 1, hasty);
  }
  for (const [place, text] of ['three', 'four'].entries()) {
    await say(hasty, text);
    await hasty.getByRole('alert').nth(place).getByText('Your key has reached its limit').waitFor();
    const end = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    await until('the reason to be in sight', () => hasty.locator('.log').evaluate(end));
  }
  const all4 = ['one', 'two', 'three', 'four'];
  assert.deepEqual(await users(hasty), all4);
  await hasty.reload();
  await answers(2, hasty);
  assert.deepEqual(await users(hasty), all4);
  assert.match(await hasty.getByRole('alert').first().innerText(), /Your key has reached its limit.*again in/s);
  await client(all.gateway.url, key)('POST', `/v1/admin/keys/${id}`, limits(50));
  await retry(hasty).first().click();
  await answers(3, hasty);
  await hasty.getByRole('alert').getByRole('button', { name: 'Edit the message' }).click();
  assert.equal(await message(hasty).inputValue(), 'four');
  assert.deepEqual(await users(hasty), ['one', 'two', 'three']);
  await hasty.getByRole('button', { name: 'Send', exact: true }).click();
  await answers(4, hasty);
  assert.deepEqual(await users(hasty), all4);
  // after signing out, the browser has nothing of it
  await client(all.gateway.url, key)('POST', `/v1/admin/keys/${id}`, limits(1));
  await say(hasty, 'five');
  await retry(hasty).waitFor();
  assert.match(await hasty.evaluate(() => JSON.stringify({ ...sessionStorage })), /five/);
  await hasty.getByRole('button', { name: 'Sign out' }).click();
  await hasty.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.doesNotMatch(await hasty.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])), /five/);
  await hasty.close();
});
