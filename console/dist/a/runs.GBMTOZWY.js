import {
  a,
  words
} from "./chunk.XZCOMGMY.js";
import "./chunk.I6EMAZO5.js";

// src/pages/runs.tsx
function Runs() {
  return /* @__PURE__ */ a("h1", { children: words.pages.runs });
}
export {
  Runs as default
};
