import {
  prefer,
  preferences
} from "./chunk.F7CBMIQ4.js";
import {
  Dialog
} from "./chunk.5PW4BKAU.js";
import {
  go,
  href,
  route
} from "./chunk.PVJQ653K.js";
import {
  Announcer
} from "./chunk.EOXX2F6M.js";
import {
  may,
  me,
  open,
  phase,
  signIn,
  signOut,
  start
} from "./chunk.SNUI3KLE.js";
import {
  $,
  A,
  ApiError,
  Empty,
  Icon,
  Loading,
  Q,
  Refused,
  T,
  a,
  d,
  offline,
  words,
  y
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/keyboard.tsx
var keyboardShown = y(false);
var letters = {
  "/": () => go("conversations", null, { focus: "search" }),
  n: () => go("chat"),
  "?": () => keyboardShown.value = true
};
addEventListener("keydown", (event) => {
  const action = letters[event.key];
  if (!action || !preferences.value.letters || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog")) return;
  event.preventDefault();
  action();
});
var rows = [
  ["/", "search"],
  ["n", "new"],
  ["Enter", "send"],
  ["Shift Enter", "break"],
  ["Esc", "stop"],
  ["?", "help"]
];
function KeyboardList() {
  return /* @__PURE__ */ a(Dialog, { title: words.keyboard.title, onClose: () => keyboardShown.value = false, children: [
    /* @__PURE__ */ a("dl", { class: "keys", children: rows.map(([keys, name]) => /* @__PURE__ */ a("div", { children: [
      /* @__PURE__ */ a("dt", { children: keys.split(" ").map((key) => /* @__PURE__ */ a("kbd", { children: key }, key)) }),
      /* @__PURE__ */ a("dd", { children: words.keyboard[name] })
    ] }, name)) }),
    /* @__PURE__ */ a("label", { class: "choice", children: [
      /* @__PURE__ */ a(
        "input",
        {
          type: "checkbox",
          checked: preferences.value.letters,
          onChange: (event) => prefer({ letters: event.currentTarget.checked })
        }
      ),
      words.keyboard.letters
    ] })
  ] });
}

// src/pages.ts
var pages = [
  { name: "start", scope: null, icon: "spark", menu: false, load: () => import("./start.CP2P55MX.js") },
  { name: "chat", scope: "chat", icon: "chat", menu: true, load: () => import("./chat.CCS2XX4E.js") },
  { name: "conversations", scope: "read", icon: "list", menu: true, load: () => import("./conversations.DWK5XZXI.js") },
  { name: "runs", scope: "read", icon: "pulse", menu: true, load: () => import("./runs.WEGOO6JG.js") },
  { name: "usage", scope: null, icon: "bars", menu: true, load: () => import("./usage.JUFY4JC5.js") },
  { name: "files", scope: "files", icon: "file", menu: true, load: () => import("./files.VEASSMFG.js") },
  { name: "keys", scope: "admin", icon: "key", menu: true, load: () => import("./keys.PTE6YGZB.js") },
  { name: "models", scope: null, icon: "model", menu: true, load: () => import("./models.23PNNVVE.js") },
  { name: "settings", scope: null, icon: "gear", menu: true, load: () => import("./settings.6YKQB5Z4.js") }
];
function pageOf(name) {
  return pages.find((page) => page.name === name);
}
function menu() {
  return pages.filter((page) => page.menu && may(page.scope));
}

// src/sign_in.tsx
function SignIn() {
  const [key, setKey] = d("");
  const [busy, setBusy] = d(false);
  const [error, setError] = d(null);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn(key.trim());
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)));
      setBusy(false);
    }
  };
  return /* @__PURE__ */ a("main", { id: "main", class: "sign-in", tabIndex: -1, children: /* @__PURE__ */ a("form", { onSubmit: submit, children: [
    /* @__PURE__ */ a("p", { class: "brand", children: words.product }),
    /* @__PURE__ */ a("h1", { children: words.signIn.title }),
    /* @__PURE__ */ a("p", { children: words.signIn.text }),
    /* @__PURE__ */ a("label", { children: [
      words.signIn.key,
      /* @__PURE__ */ a(
        "input",
        {
          type: "password",
          autocomplete: "current-password",
          required: true,
          value: key,
          onInput: (event) => setKey(event.currentTarget.value)
        }
      )
    ] }),
    error && /* @__PURE__ */ a(Refused, { error }),
    /* @__PURE__ */ a("button", { class: "primary", disabled: busy, children: busy ? words.signIn.busy : words.signIn.submit }),
    /* @__PURE__ */ a("p", { class: "fine", children: words.signIn.note })
  ] }) });
}

