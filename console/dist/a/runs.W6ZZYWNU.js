import {
  a,
  words
} from "./chunk.XPLBX6UP.js";

// src/pages/runs.tsx
function Runs() {
  return /* @__PURE__ */ a("h1", { children: words.pages.runs });
}
export {
  Runs as default
};
