// A message that has no answer: the model says nothing, or its run fails. The message stays in the conversation, and
// what is said next follows it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client } from '../pages/kit.mjs';
import { complete, conversationOf, lastAnswer, prefer, say, startAll } from './chat.mjs';

let all, page;
before(async () => {
  all = await startAll();
  page = await all.open('#/chat');
});
after(() => all.stop());

async function chatWith(model) {
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model });
  await page.goto(`${all.front.url}/console/#/chat`);
}

// A model that says each of these in turn; null: it fails.
function says(model, ...texts) {
  all.upstream.script(model, async (answer) => {
    const text = texts.shift();
    if (text === null) return answer.response.destroy();
    if (text) await answer.text(text);
    await answer.finish();
  });
}

const users = () => page.locator('.turn.user .content').allInnerTexts();
const sent = () => all.upstream.requests.at(-1).messages.map(({ role, content }) => `${role}: ${content}`);
const parents = async () => {
  const { data } = await client(all.gateway.url)('GET', `/v1/conversations/${conversationOf(page)}/tree`);
  return data.map(({ parent_id }) => data.findIndex(({ id }) => id === parent_id));
};
const empty = () => page.locator('.notice').getByText('The answer was empty.');

test('an empty answer is said to be empty, and can be had anew', async () => {
  says('empty', '', '', 'Here I am.');
  await chatWith('s/empty');
  await say(page, 'Are you there?');
  await empty().waitFor();
  await page.reload();
  await empty().waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Regenerate', exact: true }).click();
  await page.locator('.waiting, .cursor').first().waitFor({ state: 'detached' });
  await empty().waitFor();
  await page.getByRole('button', { name: 'Regenerate', exact: true }).click();
  await lastAnswer(page).getByText('Here I am.').waitFor();
  await complete(page);
  assert.equal(await empty().count(), 0);
  assert.deepEqual(await users(), ['Are you there?']);
  assert.deepEqual(sent(), ['user: Are you there?']);
});

test('another model can be asked for what one has left empty', async () => {
  says('empty', '');
  await chatWith('s/empty');
  await say(page, 'Say it back');
  await empty().waitFor();
  await page.getByRole('button', { name: 'Regenerate with another model' }).click();
  await page.getByRole('combobox', { name: 'Search models' }).fill('echo');
  await page.keyboard.press('Enter');
  await lastAnswer(page).getByText('Say it back').waitFor();
  await complete(page);
});

test('what is said after an empty answer follows the message, which the model sees', async () => {
  says('empty', '', 'Both.', 'More.');
  await chatWith('s/empty');
  await say(page, 'one');
  await empty().waitFor();
  await page.reload();
  await empty().waitFor();
  await say(page, 'two');
  await lastAnswer(page).getByText('Both.').waitFor();
  await complete(page);
  assert.deepEqual(await users(), ['one', 'two']);
  assert.deepEqual(sent(), ['user: one', 'user: two']);
  assert.equal(await page.locator('.branches').count(), 0);
  await say(page, 'three');
  await lastAnswer(page).getByText('More.').waitFor();
  await complete(page);
  await page.reload();
  await complete(page);
  assert.deepEqual(await users(), ['one', 'two', 'three']);
  assert.deepEqual(await parents(), [-1, 0, 1, 2, 3]);
});

test('what is said after a failed answer follows the message, which the model sees', async () => {
  says('failing', 'Fine.', null, null, 'All of them.');
  await chatWith('s/failing');
  await say(page, 'one');
  await lastAnswer(page).getByText('Fine.').waitFor();
  await complete(page);
  for (const text of ['two', 'three']) {
    await say(page, text);
    await page.locator('.turn.user').getByText(text).waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
  }
  await page.reload();
  await page.getByRole('alert').waitFor();
  assert.deepEqual(await users(), ['one', 'two', 'three']);
  await say(page, 'four');
  await lastAnswer(page).getByText('All of them.').waitFor();
  await complete(page);
  assert.deepEqual(await users(), ['one', 'two', 'three', 'four']);
  assert.deepEqual(sent(), ['user: one', 'assistant: Fine.', 'user: two', 'user: three', 'user: four']);
  assert.equal(await page.locator('.branches').count(), 0);
});

test('a message that has stayed without an answer beside others says why, and can be sent again there', async () => {
  says('beside', 'First.', null, 'Edited.', 'At last.');
  await chatWith('s/beside');
  await say(page, 'one');
  await lastAnswer(page).getByText('First.').waitFor();
  await complete(page);
  await say(page, 'two');
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Edit the message' }).last().click();
  await page.locator('.editor').getByRole('textbox').fill('two, edited');
  await page.locator('.editor').getByRole('button', { name: 'Send' }).click();
  await lastAnswer(page).getByText('Edited.').waitFor();
  await page.getByText('2 of 2').waitFor();
  await page.getByRole('button', { name: 'The branch before' }).click();
  await page.locator('.turn.user').getByText('two', { exact: true }).waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click();
  await lastAnswer(page).getByText('At last.').waitFor();
  await complete(page);
  assert.deepEqual(await users(), ['one', 'two']);
  assert.deepEqual(sent(), ['user: one', 'assistant: First.', 'user: two']);
});

test('an empty answer of a chat that is not stored is said to be empty, and not sent along', async () => {
  says('unstored', '', 'Both.');
  await chatWith('s/unstored');
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('dialog').getByLabel('Store the conversation').uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await say(page, 'one');
  await lastAnswer(page).getByText('The answer was empty.').waitFor();
  await say(page, 'two');
  await lastAnswer(page).getByText('Both.').waitFor();
  assert.deepEqual(sent(), ['user: one', 'user: two']);
  assert.deepEqual(page.complaints.filter((line) => !/Failed to load/.test(line)), []);
});
