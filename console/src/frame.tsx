// What stands around each page: header, menu, main, the status line and the line that says that the gateway
// is away.
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { offline } from './api';
import { KeyboardList, keyboardShown } from './keyboard';
import { menu, pageOf, type Page } from './pages';
import { useAction } from './parts/action';
import { Announcer } from './parts/announce';
import { Icon } from './parts/icon';
import { NotYet, useLazy } from './parts/lazy';
import { Empty, Loading, Refused } from './parts/state';
import { prefer, preferences, type Theme } from './preferences';
import { go, href, route } from './router';
import { admin, lost, may, me, open, phase, signOut, start } from './session';
import { SignIn, SignInAgain } from './sign_in';
import { words } from './words';

const LEFT = 'parley.left';
const menuShown = signal(false);

export function App() {
  return (
    <>
      {offline.value && (
        <p class="offline" role="status">
          {words.frame.offline}
        </p>
      )}
      <Phase />
      <Announcer />
      {keyboardShown.value && <KeyboardList />}
    </>
  );
}

function Phase() {
  const away = phase.value === 'unreachable' && !offline.value;
  useEffect(() => {
    if (away) void start(); // the gateway is back
  }, [away]);
  const again = phase.value === 'out' && lost.value !== null && me.value !== null;
  if (phase.value === 'out' && !again) return <SignIn />;
  if (phase.value !== 'in' && !again) return <main id="main">{phase.value === 'starting' && <Loading />}</main>;
  return (
    <>
      <Frame />
      {again && <SignInAgain />}
    </>
  );
}

// useDrawer: on a narrow screen the menu is a drawer over the page. The focus goes into it and comes back, Escape
// closes it, and so does whatever leads to another place.
function useDrawer(): void {
  const shown = menuShown.value;
  useEffect(() => {
    menuShown.value = false;
  }, [route.value]);
  useEffect(() => {
    if (!shown) return;
    const button = document.getElementById('menu-button');
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      menuShown.value = false;
      button?.focus();
    };
    document.querySelector<HTMLElement>('#menu a, #menu button')?.focus();
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [shown]);
}

function Frame() {
  useDrawer();
  // What the address without a page shows stays, though the first key, say, would lead elsewhere now.
  const first = useMemo(home, [route.value.name]);
  const page = pageOf(route.value.name || first);
  return (
    <div class="frame" data-menu={menuShown.value ? 'shown' : undefined}>
      <a class="skip" href="#main" onClick={focusMain}>
        {words.frame.skip}
      </a>
      <Header />
      <Menu current={page} />
      {menuShown.value && <div class="behind" onClick={() => (menuShown.value = false)} />}
      <Main page={page && may(page.scope) ? page : undefined} />
    </div>
  );
}

// home: where one left in this tab; else the first steps, while the gateway has no keys and nobody has put them away in
// this browser; else the first page that the key opens.
function home(): string {
  const left = sessionStorage.getItem(LEFT);
  if (left && pageOf(left)) return left;
  if (open.value && !preferences.value.begun) return 'start';
  return may('chat') ? 'chat' : (menu()[0]?.name ?? 'usage');
}

function Header() {
  return (
    <header class="top">
      <a class="brand" href="#/">
        {words.product}
      </a>
      <button
        type="button"
        id="menu-button"
        class="bare menu-button"
        aria-expanded={menuShown.value}
        aria-controls="menu"
        onClick={() => (menuShown.value = !menuShown.value)}
      >
        <Icon name="menu" />
        <span class="unseen">{words.frame.menu}</span>
      </button>
    </header>
  );
}

// Menu: the chats have the room, since they are what people look for; the pages stand below them.
function Menu({ current }: { current: Page | undefined }) {
  const own = menu().filter((page) => !administers(page));
  const administration = menu().filter(administers);
  return (
    <div class="side" id="menu">
      {may('chat') && (
        <div class="row begin">
          <a class="button" href="#/chat" onClick={newChat}>
            <Icon name="plus" />
            {words.frame.newChat}
          </a>
          {may('read') && (
            <a
              class="button"
              href={href('conversations', null, { focus: 'search' })}
              title={words.chats.search}
              aria-label={words.chats.search}
            >
              <Icon name="search" />
            </a>
          )}
        </div>
      )}
      {may('read') && <LazyChats />}
      <nav class="pages" aria-label={words.frame.pages}>
        <Links pages={own} current={current} />
        {administration.length > 0 && <Administration pages={administration} current={current} />}
      </nav>
      <Account />
    </div>
  );
}

