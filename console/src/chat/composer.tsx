// Where a message is written: the text, files by drop, paste and choice, the model, Send and Stop.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get } from '../api';
import { Icon } from '../parts/icon';
import { Refused } from '../parts/state';
import { may } from '../session';
import { fill, words } from '../words';
import type { Attached, Chat, Options } from './chat';
import { ModelChoice } from './options';

interface ComposerProps {
  chat: Chat;
  options: Options;
  change: (options: Partial<Options>) => void;
  onOptions: () => void;
  send: (text: string, files: Attached[]) => void;
}

export function Composer({ chat, options, change, onOptions, send }: ComposerProps) {
  const [text, setText] = useState('');
  const files = useFiles();
  const input = useRef<HTMLTextAreaElement>(null);
  const busy = chat.activity.value !== 'idle';

  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) input.current?.focus();
  }, [chat]);
  useEffect(() => {
    const { returned } = chat;
    if (!returned.value) return;
    setText((written) => written || returned.value);
    returned.value = '';
  }, [chat.returned.value]);
  useEffect(() => grow(input.current), [text]);
  useEffect(() => {
    const stop = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && chat.activity.value !== 'idle' && !document.querySelector('dialog[open]'))
        void chat.stop();
    };
    addEventListener('keydown', stop);
    return () => removeEventListener('keydown', stop);
  }, [chat]);

  const submit = () => {
    if (busy || files.uploading || !text.trim()) return;
    send(text, files.attached);
    setText('');
    files.clear();
  };

  return (
    <form
      class="composer"
      data-drop={words.chat.drop}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => files.allowed && event.preventDefault()}
      onDrop={(event) => {
        if (!files.allowed || !event.dataTransfer?.files.length) return;
        event.preventDefault();
        files.add(event.dataTransfer.files);
      }}
      onPaste={(event) => {
        if (files.allowed && event.clipboardData?.files.length) files.add(event.clipboardData.files);
      }}
    >
      {files.error && <Refused error={files.error} />}
      <Chips files={files} />
      <textarea
        ref={input}
        rows={1}
        aria-label={words.chat.message}
        placeholder={words.chat.placeholder}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!sends(event)) return;
          event.preventDefault();
          submit();
        }}
      />
      <div class="row">
        {files.allowed && <Attach add={files.add} />}
        <button type="button" class="bare" onClick={onOptions} title={words.chat.options}>
          <Icon name="gear" />
          <span class="unseen">{words.chat.options}</span>
        </button>
        <ModelChoice value={options.model} change={(model) => change({ model })} />
        {busy && chat.activity.value !== 'loading' ? (
          <button type="button" class="send" onClick={() => void chat.stop()}>
            <Icon name="stop" />
            {words.chat.stop}
          </button>
        ) : (
          <button class="primary send" disabled={!text.trim() || busy || files.uploading !== null}>
            <Icon name="send" />
            {words.chat.send}
          </button>
        )}
      </div>
      {!options.store && <p class="fine">{words.chat.notStored}</p>}
    </form>
  );
}

// Enter sends: not while an input method composes, and not on touch screens, where it is a line break.
function sends(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing && matchMedia('(pointer: fine)').matches;
}

function grow(input: HTMLTextAreaElement | null): void {
  if (!input) return;
  input.style.blockSize = 'auto';
  input.style.blockSize = `${Math.min(input.scrollHeight + 2, innerHeight / 3)}px`;
}

function Attach({ add }: { add: (files: FileList) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          if (event.currentTarget.files) add(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
      <button type="button" class="bare" title={words.chat.attach} onClick={() => input.current?.click()}>
        <Icon name="clip" />
        <span class="unseen">{words.chat.attach}</span>
      </button>
    </>
  );
}

function Chips({ files }: { files: Files }) {
  if (!files.attached.length && !files.uploading) return null;
  return (
    <ul class="chips" aria-label={words.chat.attached}>
      {files.attached.map((file) => (
        <li key={file.id}>
          {file.name}
          <button
            type="button"
            class="bare"
            aria-label={fill(words.chat.detach, { name: file.name })}
            onClick={() => files.remove(file.id)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
      {files.uploading && <li role="status">{fill(words.chat.uploading, { name: files.uploading })}</li>}
    </ul>
  );
}

type Files = ReturnType<typeof useFiles>;

// useFiles: files are uploaded one after the other as soon as they are there.
function useFiles() {
  const [attached, setAttached] = useState<Attached[]>([]);
  const [uploading, setUploading] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);

  const add = async (files: FileList) => {
    setError(null);
    try {
      for (const file of Array.from(files)) {
        setUploading(file.name);
        const form = new FormData();
        form.append('purpose', 'user_data');
        form.append('file', file, file.name);
        const { id, filename } = await get<{ id: string; filename: string }>('/v1/files', { body: form });
        setAttached((old) => [...old, { id, name: filename }]);
      }
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)));
    }
    setUploading(null);
  };

  return {
    allowed: may('files'),
    attached,
    uploading,
    error,
    add: (files: FileList) => void add(files),
    remove: (id: string) => setAttached((old) => old.filter((file) => file.id !== id)),
    clear: () => setAttached([]),
  };
}
