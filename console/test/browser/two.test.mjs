// Two models side by side on one message.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, client, overflow, until } from '../pages/kit.mjs';
import { complete, conversationOf, lastAnswer, prefer, say, startAll } from './chat.mjs';
import { gate } from './upstream.mjs';

let all, page, api;
before(async () => {
  all = await startAll();
  page = await all.open('#/chat');
  api = client(all.gateway.url);
});
after(() => all.stop());

const half = (name) => page.getByRole('region', { name, exact: true });
const addressed = () => new URL(page.url()).hash;

// A model that says its first words, and the others when the gate is opened.
function held(model) {
  const held = gate();
  all.upstream.script(model, async (answer) => {
    await answer.text(`first words of ${model}, `);
    await held.opened;
    await answer.text(`last words of ${model}`);
    await answer.finish();
  });
  return held;
}

async function compare(first, second, text) {
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model: first });
  await page.goto(`${all.front.url}/console/#/chat`);
  await add(second);
  await say(page, text);
}

async function add(second) {
  await page.getByRole('button', { name: 'Compare with another model' }).click();
  await page.getByRole('dialog').getByRole('combobox').fill(second);
  await page.keyboard.press('Enter');
  await page.getByText(`Also asks ${second}`).waitFor();
}

const looks = [1440, 768, 390, 320].flatMap((width) => ['light', 'dark'].map((scheme) => ({ width, scheme })));

async function looked(name) {
  for (const { width, scheme } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    assert.deepEqual(await axe(page), [], `${name}: ${width}, ${scheme}`);
    assert.ok((await overflow(page)) <= 0, `${name}: ${width}, ${scheme}`);
    const boxes = await Promise.all((await page.locator('.two > section').all()).map((one) => one.boundingBox()));
    if (boxes.length === 2) assert.equal(boxes[0].y === boxes[1].y, width > 640, `${width}: side by side or stacked`);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}-${width}-${scheme}.png` });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

test('both stream at the same time, each with its name, facts and Stop; the one that is kept goes on', async () => {
  const [one, two] = [held('one'), held('two')];
  await compare('s/one', 's/two', 'who are you?');
  await half('s/one').getByText('first words of one').waitFor();
  await half('s/two').getByText('first words of two').waitFor();
  assert.equal(await page.getByText('Also asks').count(), 0, 'it was for one message');
  for (const name of ['s/one', 's/two']) await half(name).getByRole('button', { name: 'Stop' }).waitFor();
  await looked('streaming');
  two.open();
  await half('s/two').getByText('last words of two').waitFor();
  await half('s/two').locator('.facts').filter({ hasText: '18 tokens' }).waitFor();
  await half('s/two').getByRole('button', { name: 'Continue with this' }).waitFor();
  await half('s/one').getByRole('button', { name: 'Stop' }).waitFor();
  one.open();
  await half('s/one').locator('.facts').filter({ hasText: '18 tokens' }).waitFor();
  await until('the address', () => /leaf=msg_/.test(addressed()));
  await looked('complete');
  await half('s/two').getByRole('button', { name: 'Continue with this' }).click();
  await page.locator('.two').waitFor({ state: 'detached' });
  await lastAnswer(page).getByText('2 of 2').waitFor();
  await lastAnswer(page).getByText('last words of two').waitFor();
  const { data } = await api('GET', `/v1/conversations/${conversationOf(page)}/tree`);
  assert.deepEqual(data.map(({ role }) => role), ['user', 'assistant', 'assistant']);
  assert.equal(data[1].parent_id, data[2].parent_id);
  all.upstream.script('two', async (answer, asked) => {
    await answer.text(`I read: ${asked.messages.map(({ content }) => content).join(' | ')}`);
    await answer.finish();
  });
  await say(page, 'go on');
  await lastAnswer(page).getByText('I read: who are you? | first words of two, last words of two | go on').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('long lines of code and tables scroll in their own boxes', async () => {
  const WIDE = `${'a_long_name '.repeat(30)}`;
  const cells = (text) => `|${` ${text} |`.repeat(12)}`;
  const answers = async (answer) => {
    await answer.text(`\`\`\`python\n${WIDE.replaceAll(' ', '_')}\n\`\`\`\n\n${cells('column')}\n${cells('---')}\n${cells('value_of_it')}\n`);
    await answer.finish();
  };
  for (const model of ['one', 'two']) all.upstream.script(model, answers);
  await compare('s/one', 's/two', 'something wide');
  await until('both', async () => (await page.getByRole('button', { name: 'Continue with this' }).count()) === 2);
  for (const width of [1440, 1280, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    const cut = await page.locator('.two > section').evaluateAll((cards) =>
      cards.flatMap((card) => {
        const inside = card.getBoundingClientRect().right;
        const boxes = [...card.querySelectorAll('article, .code, .scroll')];
        return boxes.filter((box) => box.getBoundingClientRect().right > inside).map((box) => box.className || box.localName);
      }));
    assert.deepEqual(cut, [], `${width}`);
    for (const box of ['.two .code-body', '.two .text .scroll']) {
      const wide = page.locator(box).first();
      assert.ok(await wide.evaluate((one) => one.scrollWidth > one.clientWidth), `${box} scrolls at ${width}`);
    }
  }
  await looked('wide');
  assert.deepEqual(page.complaints, []);
});

