import {
  a,
  words
} from "./chunk.XZCOMGMY.js";
import "./chunk.I6EMAZO5.js";

// src/pages/files.tsx
function Files() {
  return /* @__PURE__ */ a("h1", { children: words.pages.files });
}
export {
  Files as default
};
