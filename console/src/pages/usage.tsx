// What a key has used, by day; for administrators, what all keys have. Two requests, whatever the range is: the days,
// and the same by model or key. The second may be cut off; then the rest of a day stands as "others".
import { useState } from 'preact/hooks';
import { get, query } from '../api';
import { announce } from '../parts/announce';
import { compact, count, money, number } from '../parts/format';
import { Icon } from '../parts/icon';
import { useLoad } from '../parts/load';
import { save } from '../parts/save';
import { Empty, State } from '../parts/state';
import { Table, type Column } from '../parts/table';
import { admin, open } from '../session';
import { fill, words } from '../words';
import { BudgetBars, type Budget } from './usage_budget';
import { colour, UsageChart } from './usage_chart';
import {
  byName,
  csv,
  dayBefore,
  daysBetween,
  emptyRow,
  missing,
  stacked,
  sum,
  type Measure,
  type Stack,
  type UsageRow,
} from './usage_sums';

interface Report {
  from: string;
  to: string;
  has_more: boolean;
  budget: Budget | null;
  data: UsageRow[];
}

interface Read {
  days: Report;
  parts: Report;
}

const RANGES = [7, 30, 90, 366];
const MEASURES: Measure[] = ['tokens', 'cost', 'calls'];
const ROWS = 1000;

const today = () => new Date().toISOString().slice(0, 10);

