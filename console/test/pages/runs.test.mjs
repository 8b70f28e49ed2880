// Runs: the list, its filters, its live rows; one run with its stream, Cancel and Continue.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, signIn, startBrowser, startGateway, until } from './kit.mjs';
import { config, store } from './stored.mjs';

let gateway, browser, call, page, upstream;

// A provider that says one piece, and the rest when the test lets it.
function startSlow() {
  const held = [];
  const piece = (content, finish = null) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'slow', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(piece('The first piece, '));
    held.push(() => response.end(`${piece('and the rest.')}${piece('', 'stop')}data: [DONE]\n\n`));
  });
  return new Promise((ready) =>
    server.listen(0, '127.0.0.1', () =>
      ready({
        url: `http://127.0.0.1:${server.address().port}/v1`,
        finish: () => held.splice(0).forEach((end) => end()),
        stop: () => {
          server.closeAllConnections();
          server.close();
        },
      }),
    ),
  );
}

before(async () => {
  upstream = await startSlow();
  gateway = await startGateway(
    `${config}  - {name: slow, provider: slow}\n`.replace(
      'models:',
      `  - {name: slow, dialect: openai, base_url: "${upstream.url}"}\nmodels:`,
    ),
  );
  browser = await startBrowser();
  call = client(gateway.url);
  await store(call);
  page = await openPage(browser, gateway.url, '#/runs');
});
after(async () => {
  upstream?.stop();
  await browser?.stop();
  await gateway?.stop();
});

const rows = () => page.locator('tbody tr');
const begin = () =>
  call('POST', '/v1/chat', { messages: ['Slowly'], config: { model: 'slow' }, background: true, stream: true });

test('filters by status and model stand in the address', async () => {
  await rows().first().waitFor();
  const all = await rows().count();
  await page.getByLabel('Status').selectOption('Failed');
  await until('only failed runs', async () => (await rows().count()) === 1);
  assert.match(page.url(), /status=failed/);
  await rows().getByText('broken').waitFor();
  await page.getByLabel('Status').selectOption('Any');
  await until('all runs', async () => (await rows().count()) === all);
  await page.getByLabel('Model').fill('rescued');
  await page.getByLabel('Model').press('Tab');
  await until('only one model', async () => (await rows().count()) === 1);
  await page.getByLabel('Model').fill('');
  await page.getByLabel('Model').press('Tab');
  await until('all runs', async () => (await rows().count()) === all);
});

test('a run that begins and ends changes the list without a request', async () => {
  await page.getByText('Live', { exact: true }).waitFor();
  const asked = page.asked.length;
  const began = Date.now();
  const run = await begin();
  await rows().filter({ hasText: 'slow' }).getByText('Running').waitFor();
  upstream.finish();
  await rows().filter({ hasText: 'slow' }).getByText('Completed').waitFor();
  const newest = 1 + Math.ceil((Date.now() - began) / 4000); // they are asked for every 4 s
  assert.ok(page.asked.length - asked <= newest, 'the list is not asked again, but for its newest rows');
  assert.ok(run.id ?? run.run);
});

test('the stream of a run goes on while it is read, and its end is shown', async () => {
  const run = await begin();
  const id = run.id ?? run.run;
  await page.goto(`${gateway.url}/console/#/runs/${id}`);
  const stream = page.getByRole('region', { name: 'The answer' });
  await stream.getByText('The first piece,').waitFor();
  await page.getByText('Running', { exact: true }).first().waitFor();
  await accessible(page);
  upstream.finish();
  await stream.getByText('The first piece, and the rest.').waitFor();
  await page.getByText('Completed', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'Conversation', exact: true }).click();
  await until('the chat', () => /#\/chat\/conv_/.test(page.url()));
});

