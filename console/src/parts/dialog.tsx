// A modal dialog: the browser's own, which keeps the focus and closes with Escape.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { words } from '../words';
import { Icon } from './icon';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

// Dialog is drawn while it is open. A form with method="dialog" in it closes it too.
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="bare" aria-label={words.actions.close} onClick={() => element.current?.close()}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
