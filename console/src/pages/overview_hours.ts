// What the overview shows, from the rows of GET /v1/calls/hours. No DOM here.
import { add } from '../decimal';
import { RANGES, type RangeName } from '../parts/range';

export interface Sums {
  calls: number;
  failed: number;
  refused: number;
  cancelled: number;
  client_left: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost: string;
}

export interface Percentiles {
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  first_token_p50_ms: number | null;
  first_token_p95_ms: number | null;
}

export type By = 'model' | 'provider' | 'key';

export interface HourRow extends Sums, Percentiles {
  hour: number;
  model?: string | null;
  provider?: string | null;
  key?: string | null;
  key_name?: string | null;
}

export interface Hours {
  data: HourRow[];
  total: Sums & Percentiles;
}

const HOUR = 3600;

export const emptySums = (): Sums => ({
  calls: 0,
  failed: 0,
  refused: 0,
  cancelled: 0,
  client_left: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost: '0',
});

export function sum(a: Sums, b: Sums): Sums {
  return {
    calls: a.calls + b.calls,
    failed: a.failed + b.failed,
    refused: a.refused + b.refused,
    cancelled: a.cancelled + b.cancelled,
    client_left: a.client_left + b.client_left,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    cost: add(a.cost, b.cost),
  };
}

export const completed = (of: Sums): number => of.calls - of.failed - of.refused - of.cancelled - of.client_left;

// The part of the calls that failed, of those for which a provider was asked; null: none was.
export function errorRate(of: Sums): number | null {
  const asked = of.calls - of.refused;
  return asked > 0 ? of.failed / asked : null;
}

// The first hour of a range that ends with the hour of `now`. Thirty days begin with a day, in the browser's time.
export function firstHour(range: RangeName, now: number): number {
  const last = Math.floor(now / HOUR) * HOUR;
  if (range === '1h') return last - HOUR; // the hour that goes on is seldom enough alone
  if (range !== '30d') return last - RANGES[range] + HOUR;
  const day = new Date(now * 1000);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - 29);
  return Math.floor(day.getTime() / HOUR / 1000) * HOUR;
}

export function hoursBetween(first: number, last: number): number[] {
  const hours: number[] = [];
  for (let hour = first; hour <= last; hour += HOUR) hours.push(hour);
  return hours;
}

// Bars are wide enough to be seen: an hour, three hours or a day each.
export const stepOf = (range: RangeName): number => (range === '7d' ? 3 * HOUR : range === '30d' ? 24 * HOUR : HOUR);

export function bucketed(rows: HourRow[], first: number, last: number, step: number): { from: number; sums: Sums }[] {
  const buckets = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => ({
    from: first + i * step,
    sums: emptySums(),
  }));
  for (const row of rows) {
    const bucket = buckets[Math.floor((row.hour - first) / step)];
    if (bucket) bucket.sums = sum(bucket.sums, row);
  }
  return buckets;
}

export interface Named {
  id: string; // '': not known
  name: string;
  sums: Sums;
}

// The sums of a row each for the models, providers or keys, the largest first.
export function byName(rows: HourRow[], by: By): Named[] {
  const all = new Map<string, Named>();
  for (const row of rows) {
    const id = row[by] ?? '';
    const known = all.get(id) ?? { id, name: (by === 'key' && row.key_name) || id, sums: emptySums() };
    known.sums = sum(known.sums, row);
    all.set(id, known);
  }
  return [...all.values()].sort((a, b) => b.sums.calls - a.sums.calls || (a.id < b.id ? -1 : 1));
}
