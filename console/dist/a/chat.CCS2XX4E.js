import {
  prefer,
  preferences
} from "./chunk.F7CBMIQ4.js";
import {
  models,
  readModels,
  sayAnew,
  takePrepared
} from "./chunk.36F4CYVO.js";
import {
  Growing,
  SegmentsView,
  addStored,
  drawNever,
  drawSoon,
  follow,
  pause,
  plain
} from "./chunk.YETYJEC3.js";
import "./chunk.D3GP55VX.js";
import {
  Copy
} from "./chunk.VMVVYFXQ.js";
import {
  Time
} from "./chunk.2CUZQZSK.js";
import {
  count,
  duration,
  money
} from "./chunk.5KMNDZQV.js";
import {
  Dialog
} from "./chunk.5PW4BKAU.js";
import {
  go,
  replace
} from "./chunk.PVJQ653K.js";
import {
  announce
} from "./chunk.EOXX2F6M.js";
import {
  may
} from "./chunk.SNUI3KLE.js";
import {
  $,
  A,
  ApiError,
  Empty,
  F,
  Icon,
  Loading,
  Refused,
  T,
  a,
  base,
  call,
  d,
  fill,
  get,
  isAbort,
  query,
  w,
  words,
  y
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/chat/store.ts
var PAGE = 50;
var TREE_PAGES = 20;
async function load(id, leaf, signal) {
  const path = `/v1/conversations/${id}`;
  const [conversation, page, nodes, runs] = await Promise.all([
    get(path, { signal }),
    get(`${path}/messages${query({ order: "desc", limit: PAGE, leaf: leaf ?? void 0 })}`, { signal }),
    tree(path, signal),
    get(`/v1/runs${query({ conversation: id, limit: 100 })}`, { signal })
  ]);
  return {
    conversation,
    turns: turnsOf(page, nodes),
    runs: new Map(runs.data.map((run) => [run.id, run])),
    newest: runs.data[0] ?? null,
    earlier: page.has_more ? page.last_id : null
  };
}
async function loadEarlier(id, leaf, after, signal) {
  const path = `/v1/conversations/${id}`;
  const [page, nodes] = await Promise.all([
    get(`${path}/messages${query({ order: "desc", limit: PAGE, leaf: leaf ?? void 0, after })}`, { signal }),
    tree(path, signal)
  ]);
  return { turns: turnsOf(page, nodes), earlier: page.has_more ? page.last_id : null };
}
async function tree(path, signal) {
  const nodes = /* @__PURE__ */ new Map();
  let after = null;
  for (let page = 0; page < TREE_PAGES; page++) {
    const list = await get(`${path}/tree${query({ limit: 1e3, after: after ?? void 0 })}`, { signal });
    for (const node2 of list.data) nodes.set(node2.id, node2);
    if (!list.has_more) break;
    after = list.last_id;
  }
  return nodes;
}
function turnsOf(page, nodes) {
  const path = [];
  for (let at = page.first_id; at && path.length < page.data.length; ) {
    const node2 = nodes.get(at);
    if (!node2) break;
    if (!node2.removed) path.push(node2);
    at = node2.parent_id;
  }
  const children = groupByParent(nodes);
  const turns = [];
  for (let place = page.data.length - 1; place >= 0; place--) {
    const message = page.data[place];
    const node2 = path[place];
    const last = turns.at(-1);
    if (last?.role === "assistant" && followsCode(message)) {
      addStored(last.segments, message);
      last.id = node2?.id ?? last.id;
      continue;
    }
    const segments = [];
    addStored(segments, message);
    const role = message.role === "user" || message.role === void 0 ? "user" : "assistant";
    turns.push({
      key: node2?.id ?? `${page.first_id}-${place}`,
      id: node2?.id ?? null,
      parent: node2?.parent_id ?? null,
      role,
      segments,
      at: node2?.created_at ?? 0,
      model: node2?.model ?? null,
      run: node2 && role === "assistant" ? runOf(node2.id) : null,
      others: node2 ? othersOf(node2, children) : []
    });
  }
  return turns;
}
function othersOf(node2, children) {
  return (children.get(node2.parent_id) ?? []).filter((one) => one.role === node2.role && !one.removed).map(({ id }) => ({ id, leaf: newestBelow(id, children) }));
}
function newestBelow(id, children) {
  for (let leaf = id; ; ) {
    const next = children.get(leaf)?.at(-1);
    if (!next) return leaf;
    leaf = next.id;
  }
}
function groupByParent(nodes) {
  const groups = /* @__PURE__ */ new Map();
  for (const node2 of nodes.values()) {
    const group = groups.get(node2.parent_id);
    if (group) group.push(node2);
    else groups.set(node2.parent_id, [node2]);
  }
  return groups;
}
function followsCode(message) {
  return message.role === "computer" || message.role === "tool";
}
var runOf = (message) => message.replace(/^msg_/, "run_");
var messageOf = (run) => run.replace(/^run_/, "msg_");

// src/chat/chat.ts
var TITLE = 80;
var world = { call, pause, random: Math.random };
var Chat = class {
  constructor(id, leaf, onAddress) {
    this.id = id;
    this.leaf = leaf;
    this.onAddress = onAddress;
  }
  id;
  leaf;
  onAddress;
  turns = y([]);
  activity = y("loading");
  error = y(null);
  title = y("");
  runs = y(/* @__PURE__ */ new Map());
  newest = y(null);
  // the only run that can be continued
  earlier = y(null);
  returned = y("");
  // the text of a message that was refused
  drawn = /* @__PURE__ */ new Map();
  // of a turn's key: draws what has come
  abort = new AbortController();
  run = null;
  // that is under way
  sentInstruction = "";
  close() {
    this.abort.abort();
  }
  // open: reads what is stored, and follows the newest run where it goes on.
  async open() {
    if (!this.id) {
      this.activity.value = "idle";
      return;
    }
    if (!await this.reload()) return;
    const newest = this.newest.value;
    if (!this.leaf && newest && (newest.status === "running" || newest.status === "queued"))
      await this.answer({ run: newest.id }, this.answerTurn(newest.model));
  }
  async showEarlier() {
    const after = this.earlier.value;
    if (!after || !this.id) return;
    this.earlier.value = null;
    try {
      const page = await loadEarlier(this.id, this.leaf, after, this.abort.signal);
      this.turns.value = [...page.turns, ...this.turns.value];
      this.earlier.value = page.earlier;
    } catch (error) {
      this.earlier.value = after;
      this.fail(error);
    }
  }
  // send: a message, behind the last one or, as another branch, behind `parent`.
  async send(text, files, options, parent) {
    const message = { role: "user", content: text };
    if (files.length) message.context = { files: files.map(({ id, name }) => ({ uuid: id, name })) };
    const kept = parent ? this.turnsUntil(parent) : this.turns.value;
    const shown = files.map(({ id, name }) => ({ type: "file", id, name, text: "" }));
    this.turns.value = [
      ...kept,
      { ...this.newTurn("user"), segments: [...shown, { type: "text", text }], parent: kept.at(-1)?.id ?? null }
    ];
    await this.ask([message], options, parent ?? (this.leaf ? kept.at(-1)?.id ?? void 0 : void 0));
  }
  // answerAnew: another answer to the message before this turn, on a branch of its own.
  async answerAnew(turn, options) {
    if (!turn.parent) return;
    this.turns.value = this.turnsUntil(turn.parent);
    await this.ask([], options, turn.parent);
  }
  // goOn: the rest of an answer that broke off, drawn below it.
  async goOn(run, options) {
    const body = { stream: true, format: format(options), ...options.computer && { config: { computer: {} } } };
    const model = this.runs.value.get(run)?.model ?? options.model;
    await this.answer({ path: `/v1/runs/${run}/continue`, body, key: crypto.randomUUID() }, this.answerTurn(model));
  }
  // approve: lets the code run that a run waits with, or does not; the output and the rest are drawn below it.
  async approve(run, approve) {
    const body = { approve, stream: true };
    const model = this.runs.value.get(run)?.model ?? "";
    await this.answer({ path: `/v1/runs/${run}/approve`, body, key: crypto.randomUUID() }, this.answerTurn(model));
  }
  async stop() {
    if (!this.run) {
      this.abort.abort();
      this.abort = new AbortController();
      this.activity.value = "idle";
      return;
    }
    try {
      await call(`/v1/runs/${this.run}/cancel`, { method: "POST" });
    } catch (error) {
      this.fail(error);
    }
  }
  async ask(messages, options, parent) {
    const body = {
      messages: options.store ? messages : this.unstored(),
      config: configOf(options),
      stream: true,
      format: format(options)
    };
    if (!options.store) body.store = false;
    else if (this.id) Object.assign(body, { conversation: this.id, ...parent && { parent } });
    if (options.instruction !== this.sentInstruction) body.instruction = options.instruction;
    this.sentInstruction = options.instruction;
    if (this.id && this.leaf) {
      this.leaf = null;
      this.onAddress(this.id);
    }
    await this.answer({ path: "/v1/chat", body, key: crypto.randomUUID() }, this.answerTurn(options.model), options.store);
  }
  // Where nothing is stored, the page sends what was said along.
  unstored() {
    return this.turns.value.map((turn) => ({ role: turn.role, content: plain(turn.segments) }));
  }
  newTurn(role) {
    const key = crypto.randomUUID();
    return { key, id: null, parent: null, role, segments: [], at: Date.now() / 1e3, model: null, run: null, others: [] };
  }
  answerTurn(model) {
    return { ...this.newTurn("assistant"), model };
  }
  turnsUntil(message) {
    const turns = this.turns.value;
    return turns.slice(0, turns.findIndex((turn) => turn.id === message) + 1);
  }
  // answer: follows an answer to its end, and reads what is stored of it.
  async answer(source, turn, store = true) {
    const growing = new Growing();
    const begun = performance.now();
    const fresh2 = this.id === null;
    if (fresh2) this.title.value = titleOf(this.turns.value);
    turn.segments = growing.segments;
    this.turns.value = [...this.turns.value, turn];
    this.error.value = null;
    this.activity.value = "sending";
    this.run = "run" in source ? source.run : null;
    const sink = {
      began: (run, conversation) => {
        this.run = run;
        turn.run = run;
        if (store && conversation && !this.id) {
          this.id = conversation;
          this.onAddress(conversation);
        }
      },
      block: ({ event, data }) => {
        if (data === "[DONE]") return;
        growing.add(JSON.parse(data));
        if (this.activity.value !== "answering" && growing.segments.length > 0) {
          turn.firstPiece ??= performance.now() - begun;
          this.activity.value = "answering";
          announce(words.chat.begins);
        }
        if (event !== "error") this.drawn.get(turn.key)?.();
      },
      cut: () => this.activity.value = "cut",
      back: () => this.activity.value = growing.segments.length ? "answering" : "sending"
    };
    try {
      const end = await follow(source, sink, this.abort.signal, world);
      if (store && fresh2 && this.id) await this.nameIt();
      await this.ended(end, turn, store);
    } catch (error) {
      this.fail(error);
    }
  }
  async ended(end, turn, store) {
    this.run = null;
    this.drawn.get(turn.key)?.();
    announce(end.kind === "done" ? words.chat.complete : words.chat.broken);
    if (end.kind === "refused") {
      await this.takeBack(turn);
      this.fail(end.error);
    } else if (store && this.id) {
      await this.reload(end.kind === "done" ? turn : void 0);
    } else {
      this.activity.value = "idle";
    }
  }
  // takeBack: a message that was refused goes back to where it was written; what is stored all the same is shown.
  async takeBack(turn) {
    const turns = this.turns.value.filter((one) => one !== turn);
    const asked = turns.at(-1);
    if (asked?.role === "user" && !asked.id) this.returned.value = plain(turns.pop().segments);
    this.turns.value = turns;
    if (this.id) await this.reload();
  }
  // reload: the stored messages take the place of what is shown. What was drawn of `whole` stays as it is.
  async reload(whole) {
    const { signal } = this.abort;
    try {
      const found = await load(this.id, this.leaf, signal);
      if (signal.aborted) return false;
      this.take(found, whole);
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }
  take(found, whole) {
    const id = whole?.run ? messageOf(whole.run) : null;
    this.title.value = found.conversation.title ?? "";
    this.runs.value = found.runs;
    this.newest.value = found.newest;
    this.earlier.value = found.earlier;
    this.turns.value = found.turns.map(
      (turn) => whole && turn.id === id ? { ...turn, key: whole.key, segments: whole.segments, firstPiece: whole.firstPiece } : { ...turn, firstPiece: this.turns.value.find((old) => old.run && old.run === turn.run)?.firstPiece }
    );
    this.activity.value = "idle";
  }
  // nameIt: the first words are the title, so that the list of conversations can be read.
  async nameIt() {
    const title = this.title.value;
    if (title) await get(`/v1/conversations/${this.id}`, { body: { title } }).catch(() => {
    });
  }
  fail(error) {
    if (isAbort(error)) return;
    this.activity.value = "idle";
    this.error.value = error instanceof ApiError ? error : new ApiError(0, String(error));
  }
};
function titleOf(turns) {
  const first = plain(turns[0]?.segments ?? []).trim().split("\n", 1)[0].replace(/^#+ /, "");
  return first.length > TITLE ? `${first.slice(0, TITLE - 1)}…` : first;
}
var format = (options) => options.lmc || options.computer ? "lmc" : "openai";
function configOf(options) {
  const config = {};
  if (options.model) config.model = options.model;
  if (options.temperature) config.temperature = Number(options.temperature);
  if (options.max_tokens) config.max_tokens = Number(options.max_tokens);
  if (options.computer) config.computer = {};
  if (options.tools.trim()) config.tools = JSON.parse(options.tools);
  return config;
}

// src/chat/options.tsx
var defaults = {
  model: "",
  instruction: "",
  temperature: "",
  max_tokens: "",
  tools: "",
  store: true,
  lmc: false,
  computer: false
};
function ModelChoice({ value, change }) {
  const known = models.value ?? [];
  const listed = value && !known.includes(value) ? [value, ...known] : known;
  return /* @__PURE__ */ a(
    "select",
    {
      class: "model",
      "aria-label": words.chat.model,
      value,
      onChange: (event) => change(event.currentTarget.value),
      children: listed.map((model) => /* @__PURE__ */ a("option", { value: model, children: model }, model))
    }
  );
}
function OptionsDialog({ options, change, close }) {
  const [tools, setTools] = d(options.tools);
  const wrong = tools.trim() !== "" && !isList(tools);
  return /* @__PURE__ */ a(Dialog, { title: words.chat.options, onClose: close, children: /* @__PURE__ */ a("form", { method: "dialog", children: [
    /* @__PURE__ */ a("label", { children: [
      words.chat.instruction,
      /* @__PURE__ */ a(
        "textarea",
        {
          rows: 3,
          placeholder: words.chat.instructionHint,
          value: options.instruction,
          onInput: (event) => change({ instruction: event.currentTarget.value })
        }
      )
    ] }),
    /* @__PURE__ */ a("div", { class: "pair", children: [
      /* @__PURE__ */ a("label", { children: [
        words.chat.temperature,
        /* @__PURE__ */ a(
          "input",
          {
            type: "number",
            min: "0",
            max: "2",
            step: "any",
            placeholder: words.chat.byModel,
            value: options.temperature,
            onInput: (event) => change({ temperature: event.currentTarget.value })
          }
        )
      ] }),
      /* @__PURE__ */ a("label", { children: [
        words.chat.maxTokens,
        /* @__PURE__ */ a(
          "input",
          {
            type: "number",
            min: "1",
            max: "1000000",
            step: "1",
            placeholder: words.chat.byModel,
            value: options.max_tokens,
            onInput: (event) => change({ max_tokens: event.currentTarget.value })
          }
        )
      ] })
    ] }),
    /* @__PURE__ */ a("label", { children: [
      words.chat.tools,
      /* @__PURE__ */ a(
        "textarea",
        {
          rows: 3,
          class: "mono",
          spellcheck: false,
          "aria-invalid": wrong,
          value: tools,
          onInput: (event) => {
            const text = event.currentTarget.value;
            setTools(text);
            if (text.trim() === "" || isList(text)) change({ tools: text });
          }
        }
      ),
      /* @__PURE__ */ a("span", { class: "fine", children: wrong ? words.chat.toolsWrong : words.chat.toolsHint })
    ] }),
    /* @__PURE__ */ a(Check, { label: words.chat.lmc, checked: options.lmc, change: (lmc) => change({ lmc }) }),
    /* @__PURE__ */ a(Check, { label: words.chat.store, checked: options.store, change: (store) => change({ store }) }),
    may("execute") && options.store && /* @__PURE__ */ a(Check, { label: words.chat.computer, checked: options.computer, change: (computer) => change({ computer }) }),
    /* @__PURE__ */ a("footer", { children: /* @__PURE__ */ a("button", { class: "primary", children: words.actions.close }) })
  ] }) });
}
function Check({ label, checked, change }) {
  return /* @__PURE__ */ a("label", { class: "choice", children: [
    /* @__PURE__ */ a("input", { type: "checkbox", checked, onChange: (event) => change(event.currentTarget.checked) }),
    label
  ] });
}
function isList(text) {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

// src/chat/composer.tsx
function Composer({ chat, options, change, onOptions, send }) {
  const [text, setText] = d("");
  const files = useFiles();
  const input = T(null);
  const busy = chat.activity.value !== "idle";
  A(() => {
    if (matchMedia("(pointer: fine)").matches) input.current?.focus();
  }, [chat]);
  A(() => {
    const { returned } = chat;
    if (!returned.value) return;
    setText((written) => written || returned.value);
    returned.value = "";
  }, [chat.returned.value]);
  A(() => grow(input.current), [text]);
  A(() => {
    const stop = (event) => {
      if (event.key === "Escape" && chat.activity.value !== "idle" && !document.querySelector("dialog[open]"))
        void chat.stop();
    };
    addEventListener("keydown", stop);
    return () => removeEventListener("keydown", stop);
  }, [chat]);
  const submit = () => {
    if (busy || files.uploading || !text.trim()) return;
    send(text, files.attached);
    setText("");
    files.clear();
  };
  return /* @__PURE__ */ a(
    "form",
    {
      class: "composer",
      "data-drop": words.chat.drop,
      onSubmit: (event) => {
        event.preventDefault();
        submit();
      },
      onDragOver: (event) => files.allowed && event.preventDefault(),
      onDrop: (event) => {
        if (!files.allowed || !event.dataTransfer?.files.length) return;
        event.preventDefault();
        files.add(event.dataTransfer.files);
      },
      onPaste: (event) => {
        if (files.allowed && event.clipboardData?.files.length) files.add(event.clipboardData.files);
      },
      children: [
        files.error && /* @__PURE__ */ a(Refused, { error: files.error }),
        /* @__PURE__ */ a(Chips, { files }),
        /* @__PURE__ */ a(
          "textarea",
          {
            ref: input,
            rows: 1,
            "aria-label": words.chat.message,
            placeholder: words.chat.placeholder,
            value: text,
            onInput: (event) => setText(event.currentTarget.value),
            onKeyDown: (event) => {
              if (!sends(event)) return;
              event.preventDefault();
              submit();
            }
          }
        ),
        /* @__PURE__ */ a("div", { class: "row", children: [
          files.allowed && /* @__PURE__ */ a(Attach, { add: files.add }),
          /* @__PURE__ */ a("button", { type: "button", class: "bare", onClick: onOptions, title: words.chat.options, children: [
            /* @__PURE__ */ a(Icon, { name: "gear" }),
            /* @__PURE__ */ a("span", { class: "unseen", children: words.chat.options })
          ] }),
          /* @__PURE__ */ a(ModelChoice, { value: options.model, change: (model) => change({ model }) }),
          busy && chat.activity.value !== "loading" ? /* @__PURE__ */ a("button", { type: "button", class: "send", onClick: () => void chat.stop(), children: [
            /* @__PURE__ */ a(Icon, { name: "stop" }),
            words.chat.stop
          ] }) : /* @__PURE__ */ a("button", { class: "primary send", disabled: !text.trim() || busy || files.uploading !== null, children: [
            /* @__PURE__ */ a(Icon, { name: "send" }),
            words.chat.send
          ] })
        ] }),
        !options.store && /* @__PURE__ */ a("p", { class: "fine", children: words.chat.notStored })
      ]
    }
  );
}
function sends(event) {
  return event.key === "Enter" && !event.shiftKey && !event.isComposing && matchMedia("(pointer: fine)").matches;
}
function grow(input) {
  if (!input) return;
  input.style.blockSize = "auto";
  input.style.blockSize = `${Math.min(input.scrollHeight + 2, innerHeight / 3)}px`;
}
function Attach({ add }) {
  const input = T(null);
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a(
      "input",
      {
        ref: input,
        type: "file",
        multiple: true,
        hidden: true,
        onChange: (event) => {
          if (event.currentTarget.files) add(event.currentTarget.files);
          event.currentTarget.value = "";
        }
      }
    ),
    /* @__PURE__ */ a("button", { type: "button", class: "bare", title: words.chat.attach, onClick: () => input.current?.click(), children: [
      /* @__PURE__ */ a(Icon, { name: "clip" }),
      /* @__PURE__ */ a("span", { class: "unseen", children: words.chat.attach })
    ] })
  ] });
}
function Chips({ files }) {
  if (!files.attached.length && !files.uploading) return null;
  return /* @__PURE__ */ a("ul", { class: "chips", "aria-label": words.chat.attached, children: [
    files.attached.map((file) => /* @__PURE__ */ a("li", { children: [
      file.name,
      /* @__PURE__ */ a(
        "button",
        {
          type: "button",
          class: "bare",
          "aria-label": fill(words.chat.detach, { name: file.name }),
          onClick: () => files.remove(file.id),
          children: /* @__PURE__ */ a(Icon, { name: "close" })
        }
      )
    ] }, file.id)),
    files.uploading && /* @__PURE__ */ a("li", { role: "status", children: fill(words.chat.uploading, { name: files.uploading }) })
  ] });
}
function useFiles() {
  const [attached, setAttached] = d([]);
  const [uploading, setUploading] = d(null);
  const [error, setError] = d(null);
  const add = async (files) => {
    setError(null);
    try {
      for (const file of Array.from(files)) {
        setUploading(file.name);
        const form = new FormData();
        form.append("purpose", "user_data");
        form.append("file", file, file.name);
        const { id, filename } = await get("/v1/files", { body: form });
        setAttached((old) => [...old, { id, name: filename }]);
      }
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)));
    }
    setUploading(null);
  };
  return {
    allowed: may("files"),
    attached,
    uploading,
    error,
    add: (files) => void add(files),
    remove: (id) => setAttached((old) => old.filter((file) => file.id !== id)),
    clear: () => setAttached([])
  };
}

