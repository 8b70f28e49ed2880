import {
  a,
  words
} from "./chunk.XZCOMGMY.js";
import "./chunk.I6EMAZO5.js";

// src/pages/conversations.tsx
function Conversations() {
  return /* @__PURE__ */ a("h1", { children: words.pages.conversations });
}
export {
  Conversations as default
};
