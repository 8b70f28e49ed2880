// Formulas are drawn as MathML, one element for each; what is none stays text, and what is copied is the source.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, lookAs, overflow, until } from '../pages/kit.mjs';
import { complete, lastAnswer, prefer, say, startAll } from './chat.mjs';
import { gate } from './upstream.mjs';

let all, page;
before(async () => {
  all = await startAll();
  page = await all.open('#/chat');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
});
after(() => all.stop());

async function answered(model, text) {
  all.upstream.script(model, async (answer) => {
    for (const piece of text.match(/[^]{1,7}/g)) await answer.text(piece);
    await answer.finish();
  });
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model: `s/${model}` });
  await page.goto(`${all.front.url}/console/#/chat`);
  await say(page, 'go');
  await complete(page);
}

const formulas = (count) => until(`${count} formulas`, async () => (await lastAnswer(page).locator('math').count()) === count);

const text = String.raw`The sum \(\sum_{i=1}^n i = \frac{n(n+1)}{2}\) and $e^{i\pi} + 1 = 0$, *not $a*b$ cut*.

\[
\begin{aligned}
f(x) &= \int_0^x t^2 \, dt \\
     &= \frac{x^3}{3}
\end{aligned}
\]

$$\begin{pmatrix} a & b \\ c & d \end{pmatrix}$$

It costs $5 and $10. In code nothing is math: ${'`$x$`'}

${'```'}latex
$$\frac{a}{b}$$
${'```'}

| formula | name |
|---|---|
| $E = mc^2$ | \(\gamma\) |
`;

test('each formula is one element, and what is none stays text', async () => {
  await answered('math', text);
  await formulas(7);
  const answer = lastAnswer(page);
  await answer.getByText('It costs $5 and $10.').waitFor();
  assert.equal(await answer.locator('code').first().innerText(), '$x$');
  assert.equal(await answer.locator('.code code').innerText(), '$$\\frac{a}{b}$$');
  assert.equal(await answer.locator('math[display="block"]').count(), 2);
  assert.equal(await answer.locator('math mfrac').count(), 2);
  assert.equal(await answer.locator('math mtable').count(), 2);
  assert.equal(await answer.locator('em math').count(), 1, 'a star in a formula ends no emphasis');
  await answer.getByRole('button', { name: 'Copy the text' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  assert.deepEqual(page.complaints, []);
  await accessible(page);
  await page.reload();
  await formulas(7);
});

for (const width of [1440, 768, 390, 320])
  test(`a wide formula scrolls in a box of its own, at ${width} pixels`, async () => {
    if (width === 1440) await answered('wide', `\\[ ${Array.from({ length: 30 }, (_, n) => `x_{${n}}`).join(' + ')} = 0 \\]\n\nand $${'a + '.repeat(60)}b$ in a line.`);
    await formulas(2);
    await page.setViewportSize({ width, height: 800 });
    assert.ok((await overflow(page)) <= 0, 'the page does not scroll sideways');
    const boxes = await lastAnswer(page).locator('.formula').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right <= innerWidth));
    assert.deepEqual(boxes, [true, true]);
    if (width === 320) await lookAs(page, {});
  });

test('a formula that is still coming is its source, and what can’t be read stays so', async () => {
  const { open, opened } = gate();
  all.upstream.script('half', async (answer) => {
    await answer.text('First $a$ then\n\n\\[ \\frac{a}');
    await opened;
    await answer.text('{b} \\]\n\nand \\(\\nosuchcommand{x}\\) and \\(\\href{javascript:alert(1)}{x}\\).');
    await answer.finish();
  });
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model: 's/half' });
  await page.goto(`${all.front.url}/console/#/chat`);
  await say(page, 'go');
  await formulas(1);
  await lastAnswer(page).getByText('\\[ \\frac{a}').waitFor();
  open();
  await complete(page);
  await formulas(2);
  assert.equal(await lastAnswer(page).locator('math mfrac').count(), 1);
  await lastAnswer(page).getByText('\\(\\nosuchcommand{x}\\)').waitFor();
  await lastAnswer(page).getByText('javascript:alert(1)').waitFor();
  assert.equal(await lastAnswer(page).locator('math [href]').count(), 0);
  assert.deepEqual(page.complaints, []);
});

test('the library comes with the first formula, and not before', async () => {
  const fresh = await all.open('#/chat');
  const loaded = [];
  fresh.on('request', (request) => /temml/.test(request.url()) && loaded.push(request.url()));
  await prefer(fresh, { model: 'echo' });
  await say(fresh, 'it costs $5 and $10');
  await complete(fresh);
  assert.deepEqual(loaded, []);
  await say(fresh, 'so $x^2$');
  await fresh.locator('.turn.assistant math').waitFor();
  assert.equal(loaded.length, 1);
  await fresh.close();
});
