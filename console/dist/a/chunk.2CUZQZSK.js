import {
  ago,
  iso,
  time
} from "./chunk.5KMNDZQV.js";
import {
  a
} from "./chunk.NTQJNANU.js";

// src/parts/time.tsx
function Time({ at }) {
  return /* @__PURE__ */ a("time", { dateTime: iso(at), title: time(at), children: ago(at) });
}

export {
  Time
};
