import {
  A,
  Icon,
  P,
  T,
  a,
  words
} from "./chunk.NTQJNANU.js";

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
  Dialog
};
