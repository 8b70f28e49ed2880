// Takes in an archive, or the conversations.json of a ChatGPT export, and shows what came of it.
import { useState } from 'preact/hooks';
import { get } from '../api';
import { Tabs } from '../chat/tabs';
import { useAction } from '../parts/action';
import { announce } from '../parts/announce';
import { Drop } from '../parts/drop';
import { count } from '../parts/format';
import { Icon } from '../parts/icon';
import { Loading, Refused } from '../parts/state';
import { href } from '../router';
import { words } from '../words';

export interface Imported {
  conversations: { id: string; source_id: string; messages: number }[];
  warnings: { code: string; message: string; index?: number | null }[];
}

// The gateway finds out by the first character what a file is; the type only has to be one that it takes.
export async function importArchive(file: Blob): Promise<Imported> {
  const found = await get<Imported>('/v1/conversations/import', {
    method: 'POST',
    body: file,
    headers: { 'Content-Type': 'application/jsonl', 'Idempotency-Key': crypto.randomUUID() },
  });
  const tabs = new Tabs(() => {}); // the sidebar lists them, too
  if (found.conversations[0]) tabs.tell(found.conversations[0].id);
  tabs.close();
  return found;
}

export function Import({ onDone }: { onDone: () => void }) {
  const action = useAction();
  const [done, setDone] = useState<Imported | null>(null);
  const take = ([file]: File[]) =>
    action.run(async () => {
      setDone(null);
      const result = await importArchive(file!);
      setDone(result);
      announce(count(result.conversations.length, words.conversations.imported));
      onDone();
    });
  return (
    <>
      <Drop
        label={words.conversations.import}
        hint={words.conversations.importHint}
        accept=".jsonl,.json,application/json,application/jsonl"
        busy={action.busy}
        onFiles={take}
      />
      {action.busy && <Loading />}
      {action.error && <Refused error={action.error} />}
      {done && <Outcome of={done} onClose={() => setDone(null)} />}
    </>
  );
}

function Outcome({ of, onClose }: { of: Imported; onClose: () => void }) {
  const messages = of.conversations.reduce((sum, one) => sum + one.messages, 0);
  const only = of.conversations.length === 1 ? of.conversations[0] : undefined;
  return (
    <div class="notice wide" role="group" aria-label={words.conversations.importDone}>
      <Icon name="check" />
      <div>
        <strong>{count(of.conversations.length, words.conversations.imported)}</strong>
        <p>{count(messages, words.conversations.messages)}</p>
        {only && <a href={href('chat', only.id)}>{words.conversations.open}</a>}
        {of.warnings.length > 0 && (
          <details open>
            <summary>{count(of.warnings.length, words.conversations.warnings)}</summary>
            <ul>
              {of.warnings.map((warning, i) => (
                <li key={i}>{warning.message}</li>
              ))}
            </ul>
          </details>
        )}
        <button type="button" onClick={onClose}>
          {words.actions.close}
        </button>
      </div>
    </div>
  );
}
