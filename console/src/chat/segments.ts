// What a message consists of, whatever its shape was: OpenAI's members, or LMC.
export type Segment =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'code'; language: string; text: string; active: number | null }
  | { type: 'console'; text: string }
  | { type: 'call'; name: string; text: string; id?: string } // text: its arguments
  | { type: 'result'; text: string; id?: string } // id: of the call
  | { type: 'confirmation'; language: string; text: string }
  | { type: 'image'; text: string; part?: Part } // text: a data URL, or another address; part: as it was sent
  | { type: 'file'; name: string; id: string | null; text: string; part?: Part }
  | { type: 'error'; text: string };

export type SegmentType = Segment['type'];

// LMC, as a message or as a chunk of one.
export interface Lmc {
  role?: string;
  type: string;
  format?: string;
  content?: unknown;
  start?: boolean;
  end?: boolean;
  finish_reason?: string;
}

interface Call {
  id?: string;
  index?: number;
  function?: { name?: string; arguments?: string };
}

// A stored message, as it was sent.
export interface Stored extends Partial<Lmc> {
  reasoning_content?: string | null;
  reasoning?: string | null;
  refusal?: string | null;
  tool_call_id?: string;
  tool_calls?: Call[];
  images?: { image_url?: { url?: string } }[];
  context?: { files?: { name?: string; content?: string; uuid?: string }[] };
  lmc?: Lmc[];
}

// The delta of a chunk has the members of a message.
export interface Chunk {
  object?: string;
  choices?: { delta: Stored; finish_reason: string | null }[];
  usage?: Usage;
  error?: { message: string; code: string | null };
  warnings?: { message: string }[];
}

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

// addStored: a stored message.
export function addStored(segments: Segment[], message: Stored): void {
  for (const file of message.context?.files ?? [])
    segments.push({ type: 'file', name: file.name ?? file.uuid ?? '', id: file.uuid ?? null, text: file.content ?? '' });
  if (message.lmc) {
    if (message.reasoning_content) add(segments, 'reasoning', message.reasoning_content);
    for (const one of message.lmc) addLmc(segments, { ...one, start: true });
  } else if (message.type) {
    addLmc(segments, { ...(message as Lmc), start: true });
  } else {
    addDelta(segments, message, new Map());
  }
}

// How long the reasoning of a segment took, in milliseconds; where the page has seen it come.
export const thought = new WeakMap<Segment, number>();

// Growing: the segments of an answer that is streamed, in either shape. `earlier` is what it goes on with: code that was
// approved is there, and runs here.
export class Growing {
  readonly segments: Segment[] = [];
  private readonly calls = new Map<number, Segment>();
  finish: string | null = null; // why the model has stopped
  private began = 0;

  constructor(
    private readonly earlier: Segment[] = [],
    private readonly timed = false, // pieces come when the model writes them
  ) {}

  // add: whether something has changed in what is earlier.
  add(chunk: Chunk | Lmc): boolean {
    const before = this.segments.at(-1);
    if ('type' in chunk) addLmc(this.segments, chunk);
    else for (const choice of chunk.choices ?? []) addDelta(this.segments, choice.delta, this.calls);
    this.finish = ('type' in chunk ? chunk.finish_reason : chunk.choices?.[0]?.finish_reason) ?? this.finish;
    if (this.timed) this.time(before);
    if (!('type' in chunk) || chunk.type !== 'console' || chunk.format !== 'active_line') return false;
    return !hasCode(this.segments) && activate(this.earlier, chunk.content);
  }

  // end: no line runs any more.
  end(): void {
    if (!activate(this.segments, null)) activate(this.earlier, null);
  }

  private time(before: Segment | undefined): void {
    const last = this.segments.at(-1);
    if (last?.type === 'reasoning' && before !== last) this.began = performance.now();
    if (before?.type === 'reasoning' && !thought.has(before) && before !== last)
      thought.set(before, performance.now() - this.began);
  }
}

const hasCode = (segments: Segment[]): boolean => segments.some((segment) => segment.type === 'code');

// add: to the last segment where it is of the same type, else to a new one.
function add(segments: Segment[], type: 'text' | 'reasoning' | 'console' | 'error', text: string): void {
  const last = segments.at(-1);
  if (last?.type === type) last.text += text;
  else segments.push({ type, text });
}

function addDelta(segments: Segment[], delta: Stored, calls: Map<number, Segment>): void {
  if (delta.role === 'tool' && typeof delta.content === 'string') {
    segments.push({ type: 'result', text: delta.content, ...(delta.tool_call_id && { id: delta.tool_call_id }) });
    return;
  }
  const reasoning = delta.reasoning_content ?? delta.reasoning;
  if (reasoning) add(segments, 'reasoning', reasoning);
  if (typeof delta.content === 'string') {
    if (delta.content) add(segments, 'text', delta.content);
  } else if (Array.isArray(delta.content)) {
    for (const part of delta.content) addPart(segments, part);
  }
  if (delta.refusal) add(segments, 'text', delta.refusal);
  for (const image of delta.images ?? []) segments.push({ type: 'image', text: image.image_url?.url ?? '' });
  (delta.tool_calls ?? []).forEach((call, place) => addCall(segments, call, call.index ?? place, calls));
}

