// A conversation that was made for a first message which the gateway then refused. It stays empty, and the next new chat
// of this tab uses it: its deletion would stand in the audit as if somebody had deleted what was said.
import { ApiError, get, query, type List } from '../api';
import { me } from '../session';

const STORED = 'parley.spare';

export function keepSpare(conversation: string): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ owner: me.peek()?.owner, conversation }));
  } catch {
    // no room: the next chat makes another one
  }
}

// takeSpare: the conversation, if it is still there and empty. Another tab may have it, too, and have used it.
export async function takeSpare(signal: AbortSignal): Promise<string | null> {
  const found = sessionStorage.getItem(STORED);
  sessionStorage.removeItem(STORED);
  try {
    const { owner, conversation } = JSON.parse(found ?? '{}') as { owner?: string; conversation?: string };
    if (!conversation || owner !== me.peek()?.owner) return null;
    const path = `/v1/conversations/${conversation}/tree${query({ limit: 1 })}`;
    return (await get<List<unknown>>(path, { signal })).data.length === 0 ? conversation : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof ApiError && error.status === 404)) return null;
    throw error;
  }
}