test('Cancel keeps the answer so far, and Continue makes the next run', async () => {
  const run = await begin();
  const id = run.id ?? run.run;
  await page.goto(`${gateway.url}/console/#/runs/${id}`);
  await page.getByRole('region', { name: 'The answer' }).getByText('The first piece,').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  assert.equal((await call('GET', `/v1/runs/${id}`)).status, 'cancelled');
  await page.getByRole('button', { name: 'Continue' }).click();
  await until('the next run', () => /#\/runs\/run_/.test(page.url()) && !page.url().includes(id));
  await page.getByRole('link', { name: id }).waitFor();
  upstream.finish();
  await page.getByText('Completed', { exact: true }).first().waitFor();
});

test('the calls of a run that was rescued', async () => {
  const { data } = await call('GET', '/v1/runs?limit=50');
  const rescued = data.find((run) => run.model === 'rescued');
  await page.goto(`${gateway.url}/console/#/runs/${rescued.id}`);
  const calls = page.getByRole('region', { name: 'Calls of providers' });
  await calls.waitFor();
  await calls.getByText('upstream_connect_failed').first().waitFor();
  assert.match(await calls.locator('tbody tr').last().textContent(), /here.*Completed/);
});

test('calls of which no time is known are a table alone', async () => {
  const { data } = await call('GET', '/v1/runs?limit=50');
  const rescued = data.find((run) => run.model === 'rescued');
  const known = await call('GET', `/v1/runs/${rescued.id}`);
  const without = (attempt) => ({ ...attempt, started_at_ms: null, first_token_at_ms: null, ended_at_ms: null });
  let times = 'none';
  await page.route(`**/v1/runs/${rescued.id}`, (route) =>
    route.fulfill({
      json: { ...known, attempt_list: known.attempt_list.map((one, i) => (times === 'none' || i === 0 ? without(one) : one)) },
    }),
  );
  const calls = page.getByRole('region', { name: 'Calls of providers' });
  await page.goto('about:blank');
  await page.goto(`${gateway.url}/console/#/runs/${rescued.id}`);
  await calls.locator('tbody tr').first().waitFor();
  assert.equal(await page.locator('.timeline').count(), 0);
  times = 'some';
  await page.reload();
  await page.locator('.timeline').waitFor();
  assert.equal(await page.locator('.timeline svg').count(), known.attempt_list.length - 1);
  await page.unroute(`**/v1/runs/${rescued.id}`);
});

// As an SDK calls: nothing is stored unless it says so.
const unstored = async (model, stream = false) => {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Not for the record' }] }),
  });
  await answer.text();
  return answer.status;
};

test('calls that are not stored, and refused ones, are in the list, on their page, and in the file', async () => {
  assert.equal(await unstored('priced'), 200);
  assert.equal(await unstored('no-such-model'), 404);
  const seen = await until('both calls', async () => {
    const { data } = await call('GET', '/v1/runs?stored=false&limit=10');
    return data.length >= 2 && data;
  });
  await page.goto('about:blank');
  await page.goto(`${gateway.url}/console/#/runs?stored=0`);
  const good = rows().filter({ hasText: 'priced' }).first();
  await good.getByText('Not stored').waitFor();
  await good.getByText('Completed').waitFor();
  assert.match(await good.innerText(), /\d\d:\d\d:\d\d\.\d{3}/, 'a clock with milliseconds');
  const refused = rows().filter({ hasText: 'model_not_found' });
  await refused.getByText('Refused').waitFor();
  await accessible(page);

  await page.getByLabel('Open a run').fill(seen.find((run) => run.outcome === 'refused').id);
  await page.getByLabel('Open a run').press('Enter');
  await page.getByText('There is no such model, or the key may not use it.').waitFor();
  await page.getByText('Add the name to the configuration').waitFor();
  await page.getByText('This call was not stored').waitFor();
  await accessible(page);
  await page.goBack();

  await refused.getByRole('link', { name: 'model_not_found' }).click();
  await until('one row', async () => (await rows().count()) === 1);
  assert.match(page.url(), /error=model_not_found/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = join(gateway.folder, 'runs.csv');
  await (await download).saveAs(file);
  const [head, line, ...more] = (await readFile(file, 'utf8')).trim().split('\r\n');
  assert.match(head, /^id,created_at,status,outcome,http_status,error,/);
  assert.match(line, /,failed,refused,404,model_not_found,completions,/);
  assert.equal(more.length, 0);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await until('all rows', async () => (await rows().count()) > 2);
});

test('a run is opened by the id of its request, too, by administrators', async () => {
  const mine = await startGateway(config, { level: 'info' });
  try {
    const root = await client(mine.url)('POST', '/v1/admin/keys', { name: 'root', scopes: ['chat', 'read', 'admin'] });
    const shop = await client(mine.url, root.key)('POST', '/v1/admin/keys', { name: 'shop', scopes: ['chat', 'read'] });
    const said = await fetch(`${mine.url}/v1/chat`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ messages: ['Hello'], config: { model: 'echo' } }),
    });
    await said.text();
    const [request, run] = ['x-request-id', 'x-run-id'].map((name) => said.headers.get(name));
    const boss = await openPage(browser, mine.url, '#/runs');
    await signIn(boss, root.key);
    const field = boss.getByLabel('Open a run');
    const enter = async (text) => {
      await field.fill(text);
      await field.press('Enter');
    };
    const refusal = () => field.evaluate((input) => input.validationMessage);
    await enter('nonsense');
    await until('what it takes', async () => /^This takes the id of a run or of its request/.test(await refusal()));
    await enter(`req_${'0'.repeat(32)}`);
    await until('that it is not known', async () => /^The log of this gateway has no run/.test(await refusal()));
    await until('the line of the log', async () => {
      const { data } = await client(mine.url, root.key)('GET', `/v1/admin/log?request_id=${request}`);
      return data.length > 0;
    });
    await enter(request);
    await until('the run', () => boss.url().endsWith(`#/runs/${run}`));
    await boss.getByRole('link', { name: 'shop' }).waitFor();
    assert.deepEqual(boss.complaints, []);
    await boss.getByTitle('Sign out').click();
    await signIn(boss, shop.key);
    await boss.goto(`${mine.url}/console/#/runs`);
    await enter(request);
    await until('that it takes no request', async () => /^This takes the id of a run: /.test(await refusal()));
    await enter(run);
    await until('the run', () => boss.url().endsWith(`#/runs/${run}`));
    await boss.close();
  } finally {
    await mine.stop();
  }
});

