import {
  a
} from "./chunk.NTQJNANU.js";

// src/parts/table.tsx
function Table({ caption, columns, rows, id }) {
  const [first, ...others] = columns;
  return /* @__PURE__ */ a("div", { class: "scroll", role: "region", "aria-label": caption, tabIndex: 0, children: /* @__PURE__ */ a("table", { children: [
    /* @__PURE__ */ a("caption", { class: "unseen", children: caption }),
    /* @__PURE__ */ a("thead", { children: /* @__PURE__ */ a("tr", { children: columns.map((column) => /* @__PURE__ */ a("th", { scope: "col", class: column.numeric ? "numeric" : void 0, children: column.title }, column.title)) }) }),
    /* @__PURE__ */ a("tbody", { children: rows.map((row) => /* @__PURE__ */ a("tr", { children: [
      /* @__PURE__ */ a("th", { scope: "row", children: first.cell(row) }),
      others.map((column) => /* @__PURE__ */ a("td", { class: column.numeric ? "numeric" : void 0, children: column.cell(row) }, column.title))
    ] }, id(row))) })
  ] }) });
}

export {
  Table
};
