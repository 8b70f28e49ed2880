// What the tests of pages share: a gateway of their own, a browser with a fresh profile, and calls of the API.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';

const project = resolve(import.meta.dirname, '../../..');
export const parley = resolve(process.env.PARLEY_BIN ?? join(project, 'build/release/parley'));
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const DEADLINE = 20_000;

/** A gateway on a port that the system chose. config: YAML, or nothing for a gateway without a file. */
export async function startGateway(config = '', { database, level = 'warn' } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-console-'));
  const file = join(folder, 'parley.yaml');
  await writeFile(file, config);
  const args = [
    'serve',
    '--config',
    'parley.yaml', // as it is named on pages
    '--database',
    database ?? join(folder, 'parley.db'),
    '--listen',
    '127.0.0.1:0',
    '--log-level',
    level,
  ];
  const gateway = { folder, url: '', said: '', process: null, stop, start, kill: () => end('SIGKILL') };
  async function start(listen) {
    if (listen) args[args.indexOf('--listen') + 1] = listen;
    const child = (gateway.process = spawn(parley, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }));
    process.once('exit', () => child.kill('SIGKILL')); // a test that broke off leaves no gateway behind
    child.stderr.on('data', (data) => (gateway.said = (gateway.said + data).slice(-4_000_000)));
    gateway.url = await new Promise((ready, fail) => {
      let line = '';
      child.stdout.on('data', (data) => {
        const found = /ready on (\S+)/.exec((line += data));
        if (found) ready(found[1]);
      });
      child.on('exit', (code) => fail(new Error(`the gateway ended with ${code}: ${gateway.said}`)));
      setTimeout(() => fail(new Error(`the gateway is not ready: ${gateway.said}`)), DEADLINE).unref();
    });
    return gateway;
  }
  async function end(signal) {
    const child = gateway.process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.on('exit', done));
    child.kill(signal);
    await ended;
  }
  async function stop() {
    await end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
  return start();
}

/** A call of the API beside the page. */
export function client(url, key) {
  return async (method, path, body, headers = {}) => {
    const raw = typeof body === 'string' || body instanceof FormData;
    const answer = await fetch(url + path, {
      method,
      body: body === undefined || raw ? body : JSON.stringify(body),
      headers: {
        ...(key ? { Authorization: `Bearer ${key}` } : {}),
        ...(body !== undefined && !raw ? { 'Content-Type': 'application/json' } : {}),
        ...headers,
      },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return answer.headers.get('content-type')?.includes('json') && !answer.headers.get('content-type').includes('jsonl')
      ? JSON.parse(text)
      : text;
  };
}

export async function startBrowser() {
  const folder = await mkdtemp(join(tmpdir(), 'parley-browser-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    chromiumSandbox: false,
    acceptDownloads: true,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  context.setDefaultTimeout(DEADLINE);
  return {
    context,
    stop: async () => {
      await context.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A page of the console. What its scripts complain about, what its policy refuses and what leaves the origin is kept in
 * page.complaints; page.asked has the requests to the API.
 */
export async function openPage(browser, url, hash, look = {}) {
  const page = await browser.context.newPage();
  page.complaints = [];
  page.asked = [];
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('console', (message) => {
    // a refusal of the gateway is a line of the browser's own
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      page.complaints.push(message.text());
  });
  page.on('request', (request) => {
    const to = new URL(request.url());
    if (to.protocol === 'blob:' || to.protocol === 'data:') return;
    if (to.origin !== new URL(url).origin) page.complaints.push(`a request to ${to.origin}`);
    else if (to.pathname.startsWith('/v1/')) page.asked.push(`${request.method()} ${to.pathname}${to.search}`);
  });
  await lookAs(page, look);
  await page.goto(`${url}/console/${hash}`);
  return page;
}

export async function signIn(page, key) {
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').first().waitFor({ state: 'attached' });
}

export async function lookAs(page, { narrow = false, scheme = 'light', forced = false }) {
  await page.setViewportSize(narrow ? { width: 390, height: 844 } : { width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: scheme, forcedColors: forced ? 'active' : 'none' });
}

export const looks = {
  light: {},
  dark: { scheme: 'dark' },
  forced: { forced: true },
  narrow: { narrow: true },
};

/** What axe finds against WCAG 2.2 AA, as lines of text. */
export async function axe(page) {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(' | ')}`);
  });
}

/** In each look: axe finds nothing, and the document is neither wider nor higher than the screen. */
export async function accessible(page) {
  for (const [name, look] of Object.entries(looks)) {
    await lookAs(page, look);
    assert.deepEqual(await axe(page), [], `axe, ${name}`);
    const more = await overflow(page);
    assert.ok(more <= 0, `${name}: ${more} pixels too wide or too high`);
  }
  await lookAs(page, {});
}

/**
 * By how many pixels the document is wider or higher than the screen: it must not scroll to the side, and downwards
 * only its parts do, each in its own box.
 */
export function overflow(page) {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.scrollingElement;
    return Math.max(scrollWidth - clientWidth, scrollHeight - clientHeight);
  });
}

export async function until(what, condition) {
  const end = Date.now() + DEADLINE;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((next) => setTimeout(next, 25));
  }
}