// src/chat/snippets.ts
function snippet(language, body) {
  const url = new URL("v1/chat", base).href;
  const json = JSON.stringify(body, null, 2);
  return { curl: curl(url, json), python: python(url, json), node: node(url, json) }[language];
}
var curl = (url, json) => `curl ${url} \\
  -H "Authorization: Bearer $PARLEY_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${json.replaceAll("'", "'\\''")}'
`;
var python = (url, json) => `import json
import os
import urllib.request

body = json.loads(${pythonString(json)})
request = urllib.request.Request(
    "${url}",
    data=json.dumps(body).encode(),
    headers={
        "Authorization": "Bearer " + os.environ.get("PARLEY_API_KEY", ""),
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["choices"][0]["message"]["content"])
`;
function pythonString(json) {
  return json.includes("'''") || json.endsWith("'") ? JSON.stringify(json) : `r'''${json}'''`;
}
var node = (url, json) => `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.PARLEY_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${json.replaceAll("\n", "\n  ")}),
});
const answer = await response.json();
console.log(answer.choices[0].message.content);
`;

// src/chat/dialogs.tsx
function AgainDialog({ model, answer, close }) {
  const [chosen, setChosen] = d(model);
  return /* @__PURE__ */ a(Dialog, { title: words.chat.again, onClose: close, children: /* @__PURE__ */ a("form", { method: "dialog", onSubmit: () => answer(chosen), children: [
    /* @__PURE__ */ a("p", { children: words.chat.againText }),
    /* @__PURE__ */ a("label", { children: [
      words.chat.model,
      /* @__PURE__ */ a(ModelChoice, { value: chosen, change: setChosen })
    ] }),
    /* @__PURE__ */ a("footer", { children: /* @__PURE__ */ a("button", { class: "primary", children: words.chat.again }) })
  ] }) });
}
var languages = ["curl", "python", "node"];
function CodeDialog({ body, close }) {
  const [language, setLanguage] = d("curl");
  const text = snippet(language, body);
  return /* @__PURE__ */ a(Dialog, { title: words.chat.code, onClose: close, children: /* @__PURE__ */ a("div", { class: "stack", children: [
    /* @__PURE__ */ a("div", { class: "row between", children: [
      /* @__PURE__ */ a("span", { class: "row", children: languages.map((one) => /* @__PURE__ */ a("button", { type: "button", "aria-pressed": one === language, onClick: () => setLanguage(one), children: words.chat.languages[one] }, one)) }),
      /* @__PURE__ */ a(Copy, { text })
    ] }),
    /* @__PURE__ */ a("pre", { class: "snippet", tabIndex: 0, children: text }),
    /* @__PURE__ */ a("p", { class: "fine", children: words.chat.codeText })
  ] }) });
}

