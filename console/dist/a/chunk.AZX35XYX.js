import {
  useLoad
} from "./chunk.ACNCVOGH.js";
import {
  get
} from "./chunk.RWW2EHGL.js";

// src/pages/overview.ts
function useOverview() {
  return useLoad((signal) => get("/v1/admin/overview", { signal }), []);
}

export {
  useOverview
};
