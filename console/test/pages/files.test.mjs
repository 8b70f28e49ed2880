// Files: upload by button and by drop, a look into texts and images, deletion.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, axe, client, openPage, startBrowser, startGateway } from './kit.mjs';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFElEQVR4nGP8z8Dwn4GBgYmBgQEAHBYCAv7dUWkAAAAASUVORK5CYII=',
  'base64',
);

let gateway, browser, page;

before(async () => {
  gateway = await startGateway();
  browser = await startBrowser();
  page = await openPage(browser, gateway.url, '#/files');
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

const name = (text) => page.getByRole('button', { name: text, exact: true });
const upload = (files) => page.locator('input[type=file]').setInputFiles(files);
const close = () => page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

test('there is nothing at first', async () => {
  await page.getByText('No files yet').waitFor();
  await accessible(page);
});

test('a text is uploaded and shown as it is', async () => {
  await upload({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Bring <b>an</b> umbrella.') });
  await name('notes.txt').click();
  await page.getByText('Bring <b>an</b> umbrella.').waitFor();
  assert.equal(await page.locator('dialog b').count(), 0);
  await accessible(page);
  const download = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click();
  const to = join(gateway.folder, 'saved.txt');
  await (await download).saveAs(to);
  assert.equal(await readFile(to, 'utf8'), 'Bring <b>an</b> umbrella.');
  await close();
});

test('an image is shown as a blob, also under a wrong name', async () => {
  await upload({ name: 'picture.txt', mimeType: 'text/plain', buffer: PNG });
  await name('picture.txt').click();
  const image = page.getByRole('img', { name: 'Image: picture.txt' });
  await image.waitFor();
  assert.match(await image.getAttribute('src'), /^blob:/);
  await page.waitForFunction(() => document.querySelector('dialog img').naturalWidth === 2);
  await close();
});

test('a page of HTML and a drawing in SVG are texts', async () => {
  const files = {
    'page.html': '<script>document.title = "run"</script>',
    'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  };
  for (const [file, text] of Object.entries(files)) {
    await upload({
      name: file,
      mimeType: file.endsWith('svg') ? 'image/svg+xml' : 'text/html',
      buffer: Buffer.from(text),
    });
    await name(file).click();
    assert.equal((await page.locator('dialog pre').textContent()).trim(), text);
    await close();
  }
  assert.equal(await page.title(), 'Files · Parley');
});

test('other content has no preview', async () => {
  await upload({ name: 'data.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 254, 1]) });
  await name('data.bin').click();
  await page.getByText('no preview').waitFor();
  await close();
});

test('several dropped files come in', async () => {
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['one'], 'one.txt'));
    data.items.add(new File(['two'], 'two.txt'));
    return data;
  });
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
  await page.getByText('Drop files here to upload them').waitFor();
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
  await name('one.txt').waitFor();
  await name('two.txt').waitFor();
  const { data } = await client(gateway.url)('GET', '/v1/files');
  assert.equal(data.filter((file) => file.filename === 'two.txt').length, 1);
});

test('a deletion asks first', async () => {
  const button = page.getByRole('button', { name: 'Delete: one.txt' });
  await button.click();
  assert.deepEqual(await axe(page), []);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await name('one.txt').waitFor();
  await button.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await name('one.txt').waitFor({ state: 'detached' });
  const { data } = await client(gateway.url)('GET', '/v1/files');
  assert.ok(!data.some((file) => file.filename === 'one.txt'));
  assert.deepEqual(page.complaints, []);
});
