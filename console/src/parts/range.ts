// A time range, as it stands in an address: ?range=24h, which ends now, or ?from=…&to=… in seconds since 1970.
export type RangeName = '1h' | '24h' | '7d' | '30d';

export const RANGES: Record<RangeName, number> = { '1h': 3600, '24h': 86_400, '7d': 7 * 86_400, '30d': 30 * 86_400 };

export interface Range {
  name: RangeName | '';
  from: number | null;
  to: number | null;
}

export function rangeOf(address: URLSearchParams, otherwise: RangeName | '' = ''): Range {
  const name = address.get('range') ?? '';
  const [from, to] = ['from', 'to'].map((end) => seconds(address.get(end)));
  if (from !== null || to !== null) return { name: '', from: from!, to: to! };
  return { name: name in RANGES ? (name as RangeName) : otherwise, from: null, to: null };
}

function seconds(text: string | null): number | null {
  return text !== null && /^\d{1,11}$/.test(text) ? Number(text) : null;
}

// spanOf: from when, included, to when, left out; null: no bound.
export function spanOf({ name, from, to }: Range, now = Date.now() / 1000): { from: number | null; to: number | null } {
  return name === '' ? { from, to } : { from: Math.floor(now) - RANGES[name], to: null };
}

// The value of an input of the type datetime-local, which is in the browser's own time, and back.
export function localInput(at: number | null): string {
  if (at === null) return '';
  const date = new Date(at * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromInput(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.floor(at / 1000);
}
