// Fills a database with conversations as users make them, through `parley import`: a title, labels, a run, a question
// and an answer each. The n-th conversation is always the same.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

const SYLLABLES = [
  'ka',
  'lo',
  'mi',
  'ren',
  'su',
  'ta',
  'vor',
  'be',
  'dan',
  'fi',
  'gul',
  'her',
  'ni',
  'pos',
  'quin',
  'wes',
];
const TOPICS = 20;
const BATCH = 50_000; // conversations of one import, which is one transaction
const APART_MS = 60_000;

// A word that the text has about once in 2^k words, as languages have them: few are common, most are rare.
function word(n) {
  return (
    SYLLABLES[n & 15] + SYLLABLES[(n >> 4) & 15] + SYLLABLES[(n >> 8) & 15] + (n >> 12 ? SYLLABLES[(n >> 12) & 15] : '')
  );
}

// mulberry32: small, and the same everywhere.
function dice(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function text(random, words) {
  const said = [];
  for (let i = 0; i < words; i++) said.push(word(Math.floor(65536 * random() ** 3)));
  return said.join(' ');
}

// What the n-th conversation has, so that a test can ask for it again.
export function conversation(n, end_ms, count) {
  const random = dice(n);
  const at = end_ms - (count - n) * APART_MS;
  const id = (prefix, more) =>
    `${prefix}_${(at + more).toString(16).padStart(11, '0')}${String(more).padStart(5, '0')}${n.toString(16).padStart(16, '0')}`;
  const title = `${text(random, 4)} ${n % 1000 === 0 ? `rareword${n}` : ''}`.trim();
  return {
    at,
    id,
    title,
    topic: `topic-${n % TOPICS}`,
    question: text(random, 12),
    answer: text(random, 40),
    status: n % 97 === 0 ? 'failed' : 'completed',
    model: `model-${n % 5}`,
  };
}

function lines(n, end_ms, count) {
  const c = conversation(n, end_ms, count);
  const run = c.id('run', 1),
    said = c.id('msg', 0),
    answer = run.replace('run_', 'msg_');
  const failed = c.status === 'failed';
  const list = [
    {
      type: 'conversation',
      version: 1,
      id: c.id('conv', 0),
      created_at_ms: c.at,
      revision: 2,
      title: c.title,
      metadata: { topic: c.topic, user: `user-${n >> 3}` },
      leaf: run,
    },
    {
      type: 'run',
      id: run,
      status: c.status,
      created_at_ms: c.at + 1,
      completed_at_ms: c.at + 900,
      attempts: 1,
      model: c.model,
      provider: 'echo',
      ...(failed
        ? {}
        : { first_token_at_ms: c.at + 300, finish_reason: 'stop', usage: { input_tokens: 20, output_tokens: 60 } }),
    },
    { type: 'message', id: said, run, created_at_ms: c.at, message: { role: 'user', content: c.question } },
  ];
  if (!failed)
    list.push({
      type: 'message',
      id: answer,
      parent: said,
      run,
      created_at_ms: c.at + 900,
      message: { role: 'assistant', content: c.answer },
    });
  return list.map((one) => JSON.stringify(one)).join('\n') + '\n';
}

async function batch(parley, database, from, to, end_ms, count) {
  const child = spawn(parley, ['import', '-', '--database', database], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  let some = '';
  for (let n = from; n < to; n++) {
    some += lines(n, end_ms, count);
    if (some.length > 1 << 18) {
      if (!child.stdin.write(some)) await once(child.stdin, 'drain');
      some = '';
    }
  }
  child.stdin.end(some);
  const [code] = await ended;
  if (code !== 0) throw new Error(`parley import ended with ${code}`);
}

// Conversations 0 to count - 1, the last one a minute before end_ms.
export async function fill(parley, database, count, end_ms, tell) {
  execFileSync(parley, ['migrate', '--database', database], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (let n = 0; n < count; n += BATCH) {
    await batch(parley, database, n, Math.min(n + BATCH, count), end_ms, count);
    tell(`${Math.min(n + BATCH, count)} of ${count} conversations`);
  }
}
