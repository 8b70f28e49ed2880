import {
  ago,
  iso,
  time
} from "./chunk.CBVCBHIK.js";
import {
  a
} from "./chunk.RWW2EHGL.js";

// src/parts/time.tsx
function Time({ at }) {
  return /* @__PURE__ */ a("time", { dateTime: iso(at), title: time(at), children: ago(at) });
}

export {
  Time
};
