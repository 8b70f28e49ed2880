// What a gateway has in the pictures: long names, 250 models, text from right to left, calls that went well and badly.
// With `plain`, what one would show to a guest.
import { client, startGateway } from './pages/kit.mjs';
import { startUpstream } from './browser/upstream.mjs';

export const LONG = 'a-model-whose-name-has-fifty-characters-exactly-50';
const MODELS = 250;
const TITLE = 'A conversation about the ornamental porcelain of the nineteenth century and its rather long-winded catalogues';
const ARABIC = 'محادثة عن الشاي والخزف في مدينة قديمة على ضفاف النهر';

const ANSWER = `Three things decide how long a pot keeps tea warm:

1. **The wall.** Thick porcelain takes heat first and gives it back later.
2. **The lid.** Most of the heat leaves as steam.
3. **The room.**

| pot | wall | after 20 minutes |
|---|--:|--:|
| porcelain | 4 mm | 61 °C |
| cast iron | 6 mm | 68 °C |

\`\`\`python
def cools(start, room, minutes, k=0.031):
    """Newton's law of cooling."""
    return room + (start - room) * math.exp(-k * minutes)
\`\`\`

So warm the pot first, and keep the lid on.`;

const providers = ['acme', 'northwind', 'a-provider-with-a-rather-long-name-indeed', 'umbrella', 'initech'];
const plainModels = ['gpt-5-mini', 'claude-sonnet', 'mistral-large', 'llama-3-70b', 'gemini-flash'];

function configOf(url, plain) {
  const lines = ['default_model: ' + (plain ? plainModels[0] : LONG), 'providers:', '  - {name: here, dialect: echo}'];
  for (const name of providers) lines.push(`  - {name: ${name}, dialect: openai, base_url: "${url}", retries: 0}`);
  lines.push('  - {name: gone, dialect: openai, base_url: "http://127.0.0.1:9/v1", timeouts: {connect: 1s}, retries: 0}', 'models:');
  const names = plain ? plainModels : [LONG, ...Array.from({ length: MODELS - 4 }, (_, n) => `${providers[(n + 1) % 5].slice(0, 12)}/model-${String(n).padStart(3, '0')}`)];
  names.forEach((name, n) =>
    lines.push(`  - {name: "${name}", provider: ${providers[n % 5]}, upstream_model: talks, context_window: 128000, max_output: ${1024 << n % 5}, price: {input: ${(n % 7) + 0.15}, output: ${(n % 11) + 0.6}}}`),
  );
  lines.push('  - {name: text-embed, provider: acme, upstream_model: text-embedding-3-small}', '  - {name: echo, provider: here}', '  - {name: broken, provider: gone, upstream_model: x}');
  return lines.join('\n');
}

// fill: a gateway with something on each page. The key `admin` may do all.
export async function fill({ plain = false } = {}) {
  const upstream = await startUpstream();
  upstream.script('talks', async (answer) => {
    for (const piece of ANSWER.match(/[^]{1,40}/g)) await answer.text(piece);
    await answer.finish({ prompt_tokens: 412, completion_tokens: 187, total_tokens: 599 });
  });
  const gateway = await startGateway(configOf(upstream.url, plain));
  const root = (await client(gateway.url)('POST', '/v1/admin/keys', { name: 'admin', scopes: ['chat', 'read', 'files', 'admin'] })).key;
  const call = client(gateway.url, root);
  const session = (await call('POST', '/v1/session', {})).token; // the console's: what it says stands in the sidebar
  // talk: one turn, as a stream, since the scripted provider knows no other way; says which conversation it is in.
  const talk = async (body, by = session) => {
    const answer = await fetch(`${gateway.url}/v1/chat`, {
      method: 'POST',
      body: JSON.stringify({ ...body, stream: true }),
      headers: { Authorization: `Bearer ${by}`, 'Content-Type': 'application/json' },
    });
    await answer.text();
    return answer.headers.get('x-conversation-id');
  };
  const found = { gateway, url: gateway.url, key: root, model: plain ? plainModels[0] : LONG, stop };
  const titles = plain
    ? ['Why tea stays warm', 'A name for the boat', 'Plot of the harvest', 'Letter to the council', 'Cooling by Newton']
    : [TITLE, ARABIC, 'Oneveryverylongwordwithoutanyplacetobreakit'.repeat(2), 'Short', 'With `code` and *signs*'];
  for (const [n, title] of titles.entries()) {
    const conversation = await talk({
      messages: [n === 1 && !plain ? `${ARABIC}؟` : 'How long does a pot keep tea warm?'],
      config: { model: plain ? plainModels[n % 5] : n ? 'northwind/model-000' : LONG },
      metadata: { topic: n % 2 ? 'tea' : 'porcelain' },
    });
    await call('POST', `/v1/conversations/${conversation}`, { title });
    if (n === 0) found.conversation = conversation;
    if (n === 1) found.rightToLeft = conversation;
  }
  await talk({ messages: ['And cast iron?'], conversation: found.conversation, config: { model: found.model } });
  if (!plain) await talk({ messages: ['echo'], config: { model: 'echo' } });
  await talk({ messages: ['Nobody hears this'], config: { model: 'broken' } }, root);
  const runs = await call('GET', '/v1/runs?limit=20');
  found.run = (runs.data.find((run) => run.status === 'failed') ?? runs.data[0]).id;
  await fillKeys(call, plain);
  for (const [name, text] of files(plain)) {
    const form = new FormData();
    form.append('purpose', 'user_data');
    form.append('file', new Blob([text], { type: 'text/plain' }), name);
    await call('POST', '/v1/files', form);
  }
  return found;

  async function stop() {
    await gateway.stop();
    upstream.stop();
  }
}

const files = (plain) =>
  plain
    ? [['harvest.csv', 'year,tonnes\n2024,12\n'], ['notes.txt', 'Bring an umbrella.']]
    : [['a-file-with-a-name-that-goes-on-and-on-without-a-space-until-it-ends-at-last.txt', 'x'], [`${ARABIC}.txt`, 'x']];

async function fillKeys(call, plain) {
  const limits = { requests: { count: 60, window: '1m' }, tokens: { count: 200000, window: '1d' }, concurrent: 4 };
  const budget = { money: '25.00', window: '30d' };
  const name = plain ? 'web shop' : 'The-key-of-the-department-for-things-with-long-names-and-no-spaces';
  const group = await call('POST', '/v1/admin/groups', { name: plain ? 'customers' : LONG.slice(0, 128), limits, budget, models: plain ? undefined : [LONG, 'acme/*', 'echo'] });
  await call('POST', '/v1/admin/keys', { name, scopes: ['chat', 'read'], limits, budget, group: group.id });
  await call('POST', '/v1/admin/keys', { name: plain ? 'reports' : ARABIC, scopes: ['read'], ...(plain ? {} : { models: [LONG, 'acme/*', 'echo'] }) });
  const gone = await call('POST', '/v1/admin/keys', { name: 'old laptop', scopes: ['chat'] });
  await call('DELETE', `/v1/admin/keys/${gone.id}`);
}
