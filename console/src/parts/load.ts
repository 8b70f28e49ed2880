// What a page asks of the gateway, with its four states.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, isAbort } from '../api';

export interface Load<T> {
  data: T | null; // stays while it is asked again
  error: ApiError | null;
  busy: boolean;
  reload: () => void;
  set: (data: T) => void; // what the page knows without asking
}

// useLoad: asks when it begins and whenever one of `on` changes; what is under way then is aborted.
export function useLoad<T>(ask: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): Load<T> {
  const [state, setState] = useState<{ data: T | null; error: ApiError | null; busy: boolean }>({
    data: null,
    error: null,
    busy: true,
  });
  const [turn, setTurn] = useState(0);
  const asked = useRef(ask);
  asked.current = ask;

  useEffect(() => {
    const abort = new AbortController();
    setState((old) => ({ ...old, busy: true }));
    asked.current(abort.signal).then(
      (data) => abort.signal.aborted || setState({ data, error: null, busy: false }),
      (error) => {
        if (abort.signal.aborted || isAbort(error)) return;
        const known = error instanceof ApiError ? error : new ApiError(0, String(error));
        setState((old) => ({ ...old, error: known, busy: false }));
      },
    );
    return () => abort.abort();
  }, [...on, turn]);

  return {
    ...state,
    reload: () => setTurn((old) => old + 1),
    set: (data) => setState({ data, error: null, busy: false }),
  };
}
