// The composer on screens of all widths, and what belongs to one conversation alone: draft, files, options.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, axe, client, overflow } from '../pages/kit.mjs';
import { complete, conversationOf, lastAnswer, prefer, say, startAll } from './chat.mjs';

const long = 's/a-model-whose-name-has-fifty-characters-0123456789';
let all, page;
before(async () => {
  all = await startAll();
  page = await all.open('#/chat');
  all.upstream.script(long.slice(2), async (answer) => {
    await answer.text('Here I am.');
    await answer.finish();
  });
});
after(() => all.stop());

const message = (of = page) => of.getByLabel('Message', { exact: true });
const fresh = async () => {
  await page.goto(`${all.front.url}/console/#/start`);
  await page.goto(`${all.front.url}/console/#/chat`);
};
const dialog = () => page.getByRole('dialog');
const close = () => dialog().getByRole('button', { name: 'Close' }).last().click();

for (const width of [1440, 768, 390, 320])
  for (const scheme of ['light', 'dark'])
    test(`Send can be reached beside a long model name: ${width} pixels, ${scheme}`, async () => {
      await page.setViewportSize({ width, height: 700 });
      await page.emulateMedia({ colorScheme: scheme });
      await fresh();
      await prefer(page, { model: long });
      await message().fill('hello');
      const send = page.getByRole('button', { name: 'Send', exact: true });
      const form = await page.locator('.composer').boundingBox();
      const box = await send.boundingBox();
      assert.ok(box.x >= form.x && box.x + box.width <= form.x + form.width, `Send ends at ${box.x + box.width} of ${form.x + form.width}`);
      assert.ok(box.width >= 24 && box.height >= 24);
      assert.ok((await overflow(page)) <= 0);
      assert.deepEqual(await axe(page), []);
      await send.click();
      await lastAnswer(page).getByText('Here I am.').waitFor();
      await page.setViewportSize({ width: 1280, height: 900 });
    });

test('a program and a configuration are shown whole', async () => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model: 'echo' });
  const whole = () => page.locator('pre.snippet').evaluateAll((all) => all.map((one) => one.scrollHeight - one.clientHeight <= 1));
  await page.locator('pre.snippet').first().waitFor();
  assert.ok((await whole()).every(Boolean), 'on the first page');
  await page.goto(`${all.front.url}/console/#/chat`);
  await say(page, 'hello');
  await complete(page);
  await page.getByRole('button', { name: 'Show as a program' }).click();
  const last = await page.locator('pre.snippet').evaluate((box) => {
    box.scrollTo(0, box.scrollHeight);
    const range = document.createRange();
    range.selectNodeContents(box);
    return [range.getBoundingClientRect().bottom, box.getBoundingClientRect().bottom];
  });
  assert.ok(last[0] <= last[1], 'its last line can be seen');
  await close();
});

test('a draft and its files stay with their conversation', async () => {
  await prefer(page, { model: 'echo' });
  await fresh();
  await say(page, 'the first conversation');
  await complete(page);
  const first = page.url();
  await message().fill('half a thought');
  await page.locator('.composer input[type="file"]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Bring an umbrella.') });
  await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.getByText('What would you like to ask?').waitFor();
  assert.equal(await message().inputValue(), '');
  assert.equal(await page.getByRole('button', { name: 'Remove notes.txt' }).count(), 0);
  await message().fill('another thought');
  await page.evaluate((to) => (location.href = to), first);
  await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
  assert.equal(await message().inputValue(), 'half a thought');
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
  assert.ok(!stored.includes('thought'), 'a draft is not stored in the browser');
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.getByText('What would you like to ask?').waitFor();
  assert.equal(await message().inputValue(), 'another thought');
  await message().fill('');
});

test('the instruction stands at the top after a reload, can be changed, and leaks into no other chat', async () => {
  await prefer(page, { model: 'echo' });
  await fresh();
  await page.getByRole('button', { name: 'Options' }).click();
  await dialog().getByLabel('Instruction').fill('Answer as a pirate.');
  await dialog().getByLabel('Temperature').fill('0.5');
  await close();
  await say(page, 'ahoy');
  await complete(page);
  const top = page.getByRole('region', { name: 'Instruction' });
  await top.getByText('Answer as a pirate.').waitFor();
  await page.reload();
  await top.getByText('Answer as a pirate.').waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Edit the instruction' }).click();
  await page.getByLabel('Instruction', { exact: true }).fill('Answer as a poet.');
  await page.getByRole('button', { name: 'Save' }).click();
  await top.getByText('Answer as a poet.').waitFor();
  await say(page, 'ahoy again');
  await page.locator('.turn.assistant').nth(1).locator('footer').waitFor();
  await page.reload();
  await top.getByText('Answer as a poet.').waitFor();
  const archive = await client(all.gateway.url)('GET', `/v1/conversations/${conversationOf(page)}/export`);
  assert.match(archive, /"instruction":"Answer as a poet\."/);
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.getByText('What would you like to ask?').waitFor();
  assert.equal(await top.count(), 0);
  await page.getByRole('button', { name: 'Options' }).click();
  assert.equal(await dialog().getByLabel('Instruction').inputValue(), '');
  assert.equal(await dialog().getByLabel('Temperature').inputValue(), '');
  await close();
});

