// Sizes, any prefix, and how the gateway serves the files.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { complete, prefer, say, startAll } from './chat.mjs';

const FIRST = 100 * 1024; // gzip, before the first page works
const ALL = 160 * 1024; // without what draws formulas, which comes with the first one

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../dist');
const filesOf = (folder) => ['index.html', ...readdirSync(join(folder, 'a')).sort().map((name) => `a/${name}`)];
const isMath = (name) => name.startsWith('a/temml.');
const sizeOf = (name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;

let all;
before(async () => {
  all = await startAll({ prefix: '/any/prefix' });
});
after(() => all.stop());

test('below any prefix, within the budget', async () => {
  const page = await all.open('#/chat');
  await page.getByLabel('Message', { exact: true }).waitFor();
  const loaded = () => page.evaluate(() => performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname).filter((path) => path.includes('/console/a/')));
  const names = ['index.html', ...new Set((await loaded()).map((path) => path.split('/console/')[1]))];
  const first = names.map(sizeOf).reduce((a, b) => a + b);
  const whole = filesOf(dist).filter((name) => !isMath(name)).map(sizeOf).reduce((a, b) => a + b);
  console.log(`# gzip: ${(first / 1024).toFixed(1)} KiB before the first page, ${(whole / 1024).toFixed(1)} KiB in all`);
  assert.ok(names.length > 2);
  assert.ok(first <= FIRST, `${first} bytes before the first page`);
  assert.ok(whole <= ALL, `${whole} bytes in all`);
  await prefer(page, { model: 'echo' });
  await say(page, 'below a prefix');
  await complete(page);
  await page.reload();
  await complete(page);
  assert.deepEqual(page.complaints, []);
});

test('how the gateway serves it', async () => {
  const get = (path, headers = {}) => fetch(all.gateway.url + path, { redirect: 'manual', headers });
  assert.equal((await get('/console')).status, 308);
  const index = await get('/console/');
  assert.equal(index.headers.get('cache-control'), 'no-cache');
  assert.equal((await get('/console/', { 'If-None-Match': index.headers.get('etag') })).status, 304);
  assert.match(index.headers.get('content-security-policy'), /trusted-types 'none'/);
  assert.equal(index.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(index.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(await index.text(), readFileSync(join(dist, 'index.html'), 'utf8'));
  for (const name of filesOf(dist).slice(1)) {
    const answer = await get(`/console/${name}`, { 'Accept-Encoding': 'identity' });
    assert.match(answer.headers.get('cache-control'), /immutable/);
    assert.equal(answer.headers.get('content-encoding'), null);
    assert.equal(await answer.text(), readFileSync(join(dist, name), 'utf8'), name);
  }
  assert.equal((await get('/console/a/none.ABCDEFGH.js')).status, 404);
});
