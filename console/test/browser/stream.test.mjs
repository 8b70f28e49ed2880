// A long answer does not hold the page: no long task behind the first second of a paced stream, none above 200 ms
// of one that comes at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { complete, lastAnswer, prefer, say, startAll } from './chat.mjs';

const CHUNKS = 10_000;
// On a machine that others use too, the bound says something about them. PARLEY_QUIET=1 holds to it.
const LONGEST = process.env.PARLEY_QUIET ? 200 : 1000;
const CPU = 2; // seconds of the page's own for 10,000 chunks, whoever else computes; a quarter of it is usual

let all, page;
before(async () => {
  all = await startAll();
  page = await all.open('#/chat');
});
after(() => all.stop());

// 80,000 characters of Markdown with tables and code, in pieces of eight.
const section = (n) => `## Section ${n}\n\nSome **bold** words and \`code\`, a [link](https://example.org/${n}).\n\n` +
  `| name | value |\n|---|--:|\n| a${n} | ${n} |\n| b${n} | ${n * 2} |\n\n` +
  '```python\n' + `def f${n}(x):\n    return x + ${n}  # a comment\n` + '```\n\n';
let text = '';
for (let n = 0; text.length < CHUNKS * 8; n++) text += section(n);
const pieces = text.slice(0, CHUNKS * 8).match(/[^]{8}/g);

const headings = (some) => some.join('').match(/Section \d+(?=\n)/g);

// watch: notes every task of the page that takes more than 50 ms.
const watch = () =>
  page.evaluate(() => {
    window.tasks = [];
    window.begun = performance.now();
    window.observer?.disconnect();
    window.observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) window.tasks.push({ at: startTime - window.begun, ms: duration });
    });
    window.observer.observe({ entryTypes: ['longtask'] });
  });

async function measure(model, last) {
  await page.goto(`${all.front.url}/console/#/start`);
  await prefer(page, { model });
  await page.goto(`${all.front.url}/console/#/chat`);
  await page.getByLabel('Message', { exact: true }).waitFor();
  await watch();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value;
  };
  const before = await spent();
  const begun = Date.now();
  await say(page, 'go');
  await complete(page);
  await lastAnswer(page).getByText(last, { exact: true }).waitFor(); // what came is drawn a little later
  const tasks = await page.evaluate(() => window.tasks);
  const longest = Math.max(0, ...tasks.map(({ ms }) => ms));
  const cpu = (await spent()) - before;
  const late = tasks.filter(({ at }) => at > 1000).length;
  console.log(`# ${model}: ${Date.now() - begun} ms, ${tasks.length} long tasks, ${late} behind the first second, the longest ${longest} ms, ${cpu.toFixed(2)} s of the processor`);
  return { tasks, cpu };
}

test('10,000 chunks at once', { timeout: 120_000 }, async () => {
  all.upstream.script('flood', async (answer) => {
    for (const piece of pieces) await answer.text(piece);
    await answer.finish();
  });
  const { tasks, cpu } = await measure('s/flood', headings(pieces).at(-1));
  assert.ok(tasks.every(({ ms }) => ms <= LONGEST), JSON.stringify(tasks));
  assert.ok(cpu <= CPU, `${cpu} s`);
});

test('a paced stream', { timeout: 120_000 }, async () => {
  all.upstream.script('paced', async (answer) => {
    for (let at = 0; at < 2000; at++) {
      await answer.text(pieces[at]);
      if (at % 2 === 0) await new Promise((resume) => setTimeout(resume, 5));
    }
    await answer.finish();
  });
  const { tasks } = await measure('s/paced', headings(pieces.slice(0, 2000)).at(-1));
  const late = tasks.filter(({ at }) => at > 1000);
  if (process.env.PARLEY_QUIET) assert.deepEqual(late, []);
  else assert.ok(late.every(({ ms }) => ms <= LONGEST), JSON.stringify(late));
});
