// The chat: one conversation, or a new one.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Chat, NOTHING } from '../chat/chat';
import { Composer, useFiles } from '../chat/composer';
import { CodeDialog } from '../chat/dialogs';
import { fileName, markdownOf } from '../chat/export';
import { EmptyNotice } from '../chat/empty';
import { FailedNotice } from '../chat/failed';
import { Instruction } from '../chat/instruction';
import { models, readModels } from '../chat/models';
import { OptionsDialog } from '../chat/options';
import { configOf, type Options } from '../chat/options_of';
import { takePrepared } from '../chat/prepared';
import { plain } from '../chat/segments';
import type { Attached } from '../chat/sheet';
import type { Turn } from '../chat/store';
import { Editor, TurnView } from '../chat/turn';
import { TwoView } from '../chat/two_view';
import type { Unsent } from '../chat/unsent';
import { UnsentView } from '../chat/unsent_view';
import type { PageProps } from '../pages';
import { announce } from '../parts/announce';
import { money } from '../parts/format';
import { Icon } from '../parts/icon';
import { NotYet, useLazy } from '../parts/lazy';
import { save } from '../parts/save';
import { Empty, Loading, Refused } from '../parts/state';
import { prefer, preferences } from '../preferences';
import { go, replace } from '../router';
import { may } from '../session';
import { fill, words } from '../words';
import type { BranchesProps } from './branches';

export default function ChatPage({ route }: PageProps) {
  const leaf = route.query.get('leaf');
  const chat = useChat(route.id, leaf, route.query.get('at'), route.query.get('new'));
  const [options, change] = useOptions(chat);
  const files = useFiles(chat.sheet);
  const drop = useDrop(files.allowed, files.add);
  const [dialog, setDialog] = useState<'options' | 'branches' | null>(null);
  const [editing, setEditing] = useState<Turn | null>(null);
  const [shown, setShown] = useState<Turn | null>(null);

  useEffect(() => {
    const prepared = takePrepared();
    if (prepared !== null) void chat.send(prepared, [], options);
  }, [chat]);

  const title = chat.title.value || (chat.id ? words.chat.untitled : words.pages.chat);
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);

  const behind = (turn: Turn) => {
    const place = chat.turns.value.indexOf(turn);
    return place < 0 ? chat.turns.value : chat.turns.value.slice(0, place); // one of two answers is not among them yet
  };
  const edit = (turn: Turn, text: string, kept: Attached[]) => {
    setEditing(null);
    void chat.send(text, kept, options, turn.parent ?? NOTHING);
  };

  return (
    <div class={drop.over ? 'chat over' : 'chat'} data-drop={words.chat.drop} {...drop.handlers}>
      <header class="row between">
        <h1 dir="auto">{title}</h1>
        <span class="row">
          {chat.ceiling.value && (
            <span class="fine" title={words.chat.ceiling}>
              {fill(words.overview.leftOf, { left: money(chat.ceiling.value.left), limit: money(chat.ceiling.value.limit) })}
            </span>
          )}
          {chat.turns.value.length > 0 && (
            <button
              type="button"
              title={words.chat.export}
              aria-label={words.chat.export}
              onClick={() => void exportChat(chat, options.instruction)}
            >
              <Icon name="save" />
            </button>
          )}
          {chat.id && (
            <button
              type="button"
              aria-expanded={dialog === 'branches'}
              onClick={() => setDialog(dialog === 'branches' ? null : 'branches')}
            >
              <Icon name="branch" />
              <span class="wide">{words.chat.branches}</span>
            </button>
          )}
        </span>
      </header>
      <Log
        chat={chat}
        refused={(unsent) => <UnsentView key={unsent.key} chat={chat} unsent={unsent} options={options} />}
        head={
          <Instruction
            key={chat.id}
            text={options.instruction}
            begun={chat.turns.value.length > 0}
            change={(instruction) => change({ instruction })}
          />
        }
        foot={
          chat.two.value ? (
            <TwoView chat={chat} code={setShown} />
          ) : chat.failed.value ? (
            <FailedNotice failed={chat.failed.value} options={options} busy={chat.activity.value !== 'idle'} />
          ) : (
            chat.empty.value && (
              <EmptyNotice empty={chat.empty.value} options={options} busy={chat.activity.value !== 'idle'} />
            )
          )
        }
      >
        {(turn, live, joined, last) =>
          turn === editing ? (
            <Editor
              key={turn.key}
              turn={turn}
              send={(text, kept) => edit(turn, text, kept)}
              close={() => setEditing(null)}
            />
          ) : (
            <TurnView
              key={turn.key}
              chat={chat}
              turn={turn}
              live={live}
              joined={joined}
              hit={chat.at !== null && turn.messages.includes(chat.at)}
              edit={turn.role === 'user' && turn.id && chat.activity.value === 'idle' ? setEditing : undefined}
              again={
                turn.role === 'assistant' && turn.parent && chat.activity.value === 'idle'
                  ? (of, model) => void chat.answerAnew(of, { ...options, model: model ?? options.model })
                  : undefined
              }
              results={
                last && turn.role === 'assistant' && chat.activity.value === 'idle' && !chat.failed.value
                  ? (results) => void chat.answerCalls(results, options)
                  : undefined
              }
              code={turn.role === 'assistant' ? setShown : undefined}
              goOn={
                turn.run && turn.run === chat.newest.value?.id && turn.segments.length > 0
                  ? (run) => void chat.goOn(run, options)
                  : undefined
              }
              approve={
                turn.run && turn.run === chat.newest.value?.id && chat.activity.value === 'idle' && may('execute')
                  ? (run, yes) => void chat.approve(run, yes)
                  : undefined
              }
              branch={chat.activity.value === 'idle' ? (to) => go('chat', chat.id, { leaf: to }) : undefined}
            />
          )
        }
      </Log>
      <Composer
        chat={chat}
        options={options}
        change={change}
        onOptions={() => setDialog('options')}
        send={(text, attached) => void chat.send(text, attached, options)}
        files={files}
      />
      {dialog === 'branches' && chat.id && (
        <BranchesBeside
          conversation={chat.id}
          leaf={chat.turns.value.findLast((turn) => turn.id)?.id ?? leaf}
          newest={chat.newest.value?.id}
          onLeaf={(to) => go('chat', chat.id, { leaf: to })}
        />
      )}
      {dialog === 'options' && <OptionsDialog options={options} change={change} close={() => setDialog(null)} />}
      {shown && <CodeDialog body={programOf(behind(shown), options)} close={() => setShown(null)} />}
    </div>
  );
}

