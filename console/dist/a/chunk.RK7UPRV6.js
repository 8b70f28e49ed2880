import {
  useLoad
} from "./chunk.G5MVI7XM.js";
import {
  get
} from "./chunk.NTQJNANU.js";

// src/pages/overview.ts
function useOverview() {
  return useLoad((signal) => get("/v1/admin/overview", { signal }), []);
}

export {
  useOverview
};
