// An answer that comes: its blocks become segments of a turn, which is drawn as it grows.
import type { Signal } from '@preact/signals';
import { call } from '../api';
import { announce } from '../parts/announce';
import { words } from '../words';
import type { Activity } from './chat';
import { follow, pause, type End, type Source } from './live';
import { Growing, type Chunk, type Lmc } from './segments';
import type { Run, Turn } from './store';

// Where an answer is drawn.
export interface Place {
  readonly activity: Signal<Activity>;
  readonly runs: Signal<Map<string, Run>>;
  readonly drawn: Map<string, () => void>; // of a turn's key: draws what has come
}

const world = { call, pause, random: Math.random };

// grow: follows an answer to its end. `before` is the answer that it goes on with. Throws an AbortError when the signal
// says so.
export async function grow(
  source: Source,
  turn: Turn,
  before: Turn | undefined,
  place: Place,
  signal: AbortSignal,
  began: (run: string) => void,
): Promise<End> {
  const growing = new Growing(before?.segments ?? [], !('run' in source));
  const begun = performance.now();
  turn.segments = growing.segments;
  const { activity, drawn } = place;
  const sink = {
    began: (run: string) => {
      turn.run = run;
      began(run);
    },
    block: ({ event, data }: { event?: string; data: string }) => {
      if (data === '[DONE]') return;
      if (growing.add(JSON.parse(data) as Chunk | Lmc) && before) drawn.get(before.key)?.();
      if (activity.value !== 'answering' && growing.segments.length > 0) {
        if (!('run' in source)) turn.firstPiece ??= performance.now() - begun;
        activity.value = 'answering';
        announce(words.chat.begins);
      }
      if (event !== 'error') drawn.get(turn.key)?.();
    },
    cut: () => (activity.value = 'cut'),
    back: () => (activity.value = growing.segments.length ? 'answering' : 'sending'),
  };
  const end = await follow(source, sink, signal, world);
  growing.end();
  turn.finish = growing.finish;
  if (before) drawn.get(before.key)?.();
  if (turn.firstPiece !== undefined) turn.took = performance.now() - begun;
  drawn.get(turn.key)?.();
  announce(end.kind === 'done' ? words.chat.complete : words.chat.broken);
  return end;
}