// useChat: one Chat for an address. The address that a new conversation gets is the same chat.
function useChat(id: string | null, leaf: string | null, at: string | null, fresh: string | null): Chat {
  const kept = useRef<Chat | null>(null);
  const begun = useRef(fresh);
  const chat = useMemo(() => {
    const old = kept.current;
    const anew = fresh !== null && fresh !== begun.current;
    begun.current = fresh ?? begun.current;
    if (old && !anew && old.id === id && old.leaf === leaf && old.at === at) return old;
    return new Chat(id, leaf, at, (given, branch) => replace('chat', given, branch ? { leaf: branch } : {}));
  }, [id, leaf, at, fresh]);
  kept.current = chat;
  useEffect(() => {
    if (chat.turns.value.length === 0) void chat.open();
    return () => {
      if (kept.current !== chat) chat.close();
    };
  }, [chat]);
  useEffect(() => () => kept.current?.close(), []);
  useEffect(() => {
    const seen = () => document.visibilityState === 'visible' && void chat.refresh();
    document.addEventListener('visibilitychange', seen);
    return () => document.removeEventListener('visibilitychange', seen);
  }, [chat]);
  return chat;
}

// useDrop: files may be dropped anywhere on the chat.
function useDrop(allowed: boolean, add: (files: FileList) => void) {
  const [over, setOver] = useState(false);
  const has = (event: DragEvent) => allowed && (event.dataTransfer?.types.includes('Files') ?? false);
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!has(event)) return;
      event.preventDefault(); // else the browser opens the file in place of the console
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!(event.currentTarget as Element).contains(event.relatedTarget as Node | null)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!has(event)) return;
      event.preventDefault();
      if (event.dataTransfer!.files.length) add(event.dataTransfer!.files);
    },
  };
  return { over, handlers };
}

async function exportChat(chat: Chat, instruction: string): Promise<void> {
  while (chat.earlier.value && !chat.error.value) await chat.showEarlier();
  if (chat.error.value) return;
  const text = markdownOf(chat.title.value, instruction, chat.turns.value);
  save(new Blob([text], { type: 'text/markdown' }), fileName(chat.title.value));
  announce(words.chat.exported);
}

// useOptions: those of the conversation. Its model is the one chosen in it, else that of its last answer, else the one
// that was chosen last.
function useOptions(chat: Chat): [Options, (options: Partial<Options>) => void] {
  const { options } = chat.sheet;
  const change = (changed: Partial<Options>) => {
    if (changed.model) prefer({ model: changed.model });
    options.value = { ...options.value, ...changed };
  };
  useEffect(() => {
    readModels().catch(() => {}); // the chat says what is wrong
  }, []);
  const model = options.value.model || chat.model.value || preferences.value.model || models.value?.[0] || '';
  return [{ ...options.value, model }, change];
}

// What a program would send for an answer: the messages before it.
function programOf(before: Turn[], options: Options): unknown {
  return {
    messages: before.map((turn) => ({ role: turn.role, content: plain(turn.segments) })),
    ...(options.instruction && { instruction: options.instruction }),
    config: configOf(options),
  };
}

interface LogProps {
  chat: Chat;
  refused: (unsent: Unsent) => ComponentChildren;
  head: ComponentChildren;
  foot: ComponentChildren;
  children: (turn: Turn, live: boolean, joined: boolean, last: boolean) => ComponentChildren;
}

