// Runs as they begin, change and end: GET /v1/runs/live, in place of polling. The stream has no ids: who connects again
// reads the list again, for what ended meanwhile.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, call, isAbort } from '../api';
import { pause, pauseAfter } from '../chat/live';
import { readBlocks } from '../chat/sse';
import type { Run } from './runs_model';

// A state of the stream has no error but its code.
type RunState = Omit<Run, 'error' | 'continues'> & {
  object: 'run' | 'ready';
  error_code: string | null;
};

export type Following = 'connecting' | 'live' | 'off';

const TOGETHER = 250; // milliseconds: a busy gateway has hundreds of states in a second, a reader has not

// useLive: calls onStates for new states, the last of each run, a few times a second. onAgain: the stream was cut and is
// back, so the list may lack something. Path null: nothing is followed.
export function useLive(path: string | null, onStates: (runs: Run[]) => void, onAgain: () => void): Following {
  const [following, setFollowing] = useState<Following>('connecting');
  const told = useRef({ onStates, onAgain });
  told.current = { onStates, onAgain };
  useEffect(() => {
    if (path === null) return setFollowing('off');
    const abort = new AbortController();
    const waiting = new Map<string, Run>();
    let turn: ReturnType<typeof setTimeout> | undefined;
    const tell = () => {
      turn = undefined;
      told.current.onStates([...waiting.values()]);
      waiting.clear();
    };
    void follow(path, abort.signal, {
      ready: (again) => {
        setFollowing('live');
        if (again) told.current.onAgain();
      },
      state: (run) => {
        waiting.set(run.id, run);
        turn ??= setTimeout(tell, TOGETHER);
      },
      cut: () => setFollowing('connecting'),
      refused: () => setFollowing('off'),
    });
    return () => {
      clearTimeout(turn);
      abort.abort();
    };
  }, [path]);
  return following;
}

interface Reader {
  ready: (again: boolean) => void;
  state: (run: Run) => void;
  cut: () => void;
  refused: () => void;
}

async function follow(path: string, signal: AbortSignal, reader: Reader): Promise<void> {
  let cuts = 0,
    again = false;
  while (!signal.aborted) {
    try {
      await read(path, signal, reader, () => {
        reader.ready(again);
        again = true;
        cuts = 0;
      });
    } catch (error) {
      if (isAbort(error)) return;
      // what another try can't mend: no such route, no right to it
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429)
        return reader.refused();
    }
    cuts += 1;
    reader.cut();
    await pause(pauseAfter(cuts, Math.random()), signal).catch(() => {}); // the page is left
  }
}

async function read(path: string, signal: AbortSignal, reader: Reader, ready: () => void): Promise<void> {
  const answer = await call(path, { signal, headers: { Accept: 'text/event-stream' } });
  for await (const { event, data } of readBlocks(answer)) {
    if (event) return; // done and error end the stream
    const { object, error_code, ...state } = JSON.parse(data) as RunState;
    if (object === 'ready') ready();
    else reader.state({ ...state, error: error_code === null ? null : { code: error_code }, continues: null });
  }
}