test('an unstored call comes into the list by itself when it has ended', async () => {
  await page.getByText('Live', { exact: true }).waitFor();
  assert.equal(await unstored('rescued'), 200);
  const row = rows().filter({ hasText: 'rescued' }).filter({ hasText: 'Not stored' });
  await row.getByText('Completed').waitFor();
  await row.getByText('2 attempts').waitFor();
});

test('a time range and the slowest calls', async () => {
  await page.goto(`${gateway.url}/console/#/runs?to=${Math.floor(Date.now() / 1000) - 86_400}`);
  await page.getByText('No run fits the filters').waitFor();
  await page.getByLabel('Time').selectOption('Last hour');
  await rows().first().waitFor();
  assert.match(page.url(), /range=1h/);
  await page.locator('summary').getByText('More filters').click();
  await page.getByLabel('Duration at least').fill('3600000');
  await page.getByLabel('Duration at least').press('Tab');
  await page.getByText('No run fits the filters').waitFor();
  assert.match(page.url(), /slow=3600000/);
});

test('a run that is not there is refused with its request', async () => {
  await page.goto(`${gateway.url}/console/#/runs/run_${'0'.repeat(32)}`);
  const refused = page.getByRole('alert');
  await refused.waitFor();
  assert.match(await refused.textContent(), /not_found.*req_/s);
  assert.deepEqual(page.complaints, []);
});

test('a run tells what the answer cache has done, and the overview how often', async () => {
  const mine = await startGateway(config.replace('provider: here}', 'provider: here, cache: {ttl: 10m}}'));
  try {
    const say = () =>
      client(mine.url)('POST', '/v1/chat', { messages: ['The same'], config: { model: 'echo' } }, { 'x-parley-cache': 'use' });
    const first = (await say()).run,
      again = (await say()).run;
    await until('its row', async () => (await client(mine.url)('GET', `/v1/runs/${again}`)).cache === 'hit');
    const boss = await openPage(browser, mine.url, `#/runs/${again}`);
    await boss.getByText('A kept answer').waitFor();
    await boss.getByRole('link', { name: 'of this run' }).click();
    await boss.getByText('No kept answer; this one is kept').waitFor();
    assert.ok(boss.url().endsWith(first));
    await boss.goto(`${mine.url}/console/#/overview`);
    await boss.getByText(/50\s?% of 2 calls that asked had a kept answer/).waitFor();
    await accessible(boss);
    assert.deepEqual(boss.complaints, []);
    await boss.close();
  } finally {
    await mine.stop();
  }
});

test('an administrator sees the attempts of another key’s run, and nothing of what was said', async () => {
  const mine = await startGateway(config);
  try {
    const root = await client(mine.url)('POST', '/v1/admin/keys', { name: 'root', scopes: ['chat', 'read', 'files', 'admin'] });
    const shop = await client(mine.url, root.key)('POST', '/v1/admin/keys', { name: 'shop' });
    const { run } = await client(mine.url, shop.key)('POST', '/v1/chat', {
      messages: ['Nobody shall read this'],
      config: { model: 'echo' },
    });
    const boss = await openPage(browser, mine.url, `#/runs/${run}`);
    await signIn(boss, root.key);
    await boss.getByRole('table', { name: 'Calls of providers' }).getByText('Completed').waitFor();
    await boss.getByRole('link', { name: 'shop' }).waitFor();
    assert.ok(!(await boss.content()).includes('Nobody shall read this'));
    await accessible(boss);
    assert.deepEqual(boss.complaints, []);
    // a call without a valid key is found by the id that its answer told
    const refused = await fetch(`${mine.url}/v1/chat`, { method: 'POST', headers: { Authorization: 'Bearer parley_sk_x' }, body: '{}' });
    const id = refused.headers.get('x-run-id');
    await until('its row', async () => (await client(mine.url, root.key)('GET', `/v1/admin/runs/${id}`).catch(() => null)) !== null);
    await boss.goto(`${mine.url}/console/#/runs/${id}`);
    await boss.getByText('The call came without a key that the gateway knows').waitFor();
    await boss.close();
  } finally {
    await mine.stop();
  }
});
