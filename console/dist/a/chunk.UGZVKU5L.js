import {
  $,
  A,
  Icon,
  T,
  a,
  d
} from "./chunk.NTQJNANU.js";

// src/parts/drop.tsx
function Drop({ label, hint, accept, multiple, busy, onFiles }) {
  const input = T(null);
  const [over, setOver] = d(false);
  const taken = T(onFiles);
  taken.current = onFiles;
  A(() => {
    const control = new AbortController();
    const on = (name, act) => addEventListener(name, act, { signal: control.signal });
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;
    on("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    });
    on("dragleave", (event) => event.relatedTarget === null && setOver(false));
    on("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const files = [...event.dataTransfer.files];
      if (files.length) taken.current(multiple ? files : files.slice(0, 1));
    });
    return () => control.abort();
  }, [multiple]);
  const choose = (event) => {
    const files = [...event.currentTarget.files ?? []];
    event.currentTarget.value = "";
    if (files.length) onFiles(files);
  };
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("input", { ref: input, type: "file", hidden: true, accept, multiple, onChange: choose }),
    /* @__PURE__ */ a("button", { type: "button", disabled: busy, onClick: () => input.current?.click(), children: [
      /* @__PURE__ */ a(Icon, { name: "plus" }),
      label
    ] }),
    over && /* @__PURE__ */ a("div", { class: "drop", "aria-hidden": "true", children: /* @__PURE__ */ a("p", { children: hint }) })
  ] });
}

export {
  Drop
};
