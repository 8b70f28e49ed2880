import "./chunk.I6EMAZO5.js";

// src/pages/branches.tsx
function Branches(_) {
  return null;
}
export {
  Branches as default
};
