// Who uses the console. A key is exchanged for a session token, which lies in sessionStorage: in one tab, also after a
// reload. Another tab asks those that live for it. Whoever wants to stay signed in has it in localStorage instead. The
// key itself stays in a closure of this file and is gone with the page.
import { computed, signal } from '@preact/signals';
import { ApiError, base, call, credentials, get, isAbort } from './api';
import { forgetOptions } from './chat/kept';
import { arrive } from './issuer';
import { nameCurrency } from './parts/format';

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
  currency?: string; // of all money
  usage_tags?: string[]; // names by which usage is told apart
}

interface Session {
  id: string;
  token: string;
  expires_at: number; // seconds since 1970; a new token is to be had before that
  ends_at: number; // and no more after that
  keep?: boolean; // in localStorage, and for as long as the gateway allows
  key_expires_at?: number | null;
}

// Why a session has ended that nobody had signed out of.
export type End = 'revoked' | 'expired' | 'ended' | 'closed'; // closed: there was none, and now the gateway has keys

// What tabs tell each other, on one channel for each gateway.
type News =
  | { kind: 'wanted' }
  | { kind: 'session'; session: Session }
  | { kind: 'renewed'; of: string; session: Session } // the session of this id has a newer token, or another follows it
  | { kind: 'out'; id: string };

// starting: not yet known; out: a key is needed; in: `me` is known; unreachable: the gateway is away.
export type Phase = 'starting' | 'out' | 'in' | 'unreachable';

// An origin may have several gateways, each below a prefix.
const STORED = `parley.session${base.pathname === '/' ? '' : base.pathname}`;
const TABS_MS = 200; // for other tabs to answer
const DAY_MS = 86_400_000;

export const phase = signal<Phase>('starting');
export const me = signal<Me | null>(null);
// True where the admin routes are served and this key may use them.
export const admin = signal(false);
// Set while the session has ended under a page that stays as it is: what was written on it is there after signing in.
export const lost = signal<End | null>(null);
// Why a sign-in at an issuer has failed.
export const turnedBack = signal<ApiError | null>(null);
// True while the gateway has no keys.
export const open = computed(() => me.value !== null && me.value.id === null);

let session: Session | null = null;
let signedInKey: string | null = null;
let owner: string | null = null; // whose page this is, while the session is lost
let lostId: string | null = null;
let closing = false; // this page makes the first key, or still shows it
let fromTab: ((found: Session | null) => void) | null = null;
const tabs = new BroadcastChannel(STORED);
let renewal: ReturnType<typeof setTimeout> | undefined;
let late = false; // a session that was found aged has been renewed at once, or could not be

export function may(scope: Scope | null): boolean {
  if (scope === null) return true;
  return scope === 'admin' ? admin.value : (me.value?.scopes.includes(scope) ?? false);
}

// start: takes up the session of this tab, of this browser, or of another tab; or finds out that none is needed.
export async function start(): Promise<void> {
  credentials.refused = lose;
  tabs.onmessage = ({ data }) => hear(data as News);
  if (await arrived()) return;
  session ??= stored();
  credentials.token = session?.token ?? '';
  if (session) hold();
  const other = session ? null : anyHolds().then((any) => (any ? sessionOfTab() : null));
  try {
    await learn();
  } catch (error) {
    const found = refusal(error) && (await other);
    if (found) await adopt(found);
    else if (phase.value === 'starting') phase.value = refusal(error) ? 'out' : 'unreachable';
  }
}

// arrived: whether the browser comes back from an issuer, with a token that has become a session.
async function arrived(): Promise<boolean> {
  try {
    const arrival = await arrive();
    if (arrival) await signIn(arrival.token, arrival.keep, false);
    return arrival !== null;
  } catch (error) {
    turnedBack.value = error instanceof ApiError ? error : new ApiError(0, String(error));
    return false;
  }
}

// signIn: exchanges a key, or a token of an issuer, whose session ends with it. Throws the gateway's ApiError.
export async function signIn(key: string, keep = false, lasts = true): Promise<void> {
  take({ ...(await get<Session>('/v1/session', { body: keep ? { keep } : {}, key })), keep });
  signedInKey = lasts ? key : null;
  turnedBack.value = null;
  await learn();
  tell({ kind: 'session', session: session! });
}

// signOut: throws the ApiError if it is not known that the session has ended: a token that the gateway still knows must
// not be forgotten.
export async function signOut(): Promise<void> {
  const ending = session; // a renewal that is refused meanwhile loses it
  clearTimeout(renewal);
  try {
    await call('/v1/session', { method: 'DELETE' });
  } catch (error) {
    if (!refusal(error)) {
      planRenewal();
      throw error;
    }
  }
  if (ending) tell({ kind: 'out', id: ending.id });
  forget();
}

// --- other tabs ---

function tell(news: News): void {
  tabs.postMessage(news);
}

function hear(news: News): void {
  if (news.kind === 'wanted' && session && phase.value === 'in') tell({ kind: 'session', session });
  if (news.kind === 'out' && news.id === (session?.id ?? lostId)) forget();
  if (news.kind === 'renewed' && session && news.of === session.id && news.session.expires_at >= session.expires_at) {
    take({ ...session, ...news.session });
    planRenewal();
  }
  if (news.kind !== 'session') return;
  if (fromTab) fromTab(news.session);
  else if (phase.value === 'out') void adopt(news.session);
}

