import {
  a,
  words
} from "./chunk.XPLBX6UP.js";

// src/pages/conversations.tsx
function Conversations() {
  return /* @__PURE__ */ a("h1", { children: words.pages.conversations });
}
export {
  Conversations as default
};
