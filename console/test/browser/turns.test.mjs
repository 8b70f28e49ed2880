// What stands below and above an answer: how it ended and who says so, how fast it was, calls that wait for results; and
// how it is read, at four widths in light and dark.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { accessible, axe, client, overflow, until } from '../pages/kit.mjs';
import { complete, conversationOf, lastAnswer, prefer, say, startAll } from './chat.mjs';
import { gate } from './upstream.mjs';

let all, page;
before(async () => {
  all = await startAll();
  page = await all.open('#/chat');
});
after(() => all.stop());

async function chatWith(model) {
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model });
  await page.goto(`${all.front.url}/console/#/chat`);
}

const facts = () => lastAnswer(page).locator('.facts').innerText();

test('a provider that refuses is named, the message stays, and Retry asks again', async () => {
  all.upstream.refuse('limited', { status: 429, headers: { 'Retry-After': '1' }, message: 'slow down' });
  all.upstream.script('limited', async (answer) => {
    await answer.text('at last');
    await answer.finish();
  });
  await chatWith('s/limited');
  await say(page, 'please');
  const alert = page.getByRole('alert');
  await alert.waitFor();
  assert.match(await alert.innerText(), /The provider scripted is rate limited \(again in 1 s\)/);
  assert.match(await alert.innerText(), /slow down/);
  assert.doesNotMatch(await alert.innerText(), /The gateway refused/);
  const [run] = (await client(all.gateway.url)('GET', `/v1/runs?conversation=${conversationOf(page)}`)).data;
  const toRun = alert.getByRole('link', { name: 'Open the run' });
  assert.equal(await toRun.evaluate((link) => link.hash), `#/runs/${run.id}`);
  for (const width of [1440, 768, 390, 320])
    for (const scheme of ['light', 'dark']) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: scheme });
      assert.ok((await overflow(page)) <= 0, `${width} ${scheme}`);
      assert.deepEqual(await axe(page), [], `${width} ${scheme}`);
    }
  await page.reload();
  await page.locator('.turn.user').getByText('please').waitFor();
  await alert.getByText('The provider scripted is rate limited').waitFor();
  await toRun.click();
  await page.getByText('rate_limit_exceeded').first().waitFor();
  await page.goBack();
  await until('the answer', async () => {
    const retry = alert.getByRole('button', { name: 'Retry' });
    if (await retry.isVisible()) await retry.click({ timeout: 1000 }).catch(() => {});
    return lastAnswer(page).getByText('at last').isVisible();
  });
  await complete(page);
  assert.equal(await page.locator('.turn.user').count(), 1);
  assert.equal(await alert.count(), 0);
});