// Log: the messages. It is no live region: the status line says when an answer begins and ends. It follows the
// end of the text while the reader is there; where a search has led here, it keeps to the hit until the reader moves.
function Log({ chat, refused, head, foot, children }: LogProps) {
  const log = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const turns = chat.turns.value;
  const loading = chat.activity.value === 'loading'; // until then it is not known what has arrived
  const left = chat.sheet.unsent.value.filter(({ key, error }) => key !== chat.sending.value && (error || !loading));
  const unsent = unsentAmong(turns, left, chat.earlier.value !== null);
  const busy = !chat.two.value && chat.activity.value !== 'idle' && chat.activity.value !== 'loading';

  const toEnd = () => log.current?.scrollTo({ top: log.current.scrollHeight });
  useLayoutEffect(() => {
    const box = log.current!;
    let follows = true;
    let toHit = chat.at !== null;
    let height = box.scrollHeight; // when it was followed last; what has come since was not seen by who scrolls
    const scrolled = () => {
      const near = (end: number) => end - box.scrollTop - box.clientHeight < 80;
      const end = near(box.scrollHeight);
      follows = (end || (follows && near(height))) && !toHit;
      setAtEnd(end);
      if (!end && !toHit && box.scrollTop < box.clientHeight) void chat.showEarlier();
    };
    const grown = new ResizeObserver(() => {
      height = box.scrollHeight;
      const hit = toHit ? box.querySelector<HTMLElement>('.hit') : null;
      if (hit) {
        hit.scrollIntoView({ block: hit.offsetHeight < box.clientHeight / 2 ? 'center' : 'start' });
        if (!hit.contains(document.activeElement)) hit.focus({ preventScroll: true });
      } else if (follows && !toHit) toEnd();
    });
    const moved = () => (toHit = false);
    grown.observe(content.current!);
    const control = new AbortController();
    const on = { passive: true, signal: control.signal };
    box.addEventListener('scroll', scrolled, on);
    for (const name of ['wheel', 'touchmove', 'pointerdown', 'keydown']) box.addEventListener(name, moved, on);
    return () => {
      grown.disconnect();
      control.abort();
    };
  }, [chat]);

  // What is read keeps its place when earlier messages come above it.
  const first = useRef<{ key: string; top: number } | null>(null);
  useLayoutEffect(() => {
    const shown = log.current!.querySelectorAll<HTMLElement>('.turn:not(.unsent)');
    const place = turns.findIndex((turn) => turn.key === first.current?.key);
    if (place > 0) log.current!.scrollTop += shown[place].offsetTop - first.current!.top;
    first.current = turns[0] ? { key: turns[0].key, top: shown[0].offsetTop } : null;
  }, [turns[0]?.key]);

  return (
    <section class="log" ref={log} tabIndex={0} aria-label={words.chat.messages}>
      <div class="log-content" ref={content}>
        {head}
        {chat.earlier.value && (
          <button type="button" onClick={() => void chat.showEarlier()}>
            {words.chat.earlier}
          </button>
        )}
        {turns.length === 0 && chat.activity.value === 'loading' && <Loading />}
        {turns.length === 0 && chat.activity.value === 'idle' && !chat.error.value && !foot && !unsent.size && (
          <Empty title={words.chat.empty}>
            <p>{words.chat.emptyText}</p>
          </Empty>
        )}
        {unsent.get(null)?.map(refused)}
        {turns.flatMap((turn, place) => [
          children(
            turn,
            busy && place === turns.length - 1,
            turn.role === 'assistant' && turns[place - 1]?.role === 'assistant',
            place === turns.length - 1,
          ),
          ...(unsent.get(turn)?.map(refused) ?? []),
        ])}
        {foot}
        {chat.error.value && <Refused error={chat.error.value} retry={chat.id ? () => void chat.open() : undefined} />}
      </div>
      {!atEnd && (
        <button type="button" class="to-end" aria-label={words.chat.latest} onClick={toEnd}>
          <Icon name="down" />
        </button>
      )}
    </section>
  );
}

// unsentAmong: the messages that were refused, by the turn that they stand behind. Those of turns that are not shown are
// at the end.
function unsentAmong(turns: Turn[], unsent: Unsent[], earlier: boolean): Map<Turn | null, Unsent[]> {
  const found = new Map<Turn | null, Unsent[]>();
  for (const one of unsent) {
    const { after } = one;
    const first = after === null && !earlier;
    const turn = after === null ? undefined : turns.find(({ key, messages }) => key === after || messages.includes(after));
    const place = first ? null : (turn ?? turns.at(-1) ?? null);
    found.set(place, [...(found.get(place) ?? []), one]);
  }
  return found;
}

const loadBranches = () => import('./branches');

function BranchesBeside(props: BranchesProps) {
  const { file, missing, retry } = useLazy(loadBranches);
  const Tree = file?.default;
  return (
    <aside class="beside" aria-label={words.chat.branches}>
      {Tree ? <Tree {...props} /> : <NotYet missing={missing} retry={retry} />}
    </aside>
  );
}
