import {
  a,
  words
} from "./chunk.XPLBX6UP.js";

// src/pages/start.tsx
function Start() {
  return /* @__PURE__ */ a("h1", { children: words.pages.start });
}
export {
  Start as default
};
