// What the gateway knows of a conversation: messages with their ids, branches and runs.
import { get, query, type List } from '../api';
import { addStored, type Segment, type Stored, type Usage } from './segments';

export interface Run {
  id: string;
  status: 'queued' | 'running' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  conversation: string | null;
  model: string;
  created_at: number;
  provider?: string | null;
  first_token_at: number | null;
  first_token_ms?: number | null; // from its arrival on
  duration_ms?: number | null;
  finish_reason: string | null;
  usage: Usage | null;
  usage_source?: 'provider' | 'estimated' | null;
  cost?: string | null;
  error: { message: string; type: string; param: string | null; code: string | null } | null;
  continues: string | null;
  attempts: number; // calls of providers
}

interface Node {
  id: string;
  parent_id: string | null;
  role: string;
  created_at: number;
  run_id: string | null;
  model: string | null;
  removed?: boolean;
}

interface Conversation {
  id: string;
  title?: string;
  created_at: number;
  budget?: { limit: string; left: string }; // its ceiling
}

// One message, or an answer with the computer's messages that follow it.
export interface Turn {
  key: string; // for drawing
  id: string | null; // of its last message; null: not known yet
  parent: string | null; // the message before it; null: it is the first
  role: 'user' | 'assistant';
  segments: Segment[];
  at: number; // seconds since 1970
  model: string | null;
  run: string | null; // that made it
  others: Other[]; // the messages in its place on all branches, itself included
  messages: string[]; // the ids of all of its messages
  firstPiece?: number; // milliseconds, where this page has sent the message
  took?: number; // milliseconds until its end, likewise
  finish?: string | null; // why the model has stopped, likewise
}

export interface Other {
  id: string;
  leaf: string; // the newest message of its branch
}

export interface Loaded {
  conversation: Conversation;
  turns: Turn[];
  runs: Map<string, Run>;
  newest: Run | null;
  silent: Run | null; // the run that has left the last message without an answer
  earlier: string | null; // where the page of earlier messages begins; null: all are there
  instruction: string; // that applies to the branch
  computer: boolean; // the assistant's code runs or has run on it
}

const PAGE = 50;
const TREE_PAGES = 20; // of a thousand turns each

interface Page extends List<Stored> {
  first_id: string | null;
  instruction?: string | null;
}

// load: the last messages of the branch that ends in `leaf`, or of the newest branch.
export async function load(id: string, leaf: string | null, signal: AbortSignal): Promise<Loaded> {
  const path = `/v1/conversations/${id}`;
  const [conversation, page, nodes, runs] = await Promise.all([
    get<Conversation>(path, { signal }),
    get<Page>(`${path}/messages${query({ order: 'desc', limit: PAGE, leaf: leaf ?? undefined })}`, { signal }),
    tree(path, signal),
    runsOf(id, signal),
  ]);
  const newest = [...runs.values()][0] ?? null;
  const last = nodes.get(page.first_id ?? '');
  return {
    conversation,
    turns: turnsOf(page, nodes),
    runs,
    newest,
    silent: silentRun(last, nodes, leaf ? runs.get(last?.run_id ?? '') : newest),
    earlier: page.has_more ? page.last_id : null,
    instruction: page.instruction ?? '',
    computer: [...runs.values()].some((run) => run.finish_reason === 'confirmation') || page.data.some(onComputer),
  };
}

// silentRun: the run that was to answer the last message of a branch, if it has left no message: the newest one on the
// newest branch, which may have been asked for another try, else the one that has brought the message.
function silentRun(last: Node | undefined, nodes: Map<string, Node>, run?: Run | null): Run | null {
  return run && last && last.role !== 'assistant' && !nodes.has(messageOf(run.id)) ? run : null;
}

// onComputer: whether a message has the output of code.
const onComputer = ({ role, lmc }: Stored): boolean =>
  role === 'computer' || (lmc?.some((one) => one.role === 'computer') ?? false);

// branchOf: the branch that a message is on: null where that is the newest one, else the newest message behind it.
export async function branchOf(id: string, message: string, signal: AbortSignal): Promise<string | null> {
  const path = `/v1/conversations/${id}`;
  const [page, nodes] = await Promise.all([
    get<Page>(`${path}/messages${query({ order: 'desc', limit: 1 })}`, { signal }),
    tree(path, signal),
  ]);
  if (!nodes.has(message)) return message;
  for (let at = page.first_id; at; at = nodes.get(at)?.parent_id ?? null) if (at === message) return null;
  return newestBelow(message, groupByParent(nodes));
}

