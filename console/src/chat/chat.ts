// One open chat: what is shown, and what can be done with it. The answer that is under way is kept by the
// gateway; this file only follows it.
import { signal } from '@preact/signals';
import { ApiError, call, get, isAbort } from '../api';
import { announce } from '../parts/announce';
import { words } from '../words';
import { follow, pause, type End, type Source } from './live';
import { Growing, plain, type Chunk, type Lmc } from './segments';
import { load, loadEarlier, messageOf, type Loaded, type Run, type Turn } from './store';

export interface Options {
  model: string;
  instruction: string;
  temperature: string;
  max_tokens: string;
  tools: string; // JSON
  store: boolean;
  lmc: boolean;
  computer: boolean; // the assistant's code runs there, after a question
}

export interface Attached {
  id: string;
  name: string;
}

export type Activity = 'idle' | 'loading' | 'sending' | 'answering' | 'cut';

const TITLE = 80; // characters of the first message
const world = { call, pause, random: Math.random };

export class Chat {
  readonly turns = signal<Turn[]>([]);
  readonly activity = signal<Activity>('loading');
  readonly error = signal<ApiError | null>(null);
  readonly title = signal('');
  readonly runs = signal<Map<string, Run>>(new Map());
  readonly newest = signal<Run | null>(null); // the only run that can be continued
  readonly earlier = signal<string | null>(null);
  readonly returned = signal(''); // the text of a message that was refused
  readonly drawn = new Map<string, () => void>(); // of a turn's key: draws what has come

  private abort = new AbortController();
  private run: string | null = null; // that is under way
  private sentInstruction = '';

  constructor(
    public id: string | null,
    public leaf: string | null, // the branch that is shown; null: the newest
    private readonly onAddress: (id: string) => void, // the newest branch of this conversation is shown now
  ) {}

  close(): void {
    this.abort.abort();
  }

  // open: reads what is stored, and follows the newest run where it goes on.
  async open(): Promise<void> {
    if (!this.id) {
      this.activity.value = 'idle';
      return;
    }
    if (!(await this.reload())) return;
    const newest = this.newest.value;
    if (!this.leaf && newest && (newest.status === 'running' || newest.status === 'queued'))
      await this.answer({ run: newest.id }, this.answerTurn(newest.model));
  }

  async showEarlier(): Promise<void> {
    const after = this.earlier.value;
    if (!after || !this.id) return;
    this.earlier.value = null;
    try {
      const page = await loadEarlier(this.id, this.leaf, after, this.abort.signal);
      this.turns.value = [...page.turns, ...this.turns.value];
      this.earlier.value = page.earlier;
    } catch (error) {
      this.earlier.value = after;
      this.fail(error);
    }
  }

  // send: a message, behind the last one or, as another branch, behind `parent`.
  async send(text: string, files: Attached[], options: Options, parent?: string): Promise<void> {
    const message: Record<string, unknown> = { role: 'user', content: text };
    if (files.length) message.context = { files: files.map(({ id, name }) => ({ uuid: id, name })) };
    const kept = parent ? this.turnsUntil(parent) : this.turns.value;
    const shown = files.map(({ id, name }) => ({ type: 'file' as const, id, name, text: '' }));
    this.turns.value = [
      ...kept,
      { ...this.newTurn('user'), segments: [...shown, { type: 'text', text }], parent: kept.at(-1)?.id ?? null },
    ];
    await this.ask([message], options, parent ?? (this.leaf ? (kept.at(-1)?.id ?? undefined) : undefined));
  }

  // answerAnew: another answer to the message before this turn, on a branch of its own.
  async answerAnew(turn: Turn, options: Options): Promise<void> {
    if (!turn.parent) return;
    this.turns.value = this.turnsUntil(turn.parent);
    await this.ask([], options, turn.parent);
  }

  // goOn: the rest of an answer that broke off, drawn below it.
  async goOn(run: string, options: Options): Promise<void> {
    const body = { stream: true, format: format(options), ...(options.computer && { config: { computer: {} } }) };
    const model = this.runs.value.get(run)?.model ?? options.model;
    await this.answer({ path: `/v1/runs/${run}/continue`, body, key: crypto.randomUUID() }, this.answerTurn(model));
  }

  // approve: lets the code run that a run waits with, or does not; the output and the rest are drawn below it.
  async approve(run: string, approve: boolean): Promise<void> {
    const body = { approve, stream: true };
    const model = this.runs.value.get(run)?.model ?? '';
    await this.answer({ path: `/v1/runs/${run}/approve`, body, key: crypto.randomUUID() }, this.answerTurn(model));
  }

  async stop(): Promise<void> {
    if (!this.run) {
      this.abort.abort();
      this.abort = new AbortController();
      this.activity.value = 'idle';
      return;
    }
    try {
      await call(`/v1/runs/${this.run}/cancel`, { method: 'POST' });
    } catch (error) {
      this.fail(error);
    }
  }

  private async ask(messages: unknown[], options: Options, parent?: string): Promise<void> {
    const body: Record<string, unknown> = {
      messages: options.store ? messages : this.unstored(),
      config: configOf(options),
      stream: true,
      format: format(options),
    };
    if (!options.store) body.store = false;
    else if (this.id) Object.assign(body, { conversation: this.id, ...(parent && { parent }) });
    if (options.instruction !== this.sentInstruction) body.instruction = options.instruction;
    this.sentInstruction = options.instruction;
    if (this.id && this.leaf) {
      this.leaf = null; // what is said now makes its branch the newest
      this.onAddress(this.id);
    }
    await this.answer({ path: '/v1/chat', body, key: crypto.randomUUID() }, this.answerTurn(options.model), options.store);
  }

