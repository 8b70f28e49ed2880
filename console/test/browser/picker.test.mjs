// The picker of a model, and the page of models, with 250 of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, openPage, overflow, signIn, startBrowser, startGateway } from '../pages/kit.mjs';
import { LONG, fill } from '../pictures_fill.mjs';
import { open, show } from '../pictures.mjs';

let found, browser, page;
before(async () => {
  found = await fill();
  browser = await startBrowser();
  page = await open(browser, found);
  await signIn(page, found.key);
});
after(async () => {
  await browser?.stop();
  await found?.stop();
});

const button = () => page.locator('.composer').getByRole('button', { name: /^Model/ });
const field = () => page.getByRole('combobox', { name: 'Search models' });
const preferences = () => page.evaluate(() => JSON.parse(localStorage.getItem('parley.preferences') ?? '{}'));

test('the default is chosen, and embedding models are not offered', async () => {
  await show(page, '#/chat');
  await page.getByRole('button', { name: `Model: ${LONG}` }).waitFor();
  await button().click();
  await field().waitFor();
  await field().fill('embed');
  await page.getByText('No model fits').waitFor();
  await field().fill('');
  assert.ok((await page.getByRole('row').count()) >= 249);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('by keyboard: search, arrows, a favourite, Enter', async () => {
  await button().focus();
  await page.keyboard.press('Enter');
  await field().waitFor();
  await page.keyboard.type('umbrella 00');
  const active = () => field().evaluate((input) => document.getElementById(input.getAttribute('aria-activedescendant')).querySelector('strong').textContent);
  assert.equal(await active(), 'umbrella/model-002');
  await page.keyboard.press('ArrowDown');
  assert.equal(await active(), 'umbrella/model-007');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Add umbrella/model-007 to the favourites' }).waitFor();
  await page.keyboard.press('Enter');
  assert.deepEqual((await preferences()).favourites, ['umbrella/model-007']);
  assert.deepEqual(await axe(page), []);
  await field().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const chosen = (await button().getAttribute('aria-label')).replace('Model: ', '');
  assert.match(chosen, /^umbrella\/model-00/);
  assert.equal((await preferences()).model, chosen);
  await button().click();
  await page.getByRole('rowgroup', { name: 'Favourites' }).waitFor();
  await page.keyboard.press('Escape');
});

test('what fits best comes first: the name, how it begins, what is in it, and the facts last', async () => {
  const names = ['md', 'my-tool', 'toolbox', 'other/tool', 'tool'];
  const gateway = await startGateway(`
providers:
${['here', 'there'].map((name) => `  - {name: ${name}, dialect: openai, base_url: "http://127.0.0.1:9/v1"}`).join('\n')}
models:
${names.map((name, n) => `  - {name: ${name}, provider: ${n === 4 ? 'there' : 'here'}, tools: true}`).join('\n')}
`);
  try {
    const other = await openPage(browser, gateway.url, '#/chat');
    const model = other.locator('.composer').getByRole('button', { name: /^Model/ });
    const open = async (text) => {
      await model.click();
      await other.getByRole('combobox', { name: 'Search models' }).fill(text);
    };
    const found = () => other.locator('.picker-row strong').allTextContents();
    await open('');
    assert.deepEqual((await found()).slice(0, 4), names.slice(0, 4), 'without a search, as the gateway has them');
    await other.keyboard.press('Escape');
    await open('Tool');
    assert.deepEqual(await found(), ['tool', 'other/tool', 'toolbox', 'my-tool', 'md']);
    await other.keyboard.press('Enter');
    await other.getByRole('button', { name: 'Model: tool', exact: true }).waitFor();
    await open('md');
    await other.getByRole('button', { name: 'Add md to the favourites' }).click();
    await other.getByRole('combobox', { name: 'Search models' }).fill('tool');
    assert.equal((await found())[0], 'tool', 'a favourite is not before the name itself');
    assert.deepEqual(other.complaints, []);
    await other.close();
  } finally {
    await gateway.stop();
  }
});

test('on a phone', async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  await button().click();
  await field().fill('fifty');
  const row = page.getByRole('gridcell').filter({ hasText: LONG });
  assert.ok((await overflow(page)) <= 0);
  const box = await row.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 320);
  assert.deepEqual(await axe(page), []);
  await row.click();
  await page.getByRole('button', { name: `Model: ${LONG}` }).waitFor();
  const send = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
  assert.ok(send.x + send.width <= 320, 'Send is on the screen');
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('the page of models: search, order, groups', async () => {
  await show(page, '#/models');
  await page.getByText('250 models').waitFor();
  await page.getByRole('heading', { name: 'acme', exact: true }).waitFor();
  const of = (name) => page.locator('.model-fold > summary').filter({ hasText: name });
  assert.match(await of(LONG).innerText(), /\$0\.15 in, \$0\.60 out · 128K context/, 'a row that is folded shows price and context');
  await page.getByLabel('Search models').fill('model-01');
  await page.getByText('10 models').waitFor();
  await page.getByLabel('Sort by').selectOption('Name');
  assert.equal(await page.locator('main h2').filter({ hasText: /^acme$/ }).count(), 0);
  assert.deepEqual(page.complaints, []);
});
