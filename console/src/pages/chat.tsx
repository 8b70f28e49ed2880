// The chat: one conversation, or a new one.
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Chat, configOf, type Options } from '../chat/chat';
import { sayAnew, takePrepared } from '../chat/prepared';
import { Composer } from '../chat/composer';
import { AgainDialog, CodeDialog } from '../chat/dialogs';
import { readModels } from '../chat/models';
import { defaults, OptionsDialog } from '../chat/options';
import { plain } from '../chat/segments';
import type { Turn } from '../chat/store';
import { Editor, TurnView } from '../chat/turn';
import type { PageProps } from '../pages';
import { Icon } from '../parts/icon';
import { Empty, Loading, Refused } from '../parts/state';
import { prefer, preferences } from '../preferences';
import { go, replace } from '../router';
import { may } from '../session';
import { words } from '../words';
import type { BranchesProps } from './branches';

export default function ChatPage({ route }: PageProps) {
  const leaf = route.query.get('leaf');
  const chat = useChat(route.id, leaf, route.query.get('new'));
  const [options, change] = useOptions();
  const [dialog, setDialog] = useState<'options' | 'branches' | null>(null);
  const [editing, setEditing] = useState<Turn | null>(null);
  const [again, setAgain] = useState<Turn | null>(null);
  const [shown, setShown] = useState<Turn | null>(null);

  useEffect(() => {
    const text = takePrepared();
    if (text) void chat.send(text, [], options);
  }, [chat]);

  const behind = (turn: Turn) => chat.turns.value.slice(0, chat.turns.value.indexOf(turn));
  const edit = (turn: Turn, text: string) => {
    setEditing(null);
    if (turn.parent) void chat.send(text, [], options, turn.parent);
    else sayAnew(text);
  };

  return (
    <div class="chat">
      <header class="row between">
        <h1>{chat.title.value || (chat.id ? words.chat.untitled : words.chat.new)}</h1>
        <span class="row">
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
          <a class="button" href="#/chat" onClick={(event) => fresh(event, chat)}>
            <Icon name="plus" />
            <span class="wide">{words.chat.new}</span>
          </a>
        </span>
      </header>
      <Log chat={chat}>
        {(turn, live, joined) =>
          turn === editing ? (
            <Editor key={turn.key} turn={turn} send={(text) => edit(turn, text)} close={() => setEditing(null)} />
          ) : (
            <TurnView
              key={turn.key}
              chat={chat}
              turn={turn}
              live={live}
              joined={joined}
              edit={turn.role === 'user' && turn.id && chat.activity.value === 'idle' ? setEditing : undefined}
              again={turn.role === 'assistant' && turn.parent && chat.activity.value === 'idle' ? setAgain : undefined}
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
        send={(text, files) => void chat.send(text, files, options)}
      />
      {dialog === 'branches' && chat.id && (
        <BranchesBeside
          conversation={chat.id}
          leaf={leaf}
          newest={chat.newest.value?.id}
          onLeaf={(to) => go('chat', chat.id, { leaf: to })}
        />
      )}
      {dialog === 'options' && <OptionsDialog options={options} change={change} close={() => setDialog(null)} />}
      {again && (
        <AgainDialog
          model={options.model}
          answer={(model) => void chat.answerAnew(again, { ...options, model })}
          close={() => setAgain(null)}
        />
      )}
      {shown && <CodeDialog body={programOf(behind(shown), options)} close={() => setShown(null)} />}
    </div>
  );
}

// useChat: one Chat for an address. The address that a new conversation gets is the same chat.
function useChat(id: string | null, leaf: string | null, fresh: string | null): Chat {
  const kept = useRef<Chat | null>(null);
  const chat = useMemo(() => {
    const old = kept.current;
    if (old && id && old.id === id && old.leaf === leaf) return old;
    return new Chat(id, leaf, (given) => replace('chat', given));
  }, [id, leaf, fresh]);
  kept.current = chat;
  useEffect(() => {
    if (chat.turns.value.length === 0) void chat.open();
    return () => {
      if (kept.current !== chat) chat.close();
    };
  }, [chat]);
  useEffect(() => () => kept.current?.close(), []);
  return chat;
}

// fresh: the link to a new chat, also where a new chat is open already.
function fresh(event: Event, chat: Chat): void {
  if (chat.id || chat.turns.value.length === 0) return;
  event.preventDefault();
  go('chat', null, { new: crypto.randomUUID() });
}

function useOptions(): [Options, (options: Partial<Options>) => void] {
  const [options, setOptions] = useState<Options>({ ...defaults, model: preferences.value.model });
  const change = (changed: Partial<Options>) => {
    if (changed.model) prefer({ model: changed.model });
    setOptions((old) => ({ ...old, ...changed }));
  };
  useEffect(() => {
    readModels().then(
      (known) => setOptions((old) => (old.model || !known.length ? old : { ...old, model: known[0] })),
      () => {}, // the chat says what is wrong
    );
  }, []);
  return [options, change];
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
  children: (turn: Turn, live: boolean, joined: boolean) => ComponentChildren;
}

// Log: the messages. It is no live region: the status line says when an answer begins and ends. It follows the
// end of the text while the reader is there.
function Log({ chat, children }: LogProps) {
  const log = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const turns = chat.turns.value;
  const busy = chat.activity.value !== 'idle' && chat.activity.value !== 'loading';

  const toEnd = () => log.current?.scrollTo({ top: log.current.scrollHeight });
  useLayoutEffect(() => {
    const box = log.current!;
    let follows = true;
    const scrolled = () => {
      follows = box.scrollHeight - box.scrollTop - box.clientHeight < 80;
      setAtEnd(follows);
      if (!follows && box.scrollTop < box.clientHeight) void chat.showEarlier();
    };
    const grown = new ResizeObserver(() => follows && toEnd());
    grown.observe(content.current!);
    box.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener('scroll', scrolled);
    };
  }, [chat]);

  // What is read keeps its place when earlier messages come above it.
  const first = useRef<{ key: string; top: number } | null>(null);
  useLayoutEffect(() => {
    const shown = log.current!.querySelectorAll<HTMLElement>('.turn');
    const place = turns.findIndex((turn) => turn.key === first.current?.key);
    if (place > 0) log.current!.scrollTop += shown[place].offsetTop - first.current!.top;
    first.current = turns[0] ? { key: turns[0].key, top: shown[0].offsetTop } : null;
  }, [turns[0]?.key]);

  return (
    <section class="log" ref={log} tabIndex={0} aria-label={words.chat.messages}>
      <div class="log-content" ref={content}>
        {chat.earlier.value && (
          <button type="button" onClick={() => void chat.showEarlier()}>
            {words.chat.earlier}
          </button>
        )}
        {turns.length === 0 && chat.activity.value === 'loading' && <Loading />}
        {turns.length === 0 && chat.activity.value === 'idle' && !chat.error.value && (
          <Empty title={words.chat.empty}>
            <p>{words.chat.emptyText}</p>
          </Empty>
        )}
        {turns.map((turn, place) =>
          children(
            turn,
            busy && place === turns.length - 1,
            turn.role === 'assistant' && turns[place - 1]?.role === 'assistant',
          ),
        )}
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

function BranchesBeside(props: BranchesProps) {
  const [Tree, setTree] = useState<ComponentType<BranchesProps> | null>(null);
  useEffect(() => {
    void import('./branches').then((file) => setTree(() => file.default));
  }, []);
  return (
    <aside class="beside" aria-label={words.chat.branches}>
      {Tree ? <Tree {...props} /> : <Loading />}
    </aside>
  );
}
