import {
  a,
  words
} from "./chunk.XPLBX6UP.js";

// src/pages/chat.tsx
function Chat() {
  return /* @__PURE__ */ a("h1", { children: words.pages.chat });
}
export {
  Chat as default
};
