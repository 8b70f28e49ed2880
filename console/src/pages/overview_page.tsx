// The calls at a glance: how many, how many failed, how long they took, what they cost; by hour as pictures, and by model,
// provider or key as a table. For administrators of all keys, for other keys their own.
import { useEffect, useState } from 'preact/hooks';
import { get, query } from '../api';
import type { PageProps } from '../pages';
import { money, number, compact, duration, percent } from '../parts/format';
import { Icon } from '../parts/icon';
import { HealthStrip, useHealth } from '../parts/health';
import { useLoad } from '../parts/load';
import { RANGES, type RangeName } from '../parts/range';
import { Empty, State } from '../parts/state';
import { Table } from '../parts/table';
import { href, replace } from '../router';
import { admin, me } from '../session';
import { fill, words } from '../words';
import { Alerts } from './overview_alerts';
import { Budgets } from './overview_budgets';
import { Charts } from './overview_charts';
import { byName, errorRate, firstHour, type By, type Hours, type Percentiles, type Sums } from './overview_hours';
import { BudgetBars, type Budget } from './usage_budget';

const BYS: By[] = ['model', 'provider', 'key'];
const AGAIN = 60_000; // milliseconds after which a page that is looked at asks again

export interface Question {
  all: boolean;
  range: RangeName;
  by: By;
  only: Partial<Record<By, string>>; // one model, provider or key
}

function questionOf(address: URLSearchParams): Question {
  const range = address.get('range') ?? '',
    by = address.get('by') ?? '';
  const only = Object.fromEntries(BYS.map((name) => [name, address.get(name)]).filter(([, value]) => value));
  return {
    all: admin.value && address.get('whose') !== 'own',
    range: range in RANGES ? (range as RangeName) : '24h',
    by: BYS.includes(by as By) ? (by as By) : 'model',
    only,
  };
}

function addressOf({ all, range, by, only }: Question): Record<string, string> {
  return {
    ...(range === '24h' ? {} : { range }),
    ...(by === 'model' ? {} : { by }),
    ...(admin.value && !all ? { whose: 'own' } : {}),
    ...only,
  };
}

interface Read {
  from: number;
  last: number; // the hour that goes on
  all: Hours;
  parts: Hours;
}

// Two requests, whatever the range is: the hours, and the same by model, provider or key.
async function ask({ all, range, by, only }: Question, signal: AbortSignal): Promise<Read> {
  const now = Date.now() / 1000,
    from = firstHour(range, now);
  const path = `/v1/${all ? 'admin/' : ''}calls/hours${query({ from, to: Math.ceil(now), ...only })}`;
  const [whole, parts] = await Promise.all([
    get<Hours>(path, { signal }),
    get<Hours>(`${path}&by=${by}`, { signal }),
  ]);
  return { from, last: Math.floor(now / 3600) * 3600, all: whole, parts };
}

export default function OverviewPage({ route }: PageProps) {
  const of = questionOf(route.query);
  const address = addressOf(of);
  const [turn, setTurn] = useState(0);
  const read = useLoad((signal) => ask(of, signal), [JSON.stringify(address), of.all, turn]);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && setTurn((old) => old + 1), AGAIN);
    return () => clearInterval(timer);
  }, []);
  const change = (to: Partial<Question>) => replace('overview', null, addressOf({ ...of, ...to }));
  return (
    <div class="page overview">
      <header class="row wrap between">
        <h1>{words.pages.overview}</h1>
        <Choices of={of} onChange={change} onRefresh={() => setTurn(turn + 1)} />
      </header>
      {admin.value && of.all && <Alerts turn={turn} />}
      <Only of={of} onChange={change} />
      <State of={read} empty={({ all }) => all.total.calls === 0} none={<None />}>
        {(data) => (
          <>
            <Tiles of={data.all.total} question={of} from={data.from} />
            <Charts of={data.all.data} from={data.from} last={data.last} question={of} />
            <Names of={of} parts={data.parts} from={data.from} />
          </>
        )}
      </State>
      {admin.value && of.all && <Providers turn={turn} />}
      {admin.value && of.all && <Budgets turn={turn} />}
      {!of.all && me.value?.budget != null && <OwnBudget turn={turn} />}
    </div>
  );
}

