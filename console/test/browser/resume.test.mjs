// An answer survives a cut connection, a reload, the end of the gateway and events that have expired; and a
// request whose answer was lost is asked once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client, signIn, until } from '../pages/kit.mjs';
import { complete, conversationOf, drawnText, lastAnswer, prefer, say, startAll } from './chat.mjs';
import { gate } from './upstream.mjs';

let all, page;
const lines = (from, to) => Array.from({ length: to - from }, (_, n) => `line ${from + n}\n\n`);
const shown = (count) => lines(0, count).join('').trim().replaceAll('\n\n', '\n');

before(async () => {
  all = await startAll({ more: 'events_keep_size: 64KiB' });
  page = await all.open('#/chat');
});
after(() => all.stop());

async function chatWith(model) {
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model });
  await page.goto(`${all.front.url}/console/#/chat`);
}

const same = async (expected) => {
  const text = (await drawnText(page)).replaceAll(/\n+/g, '\n').trim();
  assert.equal(text, expected);
};

test('a cut in the middle: the events are read on, each once', async () => {
  const { open, opened } = gate();
  all.upstream.script('cut', async (answer) => {
    for (const line of lines(0, 200)) await answer.text(line);
    await opened;
    for (const line of lines(200, 400)) await answer.text(line);
    await answer.finish();
  });
  await chatWith('s/cut');
  let cuts = 0;
  all.front.cut = (method, path) => (method === 'POST' && path === '/v1/chat' ? (cuts++, 9000) : null);
  all.front.seen.length = 0;
  await say(page, 'go');
  await until('the reading on', () => all.front.seen.some((line) => /^GET .v1.runs.run_\w+.events/.test(line)));
  open();
  await complete(page);
  await same(shown(400));
  assert.equal(cuts, 1);
  assert.equal(all.upstream.requests.length, 1);
  all.front.cut = null;
});