// administers: models and settings are pages of administrators, who see all of them, and of others, who see a part.
const administers = (page: Page) => admin.value && page.admin;

// Administration: folded, as it was left in this browser; a page of it that opens unfolds it.
function Administration({ pages, current }: { pages: Page[]; current: Page | undefined }) {
  const within = current !== undefined && pages.includes(current);
  const [shown, setShown] = useState(within || preferences.value.administration);
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (within) setShown(true);
  }, [within]);
  const turn = (event: Event) => {
    event.preventDefault();
    setShown(!shown);
    prefer({ administration: !shown });
  };
  useEffect(() => {
    if (shown) box.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [shown, current, menuShown.value]);
  return (
    <details ref={box} open={shown}>
      <summary onClick={turn}>
        <Icon name="chevron" />
        {words.frame.admin}
      </summary>
      <Links pages={pages} current={current} />
    </details>
  );
}

// newChat: the link also begins one where a new chat is open already.
function newChat(event: Event): void {
  if (route.value.name !== 'chat' || route.value.id) return;
  event.preventDefault();
  go('chat', null, { new: crypto.randomUUID() });
}

// LazyChats: a file of its own, so that the page is drawn before it.
const loadChats = () => import('./chats');
function LazyChats() {
  const { file, missing, retry } = useLazy(loadChats);
  const Shown = file?.default;
  if (Shown) return <Shown key={me.value?.id} />;
  return missing ? <NotYet missing={missing} retry={retry} /> : <div class="chats" />;
}

function Links({ pages, current }: { pages: Page[]; current: Page | undefined }) {
  return (
    <ul>
      {pages.map((page) => (
        <li key={page.name}>
          <a href={href(page.name)} aria-current={page === current ? 'page' : undefined}>
            <Icon name={page.icon} />
            {words.pages[page.name]}
          </a>
        </li>
      ))}
    </ul>
  );
}

const themes: Theme[] = ['auto', 'light', 'dark'];

function Account() {
  const leaving = useAction();
  const { error } = leaving;
  return (
    <div class="account">
      {error && <Refused error={error} title={error.status === 0 ? words.frame.notOutAway : words.frame.notOut} />}
      <p>{open.value ? words.frame.openGateway : (me.value?.name ?? me.value?.id)}</p>
      <div class="row">
        <select
          aria-label={words.frame.theme}
          value={preferences.value.theme}
          onChange={(event) => prefer({ theme: event.currentTarget.value as Theme })}
        >
          {themes.map((theme) => (
            <option key={theme} value={theme}>
              {words.frame.themes[theme]}
            </option>
          ))}
        </select>
        <button type="button" class="bare" title={words.frame.keyboard} onClick={() => (keyboardShown.value = true)}>
          <Icon name="keyboard" />
          <span class="unseen">{words.frame.keyboard}</span>
        </button>
        {!open.value && (
          <button
            type="button"
            class="bare"
            title={words.frame.signOut}
            disabled={leaving.busy}
            onClick={() => leaving.run(signOut)}
          >
            <Icon name="out" />
            <span class="unseen">{words.frame.signOut}</span>
          </button>
        )}
      </div>
    </div>
  );
}

// Main loads the page's file. The focus goes to main when another page opens, and not when only the id or
// the query changes; a first load leaves it where the browser put it.
function Main({ page }: { page: Page | undefined }) {
  const { file, missing, retry } = useLazy(page?.load ?? null);
  const Shown = file?.default;
  const before = useRef<Page | undefined>(undefined);

  useEffect(() => {
    document.title = page ? `${words.pages[page.name]} · ${words.product}` : words.product;
    if (before.current && before.current !== page) focusMain();
    before.current = page;
    if (!page) return;
    sessionStorage.setItem(LEFT, page.name);
  }, [page]);

  return (
    <main id="main" tabIndex={-1} data-page={page?.name} inert={menuShown.value}>
      {!page ? <Unknown /> : Shown ? <Shown route={route.value} /> : <NotYet missing={missing} retry={retry} />}
    </main>
  );
}

function Unknown() {
  return (
    <Empty title={words.frame.unknown}>
      <p>{words.frame.unknownText}</p>
      <a href="#/">{words.frame.home}</a>
    </Empty>
  );
}

function focusMain(event?: Event): void {
  event?.preventDefault();
  document.getElementById('main')?.focus();
}