// runsOf: the newest runs of a conversation, the last one first.
export async function runsOf(id: string, signal: AbortSignal): Promise<Map<string, Run>> {
  const { data } = await get<List<Run>>(`/v1/runs${query({ conversation: id, limit: 100 })}`, { signal });
  return new Map(data.map((run) => [run.id, run]));
}

// messageBefore: the message that a run answers, and has brought.
export async function messageBefore(id: string, run: string, signal: AbortSignal): Promise<string | undefined> {
  const nodes = await tree(`/v1/conversations/${id}`, signal);
  return [...nodes.values()].findLast((node) => node.run_id === run && node.role !== 'assistant')?.id;
}

// newestRun: the run of a conversation that began last.
export async function newestRun(id: string, signal: AbortSignal): Promise<Run | null> {
  return (await get<List<Run>>(`/v1/runs${query({ conversation: id, limit: 1 })}`, { signal })).data[0] ?? null;
}

// loadEarlier: the page of messages before `after`.
export async function loadEarlier(id: string, leaf: string | null, after: string, signal: AbortSignal) {
  const path = `/v1/conversations/${id}`;
  const [page, nodes] = await Promise.all([
    get<Page>(`${path}/messages${query({ order: 'desc', limit: PAGE, leaf: leaf ?? undefined, after })}`, { signal }),
    tree(path, signal),
  ]);
  return { turns: turnsOf(page, nodes), earlier: page.has_more ? page.last_id : null };
}

async function tree(path: string, signal: AbortSignal): Promise<Map<string, Node>> {
  const nodes = new Map<string, Node>();
  let after: string | null = null;
  for (let page = 0; page < TREE_PAGES; page++) {
    const list: List<Node> = await get(`${path}/tree${query({ limit: 1000, after: after ?? undefined })}`, { signal });
    for (const node of list.data) nodes.set(node.id, node);
    if (!list.has_more) break;
    after = list.last_id;
  }
  return nodes;
}

// turnsOf: messages come without ids, newest first; the tree has the ids of their branch.
export function turnsOf(page: Page, nodes: Map<string, Node>): Turn[] {
  const path: Node[] = [];
  for (let at = page.first_id; at && path.length < page.data.length; ) {
    const node = nodes.get(at);
    if (!node) break;
    if (!node.removed) path.push(node);
    at = node.parent_id;
  }
  const children = groupByParent(nodes);
  const turns: Turn[] = [];
  for (let place = page.data.length - 1; place >= 0; place--) {
    const message = page.data[place];
    const node = path[place];
    const last = turns.at(-1);
    if (last?.role === 'assistant' && followsCode(message)) {
      addStored(last.segments, message);
      last.id = node?.id ?? last.id;
      if (node) last.messages.push(node.id);
      continue;
    }
    const segments: Segment[] = [];
    addStored(segments, message);
    const role = message.role === 'user' || message.role === undefined ? 'user' : 'assistant';
    turns.push({
      key: node?.id ?? `${page.first_id}-${place}`,
      id: node?.id ?? null,
      parent: node?.parent_id ?? null,
      role,
      segments,
      at: node?.created_at ?? 0,
      model: node?.model ?? null,
      run: node && role === 'assistant' ? runOf(node.id) : null,
      others: node ? othersOf(node, children) : [],
      messages: node ? [node.id] : [],
    });
  }
  return turns;
}

function othersOf(node: Node, children: Map<string | null, Node[]>): Other[] {
  return (children.get(node.parent_id) ?? [])
    .filter((one) => one.role === node.role && !one.removed)
    .map(({ id }) => ({ id, leaf: newestBelow(id, children) }));
}

function newestBelow(id: string, children: Map<string | null, Node[]>): string {
  for (let leaf = id; ; ) {
    const next = children.get(leaf)?.at(-1);
    if (!next) return leaf;
    leaf = next.id;
  }
}

function groupByParent(nodes: Map<string, Node>): Map<string | null, Node[]> {
  const groups = new Map<string | null, Node[]>();
  for (const node of nodes.values()) {
    const group = groups.get(node.parent_id);
    if (group) group.push(node);
    else groups.set(node.parent_id, [node]);
  }
  return groups;
}

// What a client sends for the computer: the output of code, the result of a call.
function followsCode(message: Stored): boolean {
  return message.role === 'computer' || message.role === 'tool';
}

// An answer and the run that made it share their number.
export const runOf = (message: string): string => message.replace(/^msg_/, 'run_');
export const messageOf = (run: string): string => run.replace(/^run_/, 'msg_');
