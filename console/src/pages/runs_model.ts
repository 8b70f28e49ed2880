// A run as the gateway gives it, and the filters of their list. No DOM here.
import { query } from '../api';
import { rangeOf, spanOf, type Range } from '../parts/range';

export type Status = 'queued' | 'running' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
export type Outcome = 'completed' | 'failed' | 'cancelled' | 'client_left' | 'refused';

// What the console says of a run: how it ended, or that it goes on.
export type Word = 'queued' | 'running' | Outcome;

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
}

export interface Run {
  id: string;
  status: Status;
  stored: boolean;
  outcome: Outcome | null;
  http_status: number | null;
  conversation: string | null;
  model: string | null;
  provider: string | null;
  family: string | null;
  created_at: number;
  created_at_ms: number;
  duration_ms: number | null;
  first_token_ms: number | null;
  finish_reason: string | null;
  usage: Usage | null;
  usage_source: 'provider' | 'estimated' | null;
  cost: string | null;
  error: { code: string; type?: string; param?: string | null; message?: string } | null;
  attempts: number;
  cache: 'hit' | 'joined' | 'miss' | 'bypass' | 'stored' | null;
  cached_from: string | null;
  continues: string | null;
  key: string | { id: string; name?: string | null } | null;
  key_name?: string | null; // in lists of all keys
  group?: string | null; // likewise, when the call has ended
}

export const live = (status: Status) => status === 'queued' || status === 'running';

export function wordOf({ status, outcome }: Pick<Run, 'status' | 'outcome'>): Word {
  if (status === 'queued' || status === 'running') return status;
  return outcome ?? (status === 'completed' || status === 'cancelled' ? status : 'failed');
}

export function keyOf({ key, key_name }: Pick<Run, 'key' | 'key_name'>): { id: string; name: string | null } | null {
  if (key === null || key === undefined) return null;
  return typeof key === 'string' ? { id: key, name: key_name ?? null } : { id: key.id, name: key.name ?? null };
}

// The filters of the list. All of them stand in the address, as they are here.
export interface Filters {
  status: string;
  model: string;
  provider: string;
  key: string;
  group: string; // of the key, when the call was made; for administrators
  error: string;
  stored: string; // '1', '0', or '' for both
  slow: string; // milliseconds at least
}

const NAMES = ['status', 'model', 'provider', 'key', 'group', 'error', 'stored', 'slow'] as const;

export interface Question extends Filters {
  all: boolean; // of all keys, for administrators
  mayAll: boolean;
  range: Range;
}

export function questionOf(address: URLSearchParams, mayAll: boolean): Question {
  const filters = Object.fromEntries(NAMES.map((name) => [name, address.get(name) ?? ''])) as unknown as Filters;
  return { ...filters, mayAll, all: mayAll && address.get('whose') !== 'own', range: rangeOf(address) };
}

export const filtered = ({ range, ...of }: Question): boolean =>
  NAMES.some((name) => of[name] !== '') || range.name !== '' || range.from !== null || range.to !== null;

// addressOf: the address's parameters that questionOf() reads.
export function addressOf({ all, mayAll, range, ...filters }: Question): Record<string, string> {
  const every = {
    ...filters,
    whose: mayAll && !all ? 'own' : '',
    range: range.name,
    from: range.from === null ? '' : String(range.from),
    to: range.to === null ? '' : String(range.to),
  };
  return Object.fromEntries(Object.entries(every).filter(([, value]) => value !== ''));
}

// A run that has ended is asked for by its outcome, one that goes on by its status.
const STATUSES = new Set<string>(['queued', 'running', 'incomplete']);

export function pathOf(of: Question, more: Record<string, string | number | undefined>): string {
  const { from, to } = spanOf(of.range);
  const asked = {
    status: STATUSES.has(of.status) ? of.status : '',
    outcome: STATUSES.has(of.status) ? '' : of.status,
    model: of.model,
    provider: of.provider,
    key: of.key,
    group: of.all ? of.group : '',
    error: of.error,
    stored: of.stored === '' ? '' : String(of.stored === '1'),
    min_duration_ms: of.slow,
    created_after: from === null ? undefined : from - 1, // the gateway's word leaves the second itself out
    created_before: to ?? undefined,
    ...more,
  };
  return `${of.all ? '/v1/admin/runs' : '/v1/runs'}${query(asked)}`;
}

// fits: whether a run that has just changed belongs to the list.
export function fits(run: Run, of: Question): boolean {
  const { from, to } = spanOf(of.range);
  return (
    (!of.status || wordOf(run) === of.status || run.status === of.status) &&
    (!of.model || run.model === of.model) &&
    (!of.provider || run.provider === of.provider) &&
    (!of.key || keyOf(run)?.id === of.key) &&
    (!of.group || run.group === of.group) &&
    (!of.error || run.error?.code === of.error) &&
    (!of.stored || run.stored === (of.stored === '1')) &&
    (!of.slow || (run.duration_ms ?? 0) >= Number(of.slow)) &&
    (from === null || run.created_at >= from) &&
    (to === null || run.created_at < to)
  );
}

// merge: the stream's state has no text of the error, and less of a run than the list knew before.
export function merge(known: Run, state: Run): Run {
  return {
    ...known,
    ...state,
    error: known.error ?? state.error,
    continues: known.continues ?? state.continues,
    key: known.key ?? state.key,
    key_name: known.key_name ?? state.key_name,
  };
}

// whole: a run of which the gateway tells seconds alone, such as one that an older one has stored.
export function whole(run: Run & { first_token_at?: number | null; completed_at?: number | null }): Run {
  const ms = run.created_at_ms ?? 1000 * run.created_at;
  const since = (at: number | null | undefined) => (at === null || at === undefined ? null : Math.max(0, 1000 * at - ms));
  return {
    ...run,
    stored: run.stored ?? true,
    outcome: run.outcome ?? null,
    http_status: run.http_status ?? null,
    family: run.family ?? null,
    cache: run.cache ?? null,
    cached_from: run.cached_from ?? null,
    created_at_ms: ms,
    duration_ms: run.duration_ms ?? since(run.completed_at),
    first_token_ms: run.first_token_ms ?? since(run.first_token_at),
  };
}