  // Where nothing is stored, the page sends what was said along.
  private unstored(): unknown[] {
    return this.turns.value.map((turn) => ({ role: turn.role, content: plain(turn.segments) }));
  }

  private newTurn(role: Turn['role']): Turn {
    const key = crypto.randomUUID();
    return { key, id: null, parent: null, role, segments: [], at: Date.now() / 1000, model: null, run: null, others: [] };
  }

  private answerTurn(model: string): Turn {
    return { ...this.newTurn('assistant'), model };
  }

  private turnsUntil(message: string): Turn[] {
    const turns = this.turns.value;
    return turns.slice(0, turns.findIndex((turn) => turn.id === message) + 1);
  }

  // answer: follows an answer to its end, and reads what is stored of it.
  private async answer(source: Source, turn: Turn, store = true): Promise<void> {
    const growing = new Growing();
    const begun = performance.now();
    const fresh = this.id === null;
    if (fresh) this.title.value = titleOf(this.turns.value);
    turn.segments = growing.segments;
    this.turns.value = [...this.turns.value, turn];
    this.error.value = null;
    this.activity.value = 'sending';
    this.run = 'run' in source ? source.run : null;

    const sink = {
      began: (run: string, conversation: string | null) => {
        this.run = run;
        turn.run = run;
        if (store && conversation && !this.id) {
          this.id = conversation;
          this.onAddress(conversation);
        }
      },
      block: ({ event, data }: { event?: string; data: string }) => {
        if (data === '[DONE]') return;
        growing.add(JSON.parse(data) as Chunk | Lmc);
        if (this.activity.value !== 'answering' && growing.segments.length > 0) {
          turn.firstPiece ??= performance.now() - begun;
          this.activity.value = 'answering';
          announce(words.chat.begins);
        }
        if (event !== 'error') this.drawn.get(turn.key)?.();
      },
      cut: () => (this.activity.value = 'cut'),
      back: () => (this.activity.value = growing.segments.length ? 'answering' : 'sending'),
    };
    try {
      const end = await follow(source, sink, this.abort.signal, world);
      if (store && fresh && this.id) await this.nameIt();
      await this.ended(end, turn, store);
    } catch (error) {
      this.fail(error);
    }
  }

  private async ended(end: End, turn: Turn, store: boolean): Promise<void> {
    this.run = null;
    this.drawn.get(turn.key)?.();
    announce(end.kind === 'done' ? words.chat.complete : words.chat.broken);
    if (end.kind === 'refused') {
      await this.takeBack(turn);
      this.fail(end.error);
    } else if (store && this.id) {
      await this.reload(end.kind === 'done' ? turn : undefined);
    } else {
      this.activity.value = 'idle';
    }
  }

  // takeBack: a message that was refused goes back to where it was written; what is stored all the same is shown.
  private async takeBack(turn: Turn): Promise<void> {
    const turns = this.turns.value.filter((one) => one !== turn);
    const asked = turns.at(-1);
    if (asked?.role === 'user' && !asked.id) this.returned.value = plain(turns.pop()!.segments);
    this.turns.value = turns;
    if (this.id) await this.reload();
  }

  // reload: the stored messages take the place of what is shown. What was drawn of `whole` stays as it is.
  private async reload(whole?: Turn): Promise<boolean> {
    const { signal } = this.abort;
    try {
      const found = await load(this.id!, this.leaf, signal);
      if (signal.aborted) return false;
      this.take(found, whole);
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  private take(found: Loaded, whole?: Turn): void {
    const id = whole?.run ? messageOf(whole.run) : null;
    this.title.value = found.conversation.title ?? '';
    this.runs.value = found.runs;
    this.newest.value = found.newest;
    this.earlier.value = found.earlier;
    this.turns.value = found.turns.map((turn) =>
      whole && turn.id === id
        ? { ...turn, key: whole.key, segments: whole.segments, firstPiece: whole.firstPiece }
        : { ...turn, firstPiece: this.turns.value.find((old) => old.run && old.run === turn.run)?.firstPiece },
    );
    this.activity.value = 'idle';
  }

  // nameIt: the first words are the title, so that the list of conversations can be read.
  private async nameIt(): Promise<void> {
    const title = this.title.value;
    if (title) await get(`/v1/conversations/${this.id}`, { body: { title } }).catch(() => {}); // not worth an error
  }

  private fail(error: unknown): void {
    if (isAbort(error)) return;
    this.activity.value = 'idle';
    this.error.value = error instanceof ApiError ? error : new ApiError(0, String(error));
  }
}

function titleOf(turns: Turn[]): string {
  const first = plain(turns[0]?.segments ?? []).trim().split('\n', 1)[0].replace(/^#+ /, '');
  return first.length > TITLE ? `${first.slice(0, TITLE - 1)}…` : first;
}

const format = (options: Options): string => (options.lmc || options.computer ? 'lmc' : 'openai');

export function configOf(options: Options): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  if (options.model) config.model = options.model;
  if (options.temperature) config.temperature = Number(options.temperature);
  if (options.max_tokens) config.max_tokens = Number(options.max_tokens);
  if (options.computer) config.computer = {};
  if (options.tools.trim()) config.tools = JSON.parse(options.tools);
  return config;
}
