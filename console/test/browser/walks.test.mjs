// Ways that people go through the chat, from end to end: talk, reload, the gateway killed and started again; import, search,
// open the hit; an upgrade under an open tab. Approving code up to its plot is in computer.test.mjs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client, until } from '../pages/kit.mjs';
import { complete, conversationOf, lastAnswer, prefer, say, startAll } from './chat.mjs';
import { gate } from './upstream.mjs';

let all, page;
before(async () => {
  all = await startAll();
  page = await all.open('#/chat');
});
after(() => all.stop());

const message = () => page.getByLabel('Message', { exact: true });

async function chatWith(model) {
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model });
  await page.goto(`${all.front.url}/console/#/chat`);
}

async function killed() {
  await all.gateway.kill();
  await page.getByText('The gateway can’t be reached', { exact: false }).first().waitFor();
}

async function started() {
  await all.gateway.start();
  all.front.target = all.gateway.url;
}

test('talk, reload, kill -9, restart: nothing is lost, and the talk goes on', async () => {
  let turn = 0;
  all.upstream.script('walk', async (answer, asked) => {
    turn += 1;
    if (turn === 1) {
      await answer.text('The first half, ');
      await new Promise(() => {}); // the gateway dies before the other one
    }
    const { content } = asked.messages.at(-1);
    await answer.text(turn === 2 ? 'the other half.' : `You said: ${content}`);
    await answer.finish();
  });
  await chatWith('s/walk');
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('dialog').getByLabel('Instruction').fill('Be kind.');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await say(page, 'Tell me a story.');
  await page.getByText('The first half,').waitFor();
  const id = conversationOf(page);
  await page.reload();
  await page.getByText('The first half,').waitFor();
  assert.equal(conversationOf(page), id);
  await killed();
  await message().fill('and what then?');
  await started();
  await page.getByText('The answer broke off.').waitFor();
  assert.equal(await message().inputValue(), 'and what then?', 'the draft is there');
  await page.getByRole('button', { name: /^(Go on|Continue)$/ }).click();
  await page.getByText('the other half.').waitFor();
  await complete(page);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await lastAnswer(page).getByText('You said: and what then?').waitFor();
  await complete(page);
  await page.reload();
  for (const text of ['Tell me a story.', 'The first half,', 'the other half.', 'You said: and what then?', 'Be kind.'])
    await page.getByText(text, { exact: false }).first().waitFor();
  assert.deepEqual(all.upstream.requests.at(-1).messages.map(({ role }) => role).slice(0, 2), ['system', 'user']);
});

test('a message that meets a dead gateway is said when it is back, once', async () => {
  all.upstream.script('back', async (answer) => {
    await answer.text('here again');
    await answer.finish();
  });
  await chatWith('s/back');
  await say(page, 'first');
  await complete(page);
  const before = all.upstream.requests.length;
  await all.gateway.kill();
  await say(page, 'are you there?');
  await page.getByText('The connection was cut', { exact: false }).waitFor();
  await started();
  await page.locator('.turn.assistant').nth(1).getByText('here again').waitFor();
  await complete(page);
  assert.equal(all.upstream.requests.length - before, 1);
});

test('import, search, open the hit, and go on from there', async () => {
  const mapping = { root: { id: 'root', parent: null, children: ['n0'], message: null } };
  const words = (n) => (n === 4 ? 'Where does majolica come from?' : `Some words of message ${n}, ${'and more '.repeat(30)}`);
  for (let n = 0; n < 40; n++)
    mapping[`n${n}`] = {
      id: `n${n}`, parent: n ? `n${n - 1}` : 'root', children: n < 39 ? [`n${n + 1}`] : [],
      message: { id: `n${n}`, author: { role: n % 2 ? 'assistant' : 'user' }, create_time: 1700000000 + n, content: { content_type: 'text', parts: [words(n)] } },
    };
  const file = JSON.stringify([{ title: 'Pottery', create_time: 1700000000, update_time: 1700000039, mapping, current_node: 'n39', conversation_id: 'c' }]);
  await page.goto(`${all.front.url}/console/#/conversations`);
  await page.locator('main input[type=file]').first().setInputFiles({ name: 'conversations.json', mimeType: 'application/json', buffer: Buffer.from(file) });
  await page.getByText('1 conversation imported').first().waitFor();
  await prefer(page, { model: 'echo' });
  await until('the index', async () => (await client(all.gateway.url)('GET', '/v1/search?q=majolica')).data.length > 0);
  await page.locator('main').getByRole('searchbox').first().fill('majolica');
  await page.locator('main').getByRole('searchbox').first().press('Enter');
  await page.locator('main a[href*="at=msg_"]').first().click();
  const hit = page.locator('.turn.hit');
  await hit.getByText('Where does majolica come from?').waitFor();
  await until('the hit on the screen', () => hit.evaluate((one) => one.getBoundingClientRect().top > 0 && one.getBoundingClientRect().bottom < innerHeight));
  assert.equal(await page.locator('.turn').count(), 40);
  await say(page, 'And faience?');
  await page.locator('.turn').nth(41).locator('footer').waitFor();
  await lastAnswer(page).getByText('And faience?').waitFor();
});

test('an upgrade under an open tab: what is open works on, what is not yet loaded says so, and a reload brings it', async () => {
  const { open, opened } = gate();
  all.upstream.script('upgraded', async (answer) => {
    await answer.text('begun before, ');
    await opened;
    await answer.text('ended after.');
    await answer.finish();
  });
  await chatWith('s/upgraded');
  await say(page, 'take your time');
  await page.getByText('begun before,').waitFor();
  const id = conversationOf(page);
  open();
  await complete(page);
  await all.gateway.kill();
  all.front.gone = /^\/console\/a\/(usage|branches)\./; // the files of the old version
  await started();
  await say(page, 'once more');
  await page.locator('.turn.assistant').nth(1).getByText('ended after.').waitFor();
  await page.getByRole('button', { name: 'Branches' }).click();
  await page.getByRole('complementary').getByText('Parley was updated').waitFor();
  await page.evaluate(() => (location.hash = '#/usage'));
  await page.getByRole('main').getByText('Parley was updated').waitFor();
  all.front.gone = null;
  await page.getByRole('main').getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('main').getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  await page.evaluate((to) => (location.hash = to), `#/chat/${id}`);
  await lastAnswer(page).getByText('ended after.').waitFor();
});
