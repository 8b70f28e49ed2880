// The gateway's log as it is written: the last lines and those to come, by level and request.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, call, isAbort, query } from '../api';
import { pause, pauseAfter } from '../chat/live';
import { readBlocks } from '../chat/sse';
import type { PageProps } from '../pages';
import { Icon } from '../parts/icon';
import { asApiError } from '../parts/list';
import { Empty, Loading, Refused } from '../parts/state';
import { replace } from '../router';
import { words } from '../words';

type Level = 'error' | 'warn' | 'info' | 'debug';

interface Line {
  object: 'log.line';
  id: string;
  at: string;
  level: Level;
  event: string;
  request_id: string | null;
  text: string;
}
type Block = Line | { object: 'ready' | 'log.gap' };

const LEVELS = ['error', 'warn', 'info'] as const; // the filter's
const KEPT = 1000; // lines on the page

export default function Log({ route }: PageProps) {
  const level = route.query.get('level') ?? '';
  const request = route.query.get('request') ?? '';
  const [paused, setPaused] = useState(false);
  const [follow, setFollow] = useState(true);
  const { lines, gap, ready, error, again } = useLog(level, request, paused);
  const filter = (change: Record<string, string>) =>
    replace(
      'log',
      null,
      Object.fromEntries(Object.entries({ level, request, ...change }).filter(([, value]) => value)),
    );
  return (
    <div class="page logged">
      <header class="row wrap between">
        <h1>{words.pages.log}</h1>
        <div class="row wrap">
          <span class={`live fine ${ready && !paused ? 'live' : ''}`}>
            {paused ? words.log.paused : ready ? words.log.live : words.log.connecting}
          </span>
          <button type="button" aria-pressed={paused} onClick={() => setPaused(!paused)}>
            <Icon name={paused ? 'again' : 'stop'} />
            {paused ? words.log.resume : words.log.pause}
          </button>
        </div>
      </header>
      <div class="row wrap filters">
        <label>
          {words.log.level}
          <select value={level} onChange={(event) => filter({ level: event.currentTarget.value })}>
            <option value="">{words.log.all}</option>
            {LEVELS.map((name) => (
              <option key={name} value={name}>
                {words.log.from[name]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {words.log.request}
          <input
            type="search"
            placeholder={words.log.requestHint}
            maxLength={95}
            value={request}
            onChange={(event) => filter({ request: event.currentTarget.value.trim() })}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} />
          {words.log.follow}
        </label>
      </div>
      {error && <Refused error={error} retry={again} />}
      {!ready && !error && lines.length === 0 && <Loading />}
      {ready && lines.length === 0 && <Empty title={level || request ? words.log.noneFiltered : words.log.none} />}
      {gap && <p class="notice">{words.log.gap}</p>}
      {lines.length > 0 && (
        <Lines of={lines} follow={follow && !paused} onRequest={(id) => filter({ request: id })} />
      )}
    </div>
  );
}

interface LinesProps {
  of: Line[];
  follow: boolean;
  onRequest: (id: string) => void;
}

// The newest line is the last one; while it is followed, it stays in sight.
function Lines({ of, follow, onRequest }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const last = of.at(-1)?.id;
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [last, follow]);
  return (
    <div class="log-lines" role="region" aria-label={words.log.lines} tabIndex={0} ref={box}>
      <ol class="plain">
        {of.map((line) => (
          <li key={line.id} class={line.level}>
            <details>
              <summary>
                <span class="log-level">{words.log.levels[line.level]}</span>
                <time dateTime={line.at}>{line.at.slice(11, 23)}</time>
                <span class="log-says">{says(line)}</span>
              </summary>
              <Whole of={line} onRequest={onRequest} />
            </details>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Whole({ of, onRequest }: { of: Line; onRequest: (id: string) => void }) {
  const members = membersOf(of);
  return (
    <>
      {members ? (
        <dl class="log-members">
          {Object.entries(members).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <pre class="log-text">{of.text}</pre>
      )}
      {of.request_id && (
        <button type="button" onClick={() => onRequest(of.request_id!)}>
          {words.log.ofRequest}
        </button>
      )}
    </>
  );
}

// membersOf: null: the line is text.
function membersOf(line: Line): Record<string, unknown> | null {
  try {
    return JSON.parse(line.text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

const OWN = ['ts', 'level', 'event'];
// What a line is about stands before what else it says.
const FIRST = ['msg', 'status', 'method', 'path', 'error_code', 'duration_ms', 'model', 'upstream'];

function says(line: Line): string {
  const members = membersOf(line);
  if (!members) return line.text.split(' ').slice(2).join(' ');
  const names = [...FIRST.filter((name) => name in members), ...Object.keys(members)];
  const rest = [...new Set(names)].filter((name) => !OWN.includes(name));
  return [line.event, ...rest.map((name) => (name === 'msg' ? members[name] : `${name}=${members[name]}`))].join(' ');
}

interface Followed {
  lines: Line[];
  gap: boolean; // lines are missing
  ready: boolean;
  error: ApiError | null;
  again: () => void;
}

// useLog: follows the stream; a pause leaves it, and the end of a pause goes on after the last line.
function useLog(level: string, request: string, paused: boolean): Followed {
  const [held, setHeld] = useState<Omit<Followed, 'again'>>({ lines: [], gap: false, ready: false, error: null });
  const [turn, setTurn] = useState(0);
  const asked = useRef('');
  const after = useRef<string | null>(null);
  const question = JSON.stringify([level, request, turn]);
  useEffect(() => {
    if (asked.current !== question) {
      asked.current = question;
      after.current = null;
      setHeld({ lines: [], gap: false, ready: false, error: null });
    }
    if (paused) return;
    const abort = new AbortController();
    const take = (blocks: Block[]) => {
      const fresh = blocks.filter((block): block is Line => block.object === 'log.line');
      if (fresh.length > 0) after.current = fresh.at(-1)!.id;
      setHeld((old) => ({
        lines: [...old.lines, ...fresh].slice(-KEPT),
        gap: old.gap || blocks.some((block) => block.object === 'log.gap'),
        ready: old.ready || blocks.some((block) => block.object === 'ready'),
        error: null,
      }));
    };
    void followLog(() => query({ level, request_id: request, after: after.current ?? undefined }), abort.signal, {
      take,
      cut: () => setHeld((old) => ({ ...old, ready: false })),
      refused: (error) => setHeld((old) => ({ ...old, ready: false, error })),
    });
    return () => abort.abort();
  }, [question, paused]);
  return { ...held, again: () => setTurn((old) => old + 1) };
}

interface Reader {
  take: (blocks: Block[]) => void;
  cut: () => void;
  refused: (error: ApiError) => void;
}

async function followLog(parameters: () => string, signal: AbortSignal, reader: Reader): Promise<void> {
  for (let cuts = 1; !signal.aborted; cuts += 1) {
    try {
      await readLog(`/v1/admin/log${parameters()}`, signal, (blocks) => {
        cuts = 0;
        reader.take(blocks);
      });
    } catch (error) {
      if (isAbort(error)) return;
      const known = asApiError(error);
      if (known.status >= 400 && known.status < 500 && known.status !== 429) return reader.refused(known);
    }
    reader.cut();
    await pause(pauseAfter(cuts, Math.random()), signal).catch(() => {}); // the page is left
  }
}

// Blocks of one frame are told together, so that a thousand lines are drawn once.
async function readLog(path: string, signal: AbortSignal, take: (blocks: Block[]) => void): Promise<void> {
  const answer = await call(path, { signal, headers: { Accept: 'text/event-stream' } });
  let waiting: Block[] = [];
  const tell = () => {
    if (waiting.length > 0 && !signal.aborted) take(waiting);
    waiting = [];
  };
  try {
    for await (const { event, data } of readBlocks(answer)) {
      if (event) return; // done and error end the stream
      if (waiting.length === 0) setTimeout(tell, 30);
      waiting.push(JSON.parse(data) as Block);
    }
  } finally {
    tell();
  }
}