function None() {
  return (
    <Empty title={words.overview.none}>
      <p>{words.overview.noneText}</p>
    </Empty>
  );
}

interface ChoicesProps {
  of: Question;
  onChange: (to: Partial<Question>) => void;
  onRefresh: () => void;
}

function Choices({ of, onChange, onRefresh }: ChoicesProps) {
  return (
    <div class="row wrap">
      {admin.value && (
        <label>
          {words.overview.whose}
          <select
            value={of.all ? 'all' : 'own'}
            onChange={(event) => onChange({ all: event.currentTarget.value === 'all' })}
          >
            <option value="all">{words.usage.all}</option>
            <option value="own">{words.usage.own}</option>
          </select>
        </label>
      )}
      <label>
        {words.range.title}
        <select
          value={of.range}
          onChange={(event) => onChange({ range: event.currentTarget.value as RangeName })}
        >
          {(Object.keys(RANGES) as RangeName[]).map((name) => (
            <option key={name} value={name}>
              {words.range.last[name]}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={onRefresh}>
        <Icon name="again" />
        {words.overview.refresh}
      </button>
    </div>
  );
}

// Only: what the page is narrowed to.
function Only({ of, onChange }: Pick<ChoicesProps, 'of' | 'onChange'>) {
  const names = BYS.filter((by) => of.only[by]);
  if (names.length === 0) return null;
  return (
    <ul class="chips">
      {names.map((by) => (
        <li key={by}>
          {words.overview.bys[by]}: {of.only[by]}
          <button
            type="button"
            class="bare"
            aria-label={fill(words.overview.without, { name: of.only[by]! })}
            onClick={() => onChange({ only: { ...of.only, [by]: undefined } })}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

// The runs behind a figure.
export function runsOf(of: Question, more: Record<string, string>): string {
  const only = Object.fromEntries(Object.entries(of.only).filter(([, value]) => value)) as Record<string, string>;
  return href('runs', null, { ...(admin.value && !of.all ? { whose: 'own' } : {}), ...only, ...more });
}

const ms = (value: number | null): string => (value === null ? words.units.none : duration(value));

function Tiles({ of, question, from }: { of: Sums & Percentiles; question: Question; from: number }) {
  const rate = errorRate(of);
  const since = { from: String(from) };
  return (
    <dl class="totals">
      <div>
        <dt>{words.overview.calls}</dt>
        <dd>
          <a class="quiet" href={runsOf(question, since)}>
            {number(of.calls)}
          </a>
        </dd>
        {of.cancelled + of.client_left > 0 && (
          <dd class="fine">{fill(words.overview.left, { n: number(of.cancelled + of.client_left) })}</dd>
        )}
      </div>
      <div class={of.failed > 0 ? 'bad' : undefined}>
        <dt>{words.overview.errors}</dt>
        <dd>{rate === null ? words.units.none : percent(rate)}</dd>
        {of.failed > 0 && (
          <dd class="fine">
            <a href={runsOf(question, { ...since, status: 'failed' })}>
              {fill(words.overview.failed, { n: number(of.failed) })}
            </a>
          </dd>
        )}
        {of.refused > 0 && (
          <dd class="fine">
            <a href={runsOf(question, { ...since, status: 'refused' })}>
              {fill(words.overview.refused, { n: number(of.refused) })}
            </a>
          </dd>
        )}
      </div>
      <div>
        <dt>{words.overview.duration}</dt>
        <dd>{ms(of.p50_ms)}</dd>
        <dd class="fine">{fill(words.overview.p95p99, { p95: ms(of.p95_ms), p99: ms(of.p99_ms) })}</dd>
      </div>
      <div>
        <dt>{words.overview.first}</dt>
        <dd>{ms(of.first_token_p50_ms)}</dd>
        <dd class="fine">{fill(words.overview.p95, { p95: ms(of.first_token_p95_ms) })}</dd>
      </div>
      <div>
        <dt>{words.overview.tokens}</dt>
        <dd>{compact(of.prompt_tokens + of.completion_tokens)}</dd>
        <dd class="fine">
          {fill(words.runs.inOut, { in: compact(of.prompt_tokens), out: compact(of.completion_tokens) })}
        </dd>
      </div>
      <div>
        <dt>{words.overview.spend}</dt>
        <dd>{money(of.cost)}</dd>
        <dd class="fine">
          <a href={href('usage')}>{words.pages.usage}</a>
        </dd>
      </div>
    </dl>
  );
}

function Names({ of, parts, from }: { of: Question; parts: Hours; from: number }) {
  const rows = byName(parts.data, of.by);
  const since = { from: String(from) };
  const only = (to: Partial<Record<By, string>>) => href('overview', null, addressOf({ ...of, only: { ...of.only, ...to } }));
  return (
    <section class="stack">
      <header class="row wrap between">
        <h2>{words.overview.byTitles[of.by]}</h2>
        <div class="row" role="group" aria-label={words.overview.by}>
          {BYS.filter((by) => by !== 'key' || of.all).map((by) => (
            <a
              key={by}
              class="button"
              aria-current={by === of.by ? 'true' : undefined}
              href={href('overview', null, addressOf({ ...of, by }))}
            >
              {words.overview.bys[by]}
            </a>
          ))}
        </div>
      </header>
      <Table
        caption={words.overview.byTitles[of.by]}
        rows={rows}
        id={(row) => row.id}
        columns={[
          {
            title: words.overview.bys[of.by],
            cell: ({ id, name }) =>
              id === '' ? (
                words.overview.unknown
              ) : (
                <a class="name" href={only({ [of.by]: id })} title={id}>
                  {name}
                </a>
              ),
          },
          { title: words.overview.calls, numeric: true, cell: ({ sums }) => number(sums.calls) },
          {
            title: words.overview.errors,
            numeric: true,
            cell: ({ sums }) => {
              const rate = errorRate(sums);
              return rate === null ? words.units.none : percent(rate);
            },
          },
          { title: words.runs.words.failed, numeric: true, cell: ({ sums }) => number(sums.failed) },
          { title: words.runs.words.refused, numeric: true, cell: ({ sums }) => number(sums.refused) },
          {
            title: words.overview.tokens,
            numeric: true,
            cell: ({ sums }) => compact(sums.prompt_tokens + sums.completion_tokens),
          },
          { title: words.overview.spend, numeric: true, cell: ({ sums }) => money(sums.cost) },
          {
            title: words.pages.runs,
            cell: ({ id, name }) =>
              id !== '' && (
                <a href={runsOf(of, { ...since, [of.by]: id })} aria-label={fill(words.overview.runsOf, { name })}>
                  {words.pages.runs}
                </a>
              ),
          },
        ]}
      />
    </section>
  );
}

function Providers({ turn }: { turn: number }) {
  const { data } = useHealth([turn]);
  if (!data || data.data.length === 0) return null;
  return (
    <section class="card stack" aria-label={words.overview.providers}>
      <header class="row wrap between">
        <h2>{words.overview.providers}</h2>
        <a href={href('models', null, { show: 'providers' })}>{words.models.providers}</a>
      </header>
      <ul class="provider-list">
        {data.data.map(({ name, history }) => (
          <li key={name}>
            <a class="quiet name" href={href('overview', null, { provider: name })}>
              {name}
            </a>
            <HealthStrip of={history} from={data.from} to={data.to} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function OwnBudget({ turn }: { turn: number }) {
  const read = useLoad((signal) => get<{ budget: Budget | null }>('/v1/usage?limit=1', { signal }), [turn]);
  return read.data?.budget ? <BudgetBars of={read.data.budget} /> : null;
}
