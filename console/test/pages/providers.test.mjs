// Providers: a test tells the answer or the error in words, and the provider's own list makes entries to copy.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { accessible, lookAs, openPage, overflow, startBrowser, startGateway, until } from './kit.mjs';

const KEY = 'key-of-the-provider-0123';
const USAGE = { prompt_tokens: 100, completion_tokens: 2, total_tokens: 102, prompt_tokens_details: { cached_tokens: 80 } };
let gateway, browser, page, server;

const hence = (seconds) => new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19) + 'Z';

before(async () => {
  server = createServer((request, answer) => {
    if (request.url === '/keys') // as a container's agent gives them
      return answer.end(JSON.stringify({ AccessKeyId: 'ASIAID', SecretAccessKey: 'abc', Token: 'def', Expiration: hence(65 * 60) }));
    if (request.url === '/sts/')
      return answer.writeHead(403).end('<ErrorResponse><Error><Code>AccessDenied</Code><Message><b id="injected">no</b></Message></Error></ErrorResponse>');
    if (request.url.startsWith('/bad') || request.headers.authorization === 'Bearer key-that-was-revoked')
      return answer
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' } }));
    if (request.url.endsWith('/models'))
      return answer
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ data: Array.from({ length: 250 }, (_, i) => ({ id: i ? `model-${i}` : 'small' })) }));
    const piece = (choice) => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`;
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.end(
      piece({ delta: { role: 'assistant', content: 'Hello ' } }) +
        piece({ delta: { content: 'operator' } }) +
        piece({ delta: {}, finish_reason: 'stop' }) +
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [], usage: USAGE })}\n\n` +
        'data: [DONE]\n\n',
    );
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const at = `http://127.0.0.1:${server.address().port}`;
  process.env.KEY_OF_ACME = KEY;
  process.env.SECOND_KEY = `${KEY}-2`;
  process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${at}/keys`;
  process.env.AWS_ENDPOINT_URL_STS = `${at}/sts`;
  process.env.REVOKED_KEY = 'key-that-was-revoked';
  gateway = await startGateway(`
providers:
  - {name: acme, dialect: openai, base_url: "${at}/good/v1", api_key_env: KEY_OF_ACME}
  - {name: broken, dialect: openai, base_url: "${at}/bad/v1", api_key_env: KEY_OF_ACME}
  - {name: pool, dialect: openai, base_url: "${at}/good/v1", api_keys: [{env: KEY_OF_ACME}, {env: SECOND_KEY}]}
  - {name: mixed, dialect: openai, base_url: "${at}/good/v1", api_keys: [{env: SECOND_KEY}, {env: REVOKED_KEY}]}
  - {name: signed, dialect: openai, base_url: "${at}/good/v1", auth: {kind: aws, from: container, region: eu-west-1}}
  - {name: assumed, dialect: openai, base_url: "${at}/good/v1", auth: {kind: aws, from: container, region: eu-west-1, role_arn: "arn:aws:iam::1:role/r"}}
models:
  - {name: shared, provider: pool, upstream_model: small}
  - {name: small, provider: acme}
  - {name: other, provider: broken}
  - {name: third, provider: mixed, upstream_model: small}
`);
  browser = await startBrowser();
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
  server?.close();
});

const row = (name) => page.getByRole('region', { name: 'Providers' }).locator('tbody tr').filter({ hasText: name });

test('a test tells what the provider answered, or why it did not', async () => {
  page = await openPage(browser, gateway.url, '#/models');
  await page.getByRole('navigation', { name: 'Parts of the page' }).getByRole('link', { name: 'Providers' }).click();
  await row('acme').getByRole('button', { name: 'Test' }).click();
  await row('acme').getByText('It answers').waitFor();
  assert.match(await row('acme').innerText(), /Hello operator/);
  await row('broken').getByRole('button', { name: 'Test' }).click();
  await row('broken').getByText('It does not answer').waitFor();
  assert.match(await row('broken').innerText(), /401/);
  assert.ok(!(await page.content()).includes(KEY));
  await accessible(page);
  for (const width of [1440, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 700 });
    assert.ok((await overflow(page)) <= 0);
    const tested = await row('broken').locator('.tested').boundingBox();
    assert.ok(tested.width >= 170, `the result of a test is ${tested.width} pixels wide at ${width}`);
    const box = page.getByRole('region', { name: 'Providers' });
    const cut = await box.evaluate((one) => one.scrollWidth - one.clientWidth);
    assert.ok(cut <= 0, `${cut} pixels are cut at ${width}`);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/providers-${width}.png` });
  }
  await lookAs(page, {});
});

