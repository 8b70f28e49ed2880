// What a search finds: messages and titles, with the words that were searched for marked.
import { useEffect } from 'preact/hooks';
import { get, query } from '../api';
import { announce } from '../parts/announce';
import { count } from '../parts/format';
import { Icon } from '../parts/icon';
import { More, useList } from '../parts/list';
import { Empty, State } from '../parts/state';
import { Time } from '../parts/time';
import { href } from '../router';
import { words } from '../words';

interface Hit {
  kind?: 'message' | 'title';
  conversation: string;
  title: string | null;
  message_id: string | null;
  role: string | null;
  created_at: number;
  segments: { text: string; match: boolean }[];
}

interface Hits {
  has_more: boolean;
  next: string | null;
  complete: boolean;
  data: Hit[];
}

type Row = Hit & { id: string; complete: boolean };

const PAGE = 30;

export function Found({ q, turn }: { q: string; turn: number }) {
  const list = useList<Row>(
    async (after, signal) => {
      const hits = await get<Hits>(`/v1/search${query({ q, limit: PAGE, after: after ?? undefined })}`, { signal });
      const data = hits.data.map((hit) => ({
        ...hit,
        id: hit.message_id ?? hit.conversation,
        complete: hits.complete,
      }));
      return { data, has_more: hits.has_more, last_id: hits.next };
    },
    [q, turn],
  );
  useEffect(() => {
    if (list.data) announce(count(list.data.length, words.conversations.found));
  }, [list.data]);
  return (
    <section aria-label={words.conversations.results} aria-busy={list.busy}>
      <State
        of={list}
        empty={(data) => data.length === 0}
        none={
          <Empty title={words.conversations.notFound}>
            <p>{words.conversations.syntax}</p>
          </Empty>
        }
      >
        {(data) => (
          <>
            {data.some((row) => !row.complete) && <Incomplete />}
            <ul class="entries">
              {data.map((row) => (
                <li key={row.id}>
                  <HitRow row={row} />
                </li>
              ))}
            </ul>
          </>
        )}
      </State>
      <More of={list} />
    </section>
  );
}

function Incomplete() {
  return (
    <p class="notice">
      <Icon name="warn" />
      {words.conversations.incomplete}
    </p>
  );
}

function HitRow({ row }: { row: Row }) {
  const title = row.title || words.conversations.untitled;
  const marked = <Marked segments={row.segments} />;
  return (
    <div class="what">
      <a
        href={href('chat', row.conversation, row.message_id ? { at: row.message_id } : {})}
        class={row.title ? undefined : 'untitled'}
      >
        {row.message_id === null ? marked : title}
      </a>
      {row.message_id !== null && <p class="snippet">{marked}</p>}
      <p class="fine row wrap">
        <span>{row.message_id === null ? words.conversations.inTitle : roleOf(row.role)}</span>
        <Time at={row.created_at} />
      </p>
    </div>
  );
}

function Marked({ segments }: { segments: Hit['segments'] }) {
  return <>{segments.map((segment, i) => (segment.match ? <mark key={i}>{segment.text}</mark> : segment.text))}</>;
}

const roles: Record<string, string> = words.conversations.roles;
const roleOf = (role: string | null) => roles[role ?? ''] ?? role ?? '';
