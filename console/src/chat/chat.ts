// One open chat: what is shown, and what can be done with it. The answer that is under way is kept by the
// gateway; this file only follows it.
import { signal } from '@preact/signals';
import { ApiError, call, get, isAbort } from '../api';
import { errorOfRun, type Failed } from './failed';
import { grow, type Place } from './grow';
import { pause, type End, type Source } from './live';
import { configOf, formatOf, type Options } from './options_of';
import { plain, userMessage, type Segment } from './segments';
import { returned, sheetOf, taken, type Attached, type Sheet } from './sheet';
import { keepSpare, takeSpare } from './spare';
import {
  branchOf,
  load,
  loadEarlier,
  messageOf,
  messageBefore,
  newestRun,
  runsOf,
  type Loaded,
  type Run,
  type Turn,
} from './store';
import { Tabs } from './tabs';
import { Half } from './two';
import type { Unsent } from './unsent';

export type Activity = 'idle' | 'loading' | 'sending' | 'answering' | 'cut';

// What a request adds to the conversation: a message with files, the results of calls, or nothing.
export interface Said {
  text?: string;
  files?: Attached[];
  results?: { id: string; text: string }[];
}

// The last message has an answer without any words.
export interface Empty {
  run: Run;
  again: (options: Options) => void;
}

interface Asked {
  said: Said;
  parent?: string; // the message that it follows; absent: the newest
  beside: boolean; // it was to begin a branch of its own there
  kept: Turn[]; // what it stands behind
  before: Turn[]; // what was shown, with the branch and what was said of its end
  leaf: string | null;
  failed: Failed | null;
  empty: Empty | null;
  instruction: string; // that the gateway knew
  newest: string | null; // the newest run then
  store: boolean;
  begins?: boolean; // the conversation has nothing else
}

export const NOTHING = 'none'; // in place of a parent: what is said is a first message, beside the others

const TITLE = 80; // characters of the first message
const SOON = 50; // milliseconds after which a run is looked for, at first
const LATER = 1000; // and at last

export class Chat implements Place {
  readonly turns = signal<Turn[]>([]);
  readonly activity = signal<Activity>('loading');
  readonly error = signal<ApiError | null>(null);
  readonly failed = signal<Failed | null>(null);
  readonly empty = signal<Empty | null>(null);
  readonly title = signal('');
  readonly ceiling = signal<{ limit: string; left: string } | null>(null); // what is left of the conversation's
  readonly runs = signal<Map<string, Run>>(new Map());
  readonly newest = signal<Run | null>(null); // the only run that can be continued
  readonly earlier = signal<string | null>(null);
  readonly model = signal(''); // of the last answer
  readonly sending = signal<string | null>(null); // the key of a message that is on its way
  readonly two = signal<Half[] | null>(null); // answers to the last message, of which one will be chosen
  readonly drawn = new Map<string, () => void>(); // of a turn's key: draws what has come
  readonly sheet: Sheet;

  private abort = new AbortController();
  private run: string | null = null; // that is under way
  private sentInstruction = '';
  private storing = false; // what was asked last is stored
  private readonly tabs = new Tabs((conversation) => void (conversation === this.id && this.refresh()));

  constructor(
    public id: string | null,
    public leaf: string | null, // the branch that is shown; null: the newest
    public at: string | null, // the message to show, on whatever branch it is
    private readonly onAddress: (id: string | null, leaf?: string | null) => void, // this branch is shown now
  ) {
    this.sheet = sheetOf(id);
  }

  close(): void {
    this.abort.abort();
    for (const half of this.two.value ?? []) half.leave();
    this.tabs.close();
  }

  // open: reads what is stored, and follows the newest run where it goes on.
  async open(): Promise<void> {
    if (!this.id) {
      this.activity.value = 'idle';
      return;
    }
    if (!(await this.findHit())) return;
    if (!(await this.reload())) return;
    await this.reachHit();
    await this.followNewest();
  }

