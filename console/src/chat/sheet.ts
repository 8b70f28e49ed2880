// What is not yet said in a conversation: the draft with its files, messages that were refused, and the options. Each
// conversation has its own: the draft in the memory of the page, the options also in the browser, and what was refused in
// the tab.
import { effect, signal } from '@preact/signals';
import { me } from '../session';
import { keepOptions, keptOptions } from './kept';
import { defaults, type Options } from './options_of';
import type { Enclosed } from './segments';
import { keepUnsent, keptUnsent, type Unsent } from './unsent';

export interface Attached {
  id: string;
  name: string;
  kept?: Enclosed; // of a message that is edited
}

export class Sheet {
  readonly text = signal('');
  readonly files = signal<Attached[]>([]);
  readonly unsent = signal<Unsent[]>([]);
  readonly options = signal<Options>(defaults);
  readonly conversation = signal<string | null>(null); // null: a new chat

  constructor(conversation: string | null = null) {
    const owner = me.peek()?.owner;
    this.conversation.value = conversation;
    if (owner === undefined) return;
    if (conversation) this.options.value = keptOptions(owner, conversation);
    this.unsent.value = keptUnsent(owner, conversation);
    let place = conversation;
    effect(() => {
      const here = this.conversation.value;
      if (here !== place) keepUnsent(owner, place, []);
      place = here;
      keepUnsent(owner, here, this.unsent.value);
    });
    effect(() => {
      if (this.conversation.value) keepOptions(owner, this.conversation.value, this.options.value);
    });
  }
}

const sheets = new Map<string, Sheet>(); // of a conversation's id
let fresh: Sheet | null = null; // of the next new chat

let owner: string | undefined;

export function sheetOf(conversation: string | null): Sheet {
  if (owner !== undefined && owner !== me.value?.owner) {
    sheets.clear(); // somebody else has signed in
    fresh = null;
  }
  owner = me.value?.owner;
  if (!conversation) return (fresh ??= new Sheet());
  const known = sheets.get(conversation) ?? new Sheet(conversation);
  sheets.set(conversation, known);
  return known;
}

// taken: the sheet of a new chat is that of a conversation from now on; the next new chat has an empty one.
export function taken(sheet: Sheet, conversation: string | null): void {
  if (sheet === fresh) fresh = null;
  if (!conversation) return;
  sheets.set(conversation, sheet);
  sheet.conversation.value = conversation;
}

// returned: what a new chat was to say could not be said, and is there again.
export function returned(sheet: Sheet): void {
  for (const [id, one] of sheets) if (one === sheet) sheets.delete(id);
  sheet.conversation.value = null;
  fresh = sheet;
}
