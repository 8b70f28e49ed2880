// The first key of an open gateway, as a card of the pages that offer it. With the key the gateway closes, and what was said
// without a key has another owner: the page exports that before, and imports it with the new key.
import { useEffect, useState } from 'preact/hooks';
import { get, query, type ApiError, type List } from '../api';
import { useAction } from '../parts/action';
import { announce } from '../parts/announce';
import { count } from '../parts/format';
import { Icon } from '../parts/icon';
import { asApiError } from '../parts/list';
import { Program } from '../parts/program';
import { save } from '../parts/save';
import { Refused } from '../parts/state';
import { href } from '../router';
import { closeGateway, signIn } from '../session';
import { fill, words } from '../words';
import { exported } from './conversations_change';
import { importArchive } from './conversations_import';
import type { KeyMade } from './keys';
import { KeyText } from './keys_change';

interface Kept {
  archive: Blob | null; // null: nothing was said
  conversations: number;
}

const SCOPES = ['chat', 'read', 'files', 'admin'];

interface Outcome {
  key: KeyMade;
  kept: Kept | null; // null: it stays behind, as was chosen
  taken: number;
  failed: ApiError | null;
}

// onDone: its text has been kept.
export function FirstKey({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState(words.keys.firstName);
  const [along, setAlong] = useState(true);
  const [progress, setProgress] = useState('');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const action = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    action.run(async () => {
      const kept = along ? await exportAll((n) => setProgress(count(n, words.keys.firstExported))) : null;
      const key = await make(name);
      setOutcome({ key, kept, taken: 0, failed: null }); // whatever comes now, the text is on the screen
      setProgress('');
      announce(words.keys.madeTitle);
      setOutcome(await moveIn(key, kept));
    });
  };
  useEffect(() => () => closeGateway(false), []);
  if (outcome) return <FirstMade of={outcome} busy={action.busy} onDone={onDone} />;
  return (
    <form class="card stack first-key" onSubmit={submit}>
      <FirstTitle text={words.keys.firstTitle} />
      <p>{words.keys.firstText}</p>
      <label>
        {words.keys.firstNamed}
        <input
          required
          maxLength={128}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class="choice">
        <input type="checkbox" checked={along} onChange={(event) => setAlong(event.currentTarget.checked)} />
        {words.keys.firstAlong}
      </label>
      <p class="fine">{along ? words.keys.firstFiles : words.keys.firstBehind}</p>
      {action.error && <NotMade error={action.error} name={name} />}
      <p class="row wrap">
        <button class="primary" disabled={action.busy}>
          {words.keys.firstMake}
        </button>
        <span role="status">{progress}</span>
      </p>
    </form>
  );
}

function FirstTitle({ text }: { text: string }) {
  return (
    <h2 class="row">
      <Icon name="key" />
      {text}
    </h2>
  );
}

// Another address may serve the administration.
function NotMade({ error, name }: { error: ApiError; name: string }) {
  if (error.status !== 404) return <Refused error={error} />;
  return (
    <div class="stack" role="alert">
      <p>{words.keys.firstElsewhere}</p>
      <Program
        title={words.keys.firstTitle}
        text={`parley keys create --name '${name.replaceAll("'", `'\\''`)}' --scopes ${SCOPES.join(',')}`}
      />
    </div>
  );
}

async function make(name: string): Promise<KeyMade> {
  closeGateway(true);
  try {
    return await get<KeyMade>('/v1/admin/keys', { body: { name, scopes: SCOPES } });
  } catch (error) {
    closeGateway(false);
    throw error;
  }
}

// All conversations of the open gateway as one archive: archives may be joined.
async function exportAll(tell: (n: number) => void): Promise<Kept> {
  const parts: Blob[] = [];
  let after: string | null = null;
  do {
    const page: List<{ id: string }> = await get(
      `/v1/conversations${query({ limit: 100, order: 'asc', after: after ?? undefined })}`,
    );
    for (const { id } of page.data) {
      parts.push(await exported(id));
      tell(parts.length);
    }
    after = page.has_more ? page.last_id : null;
  } while (after);
  return { archive: parts.length ? new Blob(parts) : null, conversations: parts.length };
}

async function moveIn(key: KeyMade, kept: Kept | null): Promise<Outcome> {
  try {
    await signIn(key.key);
    const taken = kept?.archive ? (await importArchive(kept.archive)).conversations.length : 0;
    return { key, kept, taken, failed: null };
  } catch (error) {
    return { key, kept, taken: 0, failed: asApiError(error) };
  }
}

function FirstMade({ of, busy, onDone }: { of: Outcome; busy: boolean; onDone: () => void }) {
  const archive = of.kept?.archive;
  return (
    <section class="card stack first-key">
      <FirstTitle text={words.keys.madeTitle} />
      <p>{fill(words.keys.madeText, { name: of.key.name })}</p>
      <KeyText text={of.key.key} />
      {busy && <p role="status">{words.keys.firstMoving}</p>}
      {!busy && !of.failed && <p>{words.keys.firstSignedIn}</p>}
      {of.taken > 0 && <p>{count(of.taken, words.keys.firstTaken)}</p>}
      {of.kept === null && <p>{words.keys.firstBehind}</p>}
      {of.failed && (
        <>
          <Refused error={of.failed} />
          {archive && (
            <>
              <p>{words.keys.firstNotTaken}</p>
              <button type="button" onClick={() => save(archive, 'conversations.jsonl')}>
                {words.actions.download}
              </button>
            </>
          )}
        </>
      )}
      {!busy && (
        <p class="row wrap">
          <button type="button" class="primary" onClick={onDone}>
            {words.keys.madeDone}
          </button>
          <a href={href('conversations')}>{words.pages.conversations}</a>
        </p>
      )}
    </section>
  );
}
