// The calls of the key, or of all keys for administrators, stored or not, and what was refused: newest first, live.
import { useEffect, useRef } from 'preact/hooks';
import { get, type List } from '../api';
import type { PageProps } from '../pages';
import { CsvButton } from '../parts/csv_button';
import { compact, count, duration, money } from '../parts/format';
import { More, useList } from '../parts/list';
import { Empty, State } from '../parts/state';
import { Table, type Column } from '../parts/table';
import { Clock } from '../parts/time';
import { href, replace } from '../router';
import { admin, me } from '../session';
import { fill, words } from '../words';
import { RunFilters } from './runs_filters';
import { useLive, type Following } from './runs_live';
import {
  addressOf,
  filtered,
  fits,
  keyOf,
  merge,
  pathOf,
  questionOf,
  whole,
  wordOf,
  type Question,
  type Run,
  type Usage,
  type Word,
} from './runs_model';
import { RunPage } from './runs_one';

const PAGE = 50;
const NEWEST_EACH = 4000; // milliseconds
const LIVE_MAX = 500; // rows that a live list keeps; older ones come back with "Show more"
const CSV_PAGE = 100,
  CSV_MAX = 5000;

export default function Runs({ route }: PageProps) {
  const question = questionOf(route.query, admin.value);
  return route.id ? <RunPage id={route.id} /> : <AllRuns of={question} />;
}

const ask = (of: Question, limit: number, after: string | null, signal?: AbortSignal) =>
  get<List<Run>>(pathOf(of, { limit, after: after ?? undefined }), { signal }).then((page) => ({
    ...page,
    data: page.data.map(whole),
  }));

function AllRuns({ of }: { of: Question }) {
  const list = useList<Run>((after, signal) => ask(of, PAGE, after, signal), [addressOf(of)]);
  const livePath = of.range.to !== null ? null : `${of.all ? '/v1/admin/runs' : '/v1/runs'}/live`; // the past is over
  const following = useLive(
    livePath,
    (states) => list.data && list.set(taken(list.data, states.map(whole), of)),
    list.reload,
  );
  useNewest(livePath !== null, of, (states) => list.data && list.set(taken(list.data, states, of)));
  const change = (to: Partial<Question>) => replace('runs', null, addressOf({ ...of, ...to }));
  return (
    <div class="page runs">
      <header class="row wrap between">
        <h1>{words.pages.runs}</h1>
        <div class="row wrap">
          <Live of={following} />
          <CsvButton
            path={(after) => pathOf(of, { format: 'csv', limit: CSV_PAGE, after })}
            most={CSV_MAX}
            name="runs.csv"
          />
        </div>
      </header>
      <RunFilters of={of} seen={list.data ?? []} onChange={change} />
      <State of={list} empty={(data) => data.length === 0 && !list.more} none={<None filtered={filtered(of)} />}>
        {(data) => (
          <Table caption={words.pages.runs} rows={data} id={(run) => run.id} columns={columnsFor(of)} />
        )}
      </State>
      <More of={list} />
    </div>
  );
}

// useNewest: calls that are not stored are in the ledger when they have ended, and not in the stream of those that go on.
function useNewest(wanted: boolean, of: Question, onStates: (runs: Run[]) => void): void {
  const told = useRef({ of, onStates });
  told.current = { of, onStates };
  useEffect(() => {
    if (!wanted) return;
    const abort = new AbortController();
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      const asked = told.current.of;
      ask(asked, PAGE, null, abort.signal).then(
        (page) => same(told.current.of, asked) && told.current.onStates(page.data),
        () => {}, // a gateway that is away is told of above
      );
    };
    const timer = setInterval(look, NEWEST_EACH);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [wanted]);
}

const same = (a: Question, b: Question) => JSON.stringify(addressOf(a)) === JSON.stringify(addressOf(b));

// taken: the list with what the stream told since.
function taken(list: Run[], states: Run[], of: Question): Run[] {
  const told = new Map(states.map((run) => [run.id, run]));
  const rows = list.map((row) => {
    const state = told.get(row.id);
    told.delete(row.id);
    return state ? merge(row, state) : row;
  });
  const changed = new Set(states.map((run) => run.id));
  return [...told.values(), ...rows]
    .filter((run) => !changed.has(run.id) || fits(run, of))
    .sort((a, b) => b.created_at_ms - a.created_at_ms)
    .slice(0, Math.max(LIVE_MAX, list.length)); // what was asked for with "Show more" stays
}