// src/chat/turn.tsx
function TurnView({ chat, turn, live, joined, ...actions }) {
  const run = turn.run ? chat.runs.value.get(turn.run) : void 0;
  return /* @__PURE__ */ a("article", { class: `turn ${turn.role}${joined ? " joined" : ""}`, children: [
    !joined && /* @__PURE__ */ a("h2", { class: "unseen", children: turn.role === "user" ? words.chat.you : turn.model ?? words.chat.answer }),
    /* @__PURE__ */ a(Content, { chat, turn, live }),
    live && /* @__PURE__ */ a(Waiting, { chat }),
    run && !live && /* @__PURE__ */ a(Outcome, { run, goOn: actions.goOn, approve: actions.approve }),
    !live && /* @__PURE__ */ a("footer", { class: "row wrap", children: [
      /* @__PURE__ */ a(Branches, { turn, branch: actions.branch }),
      turn.role === "assistant" && /* @__PURE__ */ a(Facts, { turn, run }),
      /* @__PURE__ */ a(Buttons, { turn, ...actions })
    ] })
  ] });
}
function Content({ chat, turn, live }) {
  const root = T(null);
  const view = T(null);
  const state = T({ segments: turn.segments, live });
  const drawer = T(() => true);
  if (state.current.segments !== turn.segments) {
    view.current = null;
    root.current?.replaceChildren();
  }
  state.current = { segments: turn.segments, live };
  F(() => {
    view.current ??= new SegmentsView(root.current);
    drawer.current = (until) => view.current?.draw(state.current.segments, !state.current.live, until) ?? true;
    const draw = () => drawSoon(drawer.current);
    chat.drawn.set(turn.key, draw);
    draw();
    return () => {
      drawNever(drawer.current);
      chat.drawn.delete(turn.key);
    };
  }, [turn.segments, turn.key, live]);
  return /* @__PURE__ */ a("div", { class: "content", ref: root });
}
function Waiting({ chat }) {
  const activity = chat.activity.value;
  if (activity === "cut") return /* @__PURE__ */ a("p", { class: "fine waiting", children: words.chat.cut });
  if (activity === "sending") return /* @__PURE__ */ a("p", { class: "fine waiting", children: words.chat.waiting });
  return /* @__PURE__ */ a("span", { class: "cursor", "aria-hidden": "true" });
}
function Outcome({ run, goOn, approve }) {
  if (run.finish_reason === "confirmation") return approve ? /* @__PURE__ */ a(Question, { run, approve }) : null;
  if (run.finish_reason === "max_steps") return /* @__PURE__ */ a(Rest, { run, goOn });
  if (run.status === "completed" || run.status === "running" || run.status === "queued")
    return run.finish_reason === "length" ? /* @__PURE__ */ a("p", { class: "fine", children: words.chat.length }) : null;
  return /* @__PURE__ */ a("div", { class: `notice ${run.status === "cancelled" ? "" : "bad"}`, children: /* @__PURE__ */ a("div", { children: [
    /* @__PURE__ */ a("span", { children: [
      /* @__PURE__ */ a("strong", { children: words.chat.ends[run.status] }),
      " ",
      run.error?.message
    ] }),
    goOn && run.status !== "failed" && /* @__PURE__ */ a("button", { type: "button", onClick: () => goOn(run.id), children: words.chat.goOn })
  ] }) });
}
function Question({ run, approve }) {
  return /* @__PURE__ */ a("div", { class: "notice", children: /* @__PURE__ */ a("div", { children: [
    /* @__PURE__ */ a("span", { children: words.chat.mayRun }),
    /* @__PURE__ */ a("span", { class: "row", children: [
      /* @__PURE__ */ a("button", { type: "button", class: "primary", onClick: () => approve(run.id, true), children: words.chat.allow }),
      /* @__PURE__ */ a("button", { type: "button", onClick: () => approve(run.id, false), children: words.chat.refuse })
    ] })
  ] }) });
}
function Rest({ run, goOn }) {
  return /* @__PURE__ */ a("div", { class: "notice", children: /* @__PURE__ */ a("div", { children: [
    /* @__PURE__ */ a("span", { children: words.chat.steps }),
    goOn && /* @__PURE__ */ a("button", { type: "button", onClick: () => goOn(run.id), children: words.chat.goOn })
  ] }) });
}
function Facts({ turn, run }) {
  const facts = [
    turn.model ?? run?.model,
    run?.usage && count(run.usage.total_tokens, words.units.tokens),
    run?.usage_source === "estimated" && words.chat.estimated,
    run?.cost && fill(words.chat.cost, { cost: money(run.cost) }),
    turn.firstPiece !== void 0 && fill(words.chat.firstPiece, { time: duration(turn.firstPiece) })
  ].filter(Boolean);
  return /* @__PURE__ */ a("span", { class: "fine facts", children: [
    facts.join(" · "),
    turn.at > 0 && /* @__PURE__ */ a($, { children: [
      " · ",
      /* @__PURE__ */ a(Time, { at: turn.at })
    ] })
  ] });
}
function Buttons({ turn, edit, again, code }) {
  return /* @__PURE__ */ a("span", { class: "row actions", children: [
    /* @__PURE__ */ a(Copy, { bare: true, text: () => plain(turn.segments), label: words.chat.copyText }),
    edit && /* @__PURE__ */ a(Action, { icon: "edit", label: words.chat.edit, run: () => edit(turn) }),
    again && /* @__PURE__ */ a(Action, { icon: "again", label: words.chat.again, run: () => again(turn) }),
    code && /* @__PURE__ */ a(Action, { icon: "code", label: words.chat.code, run: () => code(turn) })
  ] });
}
function Action({ icon, label, run }) {
  return /* @__PURE__ */ a("button", { type: "button", class: "bare", title: label, "aria-label": label, onClick: run, children: /* @__PURE__ */ a(Icon, { name: icon }) });
}
function Branches({ turn, branch }) {
  const place = turn.id ? turn.others.findIndex((one) => one.id === turn.id) : -1;
  if (!branch || turn.others.length < 2 || place < 0) return null;
  const step = (by, label, sign) => /* @__PURE__ */ a(
    "button",
    {
      type: "button",
      class: "bare",
      "aria-label": label,
      disabled: !turn.others[place + by],
      onClick: () => branch(turn.others[place + by].leaf),
      children: sign
    }
  );
  return /* @__PURE__ */ a("span", { class: "row branches fine", children: [
    step(-1, words.chat.branchBefore, "‹"),
    fill(words.chat.branchOf, { n: place + 1, of: turn.others.length }),
    step(1, words.chat.branchAfter, "›")
  ] });
}
function Editor({ turn, send, close }) {
  const [text, setText] = d(() => plain(turn.segments));
  return /* @__PURE__ */ a(
    "form",
    {
      class: "turn user editor",
      onSubmit: (event) => {
        event.preventDefault();
        send(text);
      },
      children: [
        /* @__PURE__ */ a("label", { children: [
          words.chat.edit,
          /* @__PURE__ */ a(
            "textarea",
            {
              rows: Math.min(12, text.split("\n").length + 1),
              value: text,
              autofocus: true,
              onInput: (event) => setText(event.currentTarget.value),
              onKeyDown: (event) => event.key === "Escape" && close()
            }
          )
        ] }),
        /* @__PURE__ */ a("p", { class: "fine", children: turn.parent ? words.chat.editText : words.chat.editFirst }),
        /* @__PURE__ */ a("div", { class: "row", children: [
          /* @__PURE__ */ a("button", { class: "primary", disabled: !text.trim(), children: words.chat.send }),
          /* @__PURE__ */ a("button", { type: "button", onClick: close, children: words.actions.cancel })
        ] })
      ]
    }
  );
}

