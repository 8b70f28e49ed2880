import {
  announce
} from "./chunk.EOXX2F6M.js";
import {
  Icon,
  a,
  d,
  words
} from "./chunk.NTQJNANU.js";

// src/parts/copy.tsx
function Copy({ text, label = words.actions.copy, bare }) {
  const [done, setDone] = d(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    announce(words.actions.copied);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  const says = done ? words.actions.copied : label;
  return /* @__PURE__ */ a("button", { type: "button", class: bare ? "bare" : void 0, title: label, "aria-label": says, onClick: copy, children: [
    /* @__PURE__ */ a(Icon, { name: done ? "check" : "copy" }),
    !bare && says
  ] });
}

export {
  Copy
};
