import {
  a,
  words
} from "./chunk.XZCOMGMY.js";
import "./chunk.I6EMAZO5.js";

// src/pages/usage.tsx
function Usage() {
  return /* @__PURE__ */ a("h1", { children: words.pages.usage });
}
export {
  Usage as default
};
