// What a hostile answer and a hostile network find: nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client, signIn, until } from '../pages/kit.mjs';
import { complete, lastAnswer, prefer, say, startAll } from './chat.mjs';

const hostile = [
  '<script>window.hit=1</script>',
  '<img src=x onerror="window.hit=1"><svg onload="window.hit=1">',
  '[a](javascript:window.hit=1) [b](JaVaScRiPt&#58;window.hit=1) [c](data:text/html,x) [d](vbscript:x) [e](//evil.example)',
  '![p](https://tracker.example/a.png) ![q](http://tracker.example/b.png)',
  '<iframe src="https://evil.example"></iframe>\n\n<style>*{display:none}</style>\n\n<link rel=stylesheet href="https://evil.example/x.css">',
  '<form action="https://evil.example"><input name=x></form><base href="https://evil.example/">',
  '```"><script>window.hit=1</script>\nx\n```',
  '| <script> | <b> |\n|---|---|\n| <img src=x onerror=window.hit=1> | [a](javascript:x) |',
  '<https://ok.example> https://auto.example mailto:a@b.example',
].join('\n\n');
const allowed = 'ARTICLE,H2,DIV,P,H3,H4,H5,H6,UL,OL,LI,TABLE,THEAD,TBODY,TR,TH,TD,BLOCKQUOTE,HR,STRONG,EM,DEL,CODE,BR,A,SPAN,PRE,BUTTON,FOOTER,TIME,svg,path,DETAILS,SUMMARY'.split(',');

let all, page;
before(async () => {
  all = await startAll({ level: 'debug' });
  page = await all.open('#/chat');
});
after(() => all.stop());

test('hostile Markdown leaves no element outside the allowed list, and no request leaves the origin', async () => {
  all.upstream.script('hostile', async (answer) => {
    await answer.delta({ reasoning_content: hostile });
    for (const piece of hostile.match(/[^]{1,5}/g)) await answer.text(piece);
    await answer.delta({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: '<img src=x onerror=window.hit=1>', arguments: '{"a":"<script>"}' } }] });
    await answer.finish(undefined, 'tool_calls');
  });
  await prefer(page, { model: 's/hostile' });
  for (const round of ['as it came', 'as it is stored']) {
    if (round === 'as it came') await say(page, hostile);
    else await page.reload();
    await complete(page);
    await lastAnswer(page).getByRole('link').nth(1).waitFor(); // the good links are links
    const found = await page.evaluate(() => ({
      hit: window.hit,
      names: [...new Set([...document.querySelectorAll('.turn, .turn *:not(.results, .results *)')].map((one) => one.tagName))],
      links: [...document.querySelectorAll('.turn a')].map((one) => [one.protocol, one.rel, one.target]),
      handlers: [...document.querySelectorAll('.turn *')].flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith('on'))),
    }));
    assert.equal(found.hit, undefined, round);
    assert.deepEqual(found.names.filter((name) => !allowed.includes(name)), [], round);
    assert.deepEqual(found.handlers, [], round);
    for (const [protocol, rel, target] of found.links) {
      assert.match(protocol, /^(https?|mailto):$/);
      assert.match(rel, /noreferrer/);
      assert.equal(target, '_blank');
    }
  }
  await lastAnswer(page).getByRole('button', { name: 'Address of the image: p' }).click();
  await lastAnswer(page).getByRole('link', { name: 'https://tracker.example/a.png' }).waitFor();
  assert.deepEqual(page.complaints, [], 'no request elsewhere, no report of the policy, no error');
});

test('a key is in no address, no storage, no log line and no body of a request but the first', async () => {
  const call = client(all.gateway.url);
  const made = await call('POST', '/v1/admin/keys', { name: 'tester', scopes: ['chat', 'read', 'files'] });
  const other = await call('POST', '/v1/admin/keys', { name: 'other', scopes: ['chat', 'read'] }, { Authorization: `Bearer ${made.key}` }).catch(() => null);
  assert.equal(other, null, 'a key without the scope admin makes no keys');
  const fresh = await all.open('#/chat');
  const bearers = [];
  fresh.on('request', (request) => {
    const { authorization, cookie } = request.headers();
    if (authorization) bearers.push([new URL(request.url()).pathname, authorization]);
    assert.equal(cookie, undefined);
    assert.ok(!request.url().includes('parley_s'), request.url());
  });
  await signIn(fresh, made.key);
  await prefer(fresh, { model: 'echo' });
  await say(fresh, 'for my eyes alone');
  await complete(fresh);
  const stored = await fresh.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
  assert.ok(!stored.includes(made.key), 'the key is stored nowhere');
  const withKey = bearers.filter(([, value]) => value === `Bearer ${made.key}`);
  assert.deepEqual(withKey.map(([path]) => path), ['/v1/session']);

  const address = fresh.url();
  await fresh.getByRole('button', { name: 'Sign out' }).click();
  await fresh.getByRole('heading', { name: 'Sign in' }).waitFor();
  const token = bearers.at(-1)[1];
  await until('the end of the token', async () => (await fetch(`${all.gateway.url}/v1/me`, { headers: { Authorization: token } })).status === 401);
  assert.ok(!(await fresh.evaluate(() => JSON.stringify({ ...sessionStorage }))).includes(token.slice(7)));
  assert.ok(!address.includes('parley_'));

  const lines = all.gateway.said.split('\n');
  assert.ok(lines.some((line) => line.includes('"path":"/v1/session"')), 'the log tells of the sign-in');
  for (const secret of [made.key, token.slice(7)]) {
    assert.ok(secret.length > 20);
    assert.ok(!all.gateway.said.includes(secret.slice(-12)), 'and nothing of its secrets');
  }
});
