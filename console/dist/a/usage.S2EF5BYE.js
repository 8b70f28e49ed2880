import {
  a,
  words
} from "./chunk.XPLBX6UP.js";

// src/pages/usage.tsx
function Usage() {
  return /* @__PURE__ */ a("h1", { children: words.pages.usage });
}
export {
  Usage as default
};
