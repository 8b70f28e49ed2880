// The conversations of the key: by time, or those that have the words of a search.
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, query, type List } from '../api';
import { Tabs } from '../chat/tabs';
import type { PageProps } from '../pages';
import { announce } from '../parts/announce';
import { count, day, money, plainWords } from '../parts/format';
import { Icon } from '../parts/icon';
import { More, useList } from '../parts/list';
import { Empty, State } from '../parts/state';
import { href, replace } from '../router';
import { may } from '../session';
import { words } from '../words';
import { Changes, type Change, type Conversation } from './conversations_change';
import { Import } from './conversations_import';
import { Found } from './conversations_search';

const PAGE = 50;

export default function Conversations({ route }: PageProps) {
  const q = route.query.get('q') ?? '';
  const key = route.query.get('key') ?? '';
  const value = route.query.get('value') ?? '';
  const origin = route.query.get('origin') ?? '';
  const [imported, setImported] = useState(0);
  return (
    <div class="page conversations">
      <header class="row wrap between">
        <h1>{words.pages.conversations}</h1>
        {may('chat') && <Import onDone={() => setImported((old) => old + 1)} />}
      </header>
      <Search q={q} focus={route.query.get('focus') === 'search'} />
      {q ? (
        <Found q={q} turn={imported} />
      ) : (
        <>
          <div class="row wrap between">
            {!key && <Origins origin={origin} />}
            <Filter name={key} value={value} />
          </div>
          <ByTime name={key} value={value} origin={key ? '' : origin} turn={imported} />
        </>
      )}
    </div>
  );
}

function Search({ q, focus }: { q: string; focus: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (!focus) return;
    requestAnimationFrame(() => input.current?.focus()); // behind the focus that goes to a new page
    replace('conversations', null, q ? { q } : {});
  }, [focus]);
  const submit = (event: Event) => {
    event.preventDefault();
    replace('conversations', null, text.trim() ? { q: text.trim() } : {});
  };
  return (
    <form role="search" class="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={words.conversations.search}
        placeholder={words.conversations.search}
        title={words.conversations.syntax}
        maxLength={1024}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          if (event.currentTarget.value === '') replace('conversations'); // also the cross in the field
        }}
      />
      <button class="primary">{words.conversations.find}</button>
    </form>
  );
}

const origins = ['', 'console', 'api'] as const;

function Origins({ origin }: { origin: string }) {
  return (
    <nav class="origins" aria-label={words.conversations.origin}>
      {origins.map((one) => (
        <a
          key={one}
          href={href('conversations', null, one ? { origin: one } : {})}
          aria-current={one === origin ? 'true' : undefined}
        >
          {words.conversations.origins[one || 'all']}
        </a>
      ))}
    </nav>
  );
}

function Filter({ name, value }: { name: string; value: string }) {
  const [typed, setTyped] = useState({ name, value });
  useEffect(() => setTyped({ name, value }), [name, value]);
  const filter = (event: Event) => {
    event.preventDefault();
    replace('conversations', null, typed.name ? { key: typed.name, value: typed.value } : {});
  };
  return (
    <details class="filter" open={name !== ''}>
      <summary>{words.conversations.filter}</summary>
      <form class="row wrap" onSubmit={filter}>
        <label>
          {words.conversations.labelName}
          <input
            required
            maxLength={64}
            value={typed.name}
            onInput={(event) => setTyped({ ...typed, name: event.currentTarget.value })}
          />
        </label>
        <label>
          {words.conversations.labelValue}
          <input
            maxLength={512}
            value={typed.value}
            onInput={(event) => setTyped({ ...typed, value: event.currentTarget.value })}
          />
        </label>
        <button>{words.conversations.filterSubmit}</button>
        {name && (
          <button type="button" onClick={() => replace('conversations')}>
            {words.conversations.filterClear}
          </button>
        )}
      </form>
    </details>
  );
}

interface ByTimeProps {
  name: string;
  value: string;
  origin: string;
  turn: number;
}

// The two lists that the gateway keeps: the chats by their newest turns, those of programs by their beginnings.
type Origin = 'console' | 'api';
const both: Origin[] = ['console', 'api'];

const page = (parameters: Record<string, string | number | undefined>, signal: AbortSignal) =>
  get<List<Conversation>>(`/v1/conversations${query({ limit: PAGE, ...parameters })}`, { signal });

// further: what follows these rows in the list of one origin. A chat that has gone on meanwhile stands elsewhere in its
// list: then what follows the row before it.
async function further(origin: Origin, rows: Conversation[], signal: AbortSignal): Promise<List<Conversation>> {
  const seen = rows.filter((row) => row.origin === origin);
  for (let i = seen.length - 1; ; i--) {
    const found = await page({ after: seen[i]?.id, origin, sort: origin === 'console' ? 'recent' : undefined }, signal);
    const [first] = found.data;
    if (i <= 0 || !first || atOf(first, '') <= atOf(seen[i], '')) return found;
  }
}

// merged: a page of these lists in one, behind the rows that are there, the newest first; each keeps its own order.
// ended: the lists that have no further rows; it is changed.
async function merged(of: Origin[], rows: Conversation[], ended: Set<Origin>, signal: AbortSignal): Promise<List<Conversation>> {
  const open = of.filter((origin) => !ended.has(origin));
  const found = await Promise.all(open.map((origin) => further(origin, rows, signal)));
  const left = found.map((one) => [...one.data]);
  const data: Conversation[] = [];
  while (data.length < PAGE) {
    const heads = left.filter((rows) => rows.length > 0);
    if (heads.length === 0) break;
    data.push(heads.reduce((a, b) => (atOf(b[0], '') > atOf(a[0], '') ? b : a)).shift()!);
  }
  open.forEach((origin, i) => !found[i].has_more && left[i].length === 0 && ended.add(origin));
  return { data, has_more: of.some((origin) => !ended.has(origin)), last_id: data.at(-1)?.id ?? null };
}