test('files are taken wherever they are dropped on the chat, and need no text', async () => {
  await prefer(page, { model: 'echo' });
  await fresh();
  await page.locator('.log').evaluate((log) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['Bring boots.'], 'boots.txt', { type: 'text/plain' }));
    const event = (name) => new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true });
    if (log.dispatchEvent(event('dragover'))) throw new Error('the browser would open the file');
    log.dispatchEvent(event('drop'));
  });
  await page.getByRole('button', { name: 'Remove boots.txt' }).waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await complete(page);
  await lastAnswer(page).getByText('Bring boots.').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('an edited message keeps its files, and each can be removed', async () => {
  await prefer(page, { model: 'echo' });
  await fresh();
  for (const name of ['notes', 'more']) {
    const file = { name: `${name}.txt`, mimeType: 'text/plain', buffer: Buffer.from(`These are ${name}.`) };
    await page.locator('.composer input[type="file"]').setInputFiles(file);
    await page.getByRole('button', { name: `Remove ${name}.txt` }).waitFor();
  }
  await say(page, 'What is this?');
  await complete(page);
  const before = conversationOf(page);
  const editor = page.locator('.editor');
  const edit = async (text) => {
    await page.getByRole('button', { name: 'Edit the message' }).last().click();
    await editor.getByRole('textbox').fill(text);
  };
  // the first message of all begins a branch, too
  await edit('And this?');
  await editor.getByRole('button', { name: 'Remove more.txt' }).waitFor();
  await accessible(page);
  await editor.getByRole('button', { name: 'Send' }).click();
  await lastAnswer(page).getByText('And this?').waitFor();
  await complete(page);
  assert.equal(conversationOf(page), before);
  assert.match(await lastAnswer(page).innerText(), /These are notes\.[^]*These are more\./);
  // and a later one
  await say(page, 'Go on');
  await page.locator('.turn.assistant').nth(1).locator('footer').waitFor();
  const { data } = await client(all.gateway.url)('GET', `/v1/conversations/${conversationOf(page)}/messages`);
  assert.deepEqual(data[0].context.files.map(({ name }) => name).sort(), ['more.txt', 'notes.txt']);
  await page.locator('.composer input[type="file"]').setInputFiles({ name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('This is late.') });
  await page.getByRole('button', { name: 'Remove late.txt' }).waitFor();
  await say(page, 'With a file');
  await page.locator('.turn.assistant').nth(2).locator('footer').waitFor();
  await edit('');
  await editor.getByRole('button', { name: 'Send' }).click();
  await page.locator('.turn.user').last().getByText('2 of 2').waitFor();
  await complete(page);
  assert.match(await lastAnswer(page).innerText(), /This is late\./);
  await edit('Without it');
  await editor.getByRole('button', { name: 'Remove late.txt' }).click();
  await editor.getByRole('button', { name: 'Send' }).click();
  await lastAnswer(page).getByText('Without it').waitFor();
  assert.doesNotMatch(await lastAnswer(page).innerText(), /This is late/);
});

test('a chat that is not stored sends its files, too', async () => {
  await prefer(page, { model: 'echo' });
  await fresh();
  await page.getByRole('button', { name: 'Options' }).click();
  await dialog().getByLabel('Store the conversation').uncheck();
  await close();
  await page.locator('.composer input[type="file"]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Bring an umbrella.') });
  await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
  await say(page, 'What is this?');
  await lastAnswer(page).getByText('Bring an umbrella.').waitFor();
});

test('temperature, max tokens and tools stay with their conversation over a reload', async () => {
  const tools = '[{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}]';
  await prefer(page, { model: 'echo' });
  await fresh();
  const open = () => page.getByRole('button', { name: 'Options' }).click();
  const values = async () => {
    await open();
    const found = [];
    for (const name of ['Temperature', 'Max tokens', 'Tools']) found.push(await dialog().getByLabel(name).inputValue());
    await close();
    return found;
  };
  await open();
  await dialog().getByLabel('Temperature').fill('0.5');
  await dialog().getByLabel('Max tokens').fill('300');
  await dialog().getByLabel('Tools').fill(tools);
  await close();
  await say(page, 'remember them');
  await complete(page);
  await page.reload();
  await complete(page);
  assert.deepEqual(await values(), ['0.5', '300', tools]);
  const first = page.url();
  await fresh();
  assert.deepEqual(await values(), ['', '', '']);
  await page.goto(first);
  await complete(page);
  await open();
  for (const name of ['Temperature', 'Max tokens', 'Tools']) await dialog().getByLabel(name).fill('');
  await close();
  await page.reload();
  await complete(page);
  assert.deepEqual(await values(), ['', '', '']);
  const stored = (await page.evaluate(() => localStorage.getItem('parley.options'))) ?? '';
  assert.ok(!stored.includes(conversationOf(page)), 'what is usual is not stored');
});
