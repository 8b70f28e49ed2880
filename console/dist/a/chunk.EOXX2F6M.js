import {
  a,
  y
} from "./chunk.NTQJNANU.js";

// src/parts/announce.tsx
var said = y("");
function announce(text) {
  said.value = "";
  requestAnimationFrame(() => {
    said.value = text;
  });
}
function Announcer() {
  return /* @__PURE__ */ a("p", { class: "unseen", role: "status", "aria-live": "polite", children: said });
}

export {
  announce,
  Announcer
};
