import {
  A,
  Icon,
  P,
  T,
  x,
  y
} from "./chunk.5ZBBMN6R.js";
import {
  a,
  words
} from "./chunk.XZCOMGMY.js";

// src/preferences.ts
var STORED = "parley.preferences";
var defaults = { theme: "auto", letters: true, model: "" };
var preferences = y(read());
function prefer(change) {
  preferences.value = { ...preferences.value, ...change };
  localStorage.setItem(STORED, JSON.stringify(preferences.value));
}
function read() {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(STORED) ?? "{}") };
  } catch {
    return defaults;
  }
}
x(() => {
  document.documentElement.dataset.theme = preferences.value.theme;
});

// src/parts/dialog.tsx
function Dialog({ title, onClose, children }) {
  const element = T(null);
  const id = P();
  A(() => {
    element.current?.showModal();
  }, []);
  return /* @__PURE__ */ a("dialog", { ref: element, "aria-labelledby": id, onClose, children: [
    /* @__PURE__ */ a("header", { children: [
      /* @__PURE__ */ a("h2", { id, children: title }),
      /* @__PURE__ */ a("button", { type: "button", class: "bare", "aria-label": words.actions.close, onClick: () => element.current?.close(), children: /* @__PURE__ */ a(Icon, { name: "close" }) })
    ] }),
    children
  ] });
}

export {
  Dialog,
  preferences,
  prefer
};
