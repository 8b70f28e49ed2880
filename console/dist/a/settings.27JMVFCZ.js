import {
  a,
  words
} from "./chunk.XPLBX6UP.js";

// src/pages/settings.tsx
function Settings() {
  return /* @__PURE__ */ a("h1", { children: words.pages.settings });
}
export {
  Settings as default
};
