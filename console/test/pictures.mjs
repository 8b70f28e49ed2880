// Takes a picture of every page, at four widths and in both colour schemes, into build/console/pictures.
//   node console/test/pictures.mjs [PART...]   only pictures whose name has one of these parts: chat, -320, dark
//   node console/test/pictures.mjs --docs      the six main pages, into docs/console-*.png
// A page that is wider or higher than the screen, or that the browser complains about, is named at the end, with 1.
import { mkdir } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fill } from './pictures_fill.mjs';
import { openPage, overflow, signIn, startBrowser } from './pages/kit.mjs';

export const widths = [1440, 768, 390, 320];
export const schemes = ['light', 'dark'];
const project = resolve(import.meta.dirname, '../..');

// What each page is: its address, and what is done on it before it is looked at.
const extra = (found) => ({
  conversation: [`#/chat/${found.conversation}`],
  'right-to-left': [`#/chat/${found.rightToLeft}`],
  search: ['#/conversations?q=porcelain'],
  run: [`#/runs/${found.run}`],
  providers: ['#/models?show=providers'],
  options: ['#/chat', (page) => page.getByRole('button', { name: 'Options' }).click()],
  picker: ['#/chat', (page) => page.locator('.composer').getByRole('button', { name: /^Model/ }).click()],
  'new-key': ['#/keys', (page) => page.getByRole('button', { name: 'New key' }).click()],
  menu: ['#/usage', async (page) => {
    const button = page.locator('.menu-button');
    if (await button.isVisible()) await button.click();
  }],
});

// pagesOf: those of the menu, and what is extra.
export async function pagesOf(page, found) {
  const hashes = await page.locator('.side a[href^="#/"]').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const menu = [...new Set(hashes)].filter((hash) => /^#\/\w+$/.test(hash));
  return { ...Object.fromEntries(menu.map((hash) => [hash.slice(2), [hash]])), ...extra(found) };
}

// show: the page at this address, with what it has to say on it.
export async function show(page, hash, step) {
  await page.goto('about:blank');
  await page.goto(`${page.home}/console/${hash}`);
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('main .loading'));
  await step?.(page);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export async function open(browser, found) {
  const page = await openPage(browser, found.url, '#/usage');
  page.home = found.url;
  page.setDefaultTimeout(5000);
  return page;
}

async function take(parts) {
  const out = join(project, 'build/console/pictures');
  await mkdir(out, { recursive: true });
  const wanted = (name) => parts.length === 0 || parts.some((part) => name.includes(part));
  const found = await fill();
  const browser = await startBrowser();
  const faults = [];
  let taken = 0;
  try {
    const page = await open(browser, found);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const all = async (name, prepare) => {
      for (const width of widths)
        for (const scheme of schemes) {
          const picture = `${name}-${width}-${scheme}`;
          if (!wanted(picture)) continue;
          await page.setViewportSize({ width, height: width > 700 ? 900 : 844 });
          await page.emulateMedia({ colorScheme: scheme });
          await prepare?.();
          await page.screenshot({ path: join(out, `${picture}.png`) });
          const more = await overflow(page);
          if (more > 0) faults.push(`${picture}: ${more} pixels too wide or too high`);
          taken += 1;
        }
    };
    await all('sign-in');
    await page.setViewportSize({ width: 1440, height: 900 });
    await signIn(page, found.key);
    await page.evaluate((model) => localStorage.setItem('parley.preferences', JSON.stringify({ model })), found.model);
    for (const [name, [hash, step]] of Object.entries(await pagesOf(page, found)))
      await all(name, () => show(page, hash, step)).catch((error) => faults.push(`${name}: ${error.message.split('\n')[0]}`));
    faults.push(...page.complaints);
  } finally {
    await browser.stop();
    await found.stop();
  }
  console.log(`${taken} pictures in ${out}`);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length ? 1 : 0;
}

const LARGEST = 120 * 1024;
const docs = { chat: 'conversation', conversations: null, overview: null, runs: null, usage: null, models: null };

async function takeForDocs() {
  const found = await fill({ plain: true });
  const browser = await startBrowser();
  try {
    const page = await open(browser, found);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    await signIn(page, found.key);
    await page.evaluate((model) => localStorage.setItem('parley.preferences', JSON.stringify({ model })), found.model);
    const pages = await pagesOf(page, found);
    for (const [name, other] of Object.entries(docs)) {
      if (!pages[other ?? name]) continue;
      await show(page, ...pages[other ?? name]);
      const path = join(project, `docs/console-${name}.png`);
      await page.screenshot({ path });
      const { size } = statSync(path);
      console.log(`${path}: ${size} bytes`);
      if (size > LARGEST) process.exitCode = 1;
    }
  } finally {
    await browser.stop();
    await found.stop();
  }
}

if (process.argv[1] === import.meta.filename) {
  const parts = process.argv.slice(2);
  await (parts[0] === '--docs' ? takeForDocs() : take(parts));
}
