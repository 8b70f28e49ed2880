import {
  a,
  words
} from "./chunk.XZCOMGMY.js";
import "./chunk.I6EMAZO5.js";

// src/pages/settings.tsx
function Settings() {
  return /* @__PURE__ */ a("h1", { children: words.pages.settings });
}
export {
  Settings as default
};
