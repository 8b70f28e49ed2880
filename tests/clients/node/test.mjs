// The official OpenAI SDK for Node, pinned and unmodified, against the gateway.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import OpenAI from 'openai';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const binary = path.resolve(process.env.PARLEY_BIN ?? path.join(project, 'build/release/parley'));
const deadline = Number(process.env.PARLEY_TEST_DEADLINE ?? 15) * 1000;
const hello = [{ role: 'user', content: 'Hello, big world' }];
const limit = { timeout: deadline * 2 };

// --- a provider of scripts: a model's name picks what is answered ---------------------------------

const scripts = new Map();
const provider = http.createServer(async (request, response) => {
	const parts = [];
	for await (const part of request) parts.push(part);
	const body = JSON.parse(parts.length ? Buffer.concat(parts) : '{}'); // a list has none
	const script = scripts.get(body.model);
	if (!script) {
		json(response, 404, { error: { message: 'the tests have no such model', type: 't' } });
		return;
	}
	script.bodies.push(body);
	script.headers.push(request.headers);
	script.answer(response, body, request);
});

let number = 0;
function script(answer) {
	const made = { name: `n${++number}`, answer, bodies: [], headers: [] };
	made.model = `t/${made.name}`;
	scripts.set(made.name, made);
	return made;
}

function json(response, status, value, headers = {}) {
	const body = JSON.stringify(value);
	response.writeHead(status, {
		'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers,
	});
	response.end(body);
}

function chunk(delta, finish = null) {
	return {
		id: 'chatcmpl-up', object: 'chat.completion.chunk', created: 1, model: 'm',
		choices: [{ index: 0, delta, finish_reason: finish }],
	};
}

function open(response) {
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	send(response, chunk({ role: 'assistant', content: '' }));
}

