// JavaScript in the runner's sandbox: the main thread has the inspector evaluate code as a REPL does: `const` may
// be said again, `await` stands anywhere.  A worker thread reads the orders, so that it can end what runs.
//
// Orders come over descriptor 3: "run N MARK FILE" or "stop".  The pipe of the output carries marks too:
// 0x1e, MARK, a letter with a number, 0x1e; L is a line, E the end.
'use strict';
const { Worker, isMainThread, parentPort } = require('worker_threads');
const inspector = require('inspector');
const fs = require('fs');

const PATIENCE = 100; // milliseconds that a waiting main thread has to say that it stops by itself

function serve() {
	const session = new inspector.Session();
	session.connect();
	const post = (method, params) => new Promise((resolve) => {
		session.post(method, params, (error, result) => resolve({ error, ...result }));
	});
	let current = null; // what runs: its end is told once

	const write = (text) => {
		let rest = Buffer.from(text);
		while (rest.length > 0) {
			try {
				rest = rest.subarray(fs.writeSync(1, rest));
			} catch (error) {
				if (error.code !== 'EAGAIN') return;
			}
		}
	};

	const shown = (result) => {
		if (result.type === 'undefined') return '';
		const made = { text: result.description };
		session.post('Runtime.callFunctionOn', {
			functionDeclaration: 'function (value) { return __parley_show(value); }',
			arguments: [result.objectId ? { objectId: result.objectId }
				: result.unserializableValue ? { unserializableValue: result.unserializableValue }
					: { value: result.value }],
			executionContextId: 1,
			returnByValue: true,
		}, (error, answer) => {
			if (!error && !answer.exceptionDetails) made.text = answer.result.value;
		});
		return `${made.text}\n`;
	};

	// Without the driver's own part of the stack.
	const explained = (details) => {
		const error = details.exception || {};
		const text = (error.description || String(error.value !== undefined ? error.value : details.text))
			.split(/\n\s+at Session\.post \(node:inspector/)[0];
		const where = /\n\s+at /.test(text) ? '' : `\n    at cell, line ${details.lineNumber + 1}`;
		return `Uncaught ${text}${where}\n`;
	};

	const finish = (cell, status, text) => {
		if (current !== cell) return;
		current = null;
		write(text);
		write(`\x1e${cell.mark}E${status}\x1e`);
	};

	const run = async (number, mark, file) => {
		const cell = { mark };
		current = cell;
		write(`\x1e${mark}L1\x1e`);
		const answer = await post('Runtime.evaluate', {
			expression: `${fs.readFileSync(file, 'utf8')}\n//# sourceURL=cell-${number}`,
			replMode: true,
			awaitPromise: true,
			objectGroup: 'cell',
		});
		if (answer.error) finish(cell, 130, '');
		else if (answer.exceptionDetails && !answer.exceptionDetails.exception) finish(cell, 130, '');
		else if (answer.exceptionDetails) finish(cell, 1, explained(answer.exceptionDetails));
		else finish(cell, 0, shown(answer.result));
		session.post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
	};

	process.on('SIGINT', () => {}); // the worker ends what runs
	process.on('uncaughtException', (error) => console.error('Uncaught', error));
	process.on('unhandledRejection', (error) => console.error('Uncaught', error));
	Object.assign(globalThis, { require, module, exports });
	Object.defineProperty(globalThis, '__parley_show', {
		value: (value) => require('util').inspect(value),
	});
	process.argv.length = 1;
	const worker = new Worker(__filename);
	worker.on('message', (words) => {
		if (words[0] === 'run') {
			run(...words.slice(1));
		} else {
			worker.postMessage('stopped');
			if (current) finish(current, 130, '');
		}
	});
}

function listen() {
	const net = require('net');
	const session = new inspector.Session();
	session.connectToMainThread();
	let stopping = null;
	let text = '';

	parentPort.on('message', () => {
		clearTimeout(stopping);
	});
	new net.Socket({ fd: 3 }).on('data', (data) => {
		text += data;
		for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
			const words = text.slice(0, end).split(' ');
			text = text.slice(end + 1);
			parentPort.postMessage(words);
			// a loop does not hear the message
			if (words[0] === 'stop')
				stopping = setTimeout(() => session.post('Runtime.terminateExecution'), PATIENCE);
		}
	});
}

if (isMainThread)
	serve();
else
	listen();
