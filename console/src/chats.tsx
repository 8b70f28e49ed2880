// The chats of the sidebar: pinned ones, then those with the newest turns, and, folded, what programs have stored. Two
// requests, after the page has been drawn; what changes elsewhere comes by news, and is asked for again at most every
// two seconds.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, get, query, type List } from './api';
import { Tabs } from './chat/tabs';
import { Changes, type Conversation } from './pages/conversations_change';
import { useLive } from './pages/runs_live';
import { announce } from './parts/announce';
import { Icon, type IconName } from './parts/icon';
import { asApiError } from './parts/list';
import { Refused } from './parts/state';
import type { ApiError } from './api';
import { go, href, route } from './router';
import { may } from './session';
import { words } from './words';

const PAGE = 30;
const PINNED = 50;
const PAUSE = 2000; // ms between two readings that news ask for
const TITLED = 5000; // ms after the end of a run, in which a model may have made a title

interface Held {
  pinned: Conversation[];
  recent: Conversation[];
  more: boolean;
}

const list = (parameters: Record<string, string | number>) =>
  get<List<Conversation>>(`/v1/conversations${query(parameters)}`);

async function read(): Promise<Held> {
  const [pinned, recent] = await Promise.all([
    list({ pinned: 'true', limit: PINNED }),
    list({ origin: 'console', sort: 'recent', limit: PAGE }),
  ]);
  const ids = new Set(pinned.data.map(({ id }) => id));
  return {
    pinned: pinned.data,
    recent: recent.data.filter(({ id }) => !ids.has(id)),
    more: recent.has_more,
  };
}

// useHeld: the lists, and how to have them read again.
function useHeld() {
  const [held, setHeld] = useState<Held | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = useRef<number>(0);
  const now = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    last.current = Date.now();
    read().then(
      (found) => (setHeld(found), setError(null)),
      (failure) => setError(asApiError(failure)),
    );
  };
  const soon = (wait = 0) => {
    timer.current ??= setTimeout(now, Math.max(wait, last.current + PAUSE - Date.now(), 0));
  };
  useEffect(() => {
    now();
    const seen = () => document.visibilityState === 'visible' && soon();
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener('visibilitychange', seen);
    };
  }, []);
  return { held, error, now, soon };
}

type Acting = { kind: 'rename' | 'delete'; of: Conversation } | null;

export default function Chats() {
  const { held, error, now, soon } = useHeld();
  const [acting, setActing] = useState<Acting>(null);
  const [failed, setFailed] = useState<ApiError | null>(null); // what a click was to change
  const tabs = useRef<Tabs | null>(null);
  useEffect(() => {
    tabs.current = new Tabs(() => soon());
    return () => tabs.current?.close();
  }, []);
  const changed = (id: string) => {
    tabs.current?.tell(id);
    now();
  };
  const change = async (of: Conversation, body: object) => {
    try {
      await (await call(`/v1/conversations/${of.id}`, { body })).body?.cancel();
      setFailed(null);
      return true;
    } catch (failure) {
      setFailed(asApiError(failure));
      return false;
    }
  };
  const pin = async (of: Conversation) => {
    if (await change(of, { pinned: !of.pinned })) announce(of.pinned ? words.chats.unpinned : words.chats.pinnedNow);
    changed(of.id);
  };
  const rename = async (of: Conversation, title: string) => {
    setActing(null);
    if (title !== of.title) await change(of, { title });
    changed(of.id);
  };
  const rows = (data: Conversation[]) => (
    <ul>
      {data.map((row) => (
        <Row key={row.id} row={row} acting={acting} act={setActing} pin={(of) => void pin(of)} rename={rename} />
      ))}
    </ul>
  );
  return (
    <>
      <nav class="chats" aria-label={words.chats.title}>
        <div class="row between">
          <h2>{words.chats.title}</h2>
          <a href={href('conversations')} class="all">
            {words.chats.all}
          </a>
        </div>
        {may('chat') && <Follow soon={soon} />}
        {error && !held && <Refused error={error} retry={now} />}
        {failed && <Refused error={failed} />}
        {!held && !error && <p class="fine loading">{words.state.loading}</p>}
        {held && held.pinned.length > 0 && (
          <section>
            <h3>{words.chats.pinned}</h3>
            {rows(held.pinned)}
          </section>
        )}
        {held && groups(held.recent).map(({ title, data }) => (
          <section key={title}>
            <h3>{title}</h3>
            {rows(data)}
          </section>
        ))}
        {held && held.pinned.length + held.recent.length === 0 && <p class="fine none">{words.chats.none}</p>}
        <Programs rows={rows} held={held} />
      </nav>
      {acting?.kind === 'delete' && (
        <Changes
          change={{ kind: 'delete', of: acting.of }}
          onClose={() => setActing(null)}
          onChanged={() => {}}
          onDeleted={(id) => {
            if (route.value.id === id) go('chat');
            changed(id);
          }}
        />
      )}
    </>
  );
}