// src/pages/chat.tsx
function ChatPage({ route }) {
  const leaf = route.query.get("leaf");
  const chat = useChat(route.id, leaf, route.query.get("new"));
  const [options, change] = useOptions();
  const [dialog, setDialog] = d(null);
  const [editing, setEditing] = d(null);
  const [again, setAgain] = d(null);
  const [shown, setShown] = d(null);
  A(() => {
    const text = takePrepared();
    if (text) void chat.send(text, [], options);
  }, [chat]);
  const behind = (turn) => chat.turns.value.slice(0, chat.turns.value.indexOf(turn));
  const edit = (turn, text) => {
    setEditing(null);
    if (turn.parent) void chat.send(text, [], options, turn.parent);
    else sayAnew(text);
  };
  return /* @__PURE__ */ a("div", { class: "chat", children: [
    /* @__PURE__ */ a("header", { class: "row between", children: [
      /* @__PURE__ */ a("h1", { children: chat.title.value || (chat.id ? words.chat.untitled : words.chat.new) }),
      /* @__PURE__ */ a("span", { class: "row", children: [
        chat.id && /* @__PURE__ */ a(
          "button",
          {
            type: "button",
            "aria-expanded": dialog === "branches",
            onClick: () => setDialog(dialog === "branches" ? null : "branches"),
            children: [
              /* @__PURE__ */ a(Icon, { name: "branch" }),
              /* @__PURE__ */ a("span", { class: "wide", children: words.chat.branches })
            ]
          }
        ),
        /* @__PURE__ */ a("a", { class: "button", href: "#/chat", onClick: (event) => fresh(event, chat), children: [
          /* @__PURE__ */ a(Icon, { name: "plus" }),
          /* @__PURE__ */ a("span", { class: "wide", children: words.chat.new })
        ] })
      ] })
    ] }),
    /* @__PURE__ */ a(Log, { chat, children: (turn, live, joined) => turn === editing ? /* @__PURE__ */ a(Editor, { turn, send: (text) => edit(turn, text), close: () => setEditing(null) }, turn.key) : /* @__PURE__ */ a(
      TurnView,
      {
        chat,
        turn,
        live,
        joined,
        edit: turn.role === "user" && turn.id && chat.activity.value === "idle" ? setEditing : void 0,
        again: turn.role === "assistant" && turn.parent && chat.activity.value === "idle" ? setAgain : void 0,
        code: turn.role === "assistant" ? setShown : void 0,
        goOn: turn.run && turn.run === chat.newest.value?.id && turn.segments.length > 0 ? (run) => void chat.goOn(run, options) : void 0,
        approve: turn.run && turn.run === chat.newest.value?.id && chat.activity.value === "idle" && may("execute") ? (run, yes) => void chat.approve(run, yes) : void 0,
        branch: chat.activity.value === "idle" ? (to) => go("chat", chat.id, { leaf: to }) : void 0
      },
      turn.key
    ) }),
    /* @__PURE__ */ a(
      Composer,
      {
        chat,
        options,
        change,
        onOptions: () => setDialog("options"),
        send: (text, files) => void chat.send(text, files, options)
      }
    ),
    dialog === "branches" && chat.id && /* @__PURE__ */ a(
      BranchesBeside,
      {
        conversation: chat.id,
        leaf,
        newest: chat.newest.value?.id,
        onLeaf: (to) => go("chat", chat.id, { leaf: to })
      }
    ),
    dialog === "options" && /* @__PURE__ */ a(OptionsDialog, { options, change, close: () => setDialog(null) }),
    again && /* @__PURE__ */ a(
      AgainDialog,
      {
        model: options.model,
        answer: (model) => void chat.answerAnew(again, { ...options, model }),
        close: () => setAgain(null)
      }
    ),
    shown && /* @__PURE__ */ a(CodeDialog, { body: programOf(behind(shown), options), close: () => setShown(null) })
  ] });
}
function useChat(id, leaf, fresh2) {
  const kept = T(null);
  const chat = w(() => {
    const old = kept.current;
    if (old && id && old.id === id && old.leaf === leaf) return old;
    return new Chat(id, leaf, (given) => replace("chat", given));
  }, [id, leaf, fresh2]);
  kept.current = chat;
  A(() => {
    if (chat.turns.value.length === 0) void chat.open();
    return () => {
      if (kept.current !== chat) chat.close();
    };
  }, [chat]);
  A(() => () => kept.current?.close(), []);
  return chat;
}
function fresh(event, chat) {
  if (chat.id || chat.turns.value.length === 0) return;
  event.preventDefault();
  go("chat", null, { new: crypto.randomUUID() });
}
function useOptions() {
  const [options, setOptions] = d({ ...defaults, model: preferences.value.model });
  const change = (changed) => {
    if (changed.model) prefer({ model: changed.model });
    setOptions((old) => ({ ...old, ...changed }));
  };
  A(() => {
    readModels().then(
      (known) => setOptions((old) => old.model || !known.length ? old : { ...old, model: known[0] }),
      () => {
      }
      // the chat says what is wrong
    );
  }, []);
  return [options, change];
}
function programOf(before, options) {
  return {
    messages: before.map((turn) => ({ role: turn.role, content: plain(turn.segments) })),
    ...options.instruction && { instruction: options.instruction },
    config: configOf(options)
  };
}
function Log({ chat, children }) {
  const log = T(null);
  const content = T(null);
  const [atEnd, setAtEnd] = d(true);
  const turns = chat.turns.value;
  const busy = chat.activity.value !== "idle" && chat.activity.value !== "loading";
  const toEnd = () => log.current?.scrollTo({ top: log.current.scrollHeight });
  F(() => {
    const box = log.current;
    let follows = true;
    const scrolled = () => {
      follows = box.scrollHeight - box.scrollTop - box.clientHeight < 80;
      setAtEnd(follows);
      if (!follows && box.scrollTop < box.clientHeight) void chat.showEarlier();
    };
    const grown = new ResizeObserver(() => follows && toEnd());
    grown.observe(content.current);
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", scrolled);
    };
  }, [chat]);
  const first = T(null);
  F(() => {
    const shown = log.current.querySelectorAll(".turn");
    const place = turns.findIndex((turn) => turn.key === first.current?.key);
    if (place > 0) log.current.scrollTop += shown[place].offsetTop - first.current.top;
    first.current = turns[0] ? { key: turns[0].key, top: shown[0].offsetTop } : null;
  }, [turns[0]?.key]);
  return /* @__PURE__ */ a("section", { class: "log", ref: log, tabIndex: 0, "aria-label": words.chat.messages, children: [
    /* @__PURE__ */ a("div", { class: "log-content", ref: content, children: [
      chat.earlier.value && /* @__PURE__ */ a("button", { type: "button", onClick: () => void chat.showEarlier(), children: words.chat.earlier }),
      turns.length === 0 && chat.activity.value === "loading" && /* @__PURE__ */ a(Loading, {}),
      turns.length === 0 && chat.activity.value === "idle" && !chat.error.value && /* @__PURE__ */ a(Empty, { title: words.chat.empty, children: /* @__PURE__ */ a("p", { children: words.chat.emptyText }) }),
      turns.map(
        (turn, place) => children(
          turn,
          busy && place === turns.length - 1,
          turn.role === "assistant" && turns[place - 1]?.role === "assistant"
        )
      ),
      chat.error.value && /* @__PURE__ */ a(Refused, { error: chat.error.value, retry: chat.id ? () => void chat.open() : void 0 })
    ] }),
    !atEnd && /* @__PURE__ */ a("button", { type: "button", class: "to-end", "aria-label": words.chat.latest, onClick: toEnd, children: /* @__PURE__ */ a(Icon, { name: "down" }) })
  ] });
}
function BranchesBeside(props) {
  const [Tree, setTree] = d(null);
  A(() => {
    void import("./branches.VNWLSJ4C.js").then((file) => setTree(() => file.default));
  }, []);
  return /* @__PURE__ */ a("aside", { class: "beside", "aria-label": words.chat.branches, children: Tree ? /* @__PURE__ */ a(Tree, { ...props }) : /* @__PURE__ */ a(Loading, {}) });
}
export {
  ChatPage as default
};
