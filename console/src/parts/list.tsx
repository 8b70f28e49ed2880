// A list that comes in pages, each after the last row of the one before.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, isAbort, type List } from '../api';
import { words } from '../words';
import { Loading, Refused } from './state';
import type { Load } from './load';

export interface Listed<T> extends Load<T[]> {
  more: boolean;
  next: () => void; // asks for the next page
  nextError: ApiError | null; // what the next page met
}

export type AskPage<T> = (after: string | null, signal: AbortSignal) => Promise<List<T>>;

interface Held<T> {
  data: T[] | null;
  after: string | null;
  more: boolean;
  error: ApiError | null;
  nextError: ApiError | null;
  busy: boolean;
}

const nothing = { data: null, after: null, more: false, error: null, nextError: null };

// useList: one request a page. Another first page is asked for whenever one of `on` changes.
export function useList<T extends { id: string }>(ask: AskPage<T>, on: readonly unknown[]): Listed<T> {
  const [held, setHeld] = useState<Held<T>>({ ...nothing, busy: true });
  const [turn, setTurn] = useState(0);
  const asked = useRef(ask);
  asked.current = ask;
  const abort = useRef<AbortController | null>(null);
  const answered = useRef(''); // what the rows are an answer to
  const question = JSON.stringify(on);

  const read = (after: string | null) => {
    abort.current?.abort();
    const control = (abort.current = new AbortController());
    setHeld((old) => ({ ...old, busy: true }));
    asked.current(after, control.signal).then(
      (page) => {
        if (control.signal.aborted) return;
        answered.current = question;
        setHeld((old) => ({
          data: after === null ? page.data : unique([...(old.data ?? []), ...page.data]),
          after: page.last_id,
          more: page.has_more,
          error: null,
          nextError: null,
          busy: false,
        }));
      },
      (error) => {
        if (control.signal.aborted || isAbort(error)) return;
        const failed = asApiError(error);
        if (after !== null) setHeld((old) => ({ ...old, nextError: failed, busy: false }));
        // the rows stay where the same was asked again; those of another search would be no answer
        else setHeld((old) => ({ ...(answered.current === question ? old : nothing), error: failed, busy: false }));
      },
    );
  };

  useEffect(() => {
    read(null);
    return () => abort.current?.abort();
  }, [question, turn]);

  return {
    data: held.data,
    error: held.error,
    nextError: held.nextError,
    busy: held.busy,
    more: held.more,
    next: () => read(held.after),
    reload: () => setTurn((old) => old + 1),
    // A cursor must not name what was deleted: the last row that is left takes its place.
    set: (data) =>
      setHeld((old) => {
        const gone = old.data?.some((row) => row.id === old.after) && !data.some((row) => row.id === old.after);
        return { ...old, data, after: gone ? (data.at(-1)?.id ?? null) : old.after };
      }),
  };
}

// A live row may stand in a later page too.
function unique<T extends { id: string }>(rows: T[]): T[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, String(error));
}

// More: the button below a list that has further pages, or the error that the next page met.
export function More<T>({ of }: { of: Listed<T> }) {
  if (of.data === null) return null;
  if (of.busy) return <Loading />;
  if (of.nextError) return <Refused error={of.nextError} retry={of.next} />;
  if (!of.more) return null;
  return (
    <button type="button" class="more" onClick={of.next}>
      {words.state.more}
    </button>
  );
}
