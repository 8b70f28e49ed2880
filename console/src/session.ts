// Who uses the console. A key is exchanged for a session token, which lies in sessionStorage: in one tab,
// also after a reload. The key itself stays in a closure of this file and is gone with the page.
import { computed, signal } from '@preact/signals';
import { ApiError, call, credentials, get, isAbort } from './api';

export type Scope = 'chat' | 'read' | 'files' | 'admin' | 'execute';

export interface Me {
  id: string | null; // null: the gateway has no keys
  name: string | null;
  owner: string;
  scopes: Scope[];
  models: string[] | null;
  expires_at: number | null;
  limits: unknown;
  budget: unknown;
}

interface Session {
  token: string;
  expires_at: number; // seconds since 1970; a new token is to be had before that
  ends_at: number; // and no more after that
}

// starting: not yet known; out: a key is needed; in: `me` is known; unreachable: the gateway is away.
export type Phase = 'starting' | 'out' | 'in' | 'unreachable';

const STORED = 'parley.session';

export const phase = signal<Phase>('starting');
export const me = signal<Me | null>(null);
// True where the admin routes are served and this key may use them.
export const admin = signal(false);
// True while the gateway has no keys.
export const open = computed(() => me.value !== null && me.value.id === null);

let signedInKey: string | null = null;
let renewal: ReturnType<typeof setTimeout> | undefined;

export function may(scope: Scope | null): boolean {
  if (scope === null) return true;
  return scope === 'admin' ? admin.value : (me.value?.scopes.includes(scope) ?? false);
}

// start: takes up the session of this tab, or finds out that none is needed.
export async function start(): Promise<void> {
  credentials.refused = forget;
  credentials.token = stored()?.token ?? '';
  try {
    await learn();
  } catch (error) {
    if (phase.value === 'starting') phase.value = refusal(error) ? 'out' : 'unreachable';
  }
}

// signIn: exchanges a key. Throws the gateway's ApiError.
export async function signIn(key: string): Promise<void> {
  keep(await get<Session>('/v1/session', { body: {}, key }));
  signedInKey = key;
  await learn();
}

export async function signOut(): Promise<void> {
  try {
    await call('/v1/session', { method: 'DELETE' });
  } catch (error) {
    if (!refusal(error)) throw error; // a token that the gateway still knows must not be forgotten
  }
  forget();
}

async function learn(): Promise<void> {
  const found = await get<Me>('/v1/me');
  admin.value = found.scopes.includes('admin') && (await adminServed());
  me.value = found;
  phase.value = 'in';
  planRenewal();
}

// Admin routes are 404 where this address doesn't serve them.
async function adminServed(): Promise<boolean> {
  try {
    await call('/v1/admin/overview');
    return true;
  } catch (error) {
    if (isAbort(error) || !(error instanceof ApiError) || error.status === 0) throw error;
    return false;
  }
}

function refusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

function keep(session: Session): void {
  credentials.token = session.token;
  sessionStorage.setItem(STORED, JSON.stringify(session));
}

function stored(): Session | null {
  const text = sessionStorage.getItem(STORED);
  return text === null ? null : (JSON.parse(text) as Session);
}

function forget(): void {
  clearTimeout(renewal);
  credentials.token = '';
  signedInKey = null;
  sessionStorage.removeItem(STORED);
  me.value = null;
  admin.value = false;
  phase.value = 'out';
}

// A token lives an hour. A page that is looked at takes the next one at half-time; when the session itself ends,
// it begins another while the key is still known. A page that nobody looks at lets its session end.
function planRenewal(): void {
  clearTimeout(renewal);
  const session = stored();
  if (!session) return;
  const left = session.expires_at * 1000 - Date.now();
  renewal = setTimeout(() => void renew(session), Math.max(1000, left / 2));
}

async function renew(session: Session): Promise<void> {
  const last = session.ends_at <= session.expires_at;
  if (document.visibilityState === 'visible' && (!last || signedInKey !== null))
    try {
      keep(await get<Session>('/v1/session', { body: {}, key: last ? signedInKey! : undefined }));
    } catch {
      // a refusal has been handled; a gateway that is away is asked again at the next turn
    }
  if (credentials.token) planRenewal();
}
