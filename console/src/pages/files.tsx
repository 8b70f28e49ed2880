// The uploaded files of the key: a list, a look into texts and images, upload and deletion.
import { useState } from 'preact/hooks';
import { call, get, query, type List } from '../api';
import { FormDialog, useAction } from '../parts/action';
import { announce } from '../parts/announce';
import { Drop } from '../parts/drop';
import { bytes, count } from '../parts/format';
import { Icon } from '../parts/icon';
import { More, useList } from '../parts/list';
import { Empty, Loading, Refused, State } from '../parts/state';
import { Table } from '../parts/table';
import { Time } from '../parts/time';
import { fill, words } from '../words';
import { Preview } from './files_preview';

export interface StoredFile {
  id: string;
  bytes: number;
  created_at: number;
  filename: string;
  purpose: string;
}

const PAGE = 100;

export default function Files() {
  const [shown, setShown] = useState<StoredFile | null>(null);
  const [leaving, setLeaving] = useState<StoredFile | null>(null);
  const list = useList<StoredFile>(
    (after, signal) =>
      get<List<StoredFile>>(`/v1/files${query({ limit: PAGE, after: after ?? undefined })}`, { signal }),
    [],
  );
  const rows = () => list.data ?? [];
  const upload = useAction();
  const take = (files: File[]) =>
    upload.run(async () => {
      const made: StoredFile[] = [];
      try {
        for (const file of files) made.unshift(await send(file));
      } finally {
        list.set([...made, ...rows()]); // those that came before the one that was refused, too
      }
      announce(count(made.length, words.files.uploaded));
    });
  return (
    <div class="page files">
      <header class="row wrap between">
        <h1>{words.pages.files}</h1>
        <Drop label={words.files.upload} hint={words.files.uploadHint} multiple busy={upload.busy} onFiles={take} />
      </header>
      {upload.busy && <Loading />}
      {upload.error && <Refused error={upload.error} />}
      <State
        of={list}
        empty={(data) => data.length === 0}
        none={
          <Empty title={words.files.none}>
            <p>{words.files.noneText}</p>
          </Empty>
        }
      >
        {(data) => (
          <Table
            caption={words.pages.files}
            rows={data}
            id={(file) => file.id}
            columns={[
              {
                title: words.files.name,
                cell: (file) => (
                  <button type="button" class="bare link" onClick={() => setShown(file)}>
                    {file.filename}
                  </button>
                ),
              },
              { title: words.files.size, numeric: true, cell: (file) => bytes(file.bytes) },
              { title: words.files.purpose, cell: (file) => <code>{file.purpose}</code> },
              { title: words.files.time, cell: (file) => <Time at={file.created_at} /> },
              { title: words.files.actions, bare: true, cell: (file) => <Remove of={file} onRemove={() => setLeaving(file)} /> },
            ]}
          />
        )}
      </State>
      <More of={list} />
      {shown && <Preview of={shown} onClose={() => setShown(null)} />}
      {leaving && (
        <Delete
          of={leaving}
          onClose={() => setLeaving(null)}
          onDeleted={(id) => list.set(rows().filter((file) => file.id !== id))}
        />
      )}
    </div>
  );
}

function send(file: File): Promise<StoredFile> {
  const form = new FormData();
  form.append('purpose', file.type.startsWith('image/') ? 'vision' : 'user_data');
  form.append('file', file);
  return get<StoredFile>('/v1/files', {
    method: 'POST',
    body: form,
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });
}

function Remove({ of, onRemove }: { of: StoredFile; onRemove: () => void }) {
  return (
    <button
      type="button"
      class="bare"
      title={words.actions.delete}
      aria-label={`${words.actions.delete}: ${of.filename}`}
      onClick={onRemove}
    >
      <Icon name="trash" />
    </button>
  );
}

function Delete({ of, onClose, onDeleted }: { of: StoredFile; onClose: () => void; onDeleted: (id: string) => void }) {
  const submit = async () => {
    await call(`/v1/files/${of.id}`, { method: 'DELETE' });
    onDeleted(of.id);
    announce(words.files.deleted);
    onClose();
  };
  return (
    <FormDialog
      title={words.files.deleteTitle}
      submit={words.actions.delete}
      danger
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{fill(words.files.deleteText, { name: of.filename })}</p>
    </FormDialog>
  );
}
