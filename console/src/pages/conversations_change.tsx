// What is done to one conversation: its title and labels, its export, its end.
import { useEffect, useState } from 'preact/hooks';
import { call, get } from '../api';
import { FormDialog } from '../parts/action';
import { announce } from '../parts/announce';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icon';
import { useLoad } from '../parts/load';
import { save } from '../parts/save';
import { Loading, Refused } from '../parts/state';
import { fill, words } from '../words';

export interface Conversation {
  id: string;
  created_at: number;
  title?: string | null;
  metadata: Record<string, string>;
  pinned?: boolean;
  origin?: 'console' | 'api';
  // Rows of lists have these, too.
  updated_at?: number;
  message_count?: number;
  cost?: string | null;
  model?: string | null;
  excerpt?: string;
}

export interface Change {
  kind: 'edit' | 'export' | 'delete';
  of: Conversation;
}

interface ChangesProps {
  change: Change;
  onClose: () => void;
  onChanged: (conversation: Conversation) => void;
  onDeleted: (id: string) => void;
}

export function Changes({ change, onClose, onChanged, onDeleted }: ChangesProps) {
  switch (change.kind) {
    case 'edit':
      return <Edit id={change.of.id} onClose={onClose} onChanged={onChanged} />;
    case 'export':
      return <Export of={change.of} onClose={onClose} />;
    case 'delete':
      return <Delete of={change.of} onClose={onClose} onDeleted={onDeleted} />;
  }
}

const path = (id: string) => `/v1/conversations/${id}`;
const titleOf = (of: Conversation) => of.title || words.conversations.untitled;

interface Read {
  conversation: Conversation;
  revision: string | null; // its ETag
}

// Edit reads the conversation first: a change replaces all labels, and must not undo those of another tab.
function Edit({
  id,
  onClose,
  onChanged,
}: {
  id: string;
  onClose: () => void;
  onChanged: (changed: Conversation) => void;
}) {
  const read = useLoad<Read>(
    async (signal) => {
      const answer = await call(path(id), { signal });
      return { conversation: (await answer.json()) as Conversation, revision: answer.headers.get('ETag') };
    },
    [id],
  );
  if (read.data) return <EditForm read={read.data} onClose={onClose} onChanged={onChanged} />;
  return (
    <Dialog title={words.conversations.edit} onClose={onClose}>
      {read.error ? <Refused error={read.error} retry={read.reload} /> : <Loading />}
    </Dialog>
  );
}

interface EditFormProps {
  read: Read;
  onClose: () => void;
  onChanged: (changed: Conversation) => void;
}

function EditForm({ read, onClose, onChanged }: EditFormProps) {
  const [title, setTitle] = useState(read.conversation.title ?? '');
  const [labels, setLabels] = useState(Object.entries(read.conversation.metadata));
  const change = (i: number, name: string, value: string) =>
    setLabels(labels.map((pair, place) => (place === i ? [name, value] : pair)));
  const submit = async () => {
    const metadata = Object.fromEntries(labels.filter(([name]) => name !== ''));
    const headers: Record<string, string> = read.revision ? { 'If-Match': read.revision } : {};
    onChanged(
      await get<Conversation>(path(read.conversation.id), {
        method: 'POST',
        body: { ...(title !== (read.conversation.title ?? '') && { title }), metadata },
        headers,
      }),
    );
    announce(words.conversations.saved);
    onClose();
  };
  return (
    <FormDialog title={words.conversations.edit} submit={words.actions.save} onSubmit={submit} onClose={onClose}>
      <label>
        {words.conversations.title}
        <input value={title} maxLength={256} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <fieldset class="labels">
        <legend>{words.conversations.labels}</legend>
        {labels.map(([name, value], i) => (
          <div class="row" key={i}>
            <input
              aria-label={words.conversations.labelName}
              placeholder={words.conversations.labelName}
              maxLength={64}
              value={name}
              onInput={(event) => change(i, event.currentTarget.value, value)}
            />
            <input
              aria-label={words.conversations.labelValue}
              placeholder={words.conversations.labelValue}
              maxLength={512}
              value={value}
              onInput={(event) => change(i, name, event.currentTarget.value)}
            />
            <button
              type="button"
              class="bare"
              title={words.conversations.labelRemove}
              aria-label={`${words.conversations.labelRemove}: ${name}`}
              onClick={() => setLabels(labels.filter((_, place) => place !== i))}
            >
              <Icon name="close" />
            </button>
          </div>
        ))}
        {labels.length < 16 && (
          <button type="button" onClick={() => setLabels([...labels, ['', '']])}>
            <Icon name="plus" />
            {words.conversations.labelAdd}
          </button>
        )}
      </fieldset>
    </FormDialog>
  );
}

// exported: the archive. An answer that breaks off throws, so half an archive is never saved.
export async function exported(id: string, signal?: AbortSignal): Promise<Blob> {
  return (await call(`${path(id)}/export`, { signal })).blob();
}

function Export({ of, onClose }: { of: Conversation; onClose: () => void }) {
  const read = useLoad((signal) => exported(of.id, signal), [of.id]);
  useEffect(() => {
    if (!read.data) return;
    save(read.data, `${of.id}.jsonl`);
    announce(words.conversations.exported);
    onClose();
  }, [read.data]);
  return (
    <Dialog title={words.conversations.export} onClose={onClose}>
      <p>{titleOf(of)}</p>
      {read.error ? <Refused error={read.error} retry={read.reload} /> : <Loading />}
    </Dialog>
  );
}

function Delete({
  of,
  onClose,
  onDeleted,
}: {
  of: Conversation;
  onClose: () => void;
  onDeleted: (id: string) => void;
}) {
  const submit = async () => {
    await call(path(of.id), { method: 'DELETE' });
    onDeleted(of.id);
    announce(words.conversations.deleted);
    onClose();
  };
  return (
    <FormDialog
      title={words.conversations.deleteTitle}
      submit={words.actions.delete}
      danger
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{fill(words.conversations.deleteText, { title: titleOf(of) })}</p>
    </FormDialog>
  );
}
