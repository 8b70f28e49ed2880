// What users come to do, from the first page to the end: the first minute with a new gateway; a key with a budget that is
// used up; a call that an SDK made without storing it, and why it failed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, signIn, startBrowser, startGateway, until } from './kit.mjs';

let browser, upstream;

before(async () => {
  browser = await startBrowser();
  upstream = await startRefuser();
});
after(async () => {
  await browser?.stop();
  upstream?.stop();
});

// A provider that refuses: the model's name says how.
const refusals = {
  limited: [429, { 'Retry-After': '7' }, { message: 'Slow down, please', type: 'requests', code: 'rate_limit_exceeded' }],
  broken: [500, {}, { message: 'it hurts', type: 'server_error' }],
};

async function startRefuser() {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const [status, headers, error] = refusals[JSON.parse(body).model];
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify({ error }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop };
}

// As an SDK calls: nothing is stored unless it says so.
async function sdk(url, key, model, more = {}) {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key ? { Authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Nobody shall read this' }], ...more }),
  });
  return { status: answer.status, run: answer.headers.get('x-run-id'), body: await answer.text() };
}

test('the first minute: say something, make the first key, see the call', async () => {
  const gateway = await startGateway();
  try {
    const page = await openPage(browser, gateway.url, '');
    await page.getByRole('heading', { name: 'Welcome to Parley' }).waitFor();
    await accessible(page);
    for (const block of await page.locator('pre.snippet').all()) {
      const [shown, whole] = await block.evaluate((pre) => [pre.clientHeight, pre.scrollHeight]);
      assert.ok(shown >= whole, `a block is cut: ${shown} of ${whole} pixels`);
    }
    await page.getByRole('button', { name: /^Send to/ }).click();
    await page.getByText('Hello there').nth(1).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    const calls = page.locator('.totals > div').filter({ hasText: 'Calls' });
    await until('the call', async () => {
      if (await calls.count()) return (await calls.innerText()).includes('1');
      await page.getByRole('button', { name: 'Refresh' }).click();
      return false;
    });
    await page.getByRole('link', { name: 'First steps' }).click();
    await page.getByLabel('Name of the key').fill('me');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText('1 conversation was taken along.').waitFor();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('Administration').click();
    await page.getByRole('link', { name: 'Keys' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'First steps' }).count(), 0, 'the gateway has a key');
    await page.locator('.chats').getByText('Hello there').waitFor();
    assert.deepEqual(page.complaints, []);
    await page.close();
  } finally {
    await gateway.stop();
  }
});