function None({ filtered }: { filtered: boolean }) {
  return (
    <Empty title={filtered ? words.runs.noneFiltered : words.runs.none}>
      {filtered ? <a href={href('runs')}>{words.runs.clear}</a> : <p>{words.runs.noneText}</p>}
    </Empty>
  );
}

function Live({ of }: { of: Following }) {
  if (of === 'off') return null;
  return <span class={`live fine ${of}`}>{of === 'live' ? words.runs.live : words.runs.connecting}</span>;
}

const KINDS: Record<Word, string> = {
  queued: 'going',
  running: 'going',
  completed: 'good',
  failed: 'bad',
  refused: 'warn',
  cancelled: '',
  client_left: '',
};

export function StatusBadge({ of }: { of: Pick<Run, 'status' | 'outcome'> }) {
  const word = wordOf(of);
  return <span class={`badge ${KINDS[word]}`}>{words.runs.words[word]}</span>;
}

export const ms = (value: number | null): string => (value === null ? words.units.none : duration(value));

function columnsFor(of: Question): Column<Run>[] {
  const only = (to: Partial<Question>) => href('runs', null, addressOf({ ...of, ...to }));
  const columns: (Column<Run> | false)[] = [
    {
      title: words.runs.begun,
      cell: (run) => (
        <a class="when" href={href('runs', run.id)}>
          <Clock at={run.created_at_ms} />
        </a>
      ),
    },
    {
      title: words.runs.status,
      cell: (run) => (
        <>
          <StatusBadge of={run} />
          {run.error && (
            <p class="fine">
              <a class="quiet" href={only({ error: run.error.code })}>
                <code>{run.error.code}</code>
              </a>
            </p>
          )}
        </>
      ),
    },
    {
      title: words.runs.model,
      cell: (run) => (
        <>
          {run.model ? (
            <a class="quiet name" href={only({ model: run.model })} title={run.model}>
              <code>{run.model}</code>
            </a>
          ) : (
            words.units.none
          )}
          {run.provider && (
            <p class="fine">
              <a class="quiet" href={only({ provider: run.provider })}>
                {run.provider}
              </a>
              {run.attempts > 1 && ` · ${count(run.attempts, words.runs.attemptsMany)}`}
            </p>
          )}
        </>
      ),
    },
    of.all && {
      title: words.runs.key,
      cell: (run) => {
        const key = keyOf(run);
        if (!key) return words.units.none;
        return (
          <a class="quiet name" href={only({ key: key.id })} title={key.id}>
            {key.name || key.id}
          </a>
        );
      },
    },
    { title: words.runs.duration, numeric: true, cell: (run) => ms(run.duration_ms) },
    { title: words.runs.first, numeric: true, cell: (run) => ms(run.first_token_ms) },
    { title: words.runs.tokens, numeric: true, cell: (run) => (run.usage ? <InAndOut of={run.usage} estimated={run.usage_source === 'estimated'} /> : words.units.none) },
    { title: words.runs.cost, numeric: true, cell: (run) => money(run.cost) },
    { title: words.runs.conversation, cell: (run) => <Kept of={run} /> },
  ];
  return columns.filter((column) => column !== false);
}

// Conversations of other keys can't be opened, not even by administrators: they have content.
export function mine(run: Run): boolean {
  const key = keyOf(run);
  return key === null || key.id === me.value?.id;
}

function Kept({ of }: { of: Run }) {
  if (!of.stored) return <span class="fine">{words.runs.notStored}</span>;
  if (!of.conversation) return <>{words.units.none}</>;
  if (!mine(of)) return <span class="fine">{words.runs.stored}</span>;
  return <a href={href('chat', of.conversation)}>{words.runs.open}</a>;
}

function InAndOut({ of, estimated }: { of: Usage; estimated: boolean }) {
  const tokens = { in: compact(of.prompt_tokens), out: compact(of.completion_tokens) };
  return (
    <span title={estimated ? words.runs.estimated : undefined}>
      {estimated && '≈ '}
      {fill(words.runs.inOut, tokens)}
    </span>
  );
}

export function Tokens({ of, which }: { of: Pick<Run, 'usage' | 'usage_source'>; which: keyof Usage }) {
  if (!of.usage) return <>{words.units.none}</>;
  const value = compact(of.usage[which]);
  return of.usage_source === 'estimated' ? <span title={words.runs.estimated}>≈ {value}</span> : <>{value}</>;
}