// src/frame.tsx
var LEFT = "parley.left";
var menuShown = y(false);
function App() {
  return /* @__PURE__ */ a($, { children: [
    offline.value && /* @__PURE__ */ a("p", { class: "offline", role: "status", children: words.frame.offline }),
    /* @__PURE__ */ a(Phase, {}),
    /* @__PURE__ */ a(Announcer, {}),
    keyboardShown.value && /* @__PURE__ */ a(KeyboardList, {})
  ] });
}
function Phase() {
  const away = phase.value === "unreachable" && !offline.value;
  A(() => {
    if (away) void start();
  }, [away]);
  if (phase.value === "out") return /* @__PURE__ */ a(SignIn, {});
  if (phase.value !== "in") return /* @__PURE__ */ a("main", { id: "main", children: phase.value === "starting" && /* @__PURE__ */ a(Loading, {}) });
  return /* @__PURE__ */ a(Frame, {});
}
function Frame() {
  const page = pageOf(route.value.name === "" ? home() : route.value.name);
  return /* @__PURE__ */ a("div", { class: "frame", "data-menu": menuShown.value ? "shown" : void 0, children: [
    /* @__PURE__ */ a("a", { class: "skip", href: "#main", onClick: focusMain, children: words.frame.skip }),
    /* @__PURE__ */ a(Header, {}),
    /* @__PURE__ */ a(Menu, { current: page }),
    /* @__PURE__ */ a(Main, { page: page && may(page.scope) ? page : void 0 })
  ] });
}
function home() {
  const left = sessionStorage.getItem(LEFT);
  if (left && pageOf(left)) return left;
  return open.value ? "start" : menu()[0]?.name ?? "usage";
}
function Header() {
  return /* @__PURE__ */ a("header", { class: "top", children: [
    /* @__PURE__ */ a("a", { class: "brand", href: "#/", children: words.product }),
    /* @__PURE__ */ a(
      "button",
      {
        type: "button",
        class: "bare menu-button",
        "aria-expanded": menuShown.value,
        "aria-controls": "menu",
        onClick: () => menuShown.value = !menuShown.value,
        children: [
          /* @__PURE__ */ a(Icon, { name: "menu" }),
          /* @__PURE__ */ a("span", { class: "unseen", children: words.frame.menu })
        ]
      }
    )
  ] });
}
function Menu({ current }) {
  const own = menu().filter((page) => page.scope !== "admin");
  const administration = menu().filter((page) => page.scope === "admin");
  return /* @__PURE__ */ a("div", { class: "side", id: "menu", children: [
    /* @__PURE__ */ a("nav", { "aria-label": words.frame.pages, children: [
      /* @__PURE__ */ a(Links, { pages: own, current }),
      administration.length > 0 && /* @__PURE__ */ a($, { children: [
        /* @__PURE__ */ a("h2", { children: words.frame.admin }),
        /* @__PURE__ */ a(Links, { pages: administration, current })
      ] })
    ] }),
    /* @__PURE__ */ a(Account, {})
  ] });
}
function Links({ pages: pages2, current }) {
  return /* @__PURE__ */ a("ul", { children: pages2.map((page) => /* @__PURE__ */ a("li", { children: /* @__PURE__ */ a("a", { href: href(page.name), "aria-current": page === current ? "page" : void 0, children: [
    /* @__PURE__ */ a(Icon, { name: page.icon }),
    words.pages[page.name]
  ] }) }, page.name)) });
}
var themes = ["auto", "light", "dark"];
function Account() {
  return /* @__PURE__ */ a("div", { class: "account", children: [
    /* @__PURE__ */ a("p", { children: open.value ? words.frame.openGateway : me.value?.name ?? me.value?.id }),
    /* @__PURE__ */ a("div", { class: "row", children: [
      /* @__PURE__ */ a(
        "select",
        {
          "aria-label": words.frame.theme,
          value: preferences.value.theme,
          onChange: (event) => prefer({ theme: event.currentTarget.value }),
          children: themes.map((theme) => /* @__PURE__ */ a("option", { value: theme, children: words.frame.themes[theme] }, theme))
        }
      ),
      /* @__PURE__ */ a("button", { type: "button", class: "bare", title: words.frame.keyboard, onClick: () => keyboardShown.value = true, children: [
        /* @__PURE__ */ a(Icon, { name: "keyboard" }),
        /* @__PURE__ */ a("span", { class: "unseen", children: words.frame.keyboard })
      ] }),
      !open.value && /* @__PURE__ */ a("button", { type: "button", class: "bare", title: words.frame.signOut, onClick: () => void signOut(), children: [
        /* @__PURE__ */ a(Icon, { name: "out" }),
        /* @__PURE__ */ a("span", { class: "unseen", children: words.frame.signOut })
      ] })
    ] })
  ] });
}
function Main({ page }) {
  const [Shown, setShown] = d(null);
  const before = T(void 0);
  A(() => {
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
  return /* @__PURE__ */ a("main", { id: "main", tabIndex: -1, "data-page": page?.name, children: !page ? /* @__PURE__ */ a(Unknown, {}) : Shown?.page === page ? /* @__PURE__ */ a(Shown.Component, { route: route.value }) : /* @__PURE__ */ a(Loading, {}) });
}
function Unknown() {
  return /* @__PURE__ */ a(Empty, { title: words.frame.unknown, children: [
    /* @__PURE__ */ a("p", { children: words.frame.unknownText }),
    /* @__PURE__ */ a("a", { href: "#/", children: words.frame.home })
  ] });
}
function focusMain(event) {
  event?.preventDefault();
  document.getElementById("main")?.focus();
}

// src/main.tsx
Q(/* @__PURE__ */ a(App, {}), document.getElementById("app"));
void start();