// Follow: runs as they begin and end, for as long as the page is looked at: a browser has few connections for a host.
function Follow({ soon }: { soon: (wait?: number) => void }) {
  const [seen, setSeen] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const look = () => setSeen(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return seen && may('read') ? <Live soon={soon} /> : null;
}

function Live({ soon }: { soon: (wait?: number) => void }) {
  const late = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useLive(
    '/v1/runs/live',
    (runs) => {
      soon();
      if (runs.every((run) => run.status === 'queued' || run.status === 'running')) return;
      clearTimeout(late.current);
      late.current = setTimeout(soon, TITLED);
    },
    () => soon(),
  );
  useEffect(() => () => clearTimeout(late.current), []);
  return null;
}

interface ProgramsProps {
  rows: (data: Conversation[]) => preact.JSX.Element;
  held: Held | null; // news of it are news of this list, too
}

// Programs: read when it is unfolded.
function Programs({ rows, held }: ProgramsProps) {
  const [shown, setShown] = useState(false);
  const [data, setData] = useState<Conversation[] | null>(null);
  useEffect(() => {
    if (!shown) return;
    let wanted = true;
    list({ origin: 'api', limit: PAGE }).then(
      (found) => wanted && setData(found.data),
      () => {},
    );
    return () => {
      wanted = false;
    };
  }, [shown, held]);
  return (
    <details class="programs" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>{words.chats.programs}</summary>
      {shown && !data && <p class="fine loading">{words.state.loading}</p>}
      {data && (data.length > 0 ? rows(data) : <p class="fine none">{words.chats.programsNone}</p>)}
      {data && (
        <a class="all" href={href('conversations', null, { origin: 'api' })}>
          {words.chats.programsAll}
        </a>
      )}
    </details>
  );
}

interface RowProps {
  row: Conversation;
  acting: Acting;
  act: (acting: Acting) => void;
  pin: (of: Conversation) => void;
  rename: (of: Conversation, title: string) => Promise<void>;
}

function Row({ row, acting, act, pin, rename }: RowProps) {
  const title = row.title || words.conversations.untitled;
  const id = `chat-${row.id}`;
  const current = route.value.name === 'chat' && route.value.id === row.id;
  if (acting?.kind === 'rename' && acting.of.id === row.id)
    return (
      <li>
        <Rename row={row} done={(to) => (to === null ? act(null) : void rename(row, to))} />
      </li>
    );
  return (
    <li>
      <a id={id} href={href('chat', row.id)} title={title} aria-current={current ? 'page' : undefined}>
        <span dir="auto">{title}</span>
      </a>
      {may('chat') && (
        <span class="acts">
          <Act icon="pin" word={row.pinned ? words.chats.unpin : words.chats.pin} of={id} act={() => pin(row)} />
          <Act icon="edit" word={words.chats.rename} of={id} act={() => act({ kind: 'rename', of: row })} />
          <Act icon="trash" word={words.actions.delete} of={id} act={() => act({ kind: 'delete', of: row })} />
        </span>
      )}
    </li>
  );
}

function Act({ icon, word, of, act }: { icon: IconName; word: string; of: string; act: () => void }) {
  return (
    <button type="button" class="bare" title={word} aria-label={word} aria-describedby={of} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}

// Rename: Enter and leaving the field keep what was typed, Escape does not. An empty title is the first words again.
function Rename({ row, done }: { row: Conversation; done: (title: string | null) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  const [text, setText] = useState(row.title ?? ''); // what is typed outlives news of the list
  const end = (title: string | null) => {
    if (over.current) return;
    over.current = true;
    done(title);
    requestAnimationFrame(() => document.getElementById(`chat-${row.id}`)?.focus());
  };
  useEffect(() => input.current?.select(), []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        end(input.current!.value.trim());
      }}
    >
      <input
        ref={input}
        dir="auto"
        aria-label={words.conversations.title}
        maxLength={256}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={(event) => end(event.currentTarget.value.trim())}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          end(null);
        }}
      />
    </form>
  );
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const upper = (text: string) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

// groups: today, yesterday, this week, this month, and the months before.
function groups(rows: Conversation[]): { title: string; data: Conversation[] }[] {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const found: { title: string; data: Conversation[] }[] = [];
  for (const row of rows) {
    const past = Math.ceil((midnight.getTime() / 1000 - (row.updated_at ?? row.created_at)) / 86400);
    const title =
      past <= 0
        ? upper(relative.format(0, 'day'))
        : past === 1
          ? upper(relative.format(-1, 'day'))
          : past <= 7
            ? words.chats.week
            : past <= 30
              ? words.chats.month
              : words.chats.older;
    const last = found.at(-1);
    if (last?.title === title) last.data.push(row);
    else found.push({ title, data: [row] });
  }
  return found;
}