test('a reload shows a branch, and what is written without a choice follows the first answer', async () => {
  const [one, two] = [held('one'), held('two')];
  await compare('s/one', 's/two', 'again');
  await half('s/two').getByText('first words of two').waitFor();
  one.open();
  two.open();
  await until('the address', () => /leaf=msg_/.test(addressed()));
  await page.reload();
  await lastAnswer(page).getByText('1 of 2').waitFor();
  await lastAnswer(page).getByText('last words of one').waitFor();
  await page.getByRole('button', { name: 'The next branch' }).click();
  await lastAnswer(page).getByText('last words of two').waitFor();
  await page.getByRole('button', { name: 'The branch before' }).click();
  await lastAnswer(page).getByText('last words of one').waitFor();
  await add('echo'); // on a branch, with an instruction of its own
  await say(page, 'and now?');
  await half('echo').getByText('and now?').waitFor();
  await half('s/one').locator('.facts').filter({ hasText: '18 tokens' }).waitFor();
  await until('both', async () => (await page.getByRole('button', { name: 'Continue with this' }).count()) === 2);
  assert.deepEqual(all.upstream.requests.at(-1).messages.map(({ content }) => content), ['again', 'first words of one, last words of one', 'and now?']);
  await say(page, 'without a choice');
  await lastAnswer(page).getByText('last words of one').waitFor();
  await complete(page);
  assert.equal(await page.locator('.two').count(), 0);
  assert.deepEqual(all.upstream.requests.at(-1).messages.map(({ content }) => content).slice(-3), ['and now?', 'first words of one, last words of one', 'without a choice']);
  assert.deepEqual(page.complaints, []);
});

test('Stop ends one of them, before its first words too; a choice ends the other', async () => {
  const [one] = [held('one')];
  const silent = gate();
  all.upstream.script('two', () => silent.opened);
  await compare('s/one', 's/two', 'stop one');
  await half('s/one').getByText('first words of one').waitFor();
  await until('both runs', async () => (await api('GET', `/v1/runs?conversation=${conversationOf(page)}`)).data.length === 2);
  await half('s/two').getByRole('button', { name: 'Stop' }).click();
  await half('s/two').getByText('Stopped.').waitFor();
  silent.open();
  assert.equal(await half('s/two').getByRole('button', { name: 'Continue with this' }).count(), 0);
  one.open();
  await half('s/one').getByRole('button', { name: 'Continue with this' }).click();
  await complete(page);

  const [first, second] = [held('one'), held('two')];
  await add('s/two');
  await say(page, 'both again');
  await half('s/two').getByText('first words of two').waitFor();
  first.open();
  await half('s/one').getByRole('button', { name: 'Continue with this' }).click();
  await page.locator('.two').waitFor({ state: 'detached' });
  await until('the end of the other', async () =>
    (await api('GET', `/v1/runs?conversation=${conversationOf(page)}`)).data.some(({ status }) => status === 'cancelled'));
  second.open();
  await say(page, 'on');
  await complete(page);
  assert.deepEqual(page.complaints, []);
});

test('one fails, and the other stays; both fail, and the message can be sent again', async () => {
  held('one').open();
  all.upstream.script('two', () => {});
  all.upstream.refuse('two', { status: 429, headers: { 'Retry-After': '7' }, message: 'slow down' });
  await compare('s/one', 's/two', 'one fails');
  await half('s/two').getByText('The provider scripted is rate limited (again in 7 s)').waitFor();
  await half('s/two').getByRole('link', { name: 'Open the run' }).waitFor();
  await half('s/one').getByRole('button', { name: 'Continue with this' }).waitFor();
  await looked('failed');
  for (const name of ['one', 'two']) all.upstream.refuse(name, { status: 500, headers: {}, message: 'broken' });
  await compare('s/one', 's/two', 'both fail');
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  await page.locator('.two').waitFor({ state: 'detached' });
  all.upstream.refuse('two'); // the gateway may not have asked it
  held('one').open();
  await page.getByRole('button', { name: 'Retry' }).click();
  await lastAnswer(page).getByText('last words of one').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a model that does not exist: the other answers; where it is the first, the message can be sent again', async () => {
  held('one').open();
  await compare('s/one', 'nobody', 'who is there?');
  await half('nobody').getByText('There is no such model').waitFor();
  await half('s/one').getByRole('button', { name: 'Continue with this' }).click();
  await complete(page);
  await compare('nobody', 's/one', 'and now?');
  await page.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
  assert.equal(await page.locator('.two').count(), 0);
  assert.equal(conversationOf(page), undefined, 'no empty conversation stays behind');
  assert.deepEqual(page.complaints, []);
});

test('a cut network: both are read on', async () => {
  const [one, two] = [held('three'), held('four')];
  all.front.cut = (method, path) => (method === 'POST' && path === '/v1/chat' ? 30 : null);
  await compare('s/three', 's/four', 'cut');
  await half('s/four').getByText('first words of four').waitFor();
  all.front.cut = null;
  one.open();
  two.open();
  await half('s/three').getByText('last words of three').waitFor();
  await half('s/four').getByText('last words of four').waitFor();
  await until('both', async () => (await page.getByRole('button', { name: 'Continue with this' }).count()) === 2);
  assert.deepEqual(page.complaints, []);
});