// A tab with a session holds a lock for as long as it has it, so that a page need not wait for an answer that nobody would
// give before it shows the form. Where a browser has no locks (plain http from another machine), it waits.
let letGo: (() => void) | null = null;

function hold(): void {
  if (letGo) return;
  const over = new Promise<void>((resolve) => (letGo = resolve));
  void navigator.locks?.request(STORED, { mode: 'shared' }, () => over);
}

async function anyHolds(): Promise<boolean> {
  const held = (await navigator.locks?.query())?.held;
  return held?.some((lock) => lock.name === STORED) ?? true;
}

function sessionOfTab(): Promise<Session | null> {
  return new Promise((resolve) => {
    fromTab = (found) => {
      fromTab = null;
      resolve(found);
    };
    setTimeout(() => fromTab?.(null), TABS_MS);
    tell({ kind: 'wanted' });
  });
}

async function adopt(found: Session): Promise<void> {
  take(found);
  await learn().catch((error) => {
    if (phase.value === 'starting') phase.value = refusal(error) ? 'out' : 'unreachable';
  });
}

// --- this one ---

async function learn(): Promise<void> {
  const found = await get<Me>('/v1/me');
  const mayAdmin = found.scopes.includes('admin') && (await adminServed());
  if (lost.value && owner !== null && found.owner !== owner) return location.reload(); // what is on the page is somebody else's
  admin.value = mayAdmin;
  nameCurrency(found.currency ?? '');
  me.value = found;
  lost.value = null;
  phase.value = 'in';
  if (session) take({ ...session, key_expires_at: found.expires_at });
  planRenewal();
}

// Admin routes are 404 where this address doesn't serve them.
async function adminServed(): Promise<boolean> {
  try {
    await (await call('/v1/admin/overview')).body?.cancel(); // or its connection stays busy
    return true;
  } catch (error) {
    if (isAbort(error) || !(error instanceof ApiError) || error.status === 0) throw error;
    return false;
  }
}

function refusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

function take(next: Session): void {
  session = next;
  hold();
  credentials.token = next.token;
  (next.keep ? localStorage : sessionStorage).setItem(STORED, JSON.stringify(next));
}

// read: the session that a storage has, unless it is over.
function read(storage: Storage): Session | null {
  try {
    const found = JSON.parse(storage.getItem(STORED) ?? 'null') as Session | null;
    return found && found.expires_at * 1000 > Date.now() ? found : null;
  } catch {
    return null;
  }
}

const stored = () => read(sessionStorage) ?? read(localStorage);

function drop(): void {
  clearTimeout(renewal);
  letGo?.();
  letGo = null;
  credentials.token = '';
  signedInKey = null;
  sessionStorage.removeItem(STORED);
  if (session?.keep) localStorage.removeItem(STORED);
  session = null;
}

// forget: after signing out, nothing of the page stays.
function forget(): void {
  drop();
  forgetOptions();
  lost.value = null;
  me.value = null;
  admin.value = false;
  phase.value = 'out';
}

// closeGateway: the first key is made, and shown once: until its text has been kept, the page stays although the gateway,
// which is not open any more, refuses what the page asks without a session.
export function closeGateway(shown: boolean): void {
  closing = shown;
}

// lose: the gateway refuses the token. The page stays where it is, behind the form.
function lose(error: ApiError, token: string): void {
  if (token !== credentials.token || phase.value === 'out') return;
  if (!session && (closing || phase.value === 'starting')) return; // the key is on the screen; start() asks the other tabs
  const kept = session?.keep ? read(localStorage) : null;
  if (kept && kept.token !== token) {
    void adopt(kept); // another tab has renewed what this one has slept over
    return;
  }
  const expired = session?.key_expires_at && session.key_expires_at * 1000 <= Date.now();
  const end = open.value ? 'closed' : expired ? 'expired' : error.param === 'key' ? 'revoked' : 'ended';
  owner = me.value?.owner ?? null;
  lostId = session?.id ?? null;
  drop();
  lost.value = end;
  phase.value = 'out';
}

// A page that is looked at takes the next token at half-time of the one it has, and at least each day; when the session
// itself ends, it begins another while the key is still known. A page that nobody looks at lets its session end. Tabs that
// share a session do not renew it at one moment, and take what the first one got.
function planRenewal(): void {
  clearTimeout(renewal);
  if (!session) return;
  const left = session.expires_at * 1000 - Date.now();
  const soon = !!session.keep && left < 6 * DAY_MS && !late;
  late ||= soon;
  const early = 1 - Math.random() / 10;
  renewal = setTimeout(() => void renew(), soon ? 1000 : Math.max(1000, early * Math.min(left / 2, DAY_MS)));
}

async function renew(): Promise<void> {
  const old = session;
  if (!old) return;
  const last = old.ends_at <= old.expires_at;
  if (document.visibilityState === 'visible' && (!last || signedInKey !== null))
    try {
      const body = last && old.keep ? { keep: true } : {};
      const next = await get<Session>('/v1/session', { body, key: last ? signedInKey! : undefined });
      if (session?.id === old.id) {
        take({ ...session, ...next });
        tell({ kind: 'renewed', of: old.id, session });
      } else if (last) await call('/v1/session', { method: 'DELETE', key: next.token }); // signed out meanwhile
    } catch {
      // a refusal has been handled; a gateway that is away is asked again at the next turn
    }
  planRenewal();
}