test('an entry that fetches its keys says from where, until when, and why it has none', async () => {
  await until('the keys', async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return /container/.test(await row('signed').innerText()) && /refused/.test(await row('assumed').innerText());
  });
  assert.match(await row('signed').innerText(), /AWS, from container\s+ends in 1 hour/);
  assert.match(await row('assumed').innerText(), /AWS, not fetched yet\s+.*STS refused AssumeRole.*<b id="injected">no<\/b>/);
  assert.equal(await page.locator('#injected').count(), 0);
  await accessible(page);
});

test('a test asks each key of an entry', async () => {
  await row('mixed').getByRole('button', { name: 'Test' }).click();
  await row('mixed').getByText('It does not answer').waitFor();
  const tested = await row('mixed').locator('.provider-test > div').filter({ has: page.locator('.tested') }).allInnerTexts();
  assert.equal(tested.length, 2);
  assert.match(tested[0], /^mixed#1\s+It answers/);
  assert.match(tested[1], /^mixed#2\s+It does not answer[^]*401/);
  assert.deepEqual(
    page.asked.filter((line) => line.includes('/mixed')),
    ['POST /v1/admin/providers/mixed%231/test', 'POST /v1/admin/providers/mixed%232/test'],
  );
  await accessible(page);
});

test('a run tells which key was used', async () => {
  const answer = await fetch(`${gateway.url}/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-parley-session': 'one' },
    body: JSON.stringify({ config: { model: 'shared' }, messages: [{ role: 'user', content: 'hi' }], stream: true }),
  });
  await answer.text();
  const key = /^pool#(\d)$/.exec(answer.headers.get('x-parley-target'))[1];
  const run = await openPage(browser, gateway.url, `#/runs/${answer.headers.get('x-run-id')}`);
  const calls = run.getByRole('table', { name: 'Calls of providers' });
  await calls.getByText(`pool key ${key}`).waitFor();
  assert.match(await run.locator('.timeline .name').innerText(), new RegExp(`^pool key ${key}$`));
  assert.deepEqual(run.complaints, []);
  await run.close();
});

test('each key of an entry is a target, with its share of cached tokens', async () => {
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-parley-session': 'one' },
      body: JSON.stringify({ model: 'shared', messages: [{ role: 'user', content: 'hi' }], stream: true }),
    });
    assert.match(await answer.text(), /operator/);
  }
  await page.goto(`${gateway.url}/console/#/models`);
  await page.reload();
  const targets = page.getByRole('table', { name: 'Targets of shared' }).locator('tbody tr');
  await targets.first().waitFor();
  const shown = await targets.allInnerTexts();
  assert.equal(shown.length, 2);
  assert.match(shown[0], /pool key 1/);
  assert.match(shown[1], /pool key 2/);
  assert.equal(shown.filter((text) => text.includes('80 %')).length, 1, 'all calls of the session went to one key');
  await accessible(page);
});

test('the provider’s own models make entries for the configuration', async () => {
  await page.goto(`${gateway.url}/console/#/models?show=providers`);
  await row('acme').getByRole('button', { name: 'Models' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('model-249').waitFor();
  assert.match(await dialog.getByRole('listitem').filter({ hasText: 'small' }).innerText(), /configured/);
  await dialog.getByLabel('Find a model').fill('model-17');
  await dialog.getByRole('button', { name: 'model-171', exact: true }).click();
  assert.equal(await dialog.locator('pre').innerText(), 'models:\n  - name: "model-171"\n    provider: "acme"\n');
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await dialog.getByRole('button', { name: 'Copy the entry' }).click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /name: "model-171"/);
  await accessible(page);
  await page.keyboard.press('Escape');
  await row('broken').getByRole('button', { name: 'Models' }).click();
  await page.getByRole('dialog').getByText(/did not list its models: status 401/).waitFor();
  assert.deepEqual(page.complaints, []);
});
