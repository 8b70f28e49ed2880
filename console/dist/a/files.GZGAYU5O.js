import {
  a,
  words
} from "./chunk.XPLBX6UP.js";

// src/pages/files.tsx
function Files() {
  return /* @__PURE__ */ a("h1", { children: words.pages.files });
}
export {
  Files as default
};
