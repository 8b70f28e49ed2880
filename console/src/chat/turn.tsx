// One message of a chat, with what can be done with it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { drawNever, drawSoon } from '../draw/frames';
import { Copy } from '../parts/copy';
import { count, duration, money, number } from '../parts/format';
import { Icon } from '../parts/icon';
import { Time } from '../parts/time';
import { fill, words } from '../words';
import { Chips } from './chips';
import { RunLink, saidOf } from './failed';
import { Finish } from './finish';
import type { Place } from './grow';
import { ModelSelect } from './model_select';
import { Results } from './results';
import { enclosedIn, openCalls, plain } from './segments';
import { SegmentsView } from './segments_view';
import type { Attached } from './sheet';
import type { Run, Turn } from './store';

export interface TurnActions {
  edit?: (turn: Turn) => void;
  again?: (turn: Turn, model?: string) => void;
  results?: (results: { id: string; text: string }[]) => void;
  code?: (turn: Turn) => void;
  goOn?: (run: string) => void;
  approve?: (run: string, approve: boolean) => void;
  branch?: (leaf: string) => void;
}

interface TurnProps extends TurnActions {
  chat: Place;
  turn: Turn;
  live: boolean; // its answer is under way
  joined: boolean; // it goes on with the answer above it
  hit: boolean; // a search has found it
  unsent?: string; // what is known of a message that the gateway has not stored
}

export function TurnView({ chat, turn, live, joined, hit, unsent, ...actions }: TurnProps) {
  const run = turn.run ? chat.runs.value.get(turn.run) : undefined;
  return (
    <article
      class={`turn ${turn.role}${joined ? ' joined' : ''}${hit ? ' hit' : ''}${unsent === undefined ? '' : ' unsent'}`}
      tabIndex={hit ? -1 : undefined}
      aria-label={hit ? words.chat.hit : undefined}
    >
      {!joined && <h2 class="unseen">{turn.role === 'user' ? words.chat.you : (turn.model ?? words.chat.answer)}</h2>}
      <Content chat={chat} turn={turn} live={live} />
      {!live && turn.segments.length === 0 && <p class="fine">{words.chat.noWords}</p>}
      {live && <Waiting chat={chat} />}
      {run && !live && <Outcome run={run} turn={turn} {...actions} />}
      {!run && !live && <Finish reason={turn.finish} />}
      {!live && actions.results && openCalls(turn.segments).length > 0 && (
        <Results calls={openCalls(turn.segments)} send={actions.results} />
      )}
      {!live && (
        <footer class="row wrap">
          <Branches turn={turn} branch={actions.branch} />
          {unsent && <span class="fine">{unsent}</span>}
          {turn.role === 'assistant' && <Facts turn={turn} run={run} />}
          <Buttons turn={turn} {...actions} />
        </footer>
      )}
    </article>
  );
}

// Content: drawn outside of Preact, piece by piece, within the frames' time.
function Content({ chat, turn, live }: { chat: Place; turn: Turn; live: boolean }) {
  const root = useRef<HTMLDivElement>(null);
  const view = useRef<SegmentsView | null>(null);
  const state = useRef({ segments: turn.segments, live });
  const drawer = useRef<(until: number) => boolean>(() => true);

  if (state.current.segments !== turn.segments) {
    view.current = null; // other segments: what is stored in place of what came
    root.current?.replaceChildren();
  }
  state.current = { segments: turn.segments, live };

  useLayoutEffect(() => {
    view.current ??= new SegmentsView(root.current!);
    drawer.current = (until) => view.current?.draw(state.current.segments, !state.current.live, until) ?? true;
    const draw = () => drawSoon(drawer.current);
    chat.drawn.set(turn.key, draw);
    draw();
    return () => {
      drawNever(drawer.current);
      chat.drawn.delete(turn.key);
    };
  }, [turn.segments, turn.key, live]);

  return <div class="content" ref={root} />;
}

function Waiting({ chat }: { chat: Place }) {
  const activity = chat.activity.value;
  if (activity === 'cut') return <p class="fine waiting">{words.chat.cut}</p>;
  if (activity === 'sending') return <p class="fine waiting">{words.chat.waiting}</p>;
  return <span class="cursor" aria-hidden="true" />;
}

// Outcome: how an answer ended, where that was not well.
function Outcome({ run, turn, goOn, approve, again }: { run: Run; turn: Turn } & TurnActions) {
  if (run.finish_reason === 'confirmation') return approve ? <Question run={run} approve={approve} /> : null;
  if (run.finish_reason === 'max_steps') return <Rest run={run} goOn={goOn} />;
  if (run.status === 'completed' || run.status === 'running' || run.status === 'queued')
    return <Finish reason={run.finish_reason} />;
  return (
    <div class={`notice ${run.status === 'cancelled' ? '' : 'bad'}`}>
      <div>
        <span>
          <strong>{words.chat.ends[run.status]}</strong>{' '}
          {run.error && run.status !== 'cancelled' && saidOf(run)}
        </span>
        <span class="row wrap">
          {goOn && run.status !== 'failed' && (
            <button type="button" onClick={() => goOn(run.id)}>
              {words.chat.goOn}
            </button>
          )}
          {again && run.status !== 'cancelled' && (
            <button type="button" onClick={() => again(turn)}>
              {words.failed.retry}
            </button>
          )}
          {run.error && <RunLink id={run.id} />}
        </span>
      </div>
    </div>
  );
}