function ByTime({ name, value, origin, turn }: ByTimeProps) {
  const [change, setChange] = useState<Change | null>(null);
  const shown = useRef<Conversation[]>([]);
  const ended = useRef(new Set<Origin>());
  const list = useList<Conversation>(
    (after, signal) => {
      if (name) return page({ after: after ?? undefined, [`metadata[${name}]`]: value }, signal);
      if (after === null) ended.current = new Set();
      const of = both.filter((one) => origin === '' || origin === one);
      return merged(of, after === null ? [] : shown.current, ended.current, signal);
    },
    [name, value, origin, turn],
  );
  const rows = list.data ?? [];
  shown.current = rows;
  useEffect(() => {
    if (name && list.data) announce(count(list.data.length, words.conversations.shown));
  }, [name, list.data]);
  return (
    <>
      <State of={list} empty={(data) => data.length === 0} none={<None filtered={name !== ''} />}>
        {(data) =>
          byDay(data, name).map((group) => (
            <section key={group.title}>
              <h2>{group.title}</h2>
              <ul class="entries">
                {group.rows.map((row) => (
                  <Row key={row.id} row={row} at={atOf(row, name)} onChange={setChange} />
                ))}
              </ul>
            </section>
          ))
        }
      </State>
      <More of={list} />
      {change && (
        <Changes
          change={change}
          onClose={() => setChange(null)}
          onChanged={(changed) => {
            list.set(rows.map((row) => (row.id === changed.id ? { ...row, ...changed } : row)));
            tell(changed.id);
          }}
          onDeleted={(id) => {
            list.set(rows.filter((row) => row.id !== id));
            tell(id);
          }}
        />
      )}
    </>
  );
}

function None({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title={words.conversations.noneFiltered} />;
  return (
    <Empty title={words.conversations.none}>
      <p>{words.conversations.noneText}</p>
      {may('chat') && (
        <a class="button primary" href={href('chat')}>
          {words.frame.newChat}
        </a>
      )}
    </Empty>
  );
}

// tell: the sidebar and other tabs show it, too.
function tell(id: string): void {
  const tabs = new Tabs(() => {});
  tabs.tell(id);
  tabs.close();
}

interface RowProps {
  row: Conversation;
  at: number;
  onChange: (change: Change) => void;
}

function Row({ row, at, onChange }: RowProps) {
  const title = row.title || words.conversations.untitled;
  const act = (kind: Change['kind']) => () => onChange({ kind, of: row });
  return (
    <li>
      <div class="what">
        <a href={href('chat', row.id)} class={row.title ? undefined : 'untitled'} dir="auto">
          {title}
        </a>
        {row.excerpt && row.excerpt !== row.title && (
          <p class="excerpt" dir="auto">
            {plainWords(row.excerpt)}
          </p>
        )}
        <p class="fine row wrap facts">
          <Clock at={at} />
          {row.model && <span>{row.model}</span>}
          {row.message_count !== undefined && <span>{count(row.message_count, words.conversations.messages)}</span>}
          {row.cost && <span>{money(row.cost)}</span>}
          {Object.entries(row.metadata).map(([name, value]) => (
            <a
              key={name}
              class="badge label"
              title={words.conversations.filterBy}
              href={href('conversations', null, { key: name, value })}
            >
              {name}: {value}
            </a>
          ))}
        </p>
      </div>
      <div class="row does">
        {may('chat') && <Does icon="edit" word={words.conversations.edit} title={title} act={act('edit')} />}
        <Does icon="down" word={words.conversations.export} title={title} act={act('export')} />
        {may('chat') && <Does icon="trash" word={words.actions.delete} title={title} act={act('delete')} />}
      </div>
    </li>
  );
}

interface DoesProps {
  icon: 'edit' | 'down' | 'trash';
  word: string;
  title: string;
  act: () => void;
}

function Does({ icon, word, title, act }: DoesProps) {
  return (
    <button type="button" class="bare" title={word} aria-label={`${word}: ${title}`} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}

const clocks = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

function Clock({ at }: { at: number }) {
  return <time dateTime={new Date(at * 1000).toISOString()}>{clocks.format(at * 1000)}</time>;
}

// atOf: the time that the list is in the order of: of chats the newest turn, of others and below a label the beginning.
function atOf(row: Conversation, label: string): number {
  return row.origin === 'console' && label === '' ? (row.updated_at ?? row.created_at) : row.created_at;
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

// The rows of a day under its name: today and yesterday by their words, as the language has them.
function byDay(rows: Conversation[], label: string): { title: string; rows: Conversation[] }[] {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const groups: { title: string; rows: Conversation[] }[] = [];
  for (const row of rows) {
    const at = atOf(row, label);
    const past = Math.ceil((midnight.getTime() / 1000 - at) / 86400);
    const title = past <= 0 ? relative.format(0, 'day') : past === 1 ? relative.format(-1, 'day') : day(at);
    const last = groups.at(-1);
    if (last?.title === title) last.rows.push(row);
    else groups.push({ title, rows: [row] });
  }
  return groups;
}
