// What the usage page shows, from the rows of GET /v1/usage: a bar for each day, in parts. No DOM here.
import { add, subtract } from '../decimal';
import { csvLines } from '../parts/csv';

export interface UsageRow {
  [tag: `tag.${string}`]: string | null;
  day?: string;
  model?: string;
  key?: string | null;
  group?: string | null;
  calls: number;
  calls_estimated: number;
  calls_unpriced: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  cost: string;
}

export type Measure = 'tokens' | 'cost' | 'calls';
export type Stack = 'model' | 'key' | 'group' | `tag.${string}`; // as the gateway groups

export const DAYS_MAX = 366;
const PARTS = 6; // with a colour of their own; the others are one part

export interface Part {
  name: string | null; // null: all others
  total: number;
  values: number[]; // one for each day
}

export function emptyRow(): UsageRow {
  return {
    calls: 0,
    calls_estimated: 0,
    calls_unpriced: 0,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
    cost: '0',
  };
}

export function sum(a: UsageRow, b: UsageRow): UsageRow {
  return {
    ...a,
    calls: a.calls + b.calls,
    calls_estimated: a.calls_estimated + b.calls_estimated,
    calls_unpriced: a.calls_unpriced + b.calls_unpriced,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
    cost: add(a.cost, b.cost),
  };
}

export function measured(row: UsageRow, measure: Measure): number {
  switch (measure) {
    case 'tokens':
      return row.input_tokens + row.output_tokens;
    case 'cost':
      return Number(row.cost);
    case 'calls':
      return row.calls;
  }
}

// The days from the first to the last, both included; both are days in UTC.
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to) && days.length < DAYS_MAX; at += 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}

export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
}

export function nameOf(row: UsageRow, stack: Stack): string {
  return row[stack] ?? '';
}

// The sums of one row each for the models, keys or values of a tag, the largest first.
export function byName(rows: UsageRow[], stack: Stack, measure: Measure): { name: string; row: UsageRow }[] {
  const sums = new Map<string, UsageRow>();
  for (const row of rows) {
    const name = nameOf(row, stack);
    sums.set(name, sum(sums.get(name) ?? emptyRow(), row));
  }
  return [...sums]
    .map(([name, row]) => ({ name, row }))
    .sort((a, b) => measured(b.row, measure) - measured(a.row, measure) || (a.name < b.name ? -1 : 1));
}

// totals: a row for each day, all of it. rows: the same by day and name; they may be cut off, so what they lack of the
// totals is part of the others.
export function stacked(days: string[], totals: UsageRow[], rows: UsageRow[], stack: Stack, measure: Measure): Part[] {
  const place = new Map(days.map((day, i) => [day, i]));
  const names = byName(rows, stack, measure)
    .slice(0, PARTS)
    .map((one) => one.name);
  const parts: Part[] = names.map((name) => ({ name, total: 0, values: days.map(() => 0) }));
  const rest: Part = { name: null, total: 0, values: days.map(() => 0) };
  for (const row of totals) {
    const at = place.get(row.day ?? '');
    if (at !== undefined) rest.values[at]! += measured(row, measure);
  }
  for (const row of rows) {
    const at = place.get(row.day ?? ''),
      part = parts[names.indexOf(nameOf(row, stack))];
    if (at === undefined || !part) continue;
    const value = measured(row, measure);
    part.values[at]! += value;
    part.total += value;
    rest.values[at]! -= value;
  }
  // differences of floats: what is not there is zero
  rest.values = rest.values.map((value) => (value > 1e-9 ? value : 0));
  rest.total = rest.values.reduce((a, b) => a + b, 0);
  const shown = parts.filter((part) => part.total > 0);
  return rest.total > 0 ? [...shown, rest] : shown;
}

const COLUMNS = [
  'calls',
  'calls_estimated',
  'calls_unpriced',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'cost',
] as const;

export function csv(rows: UsageRow[], stack: Stack): string {
  const lines = rows.map((row) => [row.day ?? '', nameOf(row, stack), ...COLUMNS.map((name) => String(row[name]))]);
  return csvLines([['day', stack, ...COLUMNS], ...lines]);
}

// What rows lack of a total, for the line of the table that says so.
export function missing(total: UsageRow, rows: UsageRow[]): UsageRow {
  const known = rows.reduce(sum, emptyRow());
  return {
    calls: total.calls - known.calls,
    calls_estimated: total.calls_estimated - known.calls_estimated,
    calls_unpriced: total.calls_unpriced - known.calls_unpriced,
    input_tokens: total.input_tokens - known.input_tokens,
    output_tokens: total.output_tokens - known.output_tokens,
    cached_tokens: total.cached_tokens - known.cached_tokens,
    reasoning_tokens: total.reasoning_tokens - known.reasoning_tokens,
    cost: subtract(total.cost, known.cost),
  };
}