test('a provider that is not asked, because it is rate limited, is named and not the key', async () => {
  all.upstream.refuse('cooled', { status: 429, headers: { 'Retry-After': '600' }, message: 'slow down' });
  all.upstream.script('cooled', (answer) => answer.finish());
  await chatWith('s/cooled');
  await say(page, 'please');
  const alert = page.getByRole('alert');
  await alert.getByText('slow down').waitFor();
  await alert.getByRole('button', { name: 'Retry' }).click();
  await alert.getByText('upstream_rate_limited').waitFor();
  assert.match(await alert.innerText(), /The provider scripted is rate limited \(again in /);
  assert.doesNotMatch(await alert.innerText(), /Your key/);
  await alert.getByRole('link', { name: 'Open the run' }).click();
  await page.getByText('was reached a moment before, so it was not asked').waitFor();
});

test('an answer that breaks off says who broke it off, and can be asked for again', async () => {
  let turn = 0;
  all.upstream.script('broken', async (answer) => {
    await answer.text(turn++ === 0 ? 'half an answ' : 'a whole answer');
    if (turn > 1) return answer.finish();
    await new Promise((next) => setTimeout(next, 100));
    answer.response.destroy();
  });
  await chatWith('s/broken');
  await say(page, 'go');
  await lastAnswer(page).getByText('half an answ').waitFor();
  const notice = lastAnswer(page).locator('.notice');
  await notice.getByText('The provider scripted broke off its answer').waitFor();
  const toRun = notice.getByRole('link', { name: 'Open the run' });
  assert.match(await toRun.evaluate((link) => link.hash), /^#\/runs\/run_[0-9a-f]{32}$/);
  await page.reload();
  await notice.getByText('The provider scripted broke off its answer').waitFor();
  await accessible(page);
  await notice.getByRole('button', { name: 'Retry' }).click();
  await lastAnswer(page).getByText('a whole answer').waitFor();
  await lastAnswer(page).getByText('2 of 2').waitFor();
});

test('an error whose code is spelt like one of the gateway is the provider’s', async () => {
  all.upstream.script('crowded', async (answer) => {
    await answer.text('half an answ');
    await answer.data({ error: { message: 'Overloaded, sorry', type: 'overloaded_error', code: 'overloaded' } });
  });
  await chatWith('s/crowded');
  await say(page, 'go');
  const notice = lastAnswer(page).locator('.notice');
  await notice.getByText('The provider scripted has failed: Overloaded, sorry').waitFor();
  assert.doesNotMatch(await notice.innerText(), /gateway/);
  await notice.getByRole('link', { name: 'Open the run' }).click();
  await page.getByText('The provider reported an error; its code is the provider’s own.').waitFor();
});

test('an answer that ended for another reason than its end says so, stored or not', async () => {
  const ends = {
    length: 'The answer has reached its max tokens.',
    content_filter: 'A content filter has ended the answer, so something may be missing.',
    refusal: 'The model refused to answer.',
    pause_turn: 'The model stopped for a reason of its own: pause_turn',
  };
  all.upstream.script('ends', async (answer, { messages }) => {
    await answer.text('some words');
    await answer.finish(undefined, messages.at(-1).content);
  });
  for (const stored of [true, false]) {
    await chatWith('s/ends');
    if (!stored) {
      await page.getByRole('button', { name: 'Options' }).click();
      await page.getByRole('dialog').getByLabel('Store the conversation').uncheck();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    }
    let said = 0;
    for (const [reason, sentence] of Object.entries({ stop: null, ...ends })) {
      await say(page, reason);
      said += 1;
      await until('the answer', async () => (await page.locator('.turn.assistant footer').count()) === said);
      await lastAnswer(page).getByText('some words').waitFor();
      if (sentence) await lastAnswer(page).getByText(sentence).waitFor();
      else assert.equal(await lastAnswer(page).locator('p.fine').count(), 0);
    }
    await accessible(page);
  }
});

test('an edited first message is a branch of its conversation, with the instruction', async () => {
  await chatWith('echo');
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('dialog').getByLabel('Instruction').fill('Be brief.');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await say(page, 'one');
  await complete(page);
  const before = conversationOf(page);
  await page.getByRole('button', { name: 'Edit the message' }).click();
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('two');
  await page.locator('.editor').getByRole('button', { name: 'Send' }).click();
  await lastAnswer(page).getByText('two').waitFor();
  const users = () => page.locator('.turn.user .content').allInnerTexts();
  const place = page.locator('.turn.user').first().locator('.branches');
  await place.getByText('2 of 2').waitFor();
  await complete(page);
  assert.equal(conversationOf(page), before);
  assert.deepEqual(await users(), ['two']);
  const instruction = page.getByRole('region', { name: 'Instruction' }).getByText('Be brief.');
  await page.reload();
  await place.getByText('2 of 2').waitFor();
  await instruction.waitFor();
  await place.getByRole('button', { name: 'The branch before' }).click();
  await place.getByText('1 of 2').waitFor();
  assert.deepEqual(await users(), ['one']);
  await instruction.waitFor();
  await say(page, 'one more'); // goes on with the branch that is shown
  await page.locator('.turn.assistant').nth(1).locator('footer').waitFor();
  assert.deepEqual(await users(), ['one', 'one more']);
  await page.getByRole('button', { name: 'Branches' }).click();
  const tree = page.getByRole('complementary', { name: 'Branches' });
  await tree.getByRole('button', { name: /^two.*branch 2 of 2/ }).waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Branches' }).click();
  await page.reload();
  await place.getByRole('button', { name: 'The next branch' }).click();
  await place.getByText('2 of 2').waitFor();
  assert.deepEqual(await users(), ['two']);
});

test('tokens a second, the time to the first words, and how long the reasoning took', async () => {
  const { open, opened } = gate();
  all.upstream.script('paced', async (answer) => {
    await answer.delta({ reasoning_content: 'I **think**\n\n- so' });
    await opened;
    await answer.text('Well. ');
    await new Promise((next) => setTimeout(next, 300));
    await answer.finish({ prompt_tokens: 11, completion_tokens: 600, total_tokens: 611 });
  });
  await chatWith('s/paced');
  await say(page, 'go');
  await page.getByText('Thinking …').waitFor();
  open();
  await complete(page);
  await page.getByText(/^Thought for [\d.]+ m?s$/).click();
  await lastAnswer(page).locator('.reasoning strong').getByText('think').waitFor();
  await lastAnswer(page).locator('.reasoning li').getByText('so').waitFor();
  assert.match(await facts(), /611 tokens · [\d,]+ tokens\/s · first words after/);
});

test('after a reload the first words took as long as the run says, not as the reconnection', async () => {
  const { open, opened } = gate();
  all.upstream.script('later', async (answer) => {
    await new Promise((next) => setTimeout(next, 300));
    await answer.text('some words ');
    await opened;
    await answer.text('and more');
    await answer.finish();
  });
  await chatWith('s/later');
  await say(page, 'go');
  await page.getByText('some words').waitFor();
  await page.reload();
  await page.getByText('some words').waitFor();
  open();
  await complete(page);
  const { data } = await client(all.gateway.url)('GET', `/v1/runs?conversation=${conversationOf(page)}`);
  const { first_token_ms: first, duration_ms: took } = data[0];
  assert.ok(first >= 300, 'the provider took its time');
  const shown = first < 1000 ? `${first} ms` : `${Number((first / 1000).toPrecision(3))} s`;
  for (const round of ['as it came', 'after another reload']) {
    if (round !== 'as it came') await page.reload();
    await complete(page);
    assert.ok((await facts()).includes(`first words after ${shown}`), `${await facts()}: ${shown}`);
    if (took - first >= 100) assert.match(await facts(), /tokens\/s/);
  }
});

test('results of calls are entered, and the turn goes on', async () => {
  all.upstream.script('caller', async (answer, asked) => {
    if (asked.messages.at(-1).role === 'tool') {
      await answer.text('It rains in Rome.');
      return answer.finish();
    }
    const call = (index, city) => ({ index, id: `call_${index}`, type: 'function', function: { name: 'weather', arguments: JSON.stringify({ city }) } });
    await answer.delta({ tool_calls: [call(0, 'Rome'), call(1, 'Oslo')] });
    await answer.finish(undefined, 'tool_calls');
  });
  await chatWith('s/caller');
  await page.getByRole('button', { name: 'Options' }).click();
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
  await page.getByRole('dialog').getByLabel('Tools').fill(JSON.stringify(tools));
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await say(page, 'weather?');
  await complete(page);
  await accessible(page);
  await page.reload(); // they can be entered later, too
  await page.getByLabel(/Result of weather .*Rome/).fill('rain');
  await page.getByLabel(/Result of weather .*Oslo/).fill('snow');
  await page.getByRole('button', { name: 'Send results' }).click();
  await page.getByText('It rains in Rome.').waitFor();
  await complete(page);
  const sent = all.upstream.requests.at(-1).messages.slice(-2);
  assert.deepEqual(sent.map(({ role, tool_call_id, content }) => [role, tool_call_id, content]), [['tool', 'call_0', 'rain'], ['tool', 'call_1', 'snow']]);
  assert.equal(await page.getByRole('button', { name: 'Send results' }).count(), 0);
  assert.equal(await page.getByText('Result of the call').count(), 2);
  assert.deepEqual(page.complaints, []);
});

const rich = `# One\n\ntext<br>below\n\n## Two\n\n### Three\n\n#### Four\n
\`\`\`python
x = "${'a long line of code '.repeat(12)}"
\`\`\`

| Land | Donaudampfschifffahrtsgesellschaft | ${'Spalte | '.repeat(6)}
|---|---|${'---|'.repeat(6)}
| Österreich | Kraftfahrzeughaftpflichtversicherung | ${'Wert | '.repeat(6)}

שלום עולם

- אחד
`;

for (const width of [1440, 768, 390, 320])
  for (const scheme of ['light', 'dark'])
    test(`how an answer is read: ${width} pixels, ${scheme}`, async () => {
      if (width === 1440 && scheme === 'light') {
        all.upstream.script('rich', async (answer) => {
          await answer.text(rich);
          await answer.finish();
        });
        await chatWith('s/rich');
        await say(page, 'go');
        await complete(page);
      }
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      const found = await lastAnswer(page).evaluate((answer) => {
        const size = (name) => parseFloat(getComputedStyle(answer.querySelector(name)).fontSize);
        const word = [...answer.querySelectorAll('td')].find((one) => /^Kraft/.test(one.innerText));
        const range = document.createRange();
        range.selectNodeContents(word);
        return {
          sizes: ['h3', 'h4', 'h5', 'h6'].map(size),
          lines: new Set([...range.getClientRects()].map(({ top }) => top)).size,
          breaks: answer.querySelectorAll('p > br').length,
          right: [...answer.querySelectorAll('p, li')].filter((one) => getComputedStyle(one).direction === 'rtl').length,
        };
      });
      assert.ok(found.sizes.every((size, place) => place === 0 || size < found.sizes[place - 1]), `levels of headings: ${found.sizes}`);
      assert.equal(found.lines, 1, 'a word in a table is whole');
      assert.equal(found.breaks, 1);
      assert.equal(found.right, 2);
      assert.ok((await overflow(page)) <= 0);
      const wrap = lastAnswer(page).getByRole('button', { name: 'Wrap lines' });
      const wide = () => lastAnswer(page).locator('.code-body').evaluate((box) => box.scrollWidth > box.clientWidth);
      assert.equal(await wide(), true);
      await wrap.click();
      assert.equal(await wide(), false);
      assert.equal(await wrap.getAttribute('aria-pressed'), 'true');
      await wrap.click();
      assert.deepEqual(await axe(page), []);
    });

test('the name of the conversation is in the title of the tab, and it is saved as Markdown', async () => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await chatWith('echo');
  await say(page, 'So \\(x^2\\) is a square: what else?');
  await complete(page);
  await page.waitForFunction(() => /is a square.* · Parley$/.test(document.title));
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as Markdown' }).click();
  const file = await saving;
  assert.match(file.suggestedFilename(), /^So .* is a square.*\.md$/);
  const text = await readFile(await file.path(), 'utf8');
  assert.match(text, /^# So [^]*## You\n\nSo \\\(x\^2\\\) is a square[^]*## echo\n\nSo \\\(x\^2\\\)/);
  await page.goto(`${all.front.url}/console/#/files`);
  await page.waitForFunction(() => document.title === 'Files · Parley');
});