function addCall(segments: Segment[], call: Call, index: number, calls: Map<number, Segment>): void {
  let segment = calls.get(index);
  if (!segment) {
    segment = { type: 'call', name: '', text: '' };
    calls.set(index, segment);
    segments.push(segment);
  }
  if (segment.type === 'call') {
    segment.name += call.function?.name ?? '';
    if (call.id) segment.id = call.id;
  }
  segment.text += call.function?.arguments ?? '';
}

interface Part {
  type: string;
  text?: string;
  image_url?: { url: string };
  file?: { filename?: string; file_id?: string };
}

function addPart(segments: Segment[], part: Part): void {
  if (part.text !== undefined) add(segments, 'text', part.text);
  else if (part.image_url) segments.push({ type: 'image', text: part.image_url.url, part });
  else if (part.file)
    segments.push({ type: 'file', name: part.file.filename ?? part.type, id: part.file.file_id ?? null, text: '', part });
  else segments.push({ type: 'file', name: part.type, id: null, text: '', part });
}

// What each type of LMC becomes. A chunk with `start` opens a segment; a message without flags is one of its own.
function addLmc(segments: Segment[], lmc: Lmc): void {
  const content = typeof lmc.content === 'string' ? lmc.content : '';
  const last = segments.at(-1);
  const opens = lmc.start === true;
  switch (lmc.type) {
    case 'message':
      if (opens) segments.push({ type: 'text', text: content });
      else add(segments, 'text', content);
      return;
    case 'code':
      if (opens || last?.type !== 'code')
        segments.push({ type: 'code', language: lmc.format ?? '', text: content, active: null });
      else last.text += content;
      return;
    case 'console':
      if (lmc.format === 'active_line') activate(segments, lmc.content);
      else if (content) add(segments, 'console', content);
      return;
    case 'tool_call':
      if (opens || last?.type !== 'call') segments.push({ type: 'call', name: lmc.format ?? '', text: content });
      else last.text += content;
      return;
    case 'image':
      if (content) segments.push({ type: 'image', text: imageAddress(lmc.format ?? '', content) });
      return;
    case 'confirmation': {
      const code = lmc.content as { format?: string; content?: string } | undefined;
      segments.push({ type: 'confirmation', language: code?.format ?? '', text: code?.content ?? '' });
      return;
    }
    case 'error': {
      const error = lmc.content as { message?: string } | string | undefined;
      segments.push({ type: 'error', text: typeof error === 'string' ? error : (error?.message ?? '') });
      return;
    }
    case 'file':
      segments.push({ type: 'file', name: content, id: null, text: '' });
  }
}

// activate: the line of the last code that runs; null when it has ended. Whether there is such code.
function activate(segments: Segment[], line: unknown): boolean {
  const code = segments.findLast((segment) => segment.type === 'code');
  if (code?.type === 'code') code.active = line === null || line === '' ? null : Number(line);
  return code !== undefined;
}

function imageAddress(format: string, content: string): string {
  const kind = /^base64(?:\.(png|jpeg|gif|webp))?$/.exec(format);
  return kind ? `data:image/${kind[1] ?? 'png'};base64,${content}` : content;
}

// openCalls: the calls that have no result yet, where nothing was said after them.
export function openCalls(segments: Segment[]): (Segment & { type: 'call' })[] {
  const answered = new Set(segments.map((segment) => (segment.type === 'result' ? segment.id : undefined)));
  const last = segments.at(-1)?.type;
  if (last !== 'call' && last !== 'result') return [];
  return segments.filter((one) => one.type === 'call').filter(({ id }) => id !== undefined && !answered.has(id));
}

// plain: the text of a message, to copy or to edit.
export function plain(segments: Segment[]): string {
  return segments
    .filter((segment) => segment.type === 'text')
    .map((segment) => segment.text)
    .join('\n\n');
}

// What a message has beside its text.
export type Enclosed = Segment & { type: 'file' | 'image' };

export const enclosedIn = (segments: Segment[]): Enclosed[] =>
  segments.filter((one): one is Enclosed => one.type === 'file' || one.type === 'image');

// userMessage: the message of a user, as it is sent: files by name, and parts as they came.
export function userMessage(segments: Segment[]): Record<string, unknown> {
  const text = plain(segments);
  const parts: Part[] = [];
  const files: { uuid?: string; name: string; content?: string }[] = [];
  for (const one of enclosedIn(segments)) {
    if (one.part) parts.push(one.part);
    else if (one.type === 'image') parts.push({ type: 'image_url', image_url: { url: one.text } });
    else files.push(one.id ? { uuid: one.id, name: one.name } : { name: one.name, content: one.text });
  }
  return {
    role: 'user',
    content: parts.length ? [...(text ? [{ type: 'text', text }] : []), ...parts] : text,
    ...(files.length && { context: { files } }),
  };
}
