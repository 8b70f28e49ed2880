// What the programs of Node's clients share: jobs come as JSON lines, all are done at once.
//
// A program calls serve() with a function that does one job: it hands each piece of the answer to
// say() as a user of the client would get it, and lets the client's errors pass.
import readline from 'node:readline';

export const tool = { type: 'function', function: {
	name: 'note', description: 'Takes a note',
	parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
} };
export const flat = { type: 'function', ...tool.function }; // as responses have it

// The status as the client tells it, or an error within its own does.
function status(error) {
	for (let e = error; e; e = e.lastError ?? e.cause) {
		const told = e.status ?? e.statusCode ?? e.status_code;
		if (typeof told === 'number') return told;
	}
	return null;
}

export function serve(call) {
	const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
	console.log = console.info = console.error; // clients that print do not spoil the answers
	readline.createInterface({ input: process.stdin }).on('line', async (line) => {
		const job = JSON.parse(line);
		let text = '';
		let error = null;
		const say = (piece) => {
			if (piece && !text) tell({ id: job.id, began: true });
			text += piece ?? '';
		};
		try {
			await call(job, say);
		} catch (e) { // whatever a client throws is what it has noticed
			error = { kind: e?.constructor?.name ?? typeof e, status: status(e),
				message: String(e?.message ?? e).slice(0, 500) };
		}
		tell({ id: job.id, text, error });
	});
}

// once(make)(url): what was made for that URL.
export function once(make) {
	const made = new Map();
	return (url) => {
		if (!made.has(url)) made.set(url, make(url));
		return made.get(url);
	};
}
