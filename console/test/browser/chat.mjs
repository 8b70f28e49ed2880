// What the tests of the chat share: a gateway with the scripted provider behind it and a failing network before it.
import { startBrowser, startGateway, openPage } from '../pages/kit.mjs';
import { startFront } from './front.mjs';
import { startUpstream } from './upstream.mjs';

export async function startAll({ prefix = '', more = '', level } = {}) {
  const upstream = await startUpstream();
  const gateway = await startGateway(`default_model: echo
${more}
providers:
  - {name: scripted, dialect: openai, base_url: "${upstream.url}", retries: 0}
  - {name: speaker, dialect: lmc, base_url: "${upstream.url}", retries: 0}
models:
  - {name: echo, provider: echo, max_output: 100000}
  - {name: "s/*", provider: scripted}
  - {name: "l/*", provider: speaker}
`, { level });
  const front = await startFront(gateway.url, prefix);
  const browser = await startBrowser();
  const stop = async () => {
    front.stop();
    await browser.stop();
    upstream.stop();
    await gateway.stop();
  };
  return { upstream, gateway, front, browser, stop, open: (hash, look) => openPage(browser, front.url, hash, look) };
}

// A page whose chats ask this model.
export async function prefer(page, preferences) {
  await page.evaluate((value) => localStorage.setItem('parley.preferences', JSON.stringify(value)), preferences);
  await page.reload();
}

export async function say(page, text) {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

export const lastAnswer = (page) => page.locator('.turn.assistant').last();

// The text of an answer, as it was drawn.
export const drawnText = (page) => lastAnswer(page).locator('.text').allInnerTexts().then((texts) => texts.join('\n'));

export const complete = (page) => page.locator('.turn.assistant').last().locator('footer').waitFor();

export const conversationOf = (page) => /conv_[0-9a-f]+/.exec(page.url())?.[0];
