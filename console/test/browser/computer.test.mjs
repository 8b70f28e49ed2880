// The computer in a chat: code waits for the word of who reads, runs, and its output stands below it.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { client, parley, signIn, until } from '../pages/kit.mjs';
import { complete, lastAnswer, prefer, say, startAll } from './chat.mjs';

// The runner refuses to be root, so that root's tests give it another user, and a copy that this user may read.
const root = process.getuid() === 0;
const folder = mkdtempSync(join(tmpdir(), 'parley-runner-'));
const id = (flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
const as = root ? ['setpriv', `--reuid=${id('-u')}`, `--regid=${id('-g')}`, '--clear-groups', '--'] : [];
const socket = join(folder, 's', 'socket');
let runner, all, page;

function startRunner() {
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 's'));
  if (root) chownSync(join(folder, 's'), id('-u'), id('-g'));
  cpSync(parley, join(folder, 'parley'));
  cpSync(join(dirname(parley), 'parley-runner'), join(folder, 'parley-runner'), { recursive: true });
  const peer = root ? ['--peer', 'root'] : [];
  const line = [...as, join(folder, 'parley'), 'runner', '--guard', 'rlimit', ...peer, '--listen', `unix:${socket}`];
  runner = spawn(line[0], line.slice(1), { stdio: 'ignore', cwd: '/' });
  process.once('exit', () => runner.kill('SIGKILL'));
}

before(async () => {
  startRunner();
  await until('the socket', () => existsSync(socket) || runner.exitCode !== null);
  if (runner.exitCode !== null) return; // no sandboxes here
  all = await startAll({ more: `computer: "unix:${socket}"` });
  const { key } = await client(all.gateway.url)('POST', '/v1/admin/keys', {
    name: 'reader',
    scopes: ['chat', 'read', 'execute'],
  });
  page = await all.open('#/chat');
  await prefer(page, { model: 's/coder' });
  await signIn(page, key);
  await page.goto(`${all.front.url}/console/#/chat`);
});
after(async () => {
  await all?.stop();
  runner.kill();
  rmSync(folder, { recursive: true, force: true });
});

function answers(...steps) {
  let turn = 0;
  all.upstream.script('coder', async (answer) => {
    const step = steps[turn++];
    if (typeof step === 'string') {
      await answer.text(step);
      await answer.finish();
      return;
    }
    const [language, code] = step;
    const call = { name: 'execute', arguments: JSON.stringify({ language, code }) };
    await answer.delta({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: call }] });
    await answer.delta({}, 'tool_calls');
    await answer.data('[DONE]');
  });
}

async function ask(text) {
  await page.goto(`${all.front.url}/console/#/start`);
  await page.goto(`${all.front.url}/console/#/chat`);
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByLabel(/assistant’s code/).check();
  await page.getByRole('button', { name: 'Close' }).last().click();
  await say(page, text);
}

test('code waits, is allowed, and its output comes', async (t) => {
  if (!all) return t.skip('no sandboxes here');
  answers(['python', 'print(6 * 7)'], 'It is 42.');
  await ask('What is six times seven?');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('It is 42.').waitFor();
  await complete(page);
  assert.match(await page.locator('.console').last().innerText(), /42/);
  assert.equal(await page.getByRole('button', { name: 'Allow', exact: true }).count(), 0);
  await page.reload();
  await page.getByText('It is 42.').waitFor();
  assert.match(await page.locator('.console').last().innerText(), /42/);
  assert.deepEqual(page.complaints, []);
});

test('a wait survives a reload, and code that is not allowed does not run', async (t) => {
  if (!all) return t.skip('no sandboxes here');
  answers(['python', 'print("ran")'], 'As you like.');
  await ask('Do it.');
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Do not allow' }).click();
  await page.getByText('As you like.').waitFor();
  assert.match(await page.locator('.console').last().innerText(), /did not allow this code/);
  assert.match(await lastAnswer(page).innerText(), /As you like/);
  assert.deepEqual(page.complaints, []);
});
