// A phone: each row of a table is a card, with everything that the table says, and nothing scrolls to the side.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fill } from '../pictures_fill.mjs';
import { open, show } from '../pictures.mjs';
import { overflow, signIn, startBrowser } from './kit.mjs';

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

const tables = { keys: '#/keys', files: '#/files', usage: '#/usage', runs: '#/runs', settings: '#/settings', providers: '#/models?show=providers' };

for (const width of [320, 390])
  for (const [name, hash] of Object.entries(tables))
    test(`${name}, ${width} pixels wide: cards`, async () => {
      await page.setViewportSize({ width, height: 844 });
      await show(page, hash);
      await page.getByRole('table').first().waitFor();
      assert.ok((await overflow(page)) <= 0, 'the document is wider or higher than the screen');
      const wide = await page.locator('.rows').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent.slice(0, 60)));
      assert.deepEqual(wide, [], 'a table scrolls to the side');
      const cell = page.locator('.rows tbody td[data-label]:visible').first();
      const label = await cell.evaluate((one) => [getComputedStyle(one, '::before').content, one.dataset.label]);
      assert.ok(label[0].includes(label[1]), `no label: ${label}`);
      const [above, below] = await page.locator('.rows tbody tr').first().evaluate((row) => [...row.cells].filter((one) => one.offsetHeight > 0).slice(0, 2).map((one) => one.getBoundingClientRect().top));
      assert.ok(below > above, 'cells stand below each other');
    });

test('a screen reader finds the same table as on a large screen', async () => {
  const read = async (width) => {
    await page.setViewportSize({ width, height: 844 });
    await show(page, '#/files');
    const count = (role) => page.getByRole(role).count();
    return [await count('table'), await count('row'), await count('columnheader'), await count('rowheader')];
  };
  assert.deepEqual(await read(320), await read(1280));
  const header = page.getByRole('columnheader', { name: 'Size' });
  assert.equal(await header.count(), 1);
  assert.deepEqual(page.complaints, []);
});
