// Runs: the list, its filters, its live rows; one run with its stream, Cancel and Go on.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, startBrowser, startGateway, until } from './kit.mjs';
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
  const run = await begin();
  await rows().filter({ hasText: 'slow' }).getByText('Running').waitFor();
  upstream.finish();
  await rows().filter({ hasText: 'slow' }).getByText('Completed').waitFor();
  assert.deepEqual(page.asked.slice(asked), []);
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

test('Cancel keeps the answer so far, and Go on makes the next run', async () => {
  const run = await begin();
  const id = run.id ?? run.run;
  await page.goto(`${gateway.url}/console/#/runs/${id}`);
  await page.getByRole('region', { name: 'The answer' }).getByText('The first piece,').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  assert.equal((await call('GET', `/v1/runs/${id}`)).status, 'cancelled');
  await page.getByRole('button', { name: 'Go on' }).click();
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

test('a run that is not there is refused with its request', async () => {
  await page.goto(`${gateway.url}/console/#/runs/run_${'0'.repeat(32)}`);
  const refused = page.getByRole('alert');
  await refused.waitFor();
  assert.match(await refused.textContent(), /not_found.*req_/s);
  assert.deepEqual(page.complaints, []);
});
