// The runs of the key, or of all keys for administrators: newest first, live.
import { get, query, type List } from '../api';
import type { PageProps } from '../pages';
import { compact, duration, money } from '../parts/format';
import { More, useList } from '../parts/list';
import { Empty, State } from '../parts/state';
import { Table, type Column } from '../parts/table';
import { Time } from '../parts/time';
import { href, replace } from '../router';
import { admin, me } from '../session';
import { words } from '../words';
import { RunPage } from './runs_one';
import { useLive, type Following } from './runs_live';

export type Status = 'queued' | 'running' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
}

export interface Run {
  id: string;
  status: Status;
  conversation: string | null;
  model: string;
  provider: string | null;
  created_at: number;
  first_token_at: number | null;
  completed_at: number | null;
  finish_reason: string | null;
  usage: Usage | null;
  usage_source: 'provider' | 'estimated' | null;
  cost: string | null;
  error: { code: string; message: string } | null;
  attempts: number;
  continues: string | null;
  key?: { id: string; name?: string | null } | null; // in lists of all keys
}

export const live = (status: Status) => status === 'queued' || status === 'running';

const STATUSES: Status[] = ['running', 'completed', 'incomplete', 'failed', 'cancelled'];
const PAGE = 50;

export default function Runs({ route }: PageProps) {
  if (route.id) return <RunPage id={route.id} />;
  return (
    <AllRuns
      status={route.query.get('status') ?? ''}
      model={route.query.get('model') ?? ''}
      all={admin.value && route.query.get('all') === '1'}
    />
  );
}

interface AllRunsProps {
  status: string;
  model: string;
  all: boolean;
}

function AllRuns({ status, model, all }: AllRunsProps) {
  const path = all ? '/v1/admin/runs' : '/v1/runs';
  const list = useList<Run>(
    (after, signal) =>
      get<List<Run>>(`${path}${query({ limit: PAGE, status, model, after: after ?? undefined })}`, { signal }),
    [path, status, model],
  );
  const fits = (run: Run) => (!status || run.status === status) && (!model || run.model === model);
  const following = useLive(
    `${path}/live`,
    (run) => {
      if (list.data === null) return;
      const known = list.data.find((row) => row.id === run.id);
      if (known)
        list.set(
          list.data.map((row) => (row === known ? merge(known, run) : row)).filter((row) => row !== known || fits(run)),
        );
      else if (fits(run)) list.set([run, ...list.data]);
    },
    list.reload,
  );
  const filter = (change: Partial<Record<'status' | 'model' | 'all', string>>) => {
    const now = { status, model, all: all ? '1' : '', ...change };
    replace('runs', null, Object.fromEntries(Object.entries(now).filter(([, value]) => value)));
  };
  return (
    <div class="page runs">
      <header class="row wrap between">
        <h1>{words.pages.runs}</h1>
        <div class="row wrap">
          <Live of={following} />
          {admin.value && (
            <label>
              {words.runs.whose}
              <select value={all ? '1' : ''} onChange={(event) => filter({ all: event.currentTarget.value })}>
                <option value="">{words.runs.own}</option>
                <option value="1">{words.runs.all}</option>
              </select>
            </label>
          )}
          <label>
            {words.runs.status}
            <select value={status} onChange={(event) => filter({ status: event.currentTarget.value })}>
              <option value="">{words.runs.any}</option>
              {STATUSES.map((name) => (
                <option key={name} value={name}>
                  {words.runs.statuses[name]}
                </option>
              ))}
            </select>
          </label>
          <label>
            {words.runs.model}
            <input
              type="search"
              list="models-seen"
              placeholder={words.runs.anyModel}
              value={model}
              onChange={(event) => filter({ model: event.currentTarget.value.trim() })}
            />
            <datalist id="models-seen">
              {[...new Set(list.data?.map((run) => run.model))].map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
        </div>
      </header>
      <State
        of={list}
        empty={(data) => data.length === 0 && !list.more}
        none={<None filtered={status !== '' || model !== ''} />}
      >
        {(data) => (
          <Table
            caption={words.pages.runs}
            rows={data}
            id={(run) => run.id}
            columns={all ? [...columns, keyColumn] : columns}
          />
        )}
      </State>
      <More of={list} />
    </div>
  );
}

// The stream's state has no error text and no more than the list knew before.
function merge(known: Run, state: Run): Run {
  return {
    ...known,
    ...state,
    error: known.error ?? state.error,
    continues: known.continues,
    key: known.key ?? state.key,
  };
}

function None({ filtered }: { filtered: boolean }) {
  return (
    <Empty title={filtered ? words.runs.noneFiltered : words.runs.none}>
      {!filtered && <p>{words.runs.noneText}</p>}
    </Empty>
  );
}

function Live({ of }: { of: Following }) {
  if (of === 'off') return null;
  return <span class={`live fine ${of}`}>{of === 'live' ? words.runs.live : words.runs.connecting}</span>;
}

export function StatusBadge({ of }: { of: Status }) {
  const kind = of === 'completed' ? 'good' : of === 'failed' || of === 'incomplete' ? 'bad' : live(of) ? 'going' : '';
  return <span class={`badge ${kind}`}>{words.runs.statuses[of]}</span>;
}

// The times of a run are whole seconds; its calls, on its own page, have milliseconds.
function took({ created_at, completed_at }: Run): string {
  if (completed_at === null) return words.units.none;
  return completed_at === created_at ? words.runs.short : duration(1000 * (completed_at - created_at));
}

// Runs of other keys can't be opened, not even by administrators: they have content.
function mine(run: Run): boolean {
  return !run.key || run.key.id === me.value?.id;
}

const columns: Column<Run>[] = [
  {
    title: words.runs.begun,
    cell: (run) =>
      mine(run) ? (
        <a href={href('runs', run.id)}>
          <Time at={run.created_at} />
        </a>
      ) : (
        <Time at={run.created_at} />
      ),
  },
  {
    title: words.runs.status,
    cell: (run) => (
      <>
        <StatusBadge of={run.status} />
        {run.error && (
          <p class="fine">
            <code>{run.error.code}</code>
          </p>
        )}
      </>
    ),
  },
  {
    title: words.runs.model,
    cell: (run) => (
      <>
        <code>{run.model}</code>
        {run.provider && run.provider !== run.model && <p class="fine">{run.provider}</p>}
      </>
    ),
  },
  {
    title: words.runs.duration,
    numeric: true,
    cell: took,
  },
  { title: words.runs.tokensIn, numeric: true, cell: (run) => <Tokens of={run} which="prompt_tokens" /> },
  { title: words.runs.tokensOut, numeric: true, cell: (run) => <Tokens of={run} which="completion_tokens" /> },
  { title: words.runs.cost, numeric: true, cell: (run) => money(run.cost) },
  { title: words.runs.attempts, numeric: true, cell: (run) => run.attempts },
];

const keyColumn: Column<Run> = {
  title: words.runs.key,
  cell: (run) => run.key?.name || run.key?.id || words.units.none,
};

export function Tokens({ of, which }: { of: Pick<Run, 'usage' | 'usage_source'>; which: keyof Usage }) {
  if (!of.usage) return <>{words.units.none}</>;
  const value = compact(of.usage[which]);
  return of.usage_source === 'estimated' ? <span title={words.runs.estimated}>≈ {value}</span> : <>{value}</>;
}
