import {
  Icon,
  announce,
  d,
  get,
  go,
  y
} from "./chunk.5ZBBMN6R.js";
import {
  a,
  words
} from "./chunk.XZCOMGMY.js";

// src/chat/models.ts
var models = y(null);
async function readModels(signal) {
  models.value = (await get("/v1/models", { signal })).data.map((model) => model.id);
  return models.value;
}

// src/chat/prepared.ts
var prepared = "";
function sayAnew(text) {
  prepared = text;
  go("chat", null, { new: crypto.randomUUID() });
}
function takePrepared() {
  const text = prepared;
  prepared = "";
  return text;
}

// src/parts/copy.tsx
function Copy({ text, label = words.actions.copy, bare }) {
  const [done, setDone] = d(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    announce(words.actions.copied);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  const says = done ? words.actions.copied : label;
  return /* @__PURE__ */ a("button", { type: "button", class: bare ? "bare" : void 0, title: label, "aria-label": says, onClick: copy, children: [
    /* @__PURE__ */ a(Icon, { name: done ? "check" : "copy" }),
    !bare && says
  ] });
}

export {
  models,
  readModels,
  sayAnew,
  takePrepared,
  Copy
};
