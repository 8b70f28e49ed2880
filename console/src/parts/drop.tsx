// Takes files by a button, and by drop anywhere on the page that shows it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon';

interface DropProps {
  label: string; // of the button
  hint: string; // shown over the page while files are dragged
  accept?: string;
  multiple?: boolean;
  busy: boolean;
  onFiles: (files: File[]) => void;
}

export function Drop({ label, hint, accept, multiple, busy, onFiles }: DropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const taken = useRef(onFiles);
  taken.current = onFiles;

  useEffect(() => {
    const control = new AbortController();
    const on = (name: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      addEventListener(name, act, { signal: control.signal });
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    on('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault(); // else the browser opens the file in place of the console
      setOver(true);
    });
    on('dragleave', (event) => event.relatedTarget === null && setOver(false));
    on('drop', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const files = [...event.dataTransfer!.files];
      if (files.length) taken.current(multiple ? files : files.slice(0, 1));
    });
    return () => control.abort();
  }, [multiple]);

  const choose = (event: Event & { currentTarget: HTMLInputElement }) => {
    const files = [...(event.currentTarget.files ?? [])];
    event.currentTarget.value = ''; // the same file may be chosen again
    if (files.length) onFiles(files);
  };

  return (
    <>
      <input ref={input} type="file" hidden accept={accept} multiple={multiple} onChange={choose} />
      <button type="button" disabled={busy} onClick={() => input.current?.click()}>
        <Icon name="plus" />
        {label}
      </button>
      {over && (
        <div class="drop" aria-hidden="true">
          <p>{hint}</p>
        </div>
      )}
    </>
  );
}
