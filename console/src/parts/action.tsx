// What a button or a form does at the gateway: busy while it runs, and the error if it was refused.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api';
import { words } from '../words';
import { Dialog } from './dialog';
import { asApiError } from './list';
import { Refused } from './state';

export interface Action {
  busy: boolean;
  error: ApiError | null;
  run: (work: () => Promise<void>) => void;
  clear: () => void;
}

export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const there = useRef(true);
  useEffect(() => () => void (there.current = false), []);
  const run = (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    work()
      .catch((failure) => there.current && setError(asApiError(failure)))
      .finally(() => there.current && setBusy(false));
  };
  return { busy, error, run, clear: () => setError(null) };
}

interface FormDialogProps {
  title: string;
  submit: string;
  danger?: boolean;
  disabled?: boolean;
  onSubmit: () => Promise<void>; // the dialog closes when it is done, and shows the error if it fails
  onClose: () => void;
  children: ComponentChildren;
}

// FormDialog: a question or a form with a button to do it and one to leave it.
export function FormDialog({ title, submit, danger, disabled, onSubmit, onClose, children }: FormDialogProps) {
  const action = useAction();
  const send = (event: Event) => {
    event.preventDefault();
    if (!disabled && !action.busy) action.run(onSubmit);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={send}>
        {children}
        {action.error && <Refused error={action.error} />}
        <footer>
          <button type="button" onClick={onClose}>
            {words.actions.cancel}
          </button>
          <button class={danger ? 'danger' : 'primary'} disabled={disabled || action.busy}>
            {submit}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
