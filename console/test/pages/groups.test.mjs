// Groups of keys: made, changed, filled with keys and deleted; and what is left of every ceiling.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible, client, openPage, signIn, startBrowser, startGateway, until } from './kit.mjs';

const config = `
default_model: priced
conversations_keep: 90d
models:
  - {name: priced, provider: echo, price: {input: 1000, output: 1000}, max_output: 20}
`;

let gateway, browser, page, call;

before(async () => {
  gateway = await startGateway(config);
  browser = await startBrowser();
  const root = await client(gateway.url)('POST', '/v1/admin/keys', { name: 'root', scopes: ['admin', 'chat', 'read', 'files'] });
  call = client(gateway.url, root.key);
  page = await openPage(browser, gateway.url, '#/groups');
  await signIn(page, root.key);
});
after(async () => {
  await browser?.stop();
  await gateway?.stop();
});

const dialog = () => page.getByRole('dialog');
const line = (name) => page.getByRole('row').filter({ hasText: name });
const to = (hash) => page.goto(`${gateway.url}/console/${hash}`);

test('a group is made, with limits, a budget and models', async () => {
  await page.getByText('No groups yet').waitFor();
  await page.getByRole('button', { name: 'New group' }).click();
  await dialog().getByLabel('Name').fill('research');
  await dialog().getByLabel('Only these models').fill('priced');
  await dialog().getByText('Limits', { exact: true }).click();
  await dialog().getByLabel('Requests').fill('600');
  await dialog().getByText('Budget', { exact: true }).click();
  await dialog().getByLabel('Money').fill('5');
  await accessible(page);
  await dialog().getByRole('button', { name: 'New group' }).click();
  await line('research').getByText('600 requests in 1m').waitFor();
  const [made] = (await call('GET', '/v1/admin/groups')).data;
  assert.deepEqual([made.models, made.limits.requests.count, Number(made.budget.money)], [['priced'], 600, 5]);
});

test('a key gets into the group, and both show what is left', async () => {
  await to('#/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog().getByLabel('Name').fill('ann');
  await dialog().getByLabel(/^Group/).selectOption('research');
  await dialog().getByText('Budget', { exact: true }).click();
  await dialog().getByLabel('Money').fill('2');
  await dialog().getByRole('button', { name: 'New key' }).click();
  const text = await dialog().getByLabel('Secret').inputValue();
  await dialog().getByRole('button', { name: 'I have kept it' }).click();
  await line('ann').getByRole('link', { name: 'research' }).waitFor();
  await client(gateway.url, text)('POST', '/v1/chat', { messages: ['hi'], config: { max_tokens: 4 } });
  await until('the sums', async () => (await call('GET', '/v1/admin/usage?group=group')).data.some((row) => row.group));
  await page.reload();
  await line('ann').getByText(/of \D*2\S* left/).waitFor();
  await line('ann').getByRole('link', { name: 'research' }).click();
  await page.getByText('Group: research').waitFor();
  await until('the keys of the group alone', async () => (await page.getByRole('row').count()) === 2);
  await to('#/groups');
  await line('research').getByText(/of \D*5\S* left/).waitFor();
  await accessible(page);
});

test('its calls are told apart in runs, usage and the overview', async () => {
  await line('research').getByRole('link', { name: 'Runs of research' }).click();
  await until('the run', async () => (await page.getByRole('row').count()) === 2);
  await to('#/usage?by=group');
  await page.getByRole('table', { name: 'By group' }).getByRole('link', { name: 'research' }).waitFor();
  await accessible(page);
  await to('#/overview');
  await page.getByRole('region', { name: 'Budgets near their end' }).getByRole('link', { name: /research/ }).waitFor();
});

test('a change keeps what the form does not have', async () => {
  const [before] = (await call('GET', '/v1/admin/groups')).data;
  await call('POST', `/v1/admin/groups/${before.id}`, { metadata: { centre: '7' }, limits: { ...before.limits, max_body: 4096 } });
  await to('#/groups');
  await page.getByRole('button', { name: 'Change: research' }).click();
  await dialog().getByLabel('Name').fill('science');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await line('science').waitFor();
  const now = await call('GET', `/v1/admin/groups/${before.id}`);
  assert.deepEqual(
    [now.metadata, now.limits, now.budget, now.models],
    [{ centre: '7' }, { ...before.limits, max_body: 4096 }, before.budget, before.models],
  );
});

test('a group with keys says why it is not deleted', async () => {
  const [group] = (await call('GET', '/v1/admin/groups')).data;
  await page.getByRole('button', { name: 'Delete: science' }).click();
  await dialog().getByText('1 key belongs to this group').waitFor();
  assert.ok(await dialog().getByRole('button', { name: 'Delete' }).isDisabled());
  await dialog().getByRole('link', { name: 'Show its keys' }).click();
  await page.getByRole('button', { name: 'Change: ann' }).click();
  await dialog().getByLabel(/^Group/).selectOption('None');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  await to('#/groups');
  await page.getByRole('button', { name: 'Delete: science' }).click();
  const other = await call('POST', '/v1/admin/keys', { group: group.id });
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await dialog().getByText('group_in_use').waitFor(); // a key that came meanwhile
  await call('DELETE', `/v1/admin/keys/${other.id}`);
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No groups yet').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a conversation shows what is left of its ceiling, and the settings how long it stays', async () => {
  const { conversation } = await call('POST', '/v1/chat', { messages: ['hi'], config: { max_tokens: 4, max_cost: '3' }, store: true });
  await to(`#/chat/${conversation}`);
  await page.getByText(/of \D*3\S* left/).waitFor();
  await accessible(page);
  await to('#/settings');
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Retention' }) });
  await card.getByText('90d').waitFor();
  await card.getByText('without a limit').waitFor();
});
