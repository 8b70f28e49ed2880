// GET /v1/admin/overview, as the pages of models and of settings read it.
import { get } from '../api';
import { useLoad, type Load } from '../parts/load';

export type Health = 'fine' | 'cooling' | 'open' | 'probe' | 'dead_key';
export type Secret = 'set' | 'not set';
export type OptionValue = string | number | boolean | string[];

export interface Origin {
  value: OptionValue;
  source: 'default' | 'file' | 'environment' | 'flag';
  place: string | null;
}

export interface Option extends Origin {
  name: string;
  on_reload: 'applied' | 'restart';
  pending: Origin | null;
}

export interface Target {
  provider: string;
  key: number | null; // its place, where the entry has several
  upstream_model: string | null;
  weight: number;
  price: Record<'input' | 'output' | 'cached' | 'cache_write' | 'reasoning', string> | null;
  context: number | null;
  max_output: number | null;
  price_source: 'own' | 'file' | 'table' | 'asked' | 'none';
  health: Health;
  until: number | null;
  failures: number;
  calls: number;
  failed: number;
  tokens_in: number;
  cached_tokens: number;
  first_token_ms: number | null;
  last_error: { at: number; code: string; http_status: number | null; message: string } | null;
}

export interface Model {
  name: string;
  place: string | null;
  fallback: string[];
  max_output: number | null;
  targets: Target[];
}

// Keys that an entry fetches.
export interface Auth {
  kind: 'aws' | 'google';
  source: string | null; // nothing was fetched yet
  expires_at: number | null; // never, or there are no keys
  error: string | null; // why the last fetch failed
}

export interface Provider {
  name: string;
  dialect: string;
  base_url: string | null;
  place: string | null;
  key: Secret;
  headers: string[];
  auth: Auth | null;
  health: Health;
}

export interface Alert {
  type: string;
  subject: string | null; // the provider's name, or the id of the key or the group
  at: number;
  text: string;
}

export interface Overview {
  version: string;
  started_at: number;
  now: number;
  open: boolean;
  listeners: { address: string; bound: string; admin: boolean; tls: boolean }[];
  config: {
    file: string | null;
    read_at: number;
    reload: { at: number; ok: boolean; error: string | null } | null;
    options: Option[];
  };
  secrets: Record<string, Secret>;
  providers: Provider[];
  models: Model[];
  alerts: Alert[];
  calls: { active: number; max_calls: number; waiting: number; max_waiting: number };
  cache: { hits: number; misses: number; bypassed: number; stored: number; bytes: number };
  connections: { open: number; limit: number; streams: number; requests: number };
  store: {
    engine: string;
    writable: boolean;
    problem: string | null;
    database_bytes: number;
    log_bytes: number;
    queue: number;
    oldest_conversation_at: number | null;
    search: { bytes: number; messages: number; waiting: number; complete: boolean };
  };
}

export function useOverview(): Load<Overview> {
  return useLoad((signal) => get<Overview>('/v1/admin/overview', { signal }), []);
}
