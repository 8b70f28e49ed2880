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

// One pixel, as a plot.
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('code that was approved shows the line that runs, also after a reload, and its plot', async (t) => {
  if (!all) return t.skip('no sandboxes here');
  const plot = [
    'import base64, time',
    'time.sleep(2)',
    `Plot = type("Plot", (), {"_repr_png_": lambda self: base64.b64decode("${dot}")})`,
    'time.sleep(3)',
    'print(6 * 7)',
    'Plot()',
  ];
  answers(['python', plot.join('\n')], 'A dot, and 42.');
  await ask('Draw a dot.');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  const line = (n) => until(`line ${n}`, () => page.locator('.code-body.active').evaluateAll(
    (all, want) => all.some((one) => one.style.getPropertyValue('--line-number') === String(want - 1)), n));
  await line(2);
  for (const [width, scheme] of [[1440, 'light'], [768, 'dark'], [390, 'light'], [320, 'dark']]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    const band = await page.locator('.code-body.active').evaluate((one) => getComputedStyle(one, '::before').backgroundColor);
    assert.notEqual(band, 'rgba(0, 0, 0, 0)');
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.reload();
  await line(4);
  await page.getByText('A dot, and 42.').waitFor();
  await complete(page);
  assert.equal(await page.locator('.code-body.active').count(), 0, 'no line is marked when all has run');
  assert.match(await page.locator('.console').last().innerText(), /42/);
  const shown = page.getByRole('img', { name: 'Image of the answer' });
  for (const round of ['as it came', 'as it is stored']) {
    if (round === 'as it is stored') await page.reload();
    await shown.waitFor();
    assert.equal(await shown.evaluate(async (img) => (await img.decode(), img.naturalWidth)), 1, round);
  }
  assert.deepEqual(page.complaints, []);
});

test('what runs on the computer still does after a reload', async (t) => {
  if (!all) return t.skip('no sandboxes here');
  answers(['python', 'print(1)'], 'One.', ['python', 'print(2)'], 'Two.');
  await ask('Count.');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('One.').waitFor();
  await complete(page);
  await page.reload();
  await page.getByText('One.').waitFor();
  await page.getByRole('button', { name: 'Options' }).click();
  assert.equal(await page.getByLabel(/assistant’s code/).isChecked(), true);
  await page.getByRole('button', { name: 'Close' }).last().click();
  await say(page, 'Go on.');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('Two.').waitFor();
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