function send(response, value) {
	response.write(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
}

function close(response, finish = 'stop') {
	send(response, chunk({}, finish));
	send(response, { ...chunk({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 2,
		total_tokens: 3 } });
	send(response, '[DONE]');
	response.end();
}

const completion = (message, finish = 'stop') => ({
	id: 'chatcmpl-up', object: 'chat.completion', created: 1, model: 'm',
	choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
	usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
});

// --- the gateway -----------------------------------------------------------------------------------

let folder, gateway, url, client;
let log = '';

before(async () => {
	await new Promise((resolve) => provider.listen(0, '127.0.0.1', resolve));
	folder = await mkdtemp(path.join(os.tmpdir(), 'parley-node-'));
	const config = path.join(folder, 'parley.yaml');
	await writeFile(config, `
database: ${path.join(folder, 'parley.db')}
default_model: echo
providers:
  - name: local
    dialect: openai
    base_url: http://127.0.0.1:${provider.address().port}/v1
    retries: 0
    health: {failures: 0, cooling: 0s, dead_key: 0s}
  - name: again
    dialect: openai
    base_url: http://127.0.0.1:${provider.address().port}/v1
    retries: 1
    health: {failures: 0, cooling: 0s, dead_key: 0s}
models:
  - name: "a/*"
    provider: again
  - name: echo
    provider: echo
  - name: "t/*"
    provider: local
`);
	const env = Object.fromEntries(Object.entries(process.env)
		.filter(([name]) => !name.startsWith('PARLEY_') && !/proxy/i.test(name)));
	gateway = spawn(binary, ['serve', '--config', config, '--listen', '127.0.0.1:0'],
		{ env, stdio: ['ignore', 'pipe', 'pipe'] });
	gateway.stderr.on('data', (data) => { log += data; });
	url = await new Promise((resolve, reject) => {
		let text = '';
		gateway.stdout.on('data', (data) => {
			text += data;
			const found = text.match(/https?:\/\/\S+/);
			if (found) resolve(found[0]);
		});
		gateway.once('error', reject);
		gateway.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${log}`)));
	});
	client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'not needed', maxRetries: 0,
		timeout: deadline });
}, limit);

after(async () => {
	if (gateway?.exitCode === null) {
		const ended = new Promise((resolve) => gateway.once('exit', resolve));
		gateway.kill('SIGTERM');
		assert.equal(await ended, 0, log);
		assert.doesNotMatch(log, /Sanitizer|runtime error:/);
	}
	provider.closeAllConnections();
	provider.close();
	if (folder) await rm(folder, { recursive: true });
}, limit);

// --- tests -----------------------------------------------------------------------------------------

test('models are listed and found', limit, async () => {
	const ids = [];
	for await (const model of client.models.list()) ids.push(model.id);
	assert.ok(ids.includes('echo'));
	assert.equal((await client.models.retrieve('echo')).object, 'model');
	assert.equal((await client.models.retrieve('t/tiny')).id, 't/tiny');
	await assert.rejects(client.models.retrieve('nobody'), OpenAI.NotFoundError);
});

test('a plain chat', limit, async () => {
	const answer = await client.chat.completions.create({ model: 'echo', messages: hello });
	assert.equal(answer.choices[0].message.content, 'Hello, big world');
	assert.equal(answer.usage.completion_tokens, 3);
	assert.match(answer._request_id, /^req_[0-9a-f]{32}$/);
});

test('a streamed chat comes piece by piece', limit, async () => {
	let response;
	const s = script((r) => {
		response = r;
		open(r);
		send(r, chunk({ content: 'one' }));
	});
	const pieces = [];
	const stream = await client.chat.completions.create({ model: s.model, messages: hello,
		stream: true });
	for await (const part of stream) {
		assert.equal(part.usage ?? null, null);
		const text = part.choices[0].delta.content;
		if (text) pieces.push(text);
		if (text === 'one') send(response, chunk({ content: 'two' }));
		if (text === 'two') close(response);
	}
	assert.deepEqual(pieces, ['one', 'two']);
});

test('embeddings: the SDK asks for base64, whatever the provider then sends', limit, async () => {
	for (const vectors of [[[0.25, -1.5], [1, 2]], ['AACAPgAAwL8=', 'AACAPwAAAEA=']]) {
		const s = script((r) => json(r, 200, {
			object: 'list', model: 'm', usage: { prompt_tokens: 3, total_tokens: 3 },
			data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
		}));
		const ask = { model: s.model, input: ['a', 'b'] };
		let answer = await client.embeddings.create(ask);
		assert.equal(s.bodies[0].encoding_format, 'base64');
		assert.deepEqual(answer.data.map((d) => Array.from(d.embedding)), [[0.25, -1.5], [1, 2]]);
		answer = await client.embeddings.create({ ...ask, encoding_format: 'float' });
		assert.deepEqual(answer.data[0].embedding, [0.25, -1.5]);
	}
	const answer = await client.embeddings.create({ model: 'echo', input: 'Hello', dimensions: 4 });
	assert.equal(answer.data[0].embedding.length, 4);
});

test('usage of a stream is its last chunk', limit, async () => {
	const parts = [];
	const stream = await client.chat.completions.create({ model: 'echo', messages: hello,
		stream: true, stream_options: { include_usage: true } });
	for await (const part of stream) parts.push(part);
	assert.deepEqual(parts.at(-1).choices, []);
	assert.equal(parts.at(-1).usage.completion_tokens, 3);
});

test('the stream runner accumulates', limit, async () => {
	const runner = client.chat.completions.stream({ model: 'echo', messages: hello });
	let text = '';
	runner.on('content', (piece) => { text += piece; });
	const final = await runner.finalChatCompletion();
	assert.equal(text, 'Hello, big world');
	assert.equal(final.choices[0].message.content, text);
	assert.equal(final.choices[0].finish_reason, 'stop');
});

test('parallel tool calls in a stream', limit, async () => {
	const call = (index, more) => chunk({ tool_calls: [{ index, ...more }] });
	const s = script((r) => {
		open(r);
		for (const [index, id] of [[0, 'call_a'], [1, 'call_b']])
			send(r, call(index, { id, type: 'function', function: { name: 'f', arguments: '' } }));
		send(r, call(0, { function: { arguments: '{"a"' } }));
		send(r, call(1, { function: { arguments: '{"b":2}' } }));
		send(r, call(0, { function: { arguments: ':1}' } }));
		close(r, 'tool_calls');
	});
	const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
	const runner = client.chat.completions.stream({ model: s.model, messages: hello, tools });
	const message = (await runner.finalChatCompletion()).choices[0].message;
	assert.deepEqual(message.tool_calls.map((c) => [c.id, c.function.name, c.function.arguments]),
		[['call_a', 'f', '{"a":1}'], ['call_b', 'f', '{"b":2}']]);
	assert.deepEqual(s.bodies[0].tools, tools);
});

test('runTools goes round', limit, async () => {
	let round = 0;
	const s = script((r) => {
		open(r);
		if (++round === 1) {
			send(r, chunk({ tool_calls: [{ index: 0, id: 'call_a', type: 'function',
				function: { name: 'add', arguments: '{"x":2}' } }] }));
			close(r, 'tool_calls');
		} else {
			send(r, chunk({ content: 'it is 3' }));
			close(r);
		}
	});
	const runner = client.chat.completions.runTools({
		model: s.model, messages: hello, stream: true,
		tools: [{ type: 'function', function: { name: 'add', parse: JSON.parse,
			parameters: { type: 'object', properties: { x: { type: 'number' } } },
			function: ({ x }) => String(x + 1) } }],
	});
	assert.equal(await runner.finalContent(), 'it is 3');
	assert.deepEqual(s.bodies[1].messages.map((m) => m.role), ['user', 'assistant', 'tool']);
	assert.equal(s.bodies[1].messages[2].content, '3');
});

test('images, names and unknown fields reach the provider', limit, async () => {
	const s = script((r) => json(r, 200, completion({ content: 'ok' })));
	const messages = [{ role: 'user', name: 'meowoof', content: [
		{ type: 'text', text: 'What is it?' },
		{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] }];
	await client.chat.completions.create({ model: s.model, messages, temperature: 0, top_k: 5 });
	assert.deepEqual(s.bodies[0].messages, messages);
	assert.equal(s.bodies[0].top_k, 5);
	assert.equal(s.bodies[0].temperature, 0);
	const headers = s.headers[0];
	assert.equal(headers.authorization, undefined);
	assert.deepEqual(Object.keys(headers).filter((n) => n.startsWith('x-stainless')), []);
});

test('errors are of the right classes', limit, async () => {
	const kinds = [[400, OpenAI.BadRequestError, 400], [404, OpenAI.NotFoundError, 404],
		[422, OpenAI.UnprocessableEntityError, 422], [429, OpenAI.RateLimitError, 429],
		[401, OpenAI.PermissionDeniedError, 403], [500, OpenAI.InternalServerError, 502]];
	for (const [status, kind, seen] of kinds) {
		const s = script((r) => json(r, status,
			{ error: { message: 'theirs', type: 't', param: 'p', code: 'c' } },
			{ 'retry-after': '9' }));
		for (const stream of [false, true]) {
			const error = await client.chat.completions.create(
				{ model: s.model, messages: hello, stream }).then(assert.fail, (e) => e);
			assert.ok(error instanceof kind, `${status}: ${error}`);
			assert.equal(error.status, seen);
			assert.match(error.requestID, /^req_/);
			if (seen === status) assert.deepEqual([error.code, error.param, error.type],
				['c', 'p', 't']);
		}
	}
});

test('errors of our own', limit, async () => {
	const unknown = await client.chat.completions.create({ model: 'nobody', messages: hello })
		.then(assert.fail, (e) => e);
	assert.deepEqual([unknown.status, unknown.code, unknown.param],
		[404, 'model_not_found', 'model']);
	const role = await client.chat.completions.create({ model: 'echo',
		messages: [{ role: 'robot', content: 'x' }] }).then(assert.fail, (e) => e);
	assert.ok(role instanceof OpenAI.BadRequestError);
	assert.equal(role.param, 'messages[0].role');
	const wrong = new OpenAI({ baseURL: url, apiKey: 'x', maxRetries: 0 });
	await assert.rejects(wrong.chat.completions.create({ model: 'echo', messages: hello }),
		/\/v1/);
});

test('a stream that is cut raises', limit, async () => {
	for (const way of ['iterate', 'runner']) {
		const s = script((r) => {
			open(r);
			send(r, chunk({ content: 'so far' }));
			setImmediate(() => r.destroy());
		});
		const error = await (async () => {
			if (way === 'runner')
				return client.chat.completions.stream({ model: s.model, messages: hello })
					.finalChatCompletion();
			for await (const part of await client.chat.completions.create(
				{ model: s.model, messages: hello, stream: true })) void part;
			return undefined;
		})().then(() => assert.fail(`${way}: no error`), (e) => e);
		assert.ok(error instanceof OpenAI.OpenAIError || error instanceof OpenAI.APIError, way);
		assert.match(String(error.code ?? error.cause?.code ?? error.status),
			/stream_incomplete|502/, way);
	}
});

test('abort closes the connection to the provider', limit, async () => {
	const aborts = {
		controller: (stream) => stream.controller.abort(),
		runner: (runner) => runner.abort(),
	};
	for (const [way, abort] of Object.entries(aborts)) {
		let gone;
		const closed = new Promise((resolve) => { gone = resolve; });
		const s = script((r) => {
			r.once('close', gone);
			open(r);
			send(r, chunk({ content: 'one' }));
		});
		if (way === 'runner') {
			const runner = client.chat.completions.stream({ model: s.model, messages: hello });
			runner.on('content', () => abort(runner));
			await assert.rejects(runner.done(), OpenAI.APIUserAbortError);
		} else {
			const stream = await client.chat.completions.create({ model: s.model, messages: hello,
				stream: true });
			for await (const part of stream) if (part.choices[0].delta.content) abort(stream);
		}
		await closed;
	}
});

test('abort of a plain call closes the connection to the provider', limit, async () => {
	const controller = new AbortController();
	let gone;
	const closed = new Promise((resolve) => { gone = resolve; });
	const s = script((r) => {
		r.once('close', gone);
		controller.abort();
	});
	await assert.rejects(client.chat.completions.create({ model: s.model, messages: hello },
		{ signal: controller.signal }), OpenAI.APIUserAbortError);
	await closed;
});

test('raw responses and stored completions', limit, async () => {
	const { data, response } = await client.chat.completions.create(
		{ model: 'echo', messages: hello, store: true, metadata: { a: 'b' } }).withResponse();
	assert.equal(data.choices[0].message.content, 'Hello, big world');
	const conversation = response.headers.get('x-conversation-id');
	assert.match(response.headers.get('x-run-id'), /^run_/);
	assert.equal((await client.conversations.retrieve(conversation)).id, conversation);
	const roles = [];
	for await (const item of client.conversations.items.list(conversation,
		{ order: 'asc', limit: 1 })) roles.push(item.role);
	assert.deepEqual(roles, ['user', 'assistant']);
});

test('stored completions', limit, async () => {
	const metadata = { topic: 'node' };
	const made = [];
	for (let n = 0; n < 5; n++) {
		made.push((await client.chat.completions.create({
			model: 'echo', messages: [...hello, { role: 'user', content: `${n}` }], store: true,
			metadata, temperature: 0.2,
		})).id);
	}
	const seen = [];
	for await (const one of client.chat.completions.list({ metadata, limit: 2 })) seen.push(one.id);
	assert.deepEqual(seen, made);
	seen.length = 0;
	for await (const one of client.chat.completions.list({ metadata, limit: 2, order: 'desc' }))
		seen.push(one.id);
	assert.deepEqual(seen, made.toReversed());

	const found = await client.chat.completions.retrieve(made[3]);
	assert.equal(found.id, made[3]);
	assert.equal(found.choices[0].message.content, '3');
	assert.deepEqual(found.metadata, metadata);
	const said = [];
	for await (const m of client.chat.completions.messages.list(made[3], { limit: 1 }))
		said.push([m.id, m.content]);
	assert.deepEqual(said, [[`${made[3]}-0`, 'Hello, big world'], [`${made[3]}-1`, '3']]);

	const changed = await client.chat.completions.update(made[3], { metadata: { topic: 'other' } });
	assert.deepEqual(changed.metadata, { topic: 'other' });
	const gone = await client.chat.completions.delete(made[3]);
	assert.deepEqual([gone.id, gone.deleted, gone.object],
		[made[3], true, 'chat.completion.deleted']);
	await assert.rejects(client.chat.completions.retrieve(made[3]), OpenAI.NotFoundError);
	await assert.rejects(client.chat.completions.list({ after: made[3] }), OpenAI.BadRequestError);

	const stream = await client.chat.completions.create({
		model: 'echo', messages: hello, store: true, stream: true });
	const ids = new Set();
	for await (const chunk of stream) ids.add(chunk.id);
	assert.equal(ids.size, 1);
	assert.equal((await client.chat.completions.retrieve([...ids][0])).choices[0].message.content,
		'Hello, big world');
});

test('the retries of the SDK reach the provider again', limit, async () => {
	let tries = 0;
	const s = script((r) => (++tries === 1
		? json(r, 503, { error: { message: 'busy' } })
		: json(r, 200, completion({ content: 'second' }))));
	const stubborn = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'x', maxRetries: 1 });
	const answer = await stubborn.chat.completions.create({ model: s.model, messages: hello });
	assert.equal(answer.choices[0].message.content, 'second');
});

test('retries of the SDK and the gateway do not multiply', limit, async () => {
	const stubborn = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'x', maxRetries: 2 });
	// the gateway asks a/* twice, t/* once
	for (const [status, prefix, calls] of [[401, 'a', 1], [403, 't', 1], [500, 'a', 2], [500, 't', 3]]) {
		const s = script((r) => json(r, status, { error: { message: 'no' } }));
		await assert.rejects(stubborn.chat.completions.create(
			{ model: s.model.replace(/^t/, prefix), messages: hello }));
		assert.equal(s.bodies.length, calls, `${status} of ${prefix}/*`);
	}
});

test('many calls at once', limit, async () => {
	const texts = Array.from({ length: 40 }, (_, i) => `number ${i}`);
	const answers = await Promise.all(texts.map((content) => client.chat.completions.create(
		{ model: 'echo', messages: [{ role: 'user', content }] })));
	assert.deepEqual(answers.map((a) => a.choices[0].message.content), texts);
});
