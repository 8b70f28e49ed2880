// Where a message is written: the text, files by drop, paste and choice, the model, Send and Stop.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get } from '../api';
import { Icon } from '../parts/icon';
import { Refused } from '../parts/state';
import { may } from '../session';
import { fill, words } from '../words';
import type { Chat } from './chat';
import { Chips } from './chips';
import { ModelSelect } from './model_select';
import type { Options } from './options_of';
import type { Attached, Sheet } from './sheet';

interface ComposerProps {
  chat: Chat;
  options: Options;
  change: (options: Partial<Options>) => void;
  onOptions: () => void;
  send: (text: string, files: Attached[]) => void;
  files: Files;
}

export function Composer({ chat, options, change, onOptions, send, files }: ComposerProps) {
  const text = chat.sheet.text.value;
  const input = useRef<HTMLTextAreaElement>(null);
  const busy = chat.activity.value !== 'idle';
  const empty = !text.trim() && files.attached.length === 0;

  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) input.current?.focus();
  }, [chat]);
  useLayoutEffect(() => grow(input.current), [text]);
  useEffect(() => {
    const stop = (event: KeyboardEvent) => {
      // Escape that closes something else stops nothing.
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      if (document.querySelector('dialog[open], [data-menu=shown]')) return;
      if (chat.activity.value !== 'idle') void chat.stop();
    };
    addEventListener('keydown', stop);
    return () => removeEventListener('keydown', stop);
  }, [chat]);

  const submit = () => {
    if (busy || files.uploading || empty) return;
    const { attached } = files;
    chat.sheet.text.value = '';
    files.clear();
    send(text, attached);
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onPaste={(event) => {
        if (files.allowed && event.clipboardData?.files.length) files.add(event.clipboardData.files);
      }}
    >
      {files.error && <Refused error={files.error} />}
      <Chips files={files.attached} remove={files.remove} uploading={files.uploading} />
      {options.store && options.second && (
        <ul class="chips">
          <li>
            <span dir="auto">{fill(words.chat.comparing, { model: options.second })}</span>
            <button
              type="button"
              class="bare"
              aria-label={words.chat.compareNot}
              onClick={() => change({ second: '' })}
            >
              <Icon name="close" />
            </button>
          </li>
        </ul>
      )}
      <textarea
        ref={input}
        rows={1}
        dir="auto"
        aria-label={words.chat.message}
        placeholder={words.chat.placeholder}
        value={text}
        onInput={(event) => (chat.sheet.text.value = event.currentTarget.value)}
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
        <ModelSelect value={options.model} change={(model) => change({ model })} />
        {options.store && (
          <ModelSelect
            icon="two"
            label={words.chat.compare}
            value={options.second}
            change={(second) => change({ second })}
          />
        )}
        {busy && chat.activity.value !== 'loading' ? (
          <button type="button" class="send" onClick={() => void chat.stop()}>
            <Icon name="stop" />
            <span>{words.chat.stop}</span>
          </button>
        ) : (
          <button class="primary send" disabled={empty || busy || files.uploading !== null}>
            <Icon name="send" />
            <span>{words.chat.send}</span>
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

export type Files = ReturnType<typeof useFiles>;

// useFiles: files are uploaded one after the other as soon as they are there, for the conversation in which they were
// chosen.
export function useFiles(sheet: Sheet) {
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
        sheet.files.value = [...sheet.files.value, { id, name: filename }];
      }
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)));
    }
    setUploading(null);
  };

  return {
    allowed: may('files'),
    attached: sheet.files.value,
    uploading,
    error,
    add: (files: FileList) => void add(files),
    remove: (id: string) => (sheet.files.value = sheet.files.value.filter((file) => file.id !== id)),
    clear: () => (sheet.files.value = []),
  };
}
