// EventSource in Chromium. A job is the address of a run's events; its result comes when the
// EventSource has stopped by itself.
import http from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

import { chromium } from 'playwright-core';

const folder = await mkdtemp(path.join(os.tmpdir(), 'parley-browser-'));
const browser = await chromium.launchPersistentContext(folder, {
	executablePath: '/usr/bin/chromium', headless: true, chromiumSandbox: false,
	args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
		'--disable-component-update', '--disable-sync'] });
const site = http.createServer((_, response) => {
	response.setHeader('content-type', 'text/html');
	response.end('<!doctype html><title>a page of another origin</title>');
});
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));

// Runs in the page.
function follow(job) {
	let text = '';
	let opened = 0;
	let error = null;
	const source = new EventSource(job.url);
	source.onopen = () => { opened++; };
	source.onmessage = (event) => {
		const piece = JSON.parse(event.data).choices[0]?.delta?.content ?? '';
		text += piece;
		window.tell({ id: job.id, began: text });
	};
	source.addEventListener('error', (event) => {
		if (event.data) error = JSON.parse(event.data).error; // the gateway's, not the connection's
		else if (source.readyState === EventSource.CLOSED) {
			window.tell({ id: job.id, text, opened, error });
		}
	});
}

for await (const line of readline.createInterface({ input: process.stdin })) {
	const page = await browser.newPage();
	await page.exposeFunction('tell', (told) => console.log(JSON.stringify(told)));
	await page.goto(`http://127.0.0.1:${site.address().port}/`);
	await page.evaluate(follow, JSON.parse(line));
}
await browser.close();
await rm(folder, { recursive: true });
site.close();
