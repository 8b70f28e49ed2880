// What a key has used, by day; for administrators, what all keys have. Two requests, whatever the range is: the days,
// and the same by model, key or tag. The second may be cut off; then the rest of a day stands as "others".
import { get, query } from '../api';
import type { PageProps } from '../pages';
import { announce } from '../parts/announce';
import { Chart, Legend } from '../parts/chart';
import { compact, count, money, number } from '../parts/format';
import { Icon } from '../parts/icon';
import { useLoad } from '../parts/load';
import { save } from '../parts/save';
import { Empty, State } from '../parts/state';
import { Table, type Column } from '../parts/table';
import { href, replace } from '../router';
import { admin, me } from '../session';
import { fill, words } from '../words';
import { nameOf, readGroups } from './groups_list';
import { BudgetBars, type Budget } from './usage_budget';
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
  names: Map<string, string>; // of groups, by their ids
}

const RANGES = [7, 30, 90, 366];
const MEASURES: Measure[] = ['tokens', 'cost', 'calls'];
const ROWS = 1000;

const today = () => new Date().toISOString().slice(0, 10);

interface Question {
  all: boolean; // of all keys, for administrators
  range: number;
  measure: Measure;
  stack: Stack;
}

// By what usage may be told apart; a key sees no other key, and is in one group at a time.
function stacks(all = admin.value): Stack[] {
  const tags = (me.value?.usage_tags ?? []).map((name): Stack => `tag.${name}`);
  return ['model', ...(all ? (['key', 'group'] as const) : []), ...tags];
}

// What a stack is called, its table, and what has none of its names.
function stackWords(stack: Stack): [string, string, string] {
  const { usage } = words;
  if (stack === 'model') return [usage.model, usage.byModel, usage.noKey];
  if (stack === 'key') return [usage.key, usage.byKey, usage.noKey];
  if (stack === 'group') return [usage.group, usage.byGroup, usage.noGroup];
  const tag = stack.slice('tag.'.length);
  return [tag, fill(usage.byTag, { tag }), fill(usage.noTag, { tag })];
}

const stackWord = (stack: Stack) => stackWords(stack)[0];
const byWord = (stack: Stack) => stackWords(stack)[1];
const noWord = (stack: Stack) => stackWords(stack)[2];

const usual = { range: 30, measure: 'tokens', stack: 'model' } as const;

// What is asked for stands in the address, as far as it is not the usual.
function questionOf(address: URLSearchParams): Question {
  const one = <T,>(name: string, of: readonly T[], otherwise: T) =>
    of.find((value) => String(value) === address.get(name)) ?? otherwise;
  return {
    all: admin.value && address.get('whose') !== 'own',
    range: one('days', RANGES, usual.range),
    measure: one('show', MEASURES, usual.measure),
    stack: one<Stack>('by', stacks(), usual.stack),
  };
}

function addressOf({ all, range, measure, stack }: Question): Record<string, string> {
  return {
    ...(admin.value && !all ? { whose: 'own' } : {}),
    ...(range === usual.range ? {} : { days: String(range) }),
    ...(measure === usual.measure ? {} : { show: measure }),
    ...(stack === usual.stack ? {} : { by: stack }),
  };
}

