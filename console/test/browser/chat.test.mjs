// What a chat can be told: options, tools, files, another model; what is not stored; the request as a program.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client } from '../pages/kit.mjs';
import { complete, conversationOf, lastAnswer, prefer, say, startAll } from './chat.mjs';

let all, page;
before(async () => {
  all = await startAll();
  page = await all.open('#/chat');
  for (const model of ['one', 'two'])
    all.upstream.script(model, async (answer) => {
      await answer.delta({ reasoning_content: 'a thought' });
      await answer.text(`I am ${model}`);
      await answer.delta({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }] });
      await answer.finish();
    });
});
after(() => all.stop());

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
const options = (name) => page.getByRole('dialog').getByLabel(name, { exact: false });
const close = () => page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
const facts = () => lastAnswer(page).locator('.facts').innerText();

test('options reach the provider, and what it says is shown', async () => {
  await prefer(page, { model: 's/one' });
  await page.getByRole('button', { name: 'Options' }).click();
  await options('Instruction').fill('Be brief.');
  await options('Temperature').fill('0.5');
  await options('Max tokens').fill('99');
  await options('Tools').fill('no JSON');
  await page.getByText('This is not a list in JSON.').waitFor();
  await options('Tools').fill(JSON.stringify(tools));
  await close();
  await say(page, 'hello');
  await complete(page);
  const asked = all.upstream.requests.at(-1);
  assert.deepEqual([asked.temperature, asked.max_tokens ?? asked.max_completion_tokens, asked.tools], [0.5, 99, tools]);
  assert.deepEqual(asked.messages.map(({ role, content }) => [role, content]), [['system', 'Be brief.'], ['user', 'hello']]);
  assert.match(await facts(), /s\/one · 18 tokens · first words after/);
  await page.getByText('a thought').waitFor({ state: 'hidden' });
  await page.getByText(/^Thought for/).click();
  await page.getByText('a thought').waitFor();
  await page.getByText('Call of weather').click();
  await page.getByText('"city": "Rome"').waitFor();
  await page.getByRole('heading', { name: 'hello', level: 1 }).waitFor();
  const { title } = await client(all.gateway.url)('GET', `/v1/conversations/${conversationOf(page)}`);
  assert.equal(title, 'hello');
});

test('Regenerate asks again at once, and its picker another model; each answer is a branch of its own', async () => {
  await prefer(page, { model: 's/one' });
  await page.goto(`${all.front.url}/console/#/start`);
  await page.goto(`${all.front.url}/console/#/chat`);
  await say(page, 'who are you?');
  await complete(page);
  await page.getByRole('button', { name: 'Regenerate', exact: true }).click();
  await lastAnswer(page).getByText('2 of 2').waitFor();
  await lastAnswer(page).getByText('I am one').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  const menu = page.getByRole('button', { name: 'Regenerate with another model' });
  await menu.click();
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await menu.evaluate((one) => one === document.activeElement), true);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('gridcell').filter({ hasText: /^echo/ }).first().click();
  await lastAnswer(page).getByText('3 of 3').waitFor();
  await lastAnswer(page).getByText('who are you?').waitFor();
  assert.match(await facts(), /^echo/);
});

test('files are uploaded and go with the message', async () => {
  await prefer(page, { model: 'echo' });
  await page.goto(`${all.front.url}/console/#/start`);
  await page.goto(`${all.front.url}/console/#/chat`);
  await page.locator('.composer input[type="file"]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Bring an umbrella.') });
  await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
  await page.getByLabel('Message', { exact: true }).evaluate((input) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['Bring boots.'], 'more.txt', { type: 'text/plain' }));
    input.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await page.getByRole('button', { name: 'Remove more.txt' }).waitFor();
  await say(page, 'What should I bring?');
  await complete(page);
  await lastAnswer(page).getByText('Bring an umbrella.').waitFor();
  await lastAnswer(page).getByText('Bring boots.').waitFor();
  await page.reload();
  await complete(page);
  await page.locator('.turn.user .attached').filter({ hasText: 'notes.txt' }).waitFor();
});

// One pixel.
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('an uploaded image is shown, and its name alone where the file is gone', async () => {
  all.upstream.script('seen', async (answer) => {
    await answer.text('A dot.');
    await answer.finish();
  });
  await prefer(page, { model: 's/seen' });
  await page.goto(`${all.front.url}/console/#/start`);
  await page.goto(`${all.front.url}/console/#/chat`);
  await page.locator('.composer input[type="file"]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') });
  await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
  await say(page, 'What is this?');
  await complete(page);
  const shown = page.locator('.turn.user').getByRole('img', { name: 'dot.png' });
  await shown.waitFor();
  assert.equal(await shown.evaluate(async (img) => (await img.decode(), img.naturalWidth)), 1);
  const call = client(all.gateway.url);
  const file = (await call('GET', '/v1/files?limit=100')).data.find((one) => one.filename === 'dot.png');
  await call('DELETE', `/v1/files/${file.id}`);
  await page.reload();
  await complete(page);
  await page.locator('.turn.user .attached').filter({ hasText: 'dot.png' }).waitFor();
  assert.equal(await shown.count(), 0);
});

test('what is not stored is nowhere, and what was said goes along', async () => {
  const call = client(all.gateway.url);
  const count = async () => (await call('GET', '/v1/conversations?limit=100')).data.length;
  await prefer(page, { model: 's/one' });
  await page.goto(`${all.front.url}/console/#/start`);
  await page.goto(`${all.front.url}/console/#/chat`);
  const before = await count();
  await page.getByRole('button', { name: 'Options' }).click();
  await options('Store the conversation').uncheck();
  await close();
  await say(page, 'first');
  await complete(page);
  await say(page, 'second');
  await page.locator('.turn.assistant').nth(1).locator('footer').waitFor();
  const asked = all.upstream.requests.at(-1).messages.map(({ content }) => content);
  assert.deepEqual(asked, ['first', 'I am one', 'second']);
  assert.equal(await count(), before);
  assert.equal(conversationOf(page), undefined);
});

test('the request as a program', async () => {
  await page.getByRole('button', { name: 'Show as a program' }).last().click();
  for (const [name, sign] of [['curl', 'curl http'], ['Python', 'urllib.request'], ['Node', 'await fetch']]) {
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    const text = await page.locator('.snippet').innerText();
    assert.ok(text.includes(sign) && text.includes('PARLEY_API_KEY') && text.includes('second'), text);
  }
  assert.deepEqual(page.complaints, []);
});
