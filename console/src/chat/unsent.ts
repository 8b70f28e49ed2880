// Messages that the gateway has refused, so that it has not stored them. They stay in their chat, each with its reason,
// until they are sent again or edited. The tab keeps them over a reload, for one owner, until sign-out. So it does with
// a message on its way, until it is known to have arrived.
import { ApiError } from '../api';
import type { Attached } from './sheet';

export interface Unsent {
  key: string;
  text: string;
  files: Attached[];
  parent?: string; // the message that it was to follow; absent: the newest
  after: string | null; // what it stands behind: the id of a message, or a turn's key; null: nothing
  at: number; // seconds since 1970
  store: boolean; // false: of a chat that is not stored, of which nothing stays
  error: ApiError | null; // null: it is on its way, or was so when the page went
}

const STORED = 'parley.unsent';

interface Kept {
  owner: string;
  chats: Record<string, Unsent[]>; // of a conversation's id; '': of the next new chat
}

function read(owner: string): Kept {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as Partial<Kept>;
    if (found.owner === owner && found.chats) return found as Kept;
  } catch {
    // nobody has written it
  }
  return { owner, chats: {} };
}

export function keptUnsent(owner: string, conversation: string | null): Unsent[] {
  return (read(owner).chats[conversation ?? ''] ?? []).map((one) => ({ ...one, error: one.error && errorOf(one.error) }));
}

export function keepUnsent(owner: string, conversation: string | null, unsent: Unsent[]): void {
  const kept = read(owner);
  const place = conversation ?? '';
  const stay = unsent.filter(({ store }) => store);
  if (stay.length === 0 && !(place in kept.chats)) return;
  delete kept.chats[place];
  if (stay.length) kept.chats[place] = stay.map((one) => ({ ...one, error: one.error && { ...one.error, message: one.error.message } }));
  try {
    if (Object.keys(kept.chats).length) sessionStorage.setItem(STORED, JSON.stringify(kept));
    else forgetUnsent();
  } catch {
    // no room: they last as long as the page
  }
}

export const forgetUnsent = (): void => sessionStorage.removeItem(STORED);

function errorOf({ status, message, code, request_id, param, retry_after, asked, run, type }: ApiError): ApiError {
  return new ApiError(status, message, code, request_id, param, retry_after, asked, run, type);
}
