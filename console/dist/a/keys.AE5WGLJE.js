import {
  a,
  words
} from "./chunk.XPLBX6UP.js";

// src/pages/keys.tsx
function Keys() {
  return /* @__PURE__ */ a("h1", { children: words.pages.keys });
}
export {
  Keys as default
};
