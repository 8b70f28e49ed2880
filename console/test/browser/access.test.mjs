// WCAG 2.2 AA as far as axe sees it, in each state and look; and a whole chat by keyboard.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible } from '../pages/kit.mjs';
import { complete, prefer, say, startAll } from './chat.mjs';
import { gate } from './upstream.mjs';

let all, page;
before(async () => {
  all = await startAll();
  page = await all.open('#/start');
});
after(() => all.stop());

const CODE = { role: 'assistant', type: 'code', format: 'python' };
const CONSOLE = { role: 'computer', type: 'console' };

test('the page of the first run', async () => {
  await page.getByRole('heading', { name: 'Make the first key' }).waitFor();
  await accessible(page);
});

test('an empty chat, its options, the list of keys', async () => {
  await page.goto(`${all.front.url}/console/#/chat`);
  await page.getByText('What would you like to ask?').waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Options' }).click();
  await accessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keyboard' }).click();
  await accessible(page);
  await page.keyboard.press('Escape');
});

test('an answer with all that Markdown has, and its dialogs', async () => {
  await prefer(page, { model: 'echo' });
  await say(page, '# A\n\n- [ ] b\n\n| c | d |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1  # e\ny = "s"\n```\n\n> f [g](https://h.example)\n\n![i](https://j.example/k.png)');
  await complete(page);
  await page.locator('.token.comment').last().waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Show as a program' }).click();
  await accessible(page);
  await page.keyboard.press('Escape');
});

test('LMC: code, its output, an error, and the active line, which moves no other', async () => {
  const { open, opened } = gate();
  all.upstream.script('code', async (answer) => {
    await answer.segment({ role: 'assistant', type: 'message' }, 'Let me compute.');
    await answer.segment(CODE, 'x = 2380\n', 'y = 3875\n', 'print(x * y)');
    await answer.data({ role: 'computer', type: 'confirmation', format: 'execution', content: { type: 'code', format: 'python', content: 'x' } });
    await answer.data({ ...CONSOLE, start: true });
    await answer.data({ ...CONSOLE, format: 'active_line', content: 2 });
    await opened;
    await answer.data({ ...CONSOLE, format: 'active_line', content: null });
    await answer.data({ ...CONSOLE, format: 'output', content: '9222500' });
    await answer.data({ ...CONSOLE, end: true });
    await answer.segment({ role: 'assistant', type: 'message' }, 'It is 9222500.');
    await answer.complete();
  });
  await prefer(page, { model: 'l/code' });
  await page.goto(`${all.front.url}/console/#/chat`);
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByLabel('Answer as LMC', { exact: false }).check();
  await page.getByRole('button', { name: 'Close' }).last().click();
  await say(page, 'compute');
  const body = page.locator('.code-body.active');
  await body.waitFor();
  const places = () => page.locator('.code-body pre').last().boundingBox();
  const during = await places();
  const band = await body.evaluate((one) => {
    const style = getComputedStyle(one, '::before');
    return { top: parseFloat(style.top), height: parseFloat(style.height), line: parseFloat(getComputedStyle(one.querySelector('pre')).lineHeight), pad: parseFloat(getComputedStyle(one).paddingTop) };
  });
  assert.ok(Math.abs(band.top - band.pad - band.line) < 1 && Math.abs(band.height - band.line) < 1, `the band is on line 2: ${JSON.stringify(band)}`);
  await accessible(page);
  open();
  await complete(page);
  assert.deepEqual(await places(), during, 'no line has moved');
  await page.getByText('9222500', { exact: true }).waitFor();
  await accessible(page);
  await page.reload();
  await complete(page);
  await page.locator('.gutter').waitFor();
  await page.getByText('It is 9222500.').waitFor();
});

test('offline and refused', async () => {
  await prefer(page, { model: 'nobody' });
  await page.goto(`${all.front.url}/console/#/chat`);
  await say(page, 'x');
  await page.getByRole('alert').waitFor();
  await accessible(page);
  await prefer(page, { model: 'echo' });
  await page.goto(`${all.front.url}/console/#/chat/conv_00000000000000000000000000000000`);
  await page.getByRole('alert').waitFor();
  await accessible(page);
});

test('a chat by keyboard alone', async () => {
  await page.goto(`${all.front.url}/console/#/usage`);
  await page.locator('main[data-page="usage"] h1').waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('n');
  await page.locator('main[data-page="chat"]').waitFor();
  const input = page.getByLabel('Message', { exact: true });
  await input.waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.keyboard.type('first line');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second line');
  await page.keyboard.press('Enter');
  await complete(page);
  assert.match(await page.locator('.turn.user .text').last().innerText(), /first line\s+second line/);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  // The first stop is the skip link, and it leads to main.
  await page.evaluate(() => document.activeElement.blur());
  await page.locator('.skip').focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  assert.deepEqual(page.complaints, []);
});
