// The branches of a conversation, as a small tree beside the chat: a part of the chat's page, loaded when it is opened
// first. One request for a page of turns.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get, query, type List } from '../api';
import { useAction } from '../parts/action';
import { announce } from '../parts/announce';
import { Icon } from '../parts/icon';
import { More, useList } from '../parts/list';
import { Refused, State } from '../parts/state';
import { go } from '../router';
import { may } from '../session';
import { fill, words } from '../words';
import { labelOf, layOut, leafOf, moveFrom, pathTo, type Move, type TreeMessage, type Turn } from './branches_tree';

export interface BranchesProps {
  conversation: string;
  leaf: string | null; // the last message of the branch that is shown; null: the newest
  newest?: string; // the newest run: another one brings new turns
  onLeaf: (leaf: string) => void; // another branch was chosen
}

const TURNS = 1000;
const ROW = 36,
  LANE = 14,
  EDGE = 12; // pixels; the style of .branch-tree knows the row's height

export default function Branches({ conversation, leaf, newest, onLeaf }: BranchesProps) {
  const list = useList<TreeMessage>(
    (after, signal) =>
      get<List<TreeMessage>>(
        `/v1/conversations/${conversation}/tree${query({ limit: TURNS, after: after ?? undefined })}`,
        { signal },
      ),
    [conversation, newest],
  );
  return (
    <section class="branch-side" aria-label={words.branches.title}>
      <State of={list} empty={(data) => data.length === 0}>
        {(data) => <Tree conversation={conversation} messages={data} leaf={leaf} onLeaf={onLeaf} />}
      </State>
      <More of={list} />
    </section>
  );
}

interface TreeProps extends BranchesProps {
  messages: TreeMessage[];
}

const moves: readonly string[] = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End'];

function Tree({ conversation, messages, leaf, onLeaf }: TreeProps) {
  const rows = useMemo(() => layOut(messages), [messages]);
  const path = useMemo(() => pathTo(rows, leaf ?? messages.at(-1)!.id), [rows, leaf]);
  const shown = [...path][0] ?? rows.at(-1)!;
  const [at, setAt] = useState(shown.id);
  const here = rows.find((turn) => turn.id === at) ?? shown;
  const list = useRef<HTMLOListElement>(null);
  const fork = useAction();
  useEffect(() => setAt(shown.id), [shown.id]);

  const press = (event: KeyboardEvent) => {
    if (!moves.includes(event.key)) return;
    event.preventDefault();
    const next = moveFrom(rows, here, event.key as Move, path);
    setAt(next.id);
    list.current?.querySelectorAll('button')[next.row]?.focus();
  };
  const forkHere = () =>
    fork.run(async () => {
      const made = await get<{ id: string }>(`/v1/conversations/${conversation}/fork`, {
        method: 'POST',
        body: { at: here.id },
        headers: { 'Idempotency-Key': crypto.randomUUID() },
      });
      announce(words.branches.forked);
      go('chat', made.id);
    });

  return (
    <>
      <p class="fine">{words.branches.help}</p>
      <div class="branch-tree">
        <Lines rows={rows} path={path} />
        <ol ref={list} onKeyDown={press}>
          {rows.map((turn) => (
            <Node
              key={turn.id}
              turn={turn}
              tabbable={turn === here}
              onPath={path.has(turn)}
              shown={turn === shown}
              beside={turn.parent?.children ?? rows.filter(({ parent }) => !parent)}
              onFocus={() => setAt(turn.id)}
              onChoose={() => onLeaf(leafOf(turn).id)}
            />
          ))}
        </ol>
      </div>
      {may('chat') && (
        <button type="button" disabled={fork.busy} onClick={forkHere}>
          <Icon name="branch" />
          {fill(words.branches.fork, { what: nameOf(here) })}
        </button>
      )}
      {fork.error && <Refused error={fork.error} />}
    </>
  );
}

const x = (turn: Turn) => EDGE + turn.lane * LANE;
const y = (turn: Turn) => turn.row * ROW + ROW / 2;

function Lines({ rows, path }: { rows: Turn[]; path: Set<Turn> }) {
  const width = EDGE * 2 + LANE * Math.max(...rows.map((turn) => turn.lane));
  return (
    <svg aria-hidden="true" width={width} height={rows.length * ROW}>
      {rows.map(
        (turn) =>
          turn.parent && <path key={turn.id} class={path.has(turn) ? 'on' : undefined} d={line(turn.parent, turn)} />,
      )}
      {rows.map((turn) => (
        <circle
          key={turn.id}
          class={path.has(turn) ? 'on' : undefined}
          cx={x(turn)}
          cy={y(turn)}
          r={turn.children.length ? 4 : 5}
        />
      ))}
    </svg>
  );
}

// Down along the parent's lane, then with a bend to the turn.
function line(from: Turn, to: Turn): string {
  if (x(from) === x(to)) return `M${x(from)} ${y(from)}V${y(to)}`;
  return `M${x(from)} ${y(from)}V${y(to) - ROW / 2}Q${x(from)} ${y(to)} ${x(to)} ${y(to)}`;
}

function nameOf(turn: Turn): string {
  const message = labelOf(turn);
  if (message.removed) return words.branches.removed;
  return message.preview.trim() || words.branches.noText;
}

interface NodeProps {
  turn: Turn;
  tabbable: boolean;
  onPath: boolean;
  shown: boolean;
  beside: Turn[]; // the turns in its place, itself included
  onFocus: () => void;
  onChoose: () => void;
}

function Node({ turn, tabbable, onPath, shown, beside, onFocus, onChoose }: NodeProps) {
  const model = turn.messages.find((message) => message.model)?.model;
  return (
    <li style={{ paddingInlineStart: `${EDGE * 2 + turn.lane * LANE}px` }}>
      <button
        type="button"
        class={onPath ? 'bare on' : 'bare'}
        tabIndex={tabbable ? 0 : -1}
        aria-current={shown ? 'true' : undefined}
        title={nameOf(turn)}
        onFocus={onFocus}
        onClick={onChoose}
      >
        <span>{nameOf(turn)}</span>
        {beside.length > 1 && (
          <span class="unseen">
            {fill(words.branches.place, { n: beside.indexOf(turn) + 1, of: beside.length })}
          </span>
        )}
        {model && <span class="fine">{model}</span>}
      </button>
    </li>
  );
}
