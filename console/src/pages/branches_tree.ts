// The turns of a conversation, from the messages of GET /v1/conversations/{id}/tree: what they follow, and where they
// stand in the picture. No DOM here.

export interface TreeMessage {
  id: string;
  parent_id: string | null;
  role: string;
  created_at: number;
  preview: string;
  run_id: string | null;
  model: string | null;
  removed?: boolean;
}

export interface Turn {
  id: string; // of its last message
  messages: TreeMessage[];
  parent: Turn | null;
  children: Turn[];
  lane: number;
  row: number;
  latest: string; // the newest id of it and of all that follows
}

const LANES = 6; // further ones stand on the last

// A turn has the messages that one run brought and its answer, or one message that no run brought.
function group(messages: TreeMessage[]): Turn[] {
  const turns: Turn[] = [];
  const of_run = new Map<string, Turn>();
  for (const message of messages) {
    const known = message.run_id === null ? undefined : of_run.get(message.run_id);
    if (known) {
      known.messages.push(message);
      known.id = message.id;
      continue;
    }
    const turn: Turn = { id: message.id, messages: [message], parent: null, children: [], lane: 0, row: 0, latest: '' };
    turns.push(turn);
    if (message.run_id !== null) of_run.set(message.run_id, turn);
  }
  return turns;
}

function link(turns: Turn[]): Turn[] {
  const of_message = new Map<string, Turn>();
  for (const turn of turns) for (const message of turn.messages) of_message.set(message.id, turn);
  const roots: Turn[] = [];
  for (const turn of turns) {
    const id = turn.messages[0]!.parent_id;
    const parent = id === null ? undefined : of_message.get(id);
    if (parent && parent !== turn) {
      turn.parent = parent;
      parent.children.push(turn);
    } else roots.push(turn);
  }
  return roots;
}

// The rows of the picture: each turn, then all that follows it. The newest branch goes straight on from its turn, and the
// others stand before it on a lane to the side: so no line runs through a turn that is not its own. A stack and not
// recursion, for a conversation may have thousands of turns.
export function layOut(messages: TreeMessage[]): Turn[] {
  const rows: Turn[] = [];
  const waiting = link(group(messages))
    .map((turn) => ({ turn, lane: 0 }))
    .reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { turn, lane } = next;
    const last = turn.children.length - 1;
    turn.lane = Math.min(lane, LANES - 1);
    turn.row = rows.length;
    rows.push(turn);
    for (let i = last; i >= 0; i--) waiting.push({ turn: turn.children[i]!, lane: i === last ? lane : lane + 1 });
  }
  for (const turn of rows.toReversed()) {
    turn.latest = turn.children.reduce((best, one) => (one.latest > best ? one.latest : best), turn.id);
  }
  return rows;
}

// The newest leaf behind a turn: what opens when the turn is chosen. The ids of messages begin with their time.
export function leafOf(turn: Turn): Turn {
  let at = turn;
  for (;;) {
    const next = at.children.find((one) => one.latest === at.latest);
    if (!next) return at;
    at = next;
  }
}

// The turn that has the message, with all turns before it.
export function pathTo(rows: Turn[], message: string | null): Set<Turn> {
  const path = new Set<Turn>();
  let at = rows.find((turn) => turn.messages.some((one) => one.id === message)) ?? null;
  for (; at; at = at.parent) path.add(at);
  return path;
}

export type Move = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight' | 'Home' | 'End';

// Where a key leads: up and down along the branch, to the sides among branches.
export function moveFrom(rows: Turn[], at: Turn, key: Move, path: Set<Turn>): Turn {
  const siblings = at.parent ? at.parent.children : rows.filter((turn) => !turn.parent);
  const place = siblings.indexOf(at);
  switch (key) {
    case 'ArrowUp':
      return at.parent ?? siblings[place - 1] ?? at;
    case 'ArrowDown':
      return at.children.find((turn) => path.has(turn)) ?? at.children.at(-1) ?? at;
    case 'ArrowLeft':
      return siblings[place - 1] ?? at;
    case 'ArrowRight':
      return siblings[place + 1] ?? at;
    case 'Home':
      return rows[0]!;
    case 'End':
      return leafOf(at);
  }
}

// What a turn shows: its question, or what it has instead.
export function labelOf(turn: Turn): TreeMessage {
  return turn.messages.find((message) => message.role === 'user') ?? turn.messages[0]!;
}
