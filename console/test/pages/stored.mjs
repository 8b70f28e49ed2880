// What the tests of pages have stored: conversations with titles, labels and branches, runs that ended well and badly,
// usage with and without a price.
export const config = `
default_model: echo
providers:
  - {name: here, dialect: echo}
  - {name: gone, dialect: openai, base_url: "http://127.0.0.1:9/v1", timeouts: {connect: 1s}, retries: 0}
models:
  - {name: echo, provider: here}
  - {name: priced, provider: here, price: {input: 150, output: 600}, max_output: 4096}
  - {name: broken, provider: gone, upstream_model: x}
  - {name: rescued, targets: [{provider: gone, upstream_model: x}], fallback: [priced]}
`;

export async function store(call) {
  const say = (messages, more = {}) => call('POST', '/v1/chat', { messages, ...more });
  const made = [];
  for (let i = 0; i < 3; i++) {
    const said = await say([`Porcelain number ${i} keeps the tea warm`], {
      metadata: { topic: i ? 'tea' : 'garden' },
      config: { model: i ? 'priced' : 'echo' },
    });
    await call('POST', `/v1/conversations/${said.conversation}`, { title: `Tea pots ${i}` });
    made.push(said);
  }
  const [first] = made;
  const go = (parent, text) => say([text], { conversation: first.conversation, parent });
  const second = await go(first.message_id, 'The second question');
  const other = await go(first.message_id, 'Another second question');
  const third = await go(second.message_id, 'The third question');
  await call('POST', '/v1/chat', { messages: ['Nobody hears this'], config: { model: 'broken' } }).catch(() => {});
  await say(['The fallback answers'], { config: { model: 'rescued' } });
  return { first, second, other, third, conversations: made };
}
