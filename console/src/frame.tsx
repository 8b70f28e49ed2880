// What stands around each page: header, menu, main, the status line and the line that says that the gateway
// is away.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { offline } from './api';
import { KeyboardList, keyboardShown } from './keyboard';
import { menu, pageOf, type Page, type PageProps } from './pages';
import { Announcer } from './parts/announce';
import { Icon } from './parts/icon';
import { Empty, Loading } from './parts/state';
import { prefer, preferences, type Theme } from './preferences';
import { href, route } from './router';
import { may, me, open, phase, signOut, start } from './session';
import { SignIn } from './sign_in';
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
  if (phase.value === 'out') return <SignIn />;
  if (phase.value !== 'in') return <main id="main">{phase.value === 'starting' && <Loading />}</main>;
  return <Frame />;
}

function Frame() {
  const page = pageOf(route.value.name === '' ? home() : route.value.name);
  return (
    <div class="frame" data-menu={menuShown.value ? 'shown' : undefined}>
      <a class="skip" href="#main" onClick={focusMain}>
        {words.frame.skip}
      </a>
      <Header />
      <Menu current={page} />
      <Main page={page && may(page.scope) ? page : undefined} />
    </div>
  );
}

// home: where one left in this tab, else the first page that the key opens. The page of the first run finds
// out by itself whether anything was said already.
function home(): string {
  const left = sessionStorage.getItem(LEFT);
  if (left && pageOf(left)) return left;
  return open.value ? 'start' : (menu()[0]?.name ?? 'usage');
}

function Header() {
  return (
    <header class="top">
      <a class="brand" href="#/">
        {words.product}
      </a>
      <button
        type="button"
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

function Menu({ current }: { current: Page | undefined }) {
  const own = menu().filter((page) => page.scope !== 'admin');
  const administration = menu().filter((page) => page.scope === 'admin');
  return (
    <div class="side" id="menu">
      <nav aria-label={words.frame.pages}>
        <Links pages={own} current={current} />
        {administration.length > 0 && (
          <>
            <h2>{words.frame.admin}</h2>
            <Links pages={administration} current={current} />
          </>
        )}
      </nav>
      <Account />
    </div>
  );
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
  return (
    <div class="account">
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
          <button type="button" class="bare" title={words.frame.signOut} onClick={() => void signOut()}>
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
  const [Shown, setShown] = useState<{ page: Page; Component: ComponentType<PageProps> } | null>(null);
  const before = useRef<Page | undefined>(undefined);

  useEffect(() => {
    menuShown.value = false;
    document.title = page ? `${words.pages[page.name]} · ${words.product}` : words.product;
    if (before.current && before.current !== page) focusMain();
    before.current = page;
    if (!page) return;
    sessionStorage.setItem(LEFT, page.name);
    let wanted = true;
    void page.load().then((file) => wanted && setShown({ page, Component: file.default }));
    return () => {
      wanted = false;
    };
  }, [page]);

  return (
    <main id="main" tabIndex={-1} data-page={page?.name}>
      {!page ? <Unknown /> : Shown?.page === page ? <Shown.Component route={route.value} /> : <Loading />}
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