export default function Usage({ route }: PageProps) {
  const question = questionOf(route.query);
  const { all, range, measure, stack } = question;
  const change = (to: Partial<Question>) => replace('usage', null, addressOf({ ...question, ...to }));
  const choices = stacks(all);
  const by = choices.includes(stack) ? stack : 'model';
  const read = useLoad<Read>(
    async (signal) => {
      const path = all ? '/v1/admin/usage' : '/v1/usage';
      const span = { from: dayBefore(today(), range - 1), to: today(), limit: ROWS };
      const [days, parts, groups] = await Promise.all([
        get<Report>(`${path}${query({ ...span, group: 'day' })}`, { signal }),
        get<Report>(`${path}${query({ ...span, group: 'day' })}&group=${by}`, { signal }),
        by === 'group' ? readGroups(signal) : [],
      ]);
      return { days, parts, names: new Map(groups.map((group) => [group.id, nameOf(group)])) };
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
              onChange={(value) => change({ all: value === 'all' })}
              of={[
                ['all', words.usage.all],
                ['own', words.usage.own],
              ]}
            />
          )}
          <Choice
            label={words.usage.range}
            value={String(range)}
            onChange={(value) => change({ range: Number(value) })}
            of={RANGES.map((days) => [String(days), count(days, words.usage.days)])}
          />
          <Choice
            label={words.usage.measure}
            value={measure}
            onChange={(value) => change({ measure: value as Measure })}
            of={MEASURES.map((name) => [name, words.usage.measures[name]])}
          />
          {choices.length > 1 && (
            <Choice
              label={words.usage.by}
              value={by}
              onChange={(value) => change({ stack: value as Stack })}
              of={choices.map((name) => [name, stackWord(name)])}
            />
          )}
        </div>
      </header>
      <State of={read}>
        {({ days, parts, names }) => (
          <>
            {days.budget && <BudgetBars of={days.budget} />}
            {days.data.length === 0 ? (
              <Empty title={words.usage.none}>
                <p>{words.usage.noneText}</p>
              </Empty>
            ) : (
              <Sums days={days} parts={parts} names={names} by={by} measure={measure} all={all} />
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

interface SumsProps extends Read {
  by: Stack;
  measure: Measure;
  all: boolean;
}

// The calls behind a sum. Days of usage are in UTC.
const runsOf = (all: boolean, more: Record<string, string>) =>
  href('runs', null, { ...(admin.value && !all ? { whose: 'own' } : {}), ...more });
const spanOfDays = (from: string, to: string) => ({
  from: String(Date.parse(from) / 1000),
  to: String(Date.parse(to) / 1000 + 86_400),
});

function Sums({ days, parts, names, by, measure, all }: SumsProps) {
  const total = days.data.reduce(sum, emptyRow());
  const shown = daysBetween(days.from, days.to);
  const pieces = stacked(shown, days.data, parts.data, by, measure);
  const series = pieces.map(({ name, values }, place) => ({
    name: name === null ? words.usage.others : name === '' ? noWord(by) : (names.get(name) ?? name),
    tone: name === null ? 'part-rest' : `part-${place}`,
    values,
  }));
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
          <Legend of={series} />
        </figcaption>
        <Chart
          kind="bars"
          label={label}
          places={shown.map(dayFormat)}
          tick={(i) => dayFormat(shown[i]!)}
          series={series}
          sums
          format={formats[measure]}
        />
      </figure>
      <section class="stack">
        <header class="row wrap between">
          <h2>{byWord(by)}</h2>
          <button type="button" onClick={() => download(parts.data, by, days)}>
            <Icon name="down" />
            {words.usage.csv}
          </button>
        </header>
        <NameTable total={total} parts={parts} names={names} by={by} measure={measure} all={all} />
      </section>
      <details class="stack">
        <summary>{words.usage.asTable}</summary>
        <Table
          caption={words.usage.asTable}
          id={(row) => row.day!}
          rows={[...days.data].sort((a, b) => (a.day! < b.day! ? 1 : -1))}
          columns={[{ title: words.usage.day, cell: (row) => <a href={runsOf(all, spanOfDays(row.day!, row.day!))}>{dayFormat(row.day!)}</a> }, ...figures]}
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

interface NameTableProps extends Omit<SumsProps, 'days'> {
  total: UsageRow;
}

function NameTable({ total, parts, names, by, measure, all }: NameTableProps) {
  const span = spanOfDays(parts.from, parts.to);
  const rows = byName(parts.data, by, measure).map(({ name, row }) => ({
    id: name,
    name: name === '' ? noWord(by) : (names.get(name) ?? name),
    runs: name === '' || by.startsWith('tag.') ? null : runsOf(all, { [by]: name, ...span }),
    row,
  }));
  if (parts.has_more) rows.push({ id: words.usage.others, name: words.usage.others, runs: null, row: missing(total, parts.data) });
  return (
    <Table
      caption={byWord(by)}
      rows={rows}
      id={(row) => row.id}
      columns={[
        {
          title: stackWord(by),
          cell: ({ id, name, runs }) =>
            runs === null ? (
              name
            ) : (
              <a class="name" href={runs} title={id}>
                {name}
              </a>
            ),
        },
        ...figures.map((column) => ({ ...column, cell: (row: { row: UsageRow }) => column.cell(row.row) })),
      ]}
    />
  );
}