export default function Usage() {
  const [all, setAll] = useState(admin.value && open.value);
  const [range, setRange] = useState(30);
  const [measure, setMeasure] = useState<Measure>('tokens');
  const [stack, setStack] = useState<Stack>('model');
  const by = all ? stack : 'model';
  const read = useLoad<Read>(
    async (signal) => {
      const path = all ? '/v1/admin/usage' : '/v1/usage';
      const span = { from: dayBefore(today(), range - 1), to: today(), limit: ROWS };
      const [days, parts] = await Promise.all([
        get<Report>(`${path}${query({ ...span, group: 'day' })}`, { signal }),
        get<Report>(`${path}${query({ ...span, group: 'day' })}&group=${by}`, { signal }),
      ]);
      return { days, parts };
    },
    [all, range, by],
  );
  return (
    <div class="page usage">
      <header class="row wrap between">
        <h1>{words.pages.usage}</h1>
        <div class="row wrap">
          {admin.value && (
            <Choice
              label={words.usage.whose}
              value={all ? 'all' : 'own'}
              onChange={(value) => setAll(value === 'all')}
              of={[
                ['own', words.usage.own],
                ['all', words.usage.all],
              ]}
            />
          )}
          <Choice
            label={words.usage.range}
            value={String(range)}
            onChange={(value) => setRange(Number(value))}
            of={RANGES.map((days) => [String(days), count(days, words.usage.days)])}
          />
          <Choice
            label={words.usage.measure}
            value={measure}
            onChange={(value) => setMeasure(value as Measure)}
            of={MEASURES.map((name) => [name, words.usage.measures[name]])}
          />
          {all && (
            <Choice
              label={words.usage.by}
              value={stack}
              onChange={(value) => setStack(value as Stack)}
              of={[
                ['model', words.usage.model],
                ['key', words.usage.key],
              ]}
            />
          )}
        </div>
      </header>
      <State of={read}>
        {({ days, parts }) => (
          <>
            {days.budget && <BudgetBars of={days.budget} />}
            {days.data.length === 0 ? (
              <Empty title={words.usage.none}>
                <p>{words.usage.noneText}</p>
              </Empty>
            ) : (
              <Sums days={days} parts={parts} by={by} measure={measure} />
            )}
          </>
        )}
      </State>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  of: [string, string][];
  onChange: (value: string) => void;
}

function Choice({ label, value, of, onChange }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {of.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const dates = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayFormat = (day: string) => dates.format(Date.parse(day));

const formats: Record<Measure, (value: number) => string> = {
  tokens: compact,
  calls: compact,
  cost: (value) => money(String(value)),
};

interface SumsProps {
  days: Report;
  parts: Report;
  by: Stack;
  measure: Measure;
}

function Sums({ days, parts, by, measure }: SumsProps) {
  const total = days.data.reduce(sum, emptyRow());
  const shown = daysBetween(days.from, days.to);
  const pieces = stacked(shown, days.data, parts.data, by, measure);
  const nameOf = (part: { name: string | null }) =>
    part.name === null ? words.usage.others : part.name === '' ? words.usage.noKey : part.name;
  const label = fill(words.usage.chart, {
    what: words.usage.measures[measure],
    from: dayFormat(days.from),
    to: dayFormat(days.to),
    total: totalOf(total, measure),
  });
  return (
    <>
      <Totals of={total} />
      <figure class="card">
        <figcaption class="row wrap between">
          <h2>{fill(words.usage.byDay, { what: words.usage.measures[measure] })}</h2>
          <ul class="legend">
            {pieces.map((part, place) => (
              <li key={place}>
                <span class={`swatch ${colour(part, place)}`} />
                {nameOf(part)}
              </li>
            ))}
          </ul>
        </figcaption>
        <UsageChart
          label={label}
          days={shown}
          parts={pieces}
          nameOf={nameOf}
          format={formats[measure]}
          dayFormat={dayFormat}
        />
      </figure>
      <section class="stack">
        <header class="row wrap between">
          <h2>{by === 'model' ? words.usage.byModel : words.usage.byKey}</h2>
          <button type="button" onClick={() => download(parts.data, by, days)}>
            <Icon name="down" />
            {words.usage.csv}
          </button>
        </header>
        <NameTable total={total} parts={parts} by={by} measure={measure} />
      </section>
      <details class="stack">
        <summary>{words.usage.asTable}</summary>
        <Table
          caption={words.usage.asTable}
          id={(row) => row.day!}
          rows={[...days.data].sort((a, b) => (a.day! < b.day! ? 1 : -1))}
          columns={[{ title: words.usage.day, cell: (row) => dayFormat(row.day!) }, ...figures]}
        />
      </details>
    </>
  );
}

function totalOf(row: UsageRow, measure: Measure): string {
  switch (measure) {
    case 'tokens':
      return number(row.input_tokens + row.output_tokens);
    case 'cost':
      return money(row.cost);
    case 'calls':
      return number(row.calls);
  }
}

function download(rows: UsageRow[], by: Stack, days: Report): void {
  save(new Blob([csv(rows, by)], { type: 'text/csv' }), `usage-${days.from}-${days.to}.csv`);
  announce(words.usage.saved);
}

// Totals: estimated and unpriced calls stand beside the figures that they make uncertain.
function Totals({ of }: { of: UsageRow }) {
  return (
    <dl class="totals">
      <div>
        <dt>{words.usage.measures.calls}</dt>
        <dd>{number(of.calls)}</dd>
      </div>
      <div>
        <dt>{words.usage.input}</dt>
        <dd>{number(of.input_tokens)}</dd>
        {of.cached_tokens > 0 && <dd class="fine">{fill(words.usage.cached, { n: number(of.cached_tokens) })}</dd>}
      </div>
      <div>
        <dt>{words.usage.output}</dt>
        <dd>{number(of.output_tokens)}</dd>
        {of.reasoning_tokens > 0 && (
          <dd class="fine">{fill(words.usage.reasoning, { n: number(of.reasoning_tokens) })}</dd>
        )}
        {of.calls_estimated > 0 && <dd class="fine unsure">{count(of.calls_estimated, words.usage.estimated)}</dd>}
      </div>
      <div>
        <dt>{words.usage.measures.cost}</dt>
        <dd>{of.calls_unpriced === of.calls ? words.units.none : money(of.cost)}</dd>
        {of.calls_unpriced > 0 && <dd class="fine unsure">{count(of.calls_unpriced, words.usage.unpriced)}</dd>}
      </div>
    </dl>
  );
}

const figures: Column<UsageRow>[] = [
  { title: words.usage.measures.calls, numeric: true, cell: (row) => number(row.calls) },
  { title: words.usage.input, numeric: true, cell: (row) => number(row.input_tokens) },
  { title: words.usage.output, numeric: true, cell: (row) => number(row.output_tokens) },
  {
    title: words.usage.measures.cost,
    numeric: true,
    cell: (row) => (row.calls_unpriced === row.calls && row.calls > 0 ? words.units.none : money(row.cost)),
  },
  { title: words.usage.estimatedCalls, numeric: true, cell: (row) => number(row.calls_estimated) },
  { title: words.usage.unpricedCalls, numeric: true, cell: (row) => number(row.calls_unpriced) },
];

function NameTable({ total, parts, by, measure }: { total: UsageRow; parts: Report; by: Stack; measure: Measure }) {
  const rows = byName(parts.data, by, measure).map(({ name, row }) => ({
    name: name === '' ? words.usage.noKey : name,
    row,
  }));
  if (parts.has_more) rows.push({ name: words.usage.others, row: missing(total, parts.data) });
  return (
    <Table
      caption={by === 'model' ? words.usage.byModel : words.usage.byKey}
      rows={rows}
      id={(row) => row.name}
      columns={[
        { title: words.usage[by], cell: (row) => row.name },
        ...figures.map((column) => ({ ...column, cell: (row: { row: UsageRow }) => column.cell(row.row) })),
      ]}
    />
  );
}
