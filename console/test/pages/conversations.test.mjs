// What is done to conversations: search, filter, rename, label, delete, export, import, and the branches of one.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { axe, client, openPage, startBrowser, startGateway, until } from './kit.mjs';
import { config, store } from './stored.mjs';

let gateway, browser, call, stored, page;

before(async () => {
  gateway = await startGateway(config);
  browser = await startBrowser();
  call = client(gateway.url);
});
beforeEach(async () => {
  for (const one of (await call('GET', '/v1/conversations?limit=100')).data)
    await call('DELETE', `/v1/conversations/${one.id}`);
  stored = await store(call);
  page = await openPage(browser, gateway.url, '#/conversations');
  await row('Tea pots 1').waitFor();
});
afterEach(async () => {
  assert.deepEqual(page.complaints, []);
  await page.close();
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

const row = (title) => page.locator('#main').getByRole('link', { name: title, exact: true });
const read = (i) => call('GET', `/v1/conversations/${stored.conversations[i].conversation}`);

test('a search marks its words, and an empty field shows the list again', async () => {
  const field = page.getByRole('searchbox', { name: 'Search messages and titles' });
  await field.fill('porcelain warm');
  await field.press('Enter');
  await page.locator('mark').first().waitFor();
  const marked = await page.locator('mark').allTextContents();
  assert.ok(marked.includes('Porcelain') && marked.includes('warm'), marked.join());
  assert.match(page.url(), /q=porcelain/);
  await field.fill('');
  await row('Tea pots 2').waitFor();
  assert.ok(!page.url().includes('q='));
});

test('all conversations are in one order: chats by their newest turns, those of programs by their beginnings', async () => {
  const console_ = (path, body) => client(gateway.url)('POST', path, body, { Origin: gateway.url });
  const say = (text, more = {}) => console_('/v1/chat', { config: { model: 'echo' }, messages: [text], ...more });
  const second = () => new Promise((next) => setTimeout(next, 1100)); // the times of rows are in seconds
  const first = await say('The first chat');
  await second();
  await call('POST', '/v1/conversations', { title: 'Of a program' });
  await second();
  await say('The second chat');
  await second();
  await say('and on', { conversation: first.conversation });
  for (const path of ['#/conversations', '#/conversations?origin=console']) {
    await page.goto(`${gateway.url}/console/${path}`);
    await page.reload();
    await row('The first chat').first().waitFor();
    const titles = await page.locator('.entries .what > a').allTextContents();
    const mine = titles.filter((title) => /chat|program/.test(title));
    assert.deepEqual(mine, ['The first chat', 'The second chat', ...(path.includes('origin') ? [] : ['Of a program'])], path);
  }
  // over several pages, of which each is a part of two lists; and a chat that goes on between them
  for (let n = 0; n < 40; n++) {
    await say(`Chat ${n}`);
    await call('POST', '/v1/conversations', { title: `Program ${n}` });
  }
  const { data } = await call('GET', '/v1/conversations?limit=100&order=asc');
  const chat0 = data.find((one) => one.title === 'Chat 0').id;
  await page.goto(`${gateway.url}/console/#/conversations`);
  await page.reload();
  await until('a page', async () => (await page.locator('.entries > li').count()) === 50);
  const last = (await page.locator('.entries .what > a').allTextContents()).findLast((title) => title.startsWith('Chat'));
  await second();
  await say('once more', { conversation: data.find((one) => one.title === last)?.id ?? chat0 });
  for (let n = 0; n < 3 && (await page.getByRole('button', { name: 'Show more' }).count()); n++) {
    const before = await page.locator('.entries > li').count();
    await page.getByRole('button', { name: 'Show more' }).click();
    await until('more', async () => (await page.locator('.entries > li').count()) > before);
  }
  const titles = await page.locator('.entries .what > a').allTextContents();
  for (const kind of ['Chat', 'Program']) {
    const of = titles.filter((title) => title.startsWith(`${kind} `));
    assert.equal(of.length, 40, `${kind}: ${of}`);
    assert.equal(new Set(of).size, 40);
  }
});

test('a title is found, and its words are marked', async () => {
  await page.getByRole('searchbox').fill('pots');
  await page.getByRole('searchbox').press('Enter');
  await until('the titles', async () => (await page.locator('.what > a mark').count()) === 3);
  await page.getByRole('link', { name: 'Tea pots 2' }).click();
  await until('the chat', () => page.url().endsWith(`#/chat/${stored.conversations[2].conversation}`));
});

test('what is not found is said, and a refused search shows its request', async () => {
  const field = page.getByRole('searchbox');
  await field.fill('nowheretobefound');
  await field.press('Enter');
  await page.getByText('Nothing was found').waitFor();
  await field.fill('-');
  await field.press('Enter');
  const refused = page.getByRole('alert');
  await refused.waitFor();
  assert.match(await refused.textContent(), /req_[0-9a-f]{32}/);
  assert.deepEqual(await axe(page), []);
});

test('the slash goes to the search field', async () => {
  await page.goto(`${gateway.url}/console/#/files`);
  await page.getByRole('heading', { name: 'Files' }).waitFor();
  await page.keyboard.press('/');
  await until('the focus in the field', () =>
    page.evaluate(() => document.activeElement?.getAttribute('type') === 'search'),
  );
});

test('a label filters, by a click and by typing', async () => {
  await page.getByRole('link', { name: 'topic: garden' }).click();
  await row('Tea pots 1').waitFor({ state: 'detached' });
  await row('Tea pots 0').waitFor();
  await page.getByLabel('Value').fill('nothing');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByText('No conversation has this label').waitFor();
  await page.getByRole('button', { name: 'All conversations' }).click();
  await row('Tea pots 1').waitFor();
});

test('title and labels change, and the labels of another tab are not undone', async () => {
  const { conversation } = stored.conversations[1];
  await call('POST', `/v1/conversations/${conversation}`, { metadata: { topic: 'tea', later: 'yes' } });
  await page.getByRole('button', { name: 'Title and labels: Tea pots 1' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title', { exact: true }).fill('Cups <b>& bowls</b>');
  await dialog.getByRole('button', { name: 'Add a label' }).click();
  await dialog.getByLabel('Name', { exact: true }).last().fill('new');
  await dialog.getByLabel('Value', { exact: true }).last().fill('label');
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row('Cups <b>& bowls</b>').waitFor();
  const { title, metadata } = await read(1);
  assert.deepEqual(
    { title, metadata },
    { title: 'Cups <b>& bowls</b>', metadata: { topic: 'tea', later: 'yes', new: 'label' } },
  );
});

test('a change that came too late is refused', async () => {
  await page.getByRole('button', { name: 'Title and labels: Tea pots 1' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title', { exact: true }).fill('Mine');
  await call('POST', `/v1/conversations/${stored.conversations[1].conversation}`, { title: 'Theirs' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').waitFor();
  assert.match(await dialog.getByRole('alert').textContent(), /precondition_failed/);
  assert.equal((await read(1)).title, 'Theirs');
});

test('a deletion asks first', async () => {
  const gone = stored.conversations[2].conversation;
  const button = page.getByRole('button', { name: 'Delete: Tea pots 2' });
  await button.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await row('Tea pots 2').waitFor();
  await button.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await row('Tea pots 2').waitFor({ state: 'detached' });
  await assert.rejects(call('GET', `/v1/conversations/${gone}`), /404/);
});

test('what was exported comes back by an import, with all branches', async () => {
  const { conversation } = stored.first;
  const before = await call('GET', `/v1/conversations/${conversation}/export`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export: Tea pots 0' }).click();
  const file = join(gateway.folder, 'saved.jsonl');
  await (await download).saveAs(file);
  assert.equal(await readFile(file, 'utf8'), before);
  await call('DELETE', `/v1/conversations/${conversation}`);

  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('1 conversation imported').first().waitFor();
  await row('Tea pots 0').waitFor();
  assert.equal(await call('GET', `/v1/conversations/${conversation}/export`), before);
});

async function drop(name, text) {
  const transfer = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      return data;
    },
    [name, text],
  );
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
  await page.getByText('Drop an archive').waitFor();
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
}

test('a dropped ChatGPT export comes in, and its warnings are shown', async () => {
  const image = {
    content_type: 'multimodal_text',
    parts: ['Look', { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-abc' }],
  };
  const node = (id, parent, children, content) => ({
    id,
    parent,
    children,
    message: content && { author: { role: 'user' }, create_time: 1700000001.5, content },
  });
  await drop(
    'conversations.json',
    JSON.stringify([
      {
        title: 'From elsewhere',
        create_time: 1700000000.5,
        current_node: 'b',
        mapping: { a: { id: 'a', message: null, parent: null, children: ['b'] }, b: node('b', 'a', [], image) },
      },
    ]),
  );
  await page.getByText('1 conversation imported').first().waitFor();
  await page.getByText('1 warning').waitFor();
  assert.deepEqual(await axe(page), []);
  await row('From elsewhere').waitFor();
});

test('a broken archive is refused, with the line', async () => {
  const lines =
    '{"type":"conversation","version":1,"id":"conv_00064217c0a1f00d9b1c4e7a2d8f3b70","created_at_ms":1}\n{"type":"nonsense"}\n';
  const file = join(gateway.folder, 'broken.jsonl');
  await writeFile(file, lines);
  await page.locator('input[type=file]').setInputFiles(file);
  const refused = page.getByRole('alert');
  await refused.waitFor();
  assert.match(await refused.textContent(), /lines\[2\]/);
});
