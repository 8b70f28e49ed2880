import {
  A,
  ApiError,
  T,
  d,
  isAbort
} from "./chunk.NTQJNANU.js";

// src/parts/load.ts
function useLoad(ask, on) {
  const [state, setState] = d({
    data: null,
    error: null,
    busy: true
  });
  const [turn, setTurn] = d(0);
  const asked = T(ask);
  asked.current = ask;
  A(() => {
    const abort = new AbortController();
    setState((old) => ({ ...old, busy: true }));
    asked.current(abort.signal).then(
      (data) => abort.signal.aborted || setState({ data, error: null, busy: false }),
      (error) => {
        if (abort.signal.aborted || isAbort(error)) return;
        const known = error instanceof ApiError ? error : new ApiError(0, String(error));
        setState((old) => ({ ...old, error: known, busy: false }));
      }
    );
    return () => abort.abort();
  }, [...on, turn]);
  return {
    ...state,
    reload: () => setTurn((old) => old + 1),
    set: (data) => setState({ data, error: null, busy: false })
  };
}

export {
  useLoad
};
