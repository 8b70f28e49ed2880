import {
  a,
  words
} from "./chunk.XZCOMGMY.js";
import "./chunk.I6EMAZO5.js";

// src/pages/models.tsx
function Models() {
  return /* @__PURE__ */ a("h1", { children: words.pages.models });
}
export {
  Models as default
};
