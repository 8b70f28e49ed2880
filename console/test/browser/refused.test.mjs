// Messages that the gateway refuses, so that they are stored nowhere else: the page keeps them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client } from '../pages/kit.mjs';
import { complete, conversationOf, prefer, say, startAll } from './chat.mjs';

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
const conversations = async () => (await call('GET', '/v1/conversations?limit=100')).data;

test('first messages that are refused delete nothing in the name of who wrote them, and leave one conversation', async () => {
  await fresh();
  await prefer(page, { model: 'nobody' });
  for (const text of ['one', 'two', 'three']) {
    await fresh();
    await say(page, text);
    await alert().getByText('model_not_found').first().waitFor();
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