// Question: code waits for the word of who reads.
function Question({ run, approve }: { run: Run; approve: (run: string, approve: boolean) => void }) {
  return (
    <div class="notice">
      <div>
        <span>{words.chat.mayRun}</span>
        <span class="row">
          <button type="button" class="primary" onClick={() => approve(run.id, true)}>
            {words.chat.allow}
          </button>
          <button type="button" onClick={() => approve(run.id, false)}>
            {words.chat.refuse}
          </button>
        </span>
      </div>
    </div>
  );
}

function Rest({ run, goOn }: { run: Run; goOn?: (run: string) => void }) {
  return (
    <div class="notice">
      <div>
        <span>{words.chat.steps}</span>
        {goOn && (
          <button type="button" onClick={() => goOn(run.id)}>
            {words.chat.goOn}
          </button>
        )}
      </div>
    </div>
  );
}

// speedOf: tokens a second from the first words to the end; null where that took too little time to say so.
const LEAST = 100; // milliseconds

function speedOf(tokens: number | undefined, first: number | undefined, took: number | undefined): number | null {
  if (!tokens || first === undefined || took === undefined || took - first < LEAST) return null;
  return tokens / ((took - first) / 1000);
}

function Facts({ turn, run }: { turn: Turn; run?: Run }) {
  const first = run?.first_token_ms ?? turn.firstPiece; // the run's own figure, where it tells it
  const took = run?.first_token_ms ? (run.duration_ms ?? undefined) : turn.took;
  const speed = speedOf(run?.usage?.completion_tokens, first, took);
  const facts = [
    turn.model ?? run?.model,
    run?.usage && count(run.usage.total_tokens, words.units.tokens),
    run?.usage_source === 'estimated' && words.chat.estimated,
    run?.cost && fill(words.chat.cost, { cost: money(run.cost) }),
    speed !== null && fill(words.chat.speed, { n: number(speed) }),
    first !== undefined && fill(words.chat.firstPiece, { time: duration(first) }),
  ].filter(Boolean);
  return (
    <span class="fine facts">
      {facts.join(' · ')}
      {turn.at > 0 && (
        <>
          {' · '}
          <Time at={turn.at} />
        </>
      )}
    </span>
  );
}

function Buttons({ turn, edit, again, code }: { turn: Turn } & TurnActions) {
  return (
    <span class="row actions">
      <Copy bare text={() => plain(turn.segments)} label={words.chat.copyText} />
      {edit && <Action icon="edit" label={words.chat.edit} run={() => edit(turn)} />}
      {again && <Action icon="again" label={words.chat.again} run={() => again(turn)} />}
      {again && (
        <ModelSelect
          icon="chevron"
          label={words.chat.againWith}
          value={turn.model ?? ''}
          change={(model) => again(turn, model)}
        />
      )}
      {code && <Action icon="code" label={words.chat.code} run={() => code(turn)} />}
    </span>
  );
}

function Action({ icon, label, run }: { icon: 'edit' | 'again' | 'code'; label: string; run: () => void }) {
  return (
    <button type="button" class="bare" title={label} aria-label={label} onClick={run}>
      <Icon name={icon} />
    </button>
  );
}

// Branches: the messages in the place of this one.
function Branches({ turn, branch }: { turn: Turn; branch?: (leaf: string) => void }) {
  const place = turn.id ? turn.others.findIndex((one) => one.id === turn.id) : -1;
  if (!branch || turn.others.length < 2 || place < 0) return null;
  const step = (by: number, label: string, sign: string) => (
    <button
      type="button"
      class="bare"
      aria-label={label}
      disabled={!turn.others[place + by]}
      onClick={() => branch(turn.others[place + by].leaf)}
    >
      {sign}
    </button>
  );
  return (
    <span class="row branches fine">
      {step(-1, words.chat.branchBefore, '‹')}
      {fill(words.chat.branchOf, { n: place + 1, of: turn.others.length })}
      {step(1, words.chat.branchAfter, '›')}
    </span>
  );
}

interface EditorProps {
  turn: Turn;
  send: (text: string, files: Attached[]) => void;
  close: () => void;
}

// Editor: a message, to be sent as another branch. Its files stay unless they are removed.
export function Editor({ turn, send, close }: EditorProps) {
  const [text, setText] = useState(() => plain(turn.segments));
  const [files, setFiles] = useState<Attached[]>(() =>
    enclosedIn(turn.segments).map((kept, n) => ({
      id: String(n),
      name: kept.type === 'file' ? kept.name : words.chat.image,
      kept,
    })),
  );
  return (
    <form
      class="turn user editor"
      onSubmit={(event) => {
        event.preventDefault();
        send(text, files);
      }}
    >
      <label>
        {words.chat.edit}
        <textarea
          rows={Math.min(12, text.split('\n').length + 1)}
          value={text}
          dir="auto"
          autofocus
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || event.isComposing) return;
            event.preventDefault();
            close();
          }}
        />
      </label>
      <Chips files={files} remove={(id) => setFiles(files.filter((file) => file.id !== id))} />
      <p class="fine">{words.chat.editText}</p>
      <div class="row">
        <button class="primary" disabled={!text.trim() && files.length === 0}>
          {words.chat.send}
        </button>
        <button type="button" onClick={close}>
          {words.actions.cancel}
        </button>
      </div>
    </form>
  );
}
