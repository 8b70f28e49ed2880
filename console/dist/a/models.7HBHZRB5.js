import {
  a,
  words
} from "./chunk.XPLBX6UP.js";

// src/pages/models.tsx
function Models() {
  return /* @__PURE__ */ a("h1", { children: words.pages.models });
}
export {
  Models as default
};
