import {
  Dialog
} from "./chunk.5PW4BKAU.js";
import {
  A,
  ApiError,
  Loading,
  Refused,
  T,
  a,
  d,
  isAbort,
  words
} from "./chunk.NTQJNANU.js";

// src/parts/list.tsx
var nothing = { data: null, after: null, more: false, error: null, nextError: null };
function useList(ask, on) {
  const [held, setHeld] = d({ ...nothing, busy: true });
  const [turn, setTurn] = d(0);
  const asked = T(ask);
  asked.current = ask;
  const abort = T(null);
  const answered = T("");
  const question = JSON.stringify(on);
  const read = (after) => {
    abort.current?.abort();
    const control = abort.current = new AbortController();
    setHeld((old) => ({ ...old, busy: true }));
    asked.current(after, control.signal).then(
      (page) => {
        if (control.signal.aborted) return;
        answered.current = question;
        setHeld((old) => ({
          data: after === null ? page.data : unique([...old.data ?? [], ...page.data]),
          after: page.last_id,
          more: page.has_more,
          error: null,
          nextError: null,
          busy: false
        }));
      },
      (error) => {
        if (control.signal.aborted || isAbort(error)) return;
        const failed = asApiError(error);
        if (after !== null) setHeld((old) => ({ ...old, nextError: failed, busy: false }));
        else setHeld((old) => ({ ...answered.current === question ? old : nothing, error: failed, busy: false }));
      }
    );
  };
  A(() => {
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
    set: (data) => setHeld((old) => {
      const gone = old.data?.some((row) => row.id === old.after) && !data.some((row) => row.id === old.after);
      return { ...old, data, after: gone ? data.at(-1)?.id ?? null : old.after };
    })
  };
}
function unique(rows) {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
function asApiError(error) {
  return error instanceof ApiError ? error : new ApiError(0, String(error));
}
function More({ of }) {
  if (of.data === null) return null;
  if (of.busy) return /* @__PURE__ */ a(Loading, {});
  if (of.nextError) return /* @__PURE__ */ a(Refused, { error: of.nextError, retry: of.next });
  if (!of.more) return null;
  return /* @__PURE__ */ a("button", { type: "button", class: "more", onClick: of.next, children: words.state.more });
}

// src/parts/action.tsx
function useAction() {
  const [busy, setBusy] = d(false);
  const [error, setError] = d(null);
  const there = T(true);
  A(() => () => void (there.current = false), []);
  const run = (work) => {
    setBusy(true);
    setError(null);
    work().catch((failure) => there.current && setError(asApiError(failure))).finally(() => there.current && setBusy(false));
  };
  return { busy, error, run, clear: () => setError(null) };
}
function FormDialog({ title, submit, danger, disabled, onSubmit, onClose, children }) {
  const action = useAction();
  const send = (event) => {
    event.preventDefault();
    if (!disabled && !action.busy) action.run(onSubmit);
  };
  return /* @__PURE__ */ a(Dialog, { title, onClose, children: /* @__PURE__ */ a("form", { onSubmit: send, children: [
    children,
    action.error && /* @__PURE__ */ a(Refused, { error: action.error }),
    /* @__PURE__ */ a("footer", { children: [
      /* @__PURE__ */ a("button", { type: "button", onClick: onClose, children: words.actions.cancel }),
      /* @__PURE__ */ a("button", { class: danger ? "danger" : "primary", disabled: disabled || action.busy, children: submit })
    ] })
  ] }) });
}

export {
  useList,
  asApiError,
  More,
  useAction,
  FormDialog
};