  // refresh: what was said elsewhere, in another tab or by a program.
  async refresh(): Promise<void> {
    if (this.activity.value !== 'idle' || !this.id || this.leaf || this.failed.value || this.two.value) return;
    const found = await newestRun(this.id, this.abort.signal).catch(() => null);
    const newest = this.newest.value;
    if (!found || (found.id === newest?.id && found.status === newest.status) || this.activity.value !== 'idle') return;
    if (await this.reload()) await this.followNewest();
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

  // send: a message, behind the last one or, as another branch, behind `parent`. Of two answers above it, it follows
  // the first.
  async send(text: string, files: Attached[], options: Options, parent?: string): Promise<void> {
    const half = this.two.value?.find(({ answered }) => answered);
    if (half && !parent) this.choose(half);
    const kept = parent ? this.turnsUntil(parent) : this.turns.value;
    await this.ask({ text, files }, options, kept, parent ?? this.branchEnd(kept), parent !== undefined);
  }

  // sendAgain: a message that was refused. It becomes the newest, unless it was to be another branch.
  async sendAgain(unsent: Unsent, options: Options): Promise<void> {
    this.drop(unsent);
    await this.send(unsent.text, unsent.files, options, unsent.parent);
  }

  // takeBack: a message that was refused goes back to where it was written. What was written meanwhile stays below it.
  takeBack(unsent: Pick<Unsent, 'text' | 'files'>): void {
    const { text, files } = this.sheet;
    this.drop(unsent);
    text.value = [unsent.text, text.value].filter(Boolean).join('\n\n');
    files.value = [...unsent.files, ...files.value];
  }

  // turnOf: a message that was refused, as it is drawn.
  turnOf({ key, text, files, at }: Unsent): Turn {
    return { ...this.newTurn('user'), key, at, segments: segmentsOf(text, files) };
  }

  private drop(unsent: object): void {
    this.sheet.unsent.value = this.sheet.unsent.value.filter((one) => one !== unsent);
  }

  // answerAnew: another answer to the message before this turn, on a branch of its own.
  async answerAnew(turn: Turn, options: Options): Promise<void> {
    if (!turn.parent) return;
    await this.ask({}, options, this.turnsUntil(turn.parent), turn.parent);
  }

  // answerCalls: the results of the calls that an answer ends with; the answer goes on.
  async answerCalls(results: { id: string; text: string }[], options: Options): Promise<void> {
    await this.ask({ results }, options, this.turns.value, this.branchEnd(this.turns.value));
  }

  // goOn: the rest of an answer that broke off, drawn below it.
  async goOn(run: string, options: Options): Promise<void> {
    const body = { stream: true, format: formatOf(options), ...(options.computer && { config: { computer: {} } }) };
    const model = this.runs.value.get(run)?.model ?? options.model;
    await this.answer({ path: `/v1/runs/${run}/continue`, body, key: crypto.randomUUID() }, this.answerTurn(model));
  }

  // approve: lets the code run that a run waits with, or does not; the output and the rest are drawn below it.
  async approve(run: string, approve: boolean): Promise<void> {
    const body = { approve, stream: true };
    const model = this.runs.value.get(run)?.model ?? '';
    await this.answer({ path: `/v1/runs/${run}/approve`, body, key: crypto.randomUUID() }, this.answerTurn(model));
  }

  // keep: the conversation goes on with this one of two answers. The other stays as a branch.
  async keep(half: Half): Promise<void> {
    this.choose(half);
    await this.reload(half.turn);
  }

  async stopOf(half: Half): Promise<void> {
    await half.stop().catch((error) => this.fail(error));
  }

  async stop(): Promise<void> {
    if (this.two.value) {
      await Promise.all(this.two.value.map((half) => this.stopOf(half)));
      return;
    }
    try {
      // Before its first words the run has no name here yet, but its conversation has, as soon as it is stored.
      while (this.storing && !this.run && this.id && this.activity.value === 'sending') {
        const newest = await newestRun(this.id, this.abort.signal);
        if (newest && (newest.status === 'running' || newest.status === 'queued')) this.run ??= newest.id;
        else await pause(100, this.abort.signal);
      }
      if (this.activity.value === 'idle') return; // it ended meanwhile
      if (this.run) {
        await call(`/v1/runs/${this.run}/cancel`, { method: 'POST' });
        return;
      }
    } catch (error) {
      this.fail(error);
      return;
    }
    this.abort.abort();
    this.abort = new AbortController();
    this.arrived();
    this.activity.value = 'idle';
  }

  // --- a request ---

  private async ask(said: Said, options: Options, kept: Turn[], parent?: string, beside = false): Promise<void> {
    const asked: Asked = {
      said,
      parent,
      beside,
      kept,
      before: this.turns.value,
      leaf: this.leaf,
      failed: this.failed.value,
      empty: this.empty.value,
      instruction: this.sentInstruction,
      newest: this.newest.value?.id ?? null,
      store: options.store,
    };
    if (options.store && said.text !== undefined) this.sending.value = this.noteUnsent(said.text, null, asked);
    this.turns.value = this.withSaid(kept, said);
    this.two.value = null;
    this.error.value = null;
    this.failed.value = this.empty.value = null;
    this.activity.value = 'sending';
    this.storing = options.store;
    taken(this.sheet, this.id);
    if (options.store && !this.id && !(await this.begin(asked))) return;
    const body: Record<string, unknown> = {
      messages: options.store ? messagesOf(said) : this.unstored(),
      config: configOf(options),
      stream: true,
      format: formatOf(options),
    };
    if (options.store) Object.assign(body, { conversation: this.id, ...(parent && { parent }) });
    else body.store = false;
    if (options.instruction !== this.sentInstruction || parent === NOTHING || (!options.store && options.instruction))
      body.instruction = options.instruction;
    this.sentInstruction = options.instruction;
    if (this.id && (this.leaf || this.at)) {
      this.leaf = this.at = null; // what is said now makes its branch the newest
      this.onAddress(this.id);
    }
    if (options.store && options.second && said.text !== undefined) {
      this.sheet.options.value = { ...this.sheet.options.value, second: '' }; // one message goes to two models
      await this.answerTwice(body, [options.model, options.second], asked);
      return;
    }
    const source = { path: '/v1/chat', body, key: crypto.randomUUID() };
    await this.answer(source, this.answerTurn(options.model), asked);
  }

  // answerTwice: two models answer. As soon as the first one's run has begun, its message is stored, and the second one
  // is asked to answer the same message.
  private async answerTwice(body: Record<string, unknown>, models: string[], asked: Asked): Promise<void> {
    const halves = models.map((model) => new Half(this.answerTurn(model), this.runs));
    const [one, other] = halves;
    const { signal } = this.abort;
    const ask = (half: Half, more: object) =>
      half
        .answer({ path: '/v1/chat', body: { ...body, ...more }, key: crypto.randomUUID() })
        .then(() => this.readRuns());
    this.two.value = halves;
    try {
      const first = ask(one, {});
      await this.findRun(one, asked.newest);
      if (!one.turn.run) {
        await first;
        await this.endedUnasked(one, asked);
        return;
      }
      this.arrived();
      const parent = await messageBefore(this.id!, one.turn.run, signal);
      const config = { ...(body.config as object), model: models[1] };
      const second = ask(other, { messages: [], parent, config });
      this.tabs.tell(this.id!);
      await this.findRun(other, one.turn.run);
      await Promise.all([first, second]);
      if (this.two.value === halves) await this.endedTwice(halves, parent);
      this.tabs.tell(this.id!);
    } catch (error) {
      for (const half of halves) half.leave(); // the runs go on, and are found when the chat is opened again
      this.two.value = null;
      this.fail(error);
    }
  }

  // findRun: the run that a request has begun; the answer's headers tell of it with the first words only.
  private async findRun(half: Half, known: string | null): Promise<void> {
    for (let wait = SOON; !half.turn.run; wait = Math.min(2 * wait, LATER)) {
      const { busy } = half;
      const newest = await newestRun(this.id!, this.abort.signal).catch(() => null); // the network may come back
      if (newest && newest.id !== known) half.turn.run ??= newest.id;
      else if (!busy) return;
      else await pause(wait, this.abort.signal);
    }
    if (half.stopped) await half.stop();
  }

  private async readRuns(): Promise<void> {
    const { signal } = this.abort;
    if (!signal.aborted) this.runs.value = await runsOf(this.id!, signal).catch(() => this.runs.value);
  }

  // endedUnasked: the message was not stored, so that there is nothing for a second model to answer.
  private async endedUnasked(one: Half, asked: Asked): Promise<void> {
    this.two.value = null;
    if (one.error.value) await this.refused(one.error.value, asked);
    else await this.reload();
  }

  // endedTwice: the address is that of the first answer. Where there is none at all, the message can be sent again.
  private async endedTwice(halves: Half[], parent: string | undefined): Promise<void> {
    const first = halves.find(({ answered }) => answered);
    if (!first) this.two.value = null;
    const { signal } = this.abort;
    this.take(await load(this.id!, parent ?? null, signal));
    if (!first) return;
    this.leaf = messageOf(first.turn.run!);
    this.onAddress(this.id, this.leaf);
  }

  // choose: one of two answers becomes the last turn.
  private choose(half: Half): void {
    const others = this.two.value?.filter((one) => one !== half) ?? [];
    for (const one of others) void this.stopOf(one);
    const { turn } = half;
    const { options } = this.sheet;
    turn.id = messageOf(turn.run!);
    if (options.value.model) options.value = { ...options.value, model: turn.model ?? '' };
    this.two.value = null;
    this.turns.value = [...this.turns.value, turn];
    this.leaf = turn.run === this.newest.value?.id ? null : turn.id;
    this.onAddress(this.id, this.leaf);
    this.activity.value = 'idle';
  }

  // begin: makes the conversation, unless one was left empty. Its id is in the address before the first words come, so that a reload finds it.
  private async begin(asked: Asked): Promise<boolean> {
    this.title.value = titleOf(this.turns.value);
    try {
      const headers = { 'Idempotency-Key': crypto.randomUUID() };
      const { signal } = this.abort;
      const make = () => get<{ id: string }>('/v1/conversations', { body: {}, headers, signal });
      const id = (await takeSpare(signal)) ?? (await make()).id;
      asked.begins = true;
      this.id = id;
      taken(this.sheet, id);
      this.onAddress(id);
      return true;
    } catch (error) {
      if (error instanceof ApiError) await this.refused(error, asked);
      else this.fail(error);
      return false;
    }
  }

  // withSaid: the turns with what is said now behind them.
  private withSaid(kept: Turn[], { text, files = [], results }: Said): Turn[] {
    const last = kept.at(-1);
    if (results && last) {
      const more: Segment[] = results.map(({ id, text: result }) => ({ type: 'result', text: result, id }));
      return [...kept.slice(0, -1), { ...last, segments: [...last.segments, ...more] }];
    }
    if (text === undefined) return kept;
    return [...kept, { ...this.newTurn('user'), segments: segmentsOf(text, files), parent: last?.id ?? null }];
  }

  // Where nothing is stored, the page sends what was said along.
  private unstored(): unknown[] {
    return this.turns.value.flatMap(({ role, segments }) => {
      if (role === 'user') return [userMessage(segments)];
      const calls = segments.filter((one) => one.type === 'call').map((one) => ({
        id: one.id,
        type: 'function',
        function: { name: one.name, arguments: one.text },
      }));
      const results = segments.filter((one) => one.type === 'result');
      if (segments.length === 0) return []; // an empty answer
      return [
        { role, content: plain(segments), ...(calls.length && { tool_calls: calls }) },
        ...results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
      ];
    });
  }

  private newTurn(role: Turn['role']): Turn {
    const key = crypto.randomUUID();
    const known = { id: null, parent: null, model: null, run: null, others: [], messages: [] };
    return { key, role, segments: [], at: Date.now() / 1000, ...known };
  }

  private answerTurn(model: string): Turn {
    return { ...this.newTurn('assistant'), model };
  }

  private turnsUntil(message: string): Turn[] {
    const turns = this.turns.value;
    return turns.slice(0, turns.findIndex((turn) => turn.id === message) + 1);
  }

  // branchEnd: what is said follows the end of what is shown. The gateway has to be told where this is another branch than
  // the newest, and where the last message has no answer: it would put the next one beside that message.
  private branchEnd(kept: Turn[]): string | undefined {
    const last = kept.at(-1);
    const told = this.leaf || last?.role === 'user' || this.failed.value || this.empty.value;
    return told ? (last?.id ?? undefined) : undefined;
  }

  // answer: follows an answer to its end, and reads what is stored of it.
  private async answer(source: Source, turn: Turn, asked?: Asked): Promise<void> {
    const store = asked?.store ?? true;
    const last = this.turns.value.at(-1);
    this.turns.value = [...this.turns.value, turn];
    this.error.value = null;
    this.failed.value = this.empty.value = null;
    this.activity.value = 'sending';
    this.run = 'run' in source ? source.run : null;
    const began = (run: string) => {
      if (this.run !== run && this.id) this.tabs.tell(this.id);
      this.run = run;
      this.arrived();
    };
    try {
      const before = last?.role === 'assistant' ? last : undefined;
      const end = await grow(source, turn, before, this, this.abort.signal, began);
      await this.ended(end, turn, asked);
      if (store && this.id) this.tabs.tell(this.id);
    } catch (error) {
      this.fail(error);
    }
  }

  private async ended(end: End, turn: Turn, asked?: Asked): Promise<void> {
    this.run = null;
    if (end.kind === 'refused') {
      this.turns.value = this.turns.value.filter((one) => one !== turn);
      if (asked) await this.refused(end.error, asked);
      else if (await this.reload()) this.fail(end.error);
    } else if ((asked?.store ?? true) && this.id) {
      await this.reload(end.kind === 'done' ? turn : undefined);
    } else {
      this.activity.value = 'idle';
    }
  }

  // refused: what was said stays where it was said, with the reason below it.
  private async refused(error: ApiError, asked: Asked): Promise<void> {
    const { said } = asked;
    const run = asked.store ? await this.storedRun(error.run) : null;
    if (run) this.arrived();
    if (run && (await this.reload())) {
      const failed = this.failed.value; // of the run, which is stored with its message
      this.failed.value = { ...(failed ?? { again: this.askAgain(asked) }), error, provider: run.provider ?? null };
      return;
    }
    if (this.id && asked.begins) this.leaveEmpty(this.id);
    this.activity.value = 'idle';
    this.sentInstruction = asked.instruction;
    if (!this.id && asked.before.length === 0) returned(this.sheet);
    if (!said.results) this.showAgain(asked);
    if (said.text === undefined) this.failed.value = { error, provider: null, again: this.askAgain(asked) };
    else this.keepUnsent(said.text, error, asked);
    if (error.code === 'conversation_busy') await this.refresh(); // what was said meanwhile, elsewhere
  }

  private showAgain({ before, leaf, failed, empty }: Asked): void {
    this.turns.value = before;
    this.failed.value = failed;
    this.empty.value = empty;
    if (!leaf) return;
    this.leaf = leaf;
    this.onAddress(this.id, leaf);
  }

  private keepUnsent(text: string, error: ApiError, asked: Asked): void {
    this.arrived();
    const { files = [] } = asked.said;
    if (error.status === 401) this.takeBack({ text, files }); // the page goes, and comes back when somebody has signed in
    else this.noteUnsent(text, error, asked);
  }

  private noteUnsent(text: string, error: ApiError | null, asked: Asked): string {
    const { said, kept, store } = asked;
    const parent = asked.beside ? asked.parent : undefined;
    const { files = [] } = said;
    const after = kept.at(-1)?.id ?? kept.at(-1)?.key ?? null;
    const key = crypto.randomUUID();
    const { unsent } = this.sheet;
    unsent.value = [...unsent.value, { key, text, files, parent, after, at: Date.now() / 1000, store, error }];
    return key;
  }

  // arrived: a message is not on its way any more.
  private arrived(): void {
    const { unsent } = this.sheet;
    const key = this.sending.value;
    if (key) unsent.value = unsent.value.filter((one) => one.key !== key);
    this.sending.value = null;
  }

  // findArrived: messages that were on their way when the page went, and are stored.
  private findArrived(turns: Turn[]): void {
    const { unsent } = this.sheet;
    const has = ({ after, text }: Unsent) => {
      const from = turns.findIndex(({ messages }) => messages.includes(after ?? ''));
      return turns.slice(from + 1).some(({ role, segments }) => role === 'user' && plain(segments) === text);
    };
    const left = unsent.value.filter((one) => one.error || !has(one));
    if (left.length < unsent.value.length) unsent.value = left;
  }

  // storedRun: the run of an error, where it was stored with what was said.
  private async storedRun(run: string | null): Promise<Run | null> {
    if (!this.id || !run) return null;
    return (await runsOf(this.id, this.abort.signal).catch(() => null))?.get(run) ?? null;
  }

  private askAgain({ said, kept, parent }: Asked): (options: Options) => void {
    return (options) => void this.ask(said, options, kept, parent);
  }

  // leaveEmpty: nothing was stored in the conversation, so this is a new chat again.
  private leaveEmpty(conversation: string): void {
    keepSpare(conversation);
    this.id = null;
    this.title.value = '';
    returned(this.sheet);
    this.onAddress(null);
  }

  // --- what is stored ---

  private async findHit(): Promise<boolean> {
    if (!this.at) return true;
    try {
      this.leaf = await branchOf(this.id!, this.at, this.abort.signal);
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  private async reachHit(): Promise<void> {
    const has = () => this.turns.value.some(({ messages }) => messages.includes(this.at!));
    while (this.at && this.earlier.value && !this.error.value && !has()) await this.showEarlier();
  }

  private async followNewest(): Promise<void> {
    const newest = this.newest.value;
    if (!this.leaf && newest && (newest.status === 'running' || newest.status === 'queued'))
      await this.answer({ run: newest.id }, this.answerTurn(newest.model));
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
    const old = new Map(this.turns.value.map((turn) => [turn.id ?? turn.key, turn]));
    const measured = new Map(this.turns.value.map((turn) => [turn.run, turn]));
    this.title.value = found.conversation.title ?? '';
    this.ceiling.value = found.conversation.budget ?? null;
    this.runs.value = found.runs;
    this.newest.value = found.newest;
    this.earlier.value = found.earlier;
    this.turns.value = found.turns.map((turn) => {
      const before = turn.run ? measured.get(turn.run) : undefined;
      const times = { firstPiece: before?.firstPiece, took: before?.took };
      if (whole && turn.id === id) return { ...turn, ...times, key: whole.key, segments: whole.segments };
      const same = old.get(turn.id ?? turn.key);
      const segments = same && alike(same.segments, turn.segments) ? same.segments : turn.segments;
      return { ...turn, ...times, key: same?.key ?? turn.key, segments };
    });
    this.takeOptions(found);
    this.takeSilent(found);
    this.findArrived(found.turns);
    this.activity.value = 'idle';
  }

  // takeOptions: what the conversation itself tells of them, for a page that has just opened it.
  private takeOptions(found: Loaded): void {
    const { options } = this.sheet;
    this.model.value = found.turns.findLast(({ model }) => model)?.model ?? '';
    const changed = options.value.instruction !== this.sentInstruction;
    this.sentInstruction = found.instruction;
    options.value = {
      ...options.value,
      computer: options.value.computer || found.computer,
      instruction: changed ? options.value.instruction : found.instruction,
    };
  }

  // takeSilent: why the last message has no answer: its run has failed, or was stopped, before the first words, or there
  // were none.
  private takeSilent({ silent, turns }: Loaded): void {
    this.failed.value = this.empty.value = null;
    const parent = turns.at(-1)?.id;
    if (!silent || !parent || this.two.value || silent.status === 'running' || silent.status === 'queued') return;
    const again = (options: Options) => void this.ask({}, options, this.turnsUntil(parent), parent);
    if (silent.status === 'completed') this.empty.value = { run: silent, again };
    else this.failed.value = { error: errorOfRun(silent), provider: silent.provider ?? null, again };
  }

  private fail(error: unknown): void {
    if (isAbort(error)) return;
    this.activity.value = 'idle';
    this.error.value = error instanceof ApiError ? error : new ApiError(0, String(error));
  }
}

function messagesOf({ text, files = [], results }: Said): unknown[] {
  if (results) return results.map(({ id, text: content }) => ({ role: 'tool', tool_call_id: id, content }));
  return text === undefined ? [] : [userMessage(segmentsOf(text, files))];
}

function segmentsOf(text: string, files: Attached[]): Segment[] {
  const segments: Segment[] = files.map(({ id, name, kept }) => kept ?? { type: 'file', id, name, text: '' });
  if (text) segments.push({ type: 'text', text });
  return segments;
}

const alike = (one: Segment[], other: Segment[]): boolean => JSON.stringify(one) === JSON.stringify(other);

function titleOf(turns: Turn[]): string {
  const first = plain(turns[0]?.segments ?? []).trim().split('\n', 1)[0].replace(/^#+ /, '');
  return first.length > TITLE ? `${first.slice(0, TITLE - 1)}…` : first;
}
