// A long conversation: the last 50 messages first, older ones on scroll, and the place that is read stays.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client } from '../pages/kit.mjs';
import { startAll } from './chat.mjs';

let all;
before(async () => (all = await startAll()));
after(() => all.stop());

test('130 messages', async () => {
  const call = client(all.gateway.url);
  const { id } = await call('POST', '/v1/conversations', {});
  for (let at = 0; at < 130; at += 10) {
    const items = Array.from({ length: 10 }, (_, n) => ({
      type: 'message', role: (at + n) % 2 ? 'assistant' : 'user', content: `message ${at + n}`,
    }));
    await call('POST', `/v1/conversations/${id}/items`, { items });
  }
  const page = await all.open(`#/chat/${id}`);
  const shown = (n) => page.getByText(`message ${n}`, { exact: true });
  await shown(129).waitFor();
  assert.equal(await page.locator('.turn').count(), 50);
  const inView = (n) => shown(n).evaluate((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  assert.ok(await inView(129), 'the end is in view');
  await page.locator('.log').evaluate((log) => log.scrollTo({ top: 0 }));
  await shown(79).waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.querySelectorAll('.turn').length === 100);
  assert.ok(await inView(80), 'what was in view still is');
  assert.deepEqual(page.complaints, []);
});