test('in the order of the README: calls of curl, then the first page of the console, until it is put away', async () => {
  const gateway = await startGateway();
  try {
    await client(gateway.url)('POST', '/v1/chat', { messages: ['Hello there'] });
    let page = await openPage(browser, gateway.url, '');
    for (const card of ['Say something', 'Add a provider', 'Make the first key'])
      await page.getByRole('heading', { name: card }).waitFor();
    await page.getByRole('button', { name: 'Don’t show this page first' }).click();
    await page.getByText('What would you like to ask?').waitFor();
    await page.close();
    page = await openPage(browser, gateway.url, ''); // another tab
    await page.getByText('What would you like to ask?').waitFor();
    await page.getByRole('link', { name: 'First steps' }).click();
    await page.getByRole('heading', { name: 'Make the first key' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Don’t show this page first' }).count(), 0);
    await accessible(page);
    assert.deepEqual(page.complaints, []);
    await page.close();
  } finally {
    await gateway.stop();
  }
});

for (const address of ['', '#/start'])
  test(`the first key stays on the screen when the gateway refuses the page that made it, at “${address}”`, async () => {
    const gateway = await startGateway();
    try {
      const page = await openPage(browser, gateway.url, address);
      await page.getByLabel('Name of the key').waitFor();
      // the sidebar's stream is closed with the gateway, and comes back before the page has its session
      const isRefusal = (answer) => answer.url().endsWith('/v1/runs/live') && answer.status() === 401;
      const refused = page.waitForResponse(isRefusal).then(() => page.evaluate(() => new Promise(requestAnimationFrame)));
      await page.route('**/v1/session', async (route) => {
        await refused;
        await route.continue();
      });
      await page.getByLabel('Name of the key').fill('me');
      await page.getByRole('button', { name: 'Make the key' }).click();
      await refused;
      assert.equal(await page.getByRole('dialog').count(), 0, 'no form covers the key');
      await page.getByText('You are signed in with this key.').waitFor();
      const key = await page.getByLabel('Secret').inputValue();
      assert.equal((await client(gateway.url, key)('GET', '/v1/me')).name, 'me');
      await accessible(page);
      await page.getByRole('button', { name: 'I have kept it' }).click();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      assert.equal(await page.getByRole('dialog').count(), 0);
      assert.deepEqual(page.complaints, []);
      await page.close();
    } finally {
      await gateway.stop();
    }
  });

test('an open page says that somebody else has made the first key', async () => {
  const gateway = await startGateway();
  try {
    const page = await openPage(browser, gateway.url, '#/chat');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    const { key } = await client(gateway.url)('POST', '/v1/admin/keys', { name: 'me' });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This gateway has its first key now, and asks for a key.').waitFor();
    assert.equal(await dialog.getByText('Your session has ended').count(), 0, 'there was none');
    await accessible(page);
    await signIn(page, key);
    await page.locator('.account').getByText('me', { exact: true }).waitFor();
    assert.deepEqual(page.complaints, []);
    await page.close();
  } finally {
    await gateway.stop();
  }
});

test('a key with a budget is made, used up, and seen at its end', async () => {
  const gateway = await startGateway(`
providers:
  - {name: here, dialect: echo}
models:
  - {name: priced, provider: here, price: {input: 1000, output: 1000}, max_output: 200}
`);
  try {
    const root = await client(gateway.url)('POST', '/v1/admin/keys', {
      name: 'root',
      scopes: ['chat', 'read', 'files', 'admin'],
    });
    const page = await openPage(browser, gateway.url, '#/keys');
    await signIn(page, root.key);
    await page.getByRole('button', { name: 'New key' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('shop');
    await form.locator('summary').getByText('Budget').click();
    await form.getByLabel('Money').fill('0.3');
    await form.locator('footer button').last().click();
    const text = page.getByRole('dialog').getByLabel('Secret');
    await text.waitFor();
    const secret = (await text.inputValue().catch(() => text.innerText())).trim();
    await page.getByRole('button', { name: 'I have kept it' }).click();

    let last;
    for (let i = 0; i < 40 && last?.status !== 429; i++) last = await sdk(gateway.url, secret, 'priced', { max_tokens: 50 });
    assert.equal(last.status, 429, 'the budget ends');

    await page.getByRole('link', { name: 'Overview' }).click();
    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByText('shop').waitFor();
    assert.match(await budgets.innerText(), /\$0\.\d+ of \$0\.30 left|\$0\.00 of/);
    await until('the refusal', async () => {
      if (await page.getByRole('link', { name: /^\d+ refused$/ }).count()) return true;
      await page.getByRole('button', { name: 'Refresh' }).click();
      return false;
    });
    await accessible(page);
    await page.getByRole('link', { name: /^\d+ refused$/ }).click();
    await page.locator('tbody tr').getByText('insufficient_quota').first().waitFor();
    await page.locator('tbody tr .when').first().click();
    await page.getByText('The budget of the key is too small for what the call may cost.').waitFor();
    await page.getByText('Raise the budget under Keys').waitFor();
    assert.deepEqual(page.complaints, []);
    await page.close();
  } finally {
    await gateway.stop();
  }
});

test('a budget of which something is left is not said to be used up', async () => {
  const gateway = await startGateway(`
default_model: priced
providers:
  - {name: here, dialect: echo}
models:
  - {name: priced, provider: here, price: {input: 1000, output: 1000}, max_output: 200}
`);
  try {
    const call = client(gateway.url);
    const root = await call('POST', '/v1/admin/keys', { name: 'root', scopes: ['chat', 'read', 'admin'] });
    const budget = { money: '0.001', window: '30d' };
    await client(gateway.url, root.key)('POST', '/v1/admin/keys/' + root.id, { budget });
    const page = await openPage(browser, gateway.url, '#/keys');
    await signIn(page, root.key);
    await page.getByText('Budget $0.001 every 30d').waitFor();
    await page.goto(`${gateway.url}/console/#/chat`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('This call may need more than what is left of the budget').waitFor();
    assert.match(await alert.innerText(), /this call may cost up to \$0\.2\d*, and \$0\.001 is left of this key's budget of \$0\.001/);
    assert.doesNotMatch(await alert.innerText(), /used up/);
    await accessible(page);
    assert.deepEqual(page.complaints, []);
    await page.close();
  } finally {
    await gateway.stop();
  }
});

test('the wait for a limit is said once, in the units that fit', async () => {
  const gateway = await startGateway();
  try {
    const limits = { requests: { count: 1, window: '1h' } };
    const root = await client(gateway.url)('POST', '/v1/admin/keys', { name: 'root', scopes: ['chat', 'read', 'admin'], limits });
    const page = await openPage(browser, gateway.url, '#/chat');
    await signIn(page, root.key);
    const say = async (text) => {
      await page.getByRole('textbox', { name: 'Message' }).fill(text);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    };
    await say('one');
    await page.locator('.turn.assistant footer').waitFor();
    await say('two');
    const alert = page.getByRole('alert');
    await alert.getByText(/^Your key has reached its limit \(again in (1 h|59 min( \d+ s)?)\)$/).waitFor();
    await alert.getByText('this API key may ask models 1 times in 1h, and that is used up', { exact: true }).waitFor();
    assert.doesNotMatch(await alert.innerText(), /\d{3} s/);
    await page.close();
  } finally {
    await gateway.stop();
  }
});

test('a call that an SDK made without storing failed: why, and what helps', async () => {
  const gateway = await startGateway(`
providers:
  - {name: here, dialect: echo}
  - {name: acme, dialect: openai, base_url: "${upstream.url}", retries: 0}
  - {name: gone, dialect: openai, base_url: "http://127.0.0.1:9/v1", timeouts: {connect: 1s}, retries: 0}
models:
  - {name: echo, provider: here}
  - {name: limited, provider: acme}
  - {name: broken, provider: acme}
  - {name: dead, provider: gone, upstream_model: x}
`);
  try {
    const root = await client(gateway.url)('POST', '/v1/admin/keys', {
      name: 'root',
      scopes: ['chat', 'read', 'files', 'admin'],
    });
    const shop = await client(gateway.url, root.key)('POST', '/v1/admin/keys', { name: 'web shop', scopes: ['chat', 'read'] });
    assert.equal((await sdk(gateway.url, shop.key, 'echo')).status, 200);
    assert.equal((await sdk(gateway.url, shop.key, 'limited')).status, 429);
    assert.equal((await sdk(gateway.url, shop.key, 'broken')).status, 502);
    assert.equal((await sdk(gateway.url, shop.key, 'dead')).status, 502);
    assert.equal((await sdk(gateway.url, shop.key, 'no-such-model')).status, 404);
    assert.equal((await sdk(gateway.url, 'parley_sk_no_such_key', 'echo')).status, 401);

    // the operator: from the overview to the calls, and to one of them
    const page = await openPage(browser, gateway.url, '#/overview');
    await signIn(page, root.key);
    const failed = page.getByRole('link', { name: '3 failed' });
    await until('three failures', async () => {
      if (await failed.count()) return true;
      await page.getByRole('button', { name: 'Refresh' }).click();
      return false;
    });
    await accessible(page);
    await failed.click();
    const rows = page.locator('tbody tr');
    await until('the failed ones', async () => (await rows.count()) === 3);
    assert.match(page.url(), /status=failed/);
    assert.match(await rows.first().innerText(), /Not stored/);
    assert.match(await rows.first().innerText(), /web shop/);
    await accessible(page);

    const reasons = {
      limited: ['The provider’s limit of calls or tokens was reached.', 'Wait, as Retry-After says'],
      broken: ['The provider failed.', 'add a fallback'],
      dead: ['The provider could not be reached.', 'Check its base_url'],
    };
    for (const [model, texts] of Object.entries(reasons)) {
      await rows.filter({ hasText: model }).locator('.when').click();
      for (const text of texts) await page.getByText(text).waitFor();
      await page.getByText('This call was not stored').waitFor();
      await accessible(page);
      await page.goBack();
      await until('the list again', async () => (await rows.count()) === 3);
    }

    // refusals, also those without a valid key
    await page.getByLabel('Status').selectOption('Refused');
    await rows.getByText('model_not_found').waitFor();
    await rows.getByText('invalid_api_key').or(rows.getByText('malformed_authorization')).first().waitFor();

    // a filter from a row, and a link that shows the same to somebody else
    await rows.getByRole('link', { name: 'model_not_found' }).click();
    await until('one row', async () => (await rows.count()) === 1);
    const link = page.url();
    await page.goto('about:blank');
    await page.goto(link);
    await until('one row again', async () => (await rows.count()) === 1);
    assert.deepEqual(page.complaints, []);
    await page.close();

    // the key itself sees its own calls, and not that of a wrong key
    const own = await openPage(browser, gateway.url, '#/runs');
    await signIn(own, shop.key);
    await own.locator('tbody tr').first().waitFor();
    assert.equal(await own.locator('tbody tr').count(), 5);
    await own.close();
  } finally {
    await gateway.stop();
  }
});
