// node refused.mjs URL SIZE: what clients of Node see of a refusal of a large body; a line of JSON each.
import http from 'node:http';
import OpenAI, { toFile } from 'openai';

const [, , url, digits] = process.argv;
const size = Number(digits);
const text = 'x'.repeat(size);
const piece = new Uint8Array(65536);
const client = new OpenAI({ apiKey: 'wrong', baseURL: `${url}/v1`, maxRetries: 2 });

const ask = (headers, send) => new Promise((resolve, reject) => {
	const request = http.request(`${url}/v1/chat`, { method: 'POST', headers }, (answer) => {
		answer.resume();
		answer.on('end', () => resolve(answer.statusCode));
	});
	request.on('error', reject);
	send(request);
});
const pieces = () => new ReadableStream({
	start(stream) {
		for (let at = 0; at < size; at += piece.length) stream.enqueue(piece);
		stream.close();
	},
});
const form = () => {
	const made = new FormData();
	made.append('purpose', 'user_data');
	made.append('file', new Blob([text]), 'a.txt');
	return made;
};

const calls = {
	'openai chat': () => client.chat.completions.create(
		{ model: 'echo', messages: [{ role: 'user', content: text }] }),
	'openai file': async () => client.files.create(
		{ purpose: 'user_data', file: await toFile(Buffer.from(text), 'a.txt') }),
	'fetch': async () => (await fetch(`${url}/v1/chat`, { method: 'POST', body: text })).status,
	'fetch in chunks': async () => (await fetch(`${url}/v1/chat`,
		{ method: 'POST', body: pieces(), duplex: 'half' })).status,
	'fetch of a form': async () => (await fetch(`${url}/v1/files`,
		{ method: 'POST', body: form() })).status,
	'http.request': () => ask({ 'content-length': size }, (r) => r.end(text)),
	'http.request in chunks': () => ask({}, (r) => {
		for (let at = 0; at < size; at += piece.length) r.write(piece);
		r.end();
	}),
};
for (const [name, call] of Object.entries(calls)) {
	const seen = await call().catch((error) => error.status ?? `${error} ${error.cause ?? ''}`);
	console.log(JSON.stringify([name, seen]));
}
