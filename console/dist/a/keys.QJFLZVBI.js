import {
  a,
  words
} from "./chunk.XZCOMGMY.js";
import "./chunk.I6EMAZO5.js";

// src/pages/keys.tsx
function Keys() {
  return /* @__PURE__ */ a("h1", { children: words.pages.keys });
}
export {
  Keys as default
};
