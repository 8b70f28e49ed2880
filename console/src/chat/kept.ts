// The options of conversations that this browser keeps, for one owner, until sign-out. The gateway keeps the instruction;
// the model is that of the last answer.
import { defaults, type Options } from './options_of';
import { forgetUnsent } from './unsent';

const STORED = 'parley.options';
const MOST = 100; // conversations, those changed last
const NAMES = ['temperature', 'max_tokens', 'tools', 'lmc', 'store'] as const;

type Kept = Partial<Pick<Options, (typeof NAMES)[number]>>;

function read(owner: string): [string, Kept][] {
  try {
    const found = JSON.parse(localStorage.getItem(STORED) ?? '{}') as { owner?: string; chats?: [string, Kept][] };
    return (found.owner === owner && found.chats) || [];
  } catch {
    return [];
  }
}

export function keptOptions(owner: string, conversation: string): Options {
  return { ...defaults, ...read(owner).find(([id]) => id === conversation)?.[1] };
}

export function keepOptions(owner: string, conversation: string, options: Options): void {
  const changed = Object.fromEntries(NAMES.flatMap((name) => (options[name] === defaults[name] ? [] : [[name, options[name]]])));
  const all = read(owner);
  const before = all.find(([id]) => id === conversation)?.[1] ?? {};
  if (JSON.stringify(before) === JSON.stringify(changed)) return;
  const others = all.filter(([id]) => id !== conversation);
  const chats = [...others, ...(Object.keys(changed).length ? [[conversation, changed]] : [])].slice(-MOST);
  try {
    if (chats.length) localStorage.setItem(STORED, JSON.stringify({ owner, chats }));
    else localStorage.removeItem(STORED);
  } catch {
    // no room: they last as long as the page
  }
}

// forgetOptions: after signing out, nothing of a chat stays here.
export function forgetOptions(): void {
  localStorage.removeItem(STORED);
  forgetUnsent();
}