test('a reload in the middle: the run is followed from its start', async () => {
  const { open, opened } = gate();
  all.upstream.script('reload', async (answer) => {
    for (const line of lines(0, 50)) await answer.text(line);
    await opened;
    for (const line of lines(50, 100)) await answer.text(line);
    await answer.finish();
  });
  await chatWith('s/reload');
  await say(page, 'go');
  await page.getByText('line 49', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('line 49', { exact: true }).waitFor();
  open();
  await complete(page);
  await same(shown(100));
});

test('the request before its headers: the same request with the same key, one call of the provider', async () => {
  all.upstream.script('lost', async (answer) => {
    await answer.text('asked once');
    await answer.finish();
  });
  await chatWith('s/lost');
  const before = all.upstream.requests.length;
  let lost = 0;
  all.front.cut = (method, path) => (method === 'POST' && path === '/v1/chat' && lost++ === 0 ? 'head' : null);
  await say(page, 'go');
  await complete(page);
  all.front.cut = null;
  await same('asked once');
  assert.equal(lost, 2, 'the request went twice');
  assert.equal(all.upstream.requests.length - before, 1, 'the provider was asked once');
});

test('the gateway is killed and comes back: what was shown is there, and Continue continues it', async () => {
  let turn = 0;
  all.upstream.script('killed', async (answer) => {
    if (turn++ > 0) {
      await answer.text('the rest');
      return answer.finish();
    }
    for (const line of lines(0, 20)) await answer.text(line);
    await new Promise(() => {}); // never ends by itself
  });
  await chatWith('s/killed');
  await say(page, 'go');
  await page.getByText('line 19', { exact: true }).waitFor();
  await all.gateway.kill();
  await page.getByText('The gateway can’t be reached', { exact: false }).first().waitFor();
  await page.getByText('line 19', { exact: true }).waitFor();
  await all.gateway.start();
  all.front.target = all.gateway.url;
  const notice = lastAnswer(page).locator('.notice');
  await notice.getByText('The answer broke off. The gateway was stopped during the answer.').waitFor();
  assert.doesNotMatch(await notice.innerText(), /provider/i);
  await page.getByText('line 19', { exact: true }).waitFor();
  await notice.getByRole('link', { name: 'Open the run' }).click();
  await page.getByText('The gateway ended during the answer: it was killed, or has crashed.').waitFor();
  await page.goBack();
  await page.getByText('line 19', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('the rest').waitFor();
  await page.getByText('line 19', { exact: true }).waitFor();
  await complete(page);
});

test('events that have expired: the stored messages are read', async () => {
  const { open, opened } = gate();
  all.upstream.script('expired', async (answer) => {
    await answer.text('first words, ');
    await opened;
    await answer.text('last words');
    await answer.finish();
  });
  await chatWith('s/expired');
  let away = false;
  all.front.cut = (method, path) => (path.startsWith('/v1/runs/run_') && away ? 'head' : method === 'POST' && path === '/v1/chat' ? 400 : null);
  away = true;
  await say(page, 'go');
  await page.getByText('The connection was cut').waitFor();
  open();
  const call = client(all.gateway.url);
  const newest = async () => (await call('GET', '/v1/runs?limit=1')).data[0];
  await until('the end of the run', async () => (await newest()).status === 'completed');
  const { id } = await newest();
  // Longer answers drive its events out.
  await until('the end of its events', async () => {
    await call('POST', '/v1/chat', { messages: ['x'.repeat(60000)], stream: true });
    const answer = await fetch(`${all.gateway.url}/v1/runs/${id}/events`);
    await answer.body.cancel();
    return answer.status === 410;
  });
  all.front.cut = null;
  await page.getByText('first words, last words').waitFor();
  await complete(page);
});

test('a refusal says what the gateway said; the message stays, and can be sent again or edited', async () => {
  await chatWith('nobody');
  await say(page, 'go');
  const alert = page.getByRole('alert');
  await alert.waitFor();
  assert.match(await alert.innerText(), /model.*404.*req_/s);
  await page.locator('.turn.user').getByText('go', { exact: true }).waitFor();
  assert.equal(conversationOf(page), undefined, 'no empty conversation stays behind');
  await alert.getByRole('button', { name: 'Edit the message' }).click();
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'go', 'the message is not lost');
  assert.equal(await page.locator('.turn').count(), 0);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await alert.waitFor();
  await page.locator('.composer').getByRole('button', { name: /^Model/ }).click();
  await page.getByRole('combobox', { name: 'Search models' }).fill('echo');
  await page.keyboard.press('Enter');
  await alert.getByRole('button', { name: 'Retry' }).click();
  await complete(page);
  await same('go');
  assert.equal(await page.locator('.turn').count(), 2);
  assert.ok(conversationOf(page));
});

test('Stop ends the run at the gateway, and what came stays', async () => {
  all.upstream.script('stopped', async (answer) => {
    await answer.text('some words');
    await new Promise((_, fail) => answer.response.on('close', () => fail(new Error('gone'))));
  });
  await chatWith('s/stopped');
  await say(page, 'go');
  await page.getByText('some words').waitFor();
  await page.keyboard.press('Escape');
  const notice = lastAnswer(page).locator('.notice');
  await notice.getByText('Stopped.').waitFor();
  await page.getByText('some words').waitFor();
  assert.equal((await notice.locator('span').first().innerText()).trim(), 'Stopped.');
  const [run] = (await client(all.gateway.url)('GET', `/v1/runs?conversation=${conversationOf(page)}`)).data;
  assert.equal(run.status, 'cancelled');
});

test('an edited message is a branch, and an answer can be had anew', async () => {
  await chatWith('echo');
  await say(page, 'one');
  await complete(page);
  await say(page, 'two');
  await page.locator('.turn.assistant').nth(1).locator('footer').waitFor();
  await page.getByRole('button', { name: 'Edit the message' }).last().click();
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('three');
  await page.locator('.editor').getByRole('button', { name: 'Send' }).click();
  await lastAnswer(page).getByText('three').waitFor();
  await page.getByText('2 of 2').first().waitFor();
  await page.getByRole('button', { name: 'The branch before' }).first().click();
  await lastAnswer(page).getByText('two').waitFor();
  await page.getByRole('button', { name: 'Regenerate', exact: true }).last().click();
  await page.locator('.turn.assistant').last().getByText('2 of 2').waitFor();
  assert.deepEqual(page.complaints.filter((line) => !/Failed to load/.test(line)), []);
});

test('a budget that is used up: the message stays, and what was said before', async () => {
  const call = client(all.gateway.url);
  const { key, id } = await call('POST', '/v1/admin/keys', { name: 'poor', scopes: ['chat', 'read', 'admin'] });
  const poor = await all.open('#/chat');
  await signIn(poor, key);
  await prefer(poor, { model: 'echo' });
  await say(poor, 'the first');
  await complete(poor);
  await client(all.gateway.url, key)('POST', `/v1/admin/keys/${id}`, { budget: { tokens: 1 } });
  await say(poor, 'the second');
  await poor.getByRole('alert').getByText('insufficient_quota').waitFor();
  await lastAnswer(poor).getByText('the first').waitFor();
  await poor.locator('.turn.user').getByText('the second').waitFor();
  await poor.getByRole('button', { name: 'Retry' }).click();
  await poor.getByRole('alert').getByText('insufficient_quota').waitFor();
  assert.equal(await poor.locator('.turn.user').count(), 2);
  await client(all.gateway.url, key)('DELETE', `/v1/admin/keys/${id}`);
  await say(poor, 'the third'); // its key is revoked
  await poor.getByRole('heading', { name: 'Sign in' }).waitFor();
  await poor.close();
});
