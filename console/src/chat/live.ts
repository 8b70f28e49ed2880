// The live rule: how an answer survives a cut, a reload, and the end of the gateway itself.
//
// 1. The request has an Idempotency-Key, and the last id of a block is noted.
// 2. A stream ends only at `event: done` or `event: error`; anything else was a cut. After a pause that doubles
//    from 0.25 s to 5 s the events of the run are read on behind the last id. 204: it was complete. 410: the
//    events are gone, and the stored messages have to be read.
// 3. Where the cut came before the run was known, the same request goes again with the same key.
import { ApiError, isAbort, type Request } from '../api';
import { readBlocks, type Block } from './sse';

export type End =
  | { kind: 'done' }
  | { kind: 'failed' } // the stream said so itself; its last block was handed on
  | { kind: 'gone' } // what is stored has to be read
  | { kind: 'refused'; error: ApiError };

// Where an answer comes from: a new request, or a run that goes on.
export type Source =
  | { path: string; body: unknown; key: string }
  | { run: string };

export interface Sink {
  began(run: string, conversation: string | null): void;
  block(block: Block): void;
  cut(attempt: number): void; // the connection is gone, and will be made again
  back(): void; // it was made again
}

export interface World {
  call(path: string, request?: Request): Promise<Response>;
  pause(ms: number, signal: AbortSignal): Promise<void>;
  random(): number;
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;

// follow: hands the blocks of an answer to the sink, each once and in order, until the answer has ended.
// Throws an AbortError when the signal says so, and nothing else.
export async function follow(source: Source, sink: Sink, signal: AbortSignal, world: World): Promise<End> {
  let run = 'run' in source ? source.run : null;
  let last: string | null = null;
  let cuts = 0;

  for (;;) {
    let pauseAtLeast = 0;
    try {
      const answer: Response = run
        ? await world.call(`/v1/runs/${run}/events`, { headers: last ? { 'Last-Event-ID': last } : {}, signal })
        : await begin(source, signal, world);
      if (answer.status === 204) return { kind: 'done' };
      run = answer.headers.get('X-Run-Id') ?? run;
      if (run) sink.began(run, answer.headers.get('X-Conversation-Id'));
      if (cuts > 0) sink.back();
      for await (const block of readBlocks(answer)) {
        cuts = 0;
        last = block.id ?? last;
        sink.block(block);
        if (block.event === 'done') return { kind: 'done' };
        if (block.event === 'error') return { kind: 'failed' };
      }
    } catch (error) {
      if (isAbort(error)) throw error;
      if (error instanceof ApiError && error.status !== 0) {
        if (run && (error.status === 410 || error.status === 404)) return { kind: 'gone' };
        if (!run || error.status < 500) return { kind: 'refused', error };
        pauseAtLeast = (error.retry_after ?? 0) * 1000;
      }
    }
    cuts += 1;
    sink.cut(cuts);
    await world.pause(Math.max(pauseAtLeast, pauseAfter(cuts, world.random())), signal);
  }
}

function begin(source: Source, signal: AbortSignal, world: World): Promise<Response> {
  if ('run' in source) throw new Error('a run is known from the start');
  const headers = { 'Idempotency-Key': source.key };
  return world.call(source.path, { body: source.body, headers, signal });
}

// pauseAfter: between half of the doubled pause and all of it, so that many pages don't come back at once.
export function pauseAfter(cuts: number, random: number): number {
  const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (cuts - 1));
  return pause * (0.5 + random / 2);
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resume, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException('stopped', 'AbortError'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resume();
    }, ms);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}
