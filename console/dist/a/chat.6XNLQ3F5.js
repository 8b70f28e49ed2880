import {
  Dialog,
  prefer,
  preferences
} from "./chunk.OR6DTQ3M.js";
import {
  Copy,
  models,
  readModels,
  sayAnew,
  takePrepared
} from "./chunk.7H2QMWJU.js";
import {
  A,
  ApiError,
  Empty,
  F,
  Icon,
  Loading,
  Refused,
  T,
  announce,
  base,
  call,
  d,
  get,
  go,
  isAbort,
  may,
  query,
  replace,
  w,
  y
} from "./chunk.5ZBBMN6R.js";
import {
  $,
  a,
  fill,
  words
} from "./chunk.XZCOMGMY.js";
import "./chunk.I6EMAZO5.js";

// node_modules/eventsource-parser/dist/index.js
var ParseError = class extends Error {
  constructor(message, options) {
    super(message), this.name = "ParseError", this.type = options.type, this.field = options.field, this.value = options.value, this.line = options.line;
  }
};
var LF = 10;
var CR = 13;
var SPACE = 32;
function noop(_arg) {
}
function createParser(config) {
  if (typeof config == "function") throw new TypeError("`config` must be an object, got a function instead. Did you mean `createParser({onEvent: fn})`?");
  const { onEvent = noop, onError = noop, onRetry = noop, onComment, maxBufferSize } = config, pendingFragments = [];
  let pendingFragmentsLength = 0, isFirstChunk = true, id, data = "", dataLines = 0, eventType, terminated = false;
  function feed(chunk) {
    if (terminated) throw new Error("Cannot feed parser: it was terminated after exceeding the configured max buffer size. Call `reset()` to resume parsing.");
    if (isFirstChunk && (isFirstChunk = false, chunk.charCodeAt(0) === 239 && chunk.charCodeAt(1) === 187 && chunk.charCodeAt(2) === 191 && (chunk = chunk.slice(3))), pendingFragments.length === 0) {
      const trailing2 = processLines(chunk);
      trailing2 !== "" && (pendingFragments.push(trailing2), pendingFragmentsLength = trailing2.length), checkBufferSize();
      return;
    }
    if (chunk.indexOf(`
`) === -1 && chunk.indexOf("\r") === -1) {
      pendingFragments.push(chunk), pendingFragmentsLength += chunk.length, checkBufferSize();
      return;
    }
    pendingFragments.push(chunk);
    const input = pendingFragments.join("");
    pendingFragments.length = 0, pendingFragmentsLength = 0;
    const trailing = processLines(input);
    trailing !== "" && (pendingFragments.push(trailing), pendingFragmentsLength = trailing.length), checkBufferSize();
  }
  function checkBufferSize() {
    maxBufferSize !== void 0 && (pendingFragmentsLength + data.length <= maxBufferSize || (terminated = true, pendingFragments.length = 0, pendingFragmentsLength = 0, id = void 0, data = "", dataLines = 0, eventType = void 0, onError(new ParseError(`Buffered data exceeded max buffer size of ${maxBufferSize} characters`, { type: "max-buffer-size-exceeded" }))));
  }
  function processLines(chunk) {
    let searchIndex = 0;
    if (chunk.indexOf("\r") === -1) {
      let lfIndex = chunk.indexOf(`
`, searchIndex);
      for (; lfIndex !== -1; ) {
        if (searchIndex === lfIndex) {
          dataLines > 0 && onEvent({ id, event: eventType, data }), id = void 0, data = "", dataLines = 0, eventType = void 0, searchIndex = lfIndex + 1, lfIndex = chunk.indexOf(`
`, searchIndex);
          continue;
        }
        const firstCharCode = chunk.charCodeAt(searchIndex);
        if (isDataPrefix(chunk, searchIndex, firstCharCode)) {
          const valueStart = chunk.charCodeAt(searchIndex + 5) === SPACE ? searchIndex + 6 : searchIndex + 5, value = chunk.slice(valueStart, lfIndex);
          if (dataLines === 0 && chunk.charCodeAt(lfIndex + 1) === LF) {
            onEvent({ id, event: eventType, data: value }), id = void 0, data = "", eventType = void 0, searchIndex = lfIndex + 2, lfIndex = chunk.indexOf(`
`, searchIndex);
            continue;
          }
          data = dataLines === 0 ? value : `${data}
${value}`, dataLines++;
        } else isEventPrefix(chunk, searchIndex, firstCharCode) ? eventType = chunk.slice(chunk.charCodeAt(searchIndex + 6) === SPACE ? searchIndex + 7 : searchIndex + 6, lfIndex) || void 0 : parseLine(chunk, searchIndex, lfIndex);
        searchIndex = lfIndex + 1, lfIndex = chunk.indexOf(`
`, searchIndex);
      }
      return chunk.slice(searchIndex);
    }
    for (; searchIndex < chunk.length; ) {
      const crIndex = chunk.indexOf("\r", searchIndex), lfIndex = chunk.indexOf(`
`, searchIndex);
      let lineEnd = -1;
      if (crIndex !== -1 && lfIndex !== -1 ? lineEnd = crIndex < lfIndex ? crIndex : lfIndex : crIndex !== -1 ? crIndex === chunk.length - 1 ? lineEnd = -1 : lineEnd = crIndex : lfIndex !== -1 && (lineEnd = lfIndex), lineEnd === -1) break;
      parseLine(chunk, searchIndex, lineEnd), searchIndex = lineEnd + 1, chunk.charCodeAt(searchIndex - 1) === CR && chunk.charCodeAt(searchIndex) === LF && searchIndex++;
    }
    return chunk.slice(searchIndex);
  }
  function parseLine(chunk, start, end) {
    if (start === end) {
      dispatchEvent();
      return;
    }
    const firstCharCode = chunk.charCodeAt(start);
    if (isDataPrefix(chunk, start, firstCharCode)) {
      const valueStart = chunk.charCodeAt(start + 5) === SPACE ? start + 6 : start + 5, value2 = chunk.slice(valueStart, end);
      data = dataLines === 0 ? value2 : `${data}
${value2}`, dataLines++;
      return;
    }
    if (isEventPrefix(chunk, start, firstCharCode)) {
      eventType = chunk.slice(chunk.charCodeAt(start + 6) === SPACE ? start + 7 : start + 6, end) || void 0;
      return;
    }
    if (firstCharCode === 105 && chunk.charCodeAt(start + 1) === 100 && chunk.charCodeAt(start + 2) === 58) {
      const value2 = chunk.slice(chunk.charCodeAt(start + 3) === SPACE ? start + 4 : start + 3, end);
      value2.includes("\0") || (id = value2);
      return;
    }
    if (firstCharCode === 58) {
      if (onComment) {
        const line2 = chunk.slice(start, end);
        onComment(line2.slice(chunk.charCodeAt(start + 1) === SPACE ? 2 : 1));
      }
      return;
    }
    const line = chunk.slice(start, end), fieldSeparatorIndex = line.indexOf(":");
    if (fieldSeparatorIndex === -1) {
      processField(line, "", line);
      return;
    }
    const field = line.slice(0, fieldSeparatorIndex), offset = line.charCodeAt(fieldSeparatorIndex + 1) === SPACE ? 2 : 1, value = line.slice(fieldSeparatorIndex + offset);
    processField(field, value, line);
  }
  function processField(field, value, line) {
    switch (field) {
      case "event":
        eventType = value || void 0;
        break;
      case "data":
        data = dataLines === 0 ? value : `${data}
${value}`, dataLines++;
        break;
      case "id":
        value.includes("\0") || (id = value);
        break;
      case "retry":
        /^\d+$/.test(value) ? onRetry(parseInt(value, 10)) : onError(new ParseError(`Invalid \`retry\` value: "${value}"`, { type: "invalid-retry", value, line }));
        break;
      default:
        onError(new ParseError(`Unknown field "${field.length > 20 ? `${field.slice(0, 20)}…` : field}"`, { type: "unknown-field", field, value, line }));
        break;
    }
  }
  function dispatchEvent() {
    dataLines > 0 && onEvent({ id, event: eventType, data }), id = void 0, data = "", dataLines = 0, eventType = void 0;
  }
  function reset(options = {}) {
    if (options.consume && pendingFragments.length > 0) {
      const incompleteLine = pendingFragments.join("");
      parseLine(incompleteLine, 0, incompleteLine.length);
    }
    isFirstChunk = true, id = void 0, data = "", dataLines = 0, eventType = void 0, pendingFragments.length = 0, pendingFragmentsLength = 0, terminated = false;
  }
  return { feed, reset };
}
function isDataPrefix(chunk, i, firstCharCode) {
  return firstCharCode === 100 && chunk.charCodeAt(i + 1) === 97 && chunk.charCodeAt(i + 2) === 116 && chunk.charCodeAt(i + 3) === 97 && chunk.charCodeAt(i + 4) === 58;
}
function isEventPrefix(chunk, i, firstCharCode) {
  return firstCharCode === 101 && chunk.charCodeAt(i + 1) === 118 && chunk.charCodeAt(i + 2) === 101 && chunk.charCodeAt(i + 3) === 110 && chunk.charCodeAt(i + 4) === 116 && chunk.charCodeAt(i + 5) === 58;
}

// src/chat/sse.ts
var PIECE = 16384;
var WORK = 8;
async function* readBlocks(answer) {
  let blocks2 = [];
  const parser = createParser({ onEvent: (block) => blocks2.push(block) });
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  let begun = performance.now();
  try {
    for (; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const text2 = decoder.decode(value, { stream: true });
      for (let at2 = 0; at2 < text2.length; at2 += PIECE) {
        parser.feed(text2.slice(at2, at2 + PIECE));
        yield* blocks2;
        blocks2 = [];
        if (performance.now() - begun < WORK) continue;
        await giveWay();
        begun = performance.now();
      }
    }
  } finally {
    reader.cancel().catch(() => {
    });
  }
}
function giveWay() {
  return new Promise((resume) => setTimeout(resume));
}

// src/chat/live.ts
var FIRST_PAUSE = 250;
var LONGEST_PAUSE = 5e3;
async function follow(source, sink, signal, world2) {
  let run = "run" in source ? source.run : null;
  let last = null;
  let cuts = 0;
  for (; ; ) {
    let pauseAtLeast = 0;
    try {
      const answer = run ? await world2.call(`/v1/runs/${run}/events`, { headers: last ? { "Last-Event-ID": last } : {}, signal }) : await begin(source, signal, world2);
      if (answer.status === 204) return { kind: "done" };
      run = answer.headers.get("X-Run-Id") ?? run;
      if (run) sink.began(run, answer.headers.get("X-Conversation-Id"));
      if (cuts > 0) sink.back();
      for await (const block of readBlocks(answer)) {
        cuts = 0;
        last = block.id ?? last;
        sink.block(block);
        if (block.event === "done") return { kind: "done" };
        if (block.event === "error") return { kind: "failed" };
      }
    } catch (error) {
      if (isAbort(error)) throw error;
      if (error instanceof ApiError && error.status !== 0) {
        if (run && (error.status === 410 || error.status === 404)) return { kind: "gone" };
        if (!run || error.status < 500) return { kind: "refused", error };
        pauseAtLeast = (error.retry_after ?? 0) * 1e3;
      }
    }
    cuts += 1;
    sink.cut(cuts);
    await world2.pause(Math.max(pauseAtLeast, pauseAfter(cuts, world2.random())), signal);
  }
}
function begin(source, signal, world2) {
  if ("run" in source) throw new Error("a run is known from the start");
  const headers = { "Idempotency-Key": source.key };
  return world2.call(source.path, { body: source.body, headers, signal });
}
function pauseAfter(cuts, random) {
  const pause2 = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (cuts - 1));
  return pause2 * (0.5 + random / 2);
}
function pause(ms, signal) {
  return new Promise((resume, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resume();
    }, ms);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}

// src/chat/segments.ts
function addStored(segments, message) {
  for (const file2 of message.context?.files ?? [])
    segments.push({ type: "file", name: file2.name ?? file2.uuid ?? "", id: file2.uuid ?? null, text: file2.content ?? "" });
  if (message.lmc) {
    if (message.reasoning_content) add(segments, "reasoning", message.reasoning_content);
    for (const one of message.lmc) addLmc(segments, { ...one, start: true });
  } else if (message.type) {
    addLmc(segments, { ...message, start: true });
  } else {
    addDelta(segments, message, /* @__PURE__ */ new Map());
  }
}
var Growing = class {
  segments = [];
  calls = /* @__PURE__ */ new Map();
  add(chunk) {
    if ("type" in chunk) addLmc(this.segments, chunk);
    else for (const choice of chunk.choices ?? []) addDelta(this.segments, choice.delta, this.calls);
  }
};
function add(segments, type, text2) {
  const last = segments.at(-1);
  if (last?.type === type) last.text += text2;
  else segments.push({ type, text: text2 });
}
function addDelta(segments, delta, calls) {
  const reasoning = delta.reasoning_content ?? delta.reasoning;
  if (reasoning) add(segments, "reasoning", reasoning);
  if (typeof delta.content === "string") {
    if (delta.content) add(segments, delta.role === "tool" ? "result" : "text", delta.content);
  } else if (Array.isArray(delta.content)) {
    for (const part of delta.content) addPart(segments, part);
  }
  if (delta.refusal) add(segments, "text", delta.refusal);
  for (const image3 of delta.images ?? []) segments.push({ type: "image", text: image3.image_url?.url ?? "" });
  (delta.tool_calls ?? []).forEach((call2, place) => addCall(segments, call2, call2.index ?? place, calls));
}
function addCall(segments, call2, index, calls) {
  let segment = calls.get(index);
  if (!segment) {
    segment = { type: "call", name: "", text: "" };
    calls.set(index, segment);
    segments.push(segment);
  }
  if (segment.type === "call") segment.name += call2.function?.name ?? "";
  segment.text += call2.function?.arguments ?? "";
}
function addPart(segments, part) {
  if (part.text !== void 0) add(segments, "text", part.text);
  else if (part.image_url) segments.push({ type: "image", text: part.image_url.url });
  else if (part.file)
    segments.push({ type: "file", name: part.file.filename ?? part.type, id: part.file.file_id ?? null, text: "" });
  else segments.push({ type: "file", name: part.type, id: null, text: "" });
}
function addLmc(segments, lmc) {
  const content = typeof lmc.content === "string" ? lmc.content : "";
  const last = segments.at(-1);
  const opens = lmc.start === true;
  switch (lmc.type) {
    case "message":
      if (opens) segments.push({ type: "text", text: content });
      else add(segments, "text", content);
      return;
    case "code":
      if (opens || last?.type !== "code")
        segments.push({ type: "code", language: lmc.format ?? "", text: content, active: null });
      else last.text += content;
      return;
    case "console":
      if (lmc.format === "active_line") activate(segments, lmc.content);
      else if (content) add(segments, "console", content);
      return;
    case "tool_call":
      if (opens || last?.type !== "call") segments.push({ type: "call", name: lmc.format ?? "", text: content });
      else last.text += content;
      return;
    case "image":
      if (content) segments.push({ type: "image", text: imageAddress(lmc.format ?? "", content) });
      return;
    case "confirmation": {
      const code2 = lmc.content;
      segments.push({ type: "confirmation", language: code2?.format ?? "", text: code2?.content ?? "" });
      return;
    }
    case "error": {
      const error = lmc.content;
      segments.push({ type: "error", text: typeof error === "string" ? error : error?.message ?? "" });
      return;
    }
    case "file":
      segments.push({ type: "file", name: content, id: null, text: "" });
  }
}
function activate(segments, line) {
  const code2 = segments.findLast((segment) => segment.type === "code");
  if (code2?.type === "code") code2.active = line === null || line === "" ? null : Number(line);
}
function imageAddress(format2, content) {
  const kind = /^base64(?:\.(png|jpeg|gif|webp))?$/.exec(format2);
  return kind ? `data:image/${kind[1] ?? "png"};base64,${content}` : content;
}
function plain(segments) {
  return segments.filter((segment) => segment.type === "text").map((segment) => segment.text).join("\n\n");
}

// src/chat/store.ts
var PAGE = 50;
var TREE_PAGES = 20;
async function load(id, leaf, signal) {
  const path = `/v1/conversations/${id}`;
  const [conversation, page, nodes2, runs] = await Promise.all([
    get(path, { signal }),
    get(`${path}/messages${query({ order: "desc", limit: PAGE, leaf: leaf ?? void 0 })}`, { signal }),
    tree(path, signal),
    get(`/v1/runs${query({ conversation: id, limit: 100 })}`, { signal })
  ]);
  return {
    conversation,
    turns: turnsOf(page, nodes2),
    runs: new Map(runs.data.map((run) => [run.id, run])),
    newest: runs.data[0] ?? null,
    earlier: page.has_more ? page.last_id : null
  };
}
async function loadEarlier(id, leaf, after, signal) {
  const path = `/v1/conversations/${id}`;
  const [page, nodes2] = await Promise.all([
    get(`${path}/messages${query({ order: "desc", limit: PAGE, leaf: leaf ?? void 0, after })}`, { signal }),
    tree(path, signal)
  ]);
  return { turns: turnsOf(page, nodes2), earlier: page.has_more ? page.last_id : null };
}
async function tree(path, signal) {
  const nodes2 = /* @__PURE__ */ new Map();
  let after = null;
  for (let page = 0; page < TREE_PAGES; page++) {
    const list2 = await get(`${path}/tree${query({ limit: 1e3, after: after ?? void 0 })}`, { signal });
    for (const node2 of list2.data) nodes2.set(node2.id, node2);
    if (!list2.has_more) break;
    after = list2.last_id;
  }
  return nodes2;
}
function turnsOf(page, nodes2) {
  const path = [];
  for (let at2 = page.first_id; at2 && path.length < page.data.length; ) {
    const node2 = nodes2.get(at2);
    if (!node2) break;
    if (!node2.removed) path.push(node2);
    at2 = node2.parent_id;
  }
  const children = groupByParent(nodes2);
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
function groupByParent(nodes2) {
  const groups = /* @__PURE__ */ new Map();
  for (const node2 of nodes2.values()) {
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
  async send(text2, files, options, parent) {
    const message = { role: "user", content: text2 };
    if (files.length) message.context = { files: files.map(({ id, name }) => ({ uuid: id, name })) };
    const kept = parent ? this.turnsUntil(parent) : this.turns.value;
    const shown = files.map(({ id, name }) => ({ type: "file", id, name, text: "" }));
    this.turns.value = [
      ...kept,
      { ...this.newTurn("user"), segments: [...shown, { type: "text", text: text2 }], parent: kept.at(-1)?.id ?? null }
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
    const body = { stream: true, format: format(options) };
    const model = this.runs.value.get(run)?.model ?? options.model;
    await this.answer({ path: `/v1/runs/${run}/continue`, body, key: crypto.randomUUID() }, this.answerTurn(model));
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
      this.turns.value = this.turns.value.filter((one) => one !== turn);
      this.fail(end.error);
    } else if (store && this.id) {
      await this.reload(end.kind === "done" ? turn : void 0);
    } else {
      this.activity.value = "idle";
    }
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
var format = (options) => options.lmc ? "lmc" : "openai";
function configOf(options) {
  const config = {};
  if (options.model) config.model = options.model;
  if (options.temperature) config.temperature = Number(options.temperature);
  if (options.max_tokens) config.max_tokens = Number(options.max_tokens);
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
  lmc: false
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
            const text2 = event.currentTarget.value;
            setTools(text2);
            if (text2.trim() === "" || isList(text2)) change({ tools: text2 });
          }
        }
      ),
      /* @__PURE__ */ a("span", { class: "fine", children: wrong ? words.chat.toolsWrong : words.chat.toolsHint })
    ] }),
    /* @__PURE__ */ a(Check, { label: words.chat.lmc, checked: options.lmc, change: (lmc) => change({ lmc }) }),
    /* @__PURE__ */ a(Check, { label: words.chat.store, checked: options.store, change: (store) => change({ store }) }),
    /* @__PURE__ */ a("footer", { children: /* @__PURE__ */ a("button", { class: "primary", children: words.actions.close }) })
  ] }) });
}
function Check({ label, checked, change }) {
  return /* @__PURE__ */ a("label", { class: "choice", children: [
    /* @__PURE__ */ a("input", { type: "checkbox", checked, onChange: (event) => change(event.currentTarget.checked) }),
    label
  ] });
}
function isList(text2) {
  try {
    return Array.isArray(JSON.parse(text2));
  } catch {
    return false;
  }
}

// src/chat/composer.tsx
function Composer({ chat, options, change, onOptions, send }) {
  const [text2, setText] = d("");
  const files = useFiles();
  const input = T(null);
  const busy = chat.activity.value !== "idle";
  A(() => {
    if (matchMedia("(pointer: fine)").matches) input.current?.focus();
  }, [chat]);
  A(() => grow(input.current), [text2]);
  A(() => {
    const stop = (event) => {
      if (event.key === "Escape" && chat.activity.value !== "idle" && !document.querySelector("dialog[open]"))
        void chat.stop();
    };
    addEventListener("keydown", stop);
    return () => removeEventListener("keydown", stop);
  }, [chat]);
  const submit = () => {
    if (busy || files.uploading || !text2.trim()) return;
    send(text2, files.attached);
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
            value: text2,
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
          ] }) : /* @__PURE__ */ a("button", { class: "primary send", disabled: !text2.trim() || busy || files.uploading !== null, children: [
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
function Attach({ add: add2 }) {
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
          if (event.currentTarget.files) add2(event.currentTarget.files);
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
    files.attached.map((file2) => /* @__PURE__ */ a("li", { children: [
      file2.name,
      /* @__PURE__ */ a(
        "button",
        {
          type: "button",
          class: "bare",
          "aria-label": fill(words.chat.detach, { name: file2.name }),
          onClick: () => files.remove(file2.id),
          children: /* @__PURE__ */ a(Icon, { name: "close" })
        }
      )
    ] }, file2.id)),
    files.uploading && /* @__PURE__ */ a("li", { role: "status", children: fill(words.chat.uploading, { name: files.uploading }) })
  ] });
}
function useFiles() {
  const [attached, setAttached] = d([]);
  const [uploading, setUploading] = d(null);
  const [error, setError] = d(null);
  const add2 = async (files) => {
    setError(null);
    try {
      for (const file2 of Array.from(files)) {
        setUploading(file2.name);
        const form = new FormData();
        form.append("purpose", "user_data");
        form.append("file", file2, file2.name);
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
    add: (files) => void add2(files),
    remove: (id) => setAttached((old) => old.filter((file2) => file2.id !== id)),
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
  const text2 = snippet(language, body);
  return /* @__PURE__ */ a(Dialog, { title: words.chat.code, onClose: close, children: /* @__PURE__ */ a("div", { class: "stack", children: [
    /* @__PURE__ */ a("div", { class: "row between", children: [
      /* @__PURE__ */ a("span", { class: "row", children: languages.map((one) => /* @__PURE__ */ a("button", { type: "button", "aria-pressed": one === language, onClick: () => setLanguage(one), children: words.chat.languages[one] }, one)) }),
      /* @__PURE__ */ a(Copy, { text: text2 })
    ] }),
    /* @__PURE__ */ a("pre", { class: "snippet", tabIndex: 0, children: text2 }),
    /* @__PURE__ */ a("p", { class: "fine", children: words.chat.codeText })
  ] }) });
}

// src/draw/frames.ts
var WORK2 = 8;
var SHARE = 3;
var drawers = /* @__PURE__ */ new Set();
var planned = false;
var restUntil = 0;
function drawSoon(drawer) {
  drawers.add(drawer);
  plan();
}
function drawNever(drawer) {
  drawers.delete(drawer);
}
function plan() {
  if (planned || drawers.size === 0) return;
  planned = true;
  if (document.visibilityState === "hidden") setTimeout(frame, 500);
  else requestAnimationFrame(frame);
}
function frame() {
  planned = false;
  const start = performance.now();
  if (start >= restUntil) {
    for (const drawer of [...drawers]) {
      if (performance.now() >= start + WORK2) break;
      drawers.delete(drawer);
      if (!drawer(start + WORK2)) drawers.add(drawer);
    }
    restUntil = performance.now() + SHARE * (performance.now() - start);
  }
  plan();
}

// src/parts/format.ts
var plurals = new Intl.PluralRules(void 0);
var integers = new Intl.NumberFormat(void 0, { maximumFractionDigits: 0 });
var decimals = new Intl.NumberFormat(void 0, { maximumSignificantDigits: 3 });
var compacts = new Intl.NumberFormat(void 0, { notation: "compact", maximumSignificantDigits: 3 });
var times = new Intl.DateTimeFormat(void 0, { dateStyle: "medium", timeStyle: "short" });
var days = new Intl.DateTimeFormat(void 0, { dateStyle: "medium" });
var clocks = new Intl.DateTimeFormat(void 0, { timeStyle: "short" });
var relatives = new Intl.RelativeTimeFormat(void 0, { numeric: "auto" });
var count = (value, forms) => fill(plurals.select(value) === "one" ? forms.one : forms.other, { n: integers.format(value) });
function money(value) {
  if (value === null || value === void 0) return words.units.none;
  const amount = Number(value);
  const digits = amount !== 0 && Math.abs(amount) < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 };
  return new Intl.NumberFormat(void 0, digits).format(amount);
}
var duration = (ms) => ms < 1e3 ? fill(words.units.ms, { n: Math.round(ms) }) : fill(words.units.s, { n: decimals.format(ms / 1e3) });
var time = (seconds) => times.format(seconds * 1e3);
var day = (seconds) => days.format(seconds * 1e3);
var iso = (seconds) => new Date(seconds * 1e3).toISOString();
function ago(seconds, now = Date.now() / 1e3) {
  const past = seconds - now;
  if (Math.abs(past) < 60) return relatives.format(Math.round(past), "second");
  if (Math.abs(past) < 3600) return relatives.format(Math.round(past / 60), "minute");
  if (Math.abs(past) < 86400) return relatives.format(Math.round(past / 3600), "hour");
  if (Math.abs(past) < 7 * 86400) return relatives.format(Math.round(past / 86400), "day");
  return day(seconds);
}

// src/parts/time.tsx
function Time({ at: at2 }) {
  return /* @__PURE__ */ a("time", { dateTime: iso(at2), title: time(at2), children: ago(at2) });
}

// src/draw/code.ts
function codeView(info, numbered = false) {
  const language = info.trim().split(/[\s{,]/, 1)[0].toLowerCase();
  const content = document.createTextNode("");
  const code2 = make("code", "", content);
  const pre = make("pre", "", code2);
  const numbers = document.createTextNode("");
  const lines = { count: 0 };
  const copy = make("button", "bare", document.createTextNode(words.actions.copy));
  copy.setAttribute("type", "button");
  copy.addEventListener("click", () => {
    void navigator.clipboard.writeText(code2.textContent ?? "").then(() => announce(words.actions.copied));
  });
  const head = make("div", "code-head", make("span", "", document.createTextNode(language || words.draw.plain)), copy);
  const body = make("div", "code-body");
  body.tabIndex = 0;
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", `${words.draw.code} ${language}`.trim());
  if (numbered) {
    const gutter = make("pre", "gutter", numbers);
    gutter.setAttribute("aria-hidden", "true");
    body.append(gutter);
  }
  body.append(pre);
  return {
    element: make("div", numbered ? "code numbered" : "code", head, body),
    code: code2,
    language,
    append(text2) {
      content.appendData(text2);
      if (!numbered) return;
      const added = text2.split("\n").length - (lines.count > 0 ? 1 : 0);
      let more = "";
      for (let n = 0; n < added; n++) more += `${lines.count += 1}
`;
      numbers.appendData(more);
    },
    text: () => code2.textContent ?? "",
    activate(line) {
      body.classList.toggle("active", line !== null);
      if (line !== null) body.style.setProperty("--line-number", String(line - 1));
    }
  };
}
function make(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

// src/draw/highlight.ts
var LONGEST = 5e4;
var waiting = [];
var working = false;
function highlightLater(view) {
  if (!view.language || typeof requestIdleCallback === "undefined") return;
  waiting.push(view);
  if (!working) {
    working = true;
    requestIdleCallback(() => void work());
  }
}
async function work() {
  const { grammar, tokenize } = await import("./prism.ZH4Q5DJ6.js");
  const next = (deadline) => {
    while (waiting.length && deadline.timeRemaining() > 4) {
      const view = waiting.shift();
      const rules = grammar(view.language);
      const text2 = view.text();
      if (rules && text2.length <= LONGEST) view.code.replaceChildren(...nodes(tokenize(text2, rules)));
    }
    if (waiting.length) requestIdleCallback(next);
    else working = false;
  };
  requestIdleCallback(next);
}
function nodes(stream) {
  if (typeof stream === "string") return [document.createTextNode(stream)];
  if (Array.isArray(stream)) return stream.flatMap(nodes);
  return [span(stream)];
}
function span(token) {
  const made = document.createElement("span");
  made.className = `token ${token.type}`;
  made.append(...nodes(token.content));
  return made;
}

// node_modules/marked/lib/marked.esm.js
function G() {
  return { async: false, breaks: false, extensions: null, gfm: true, hooks: null, pedantic: false, renderer: null, silent: false, tokenizer: null, walkTokens: null };
}
var S = G();
var q = { exec: () => null };
function D(l3) {
  let e = [];
  return (t) => {
    let n = Math.max(0, Math.min(3, t - 1)), r = e[n];
    return r || (r = l3(n), e[n] = r), r;
  };
}
function g(l3, e = "") {
  let t = typeof l3 == "string" ? l3 : l3.source, n = { replace: (r, s) => {
    let o = typeof s == "string" ? s : s.source;
    return o = o.replace(O.caret, "$1"), t = t.replace(r, o), n;
  }, getRegex: () => new RegExp(t, e) };
  return n;
}
var _e = ((l3 = "") => {
  try {
    return !!new RegExp("(?<=1)(?<!1)" + l3);
  } catch {
    return false;
  }
})();
var O = { codeRemoveIndent: /^(?: {0,3}\t| {1,4})/gm, listInterruptsParagraph: /^ {0,3}(?:[*+-]|1[.)])[ \t]+[^ \t\n]/, outputLinkReplace: /\\([\[\]])/g, indentCodeCompensation: /^(\s+)(?:```)/, beginningSpace: /^\s+/, endingHash: /#$/, startingSpaceChar: /^ /, endingSpaceChar: / $/, endingSpaceTabChar: /[ \t]$/, nonSpaceChar: /[^ ]/, newLineCharGlobal: /\n/g, tabCharGlobal: /\t/g, leadingSpaceTab: /^[ \t]+/, multipleSpaceGlobal: /\s+/g, blankLine: /^[ \t]*$/, doubleBlankLine: /\n[ \t]*\n[ \t]*$/, blockquoteStart: /^ {0,3}>/, blockquoteSetextReplace: /\n {0,3}((?:=+|-+)[ \t]*)(?=\n|$)/g, blockquoteSetextReplace2: /^ {0,3}>[ \t]?/gm, blockquoteMarkerWhitespace: /^( {0,3}>)(\t[ \t]*)/gm, nestedBlockMarker: /^ {0,3}(?:(?:[*+-]|\d{1,9}[.)])(?: |$)|> ?)/, listReplaceNesting: /^ {1,4}(?=( {4})*[^ ])/g, listIsTask: /^\[[ xX]\][ \t]+\S/, listReplaceTask: /^\[[ xX]\][ \t]+/, listTaskCheckbox: /\[[ xX]\]/, anyLine: /\n.*\n/, hrefBrackets: /^<(.*)>$/, tableDelimiter: /[:|]/, tableAlignChars: /^\||\| *$/g, tableRowBlankLine: /\n[ \t]*$/, tableAlignRight: /^ *-+: *$/, tableAlignCenter: /^ *:-+: *$/, tableAlignLeft: /^ *:-+ *$/, startATag: /^<a /i, endATag: /^<\/a>/i, startPreScriptTag: /^<(pre|code|kbd|script)(\s|>)/i, endPreScriptTag: /^<\/(pre|code|kbd|script)(\s|>)/i, startAngleBracket: /^</, endAngleBracket: />$/, pedanticHrefTitle: /^([^'"]*[^\s])\s+(['"])(.*)\2/, unicodeAlphaNumeric: /[\p{L}\p{N}]/u, numericCharacterReference: /&#(?:(\d{1,7})|[Xx]([A-Fa-f0-9]{1,6}));/, numericCharacterReferenceOrAmpersand: /&#(?:(\d{1,7})|[Xx]([A-Fa-f0-9]{1,6}));|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/g, escapeTest: /[&<>"']/, escapeReplace: /[&<>"']/g, escapeTestNoEncode: /[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/, escapeReplaceNoEncode: /[<>"']|&(?!(#\d{1,7}|#[Xx][a-fA-F0-9]{1,6}|\w+);)/g, caret: /(^|[^\[])\^/g, percentDecode: /%25/g, findPipe: /\|/g, splitPipe: / \|/, slashPipe: /\\\|/g, carriageReturn: /\r\n|\r/g, spaceLine: /^ +$/gm, notSpaceStart: /^\S*/, endingNewline: /\n$/, listItemRegex: (l3) => new RegExp(`^( {0,3}${l3})((?:[	 ][^\\n]*)?(?:\\n|$))`), nextBulletRegex: D((l3) => new RegExp(`^ {0,${l3}}(?:[*+-]|\\d{1,9}[.)])((?:[ 	][^\\n]*)?(?:\\n|$))`)), hrRegex: D((l3) => new RegExp(`^ {0,${l3}}((?:-[ 	]*){3,}|(?:_[ 	]*){3,}|(?:\\*[ 	]*){3,})(?:\\n+|$)`)), fencesBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}(?:\`\`\`|~~~)`)), headingBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}#{1,6}(?:\\s|$)`)), pedanticHeadingBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}#`)), htmlBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}(?:</?(?:${he})(?:[ \\t]+|$|/?>)|<(?:(?:script|pre|style|textarea)(?:[\\s>]|$)|!--)|<\\?|<![A-Za-z]|<!\\[CDATA\\[)`, "i")), blockquoteBeginRegex: D((l3) => new RegExp(`^ {0,${l3}}>`)), nestedContainerMarkers: /^(?: {0,3}(?:(?:[*+-]|\d{1,9}[.)])[ \t]+|>[ \t]?))+/ };
var Ge = /^(?:[ \t]*(?:\n|$))+/;
var Ne = /^((?: {4}| {0,3}\t)[^\n]+(?:\n(?:[ \t]*(?:\n|$))*)?)+/;
var Fe = /^ {0,3}(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)(?:\n|$)(?:|([\s\S]*?)(?:\n|$))(?: {0,3}(?:(?=`)\1`*|(?=~)\1~*) *(?=\n|$)|$)/;
var V = /^ {0,3}((?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/;
var Qe = /^ {0,3}(#{1,6})(?=\s|$)(.*)(?:\n+|$)/;
var ce = / {0,3}(?:[*+-]|\d{1,9}[.)])/;
var he = "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul";
var J = g(" {0,3}(?:</?(?:tag)(?:[ \\t]+|\\n|/?>)|<(?:(?:script|pre|style|textarea)(?:[\\s>]|$)|!--)|<\\?|<![A-Za-z]|<!\\[CDATA\\[)").replace("tag", he).getRegex();
var $e = /^(?!bull |blockCode|fences|blockquote|heading|html|table)((?:.|\n(?!\s*?\n|bull |fences|blockquote|heading|hr|html|table))+?)\n {0,3}(=+|-+)[ \t]*(?:\n+|$)/;
var Le = g($e).replace(/bull/g, ce).replace(/blockCode/g, /(?: {4}| {0,3}\t)/).replace(/fences/g, / {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g, / {0,3}>/).replace(/heading/g, / {0,3}#{1,6}(?:\s|$)/).replace(/hr/g, / {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/).replace(/\|table/g, "").replace(/html/g, J).getRegex();
var We = g($e).replace(/bull/g, ce).replace(/blockCode/g, /(?: {4}| {0,3}\t)/).replace(/fences/g, / {0,3}(?:`{3,}|~{3,})/).replace(/blockquote/g, / {0,3}>/).replace(/heading/g, / {0,3}#{1,6}(?:\s|$)/).replace(/hr/g, / {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|$)/).replace(/table/g, / {0,3}\|?(?:[:\- ]*\|)+[\:\- ]*\n/).replace(/html/g, J).getRegex();
var de = /^([^\n]+(?:\n(?!hr|heading|lheading|blockquote|fences|list|html|table|[ \t]+\n)[^\n]+)*)/;
var Ue = /^[^\n]+/;
var ge = /(?!\s*\])(?:\\[\s\S]|[^\[\]\\\n]|\n(?![ \t]*\n))+/;
var Ke = g(/^ {0,3}\[(label)\]: *(?:\n[ \t]*)?([^<\s][^\s]*|<(?:\\.|[^\n<>\\])*>)(?:(?: +(?:\n[ \t]*)?| *\n[ \t]*)(title))? *(?:\n+|$)/).replace("label", ge).replace("title", /(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\\n]|\n(?!\n))*'|\((?:\\[\s\S]|[^()\\])*\))/).getRegex();
var Xe = g(/^(bull)([ \t][^\n]*?)?(?:\n|$)/).replace(/bull/g, ce).getRegex();
var ke = /<!--(?:-?>|[\s\S]*?(?:-->|$))/;
var Ve = g("^ {0,3}(?:<(script|pre|style|textarea)[\\s>][\\s\\S]*?(?:</\\1>[^\\n]*\\n*|$)|comment[^\\n]*(\\n+|$)|<\\?[\\s\\S]*?(?:\\?>[^\\n]*\\n*|$)|<![A-Z][\\s\\S]*?(?:>[^\\n]*\\n*|$)|<!\\[CDATA\\[[\\s\\S]*?(?:\\]\\]>[^\\n]*\\n*|$)|</?(tag)(?:[ \\t]+|\\n|/?>|$)[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|<(?!(?:script|pre|style|textarea)(?![a-z0-9-]))([a-z][a-z0-9-]*)(?:attribute)*?[ \\t]*/?>(?=[ \\t]*(?:\\n|$))[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$)|</[a-z][a-z0-9-]*\\s*>(?=[ \\t]*(?:\\n|$))[\\s\\S]*?(?:(?:\\n[ 	]*)+\\n|$))", "i").replace("comment", ke).replace("tag", he).replace("attribute", /[ \t]+[a-zA-Z:_][\w.:-]*(?:[ \t]*=[ \t]*"[^"\n]*"|[ \t]*=[ \t]*'[^'\n]*'|[ \t]*=[ \t]*[^\s"'=<>`]+)?/).getRegex();
var Ce = (l3) => g(de).replace("hr", V).replace("heading", " {0,3}#{1,6}(?:\\s|$)").replace("|lheading", "").replace("|table", "").replace("blockquote", " {0,3}>").replace("fences", " {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list", l3).replace("html", J).getRegex();
var Je = Ce(/ {0,3}(?:[*+-]|1[.)])[ \t]+[^ \t\n]/);
var Ye = Ce(/ {0,3}(?:[*+-]|\d{1,9}[.)])(?:[ \t]|\n|$)/);
var et = g(/^( {0,3}> ?(?:(?![ \t]*(?:\n|$))(paragraph)|[^\n]*)(?:\n|$))+/).replace("paragraph", Ye).getRegex();
var fe = { blockquote: et, code: Ne, def: Ke, fences: Fe, heading: Qe, hr: V, html: Ve, lheading: Le, list: Xe, newline: Ge, paragraph: Je, table: q, text: Ue };
var Pe = g("^ *([^\\n ].*)\\n {0,3}((?:\\| *)?:?-+:? *(?:\\| *:?-+:? *)*(?:\\| *)?)(?:\\n((?:(?! *\\n|hr|heading|blockquote|code|fences|list|html).*(?:\\n|$))*)\\n*|$)").replace("hr", V).replace("heading", " {0,3}#{1,6}(?:\\s|$)").replace("blockquote", " {0,3}>").replace("code", "(?: {4}| {0,3}	)[^\\n]").replace("fences", " {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list", " {0,3}(?:[*+-]|1[.)])[ \\t]").replace("html", J).getRegex();
var tt = { ...fe, lheading: We, table: Pe, paragraph: g(de).replace("hr", V).replace("heading", " {0,3}#{1,6}(?:\\s|$)").replace("|lheading", "").replace("table", Pe).replace("blockquote", " {0,3}>").replace("fences", " {0,3}(?:`{3,}(?=[^`\\n]*(?:\\n|$))|~~~)[^\\n]*(?:\\n|$)").replace("list", " {0,3}(?:[*+-]|1[.)])[ \\t]+[^ \\t\\n]").replace("html", J).getRegex() };
var nt = { ...fe, html: g(`^ *(?:comment(?: *\\n|\\s*$)|<(tag)[\\s\\S]+?</\\1>(?: *\\n{2,}|\\s*$)|<tag(?:"[^"]*"|'[^']*'|\\s[^'"/>\\s]*)*?/?>(?: *\\n{2,}|\\s*$))`).replace("comment", ke).replace(/tag/g, "(?!(?:a|em|strong|small|s|cite|q|dfn|abbr|data|time|code|var|samp|kbd|sub|sup|i|b|u|mark|ruby|rt|rp|bdi|bdo|span|br|wbr|ins|del|img)\\b)\\w+(?!:|[^\\w\\s@]*@)\\b").getRegex(), def: /^ *\[([^\]]+)\]: *<?([^\s>]+)>?(?: +(["(][^\n]+[")]))? *(?:\n+|$)/, heading: /^(#{1,6})(.*)(?:\n+|$)/, fences: q, lheading: /^(.+?)\n {0,3}(=+|-+) *(?:\n+|$)/, paragraph: g(de).replace("hr", V).replace("heading", ` *#{1,6} *[^
]`).replace("|table", "").replace("blockquote", " {0,3}>").replace("|fences", "").replace("|list", "").replace("|html", "").replace("|tag", "").replace("lheading", Le).getRegex() };
var rt = /^\\([!"#$%&'()*+,\-./:;<=>?@\[\]\\^_`{|}~])/;
var st = /^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/;
var Ie = /^( {2,}|\\)\n(?!\s*$)[ \t]*/;
var it = /^(`+|[^`])(?:(?= {2,}\n)|[\s\S]*?(?:(?=[\\<!\[`*_]|\b_|$)|[^ ](?= {2,}\n)))/;
var L = /[\p{P}\p{S}]/u;
var N = /[\s\p{P}\p{S}]/u;
var Y = /[^\s\p{P}\p{S}]/u;
var ot = g(/^((?![*_])punctSpace)/, "u").replace(/punctSpace/g, N).getRegex();
var at = /[\p{Pi}\p{Ps}"']/u;
var Ae = /(?!~)[\p{P}\p{S}]/u;
var lt = /(?!~)[\s\p{P}\p{S}]/u;
var ut = /(?:[^\s\p{P}\p{S}]|~)/u;
var pt = g(/link|precode-code|html/, "g").replace("link", /\[(?:[^\[\]`]|(?<a>`+)[^`]+\k<a>(?!`))*?\]\((?:\\[\s\S]|[^\\\(\)]|\((?:\\[\s\S]|[^\\\(\)])*\))*\)/).replace("precode-", _e ? "(?<!`)()" : "(^^|[^`])").replace("code", /(?<b>`+)[^`]+\k<b>(?!`)/).replace("html", /<(?! )[^<>]*?>/).getRegex();
var Ee = /^(?:\*+(?:((?!\*)punct)|([^\s*]))?)|^_+(?:((?!_)punct)|([^\s_]))?/;
var ct = g(Ee, "u").replace(/punct/g, L).getRegex();
var ht = g(Ee, "u").replace(/punct/g, Ae).getRegex();
var dt = /^(?:\*+(?:((?!\*)(?!openQuote)punct)|([^\s*]))?)|^_+(?:((?!_)(?!openQuote)punct)|([^\s_]))?/;
var gt = g(dt, "u").replace(/openQuote/g, at).replace(/punct/g, L).getRegex();
var ze = "^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|(?!\\*)punct(\\*+)(?=[\\s]|$)|notPunctSpace(\\*+)(?!\\*)(?=punctSpace|$)|(?!\\*)punctSpace(\\*+)(?=notPunctSpace)|[\\s](\\*+)(?!\\*)(?=punct)|(?!\\*)punct(\\*+)(?!\\*)(?=punct)|notPunctSpace(\\*+)(?=notPunctSpace)";
var kt = g(ze, "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var ft = g(ze, "gu").replace(/notPunctSpace/g, ut).replace(/punctSpace/g, lt).replace(/punct/g, Ae).getRegex();
var mt = "^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])|(?!\\*)punct(\\*+)(?=[\\s]|$)|notPunctSpace(\\*+)(?!\\*)(?=punctSpace|$)|(?!\\*)[\\s](\\*+)(?=notPunctSpace)|[\\s](\\*+)(?!\\*)(?=punct)|(?!\\*)punct(\\*+)(?!\\*)(?=punct)|(?:(?!\\*)punct|notPunctSpace)(\\*+)(?!\\*)(?=notPunctSpace)";
var xt = g(mt, "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var bt = g("^[^_*]*?\\*\\*[^_*]*?_[^_*]*?(?=\\*\\*)|[^_]+(?=[^_])|(?!_)punct(_+)(?=[\\s]|$)|notPunctSpace(_+)(?!_)(?=punctSpace|$)|(?!_)punctSpace(_+)(?=notPunctSpace)|[\\s](_+)(?!_)(?=punct)|(?!_)punct(_+)(?!_)(?=punct)", "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var Rt = "^[^_*]*?\\*\\*[^_*]*?_[^_*]*?(?=\\*\\*)|[^_]+(?=[^_])|(?!_)punct(_+)(?=[\\s]|$)|notPunctSpace(_+)(?!_)(?=punctSpace|$)|(?!_)[\\s](_+)(?=notPunctSpace)|[\\s](_+)(?!_)(?=punct)|(?!_)punct(_+)(?!_)(?=punct)|(?:(?!_)punct|notPunctSpace)(_+)(?!_)(?=notPunctSpace)";
var Tt = g(Rt, "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var Ot = g(/^~~?(?:((?!~)punct)|[^\s~])/, "u").replace(/punct/g, L).getRegex();
var wt = "^[^~]+(?=[^~])|(?!~)punct(~~?)(?=[\\s]|$)|notPunctSpace(~~?)(?!~)(?=punctSpace|$)|(?!~)punctSpace(~~?)(?=notPunctSpace)|[\\s](~~?)(?!~)(?=punct)|(?!~)punct(~~?)(?!~)(?=punct)|notPunctSpace(~~?)(?=notPunctSpace)";
var Pt = g(wt, "gu").replace(/notPunctSpace/g, Y).replace(/punctSpace/g, N).replace(/punct/g, L).getRegex();
var yt = g(/\\(punct)/, "gu").replace(/punct/g, L).getRegex();
var St = g(/(`+)(?:[^`]|[^`][\s\S]*?[^`])\1(?!`)|`+|\\(punct)/, "gu").replace(/punct/g, L).getRegex();
var _t = g(/^<(scheme:[^\s\x00-\x1f<>]*|email)>/).replace("scheme", /[a-zA-Z][a-zA-Z0-9+.-]{1,31}/).replace("email", /[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+(@)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+(?![-_])/).getRegex();
var $t = g(ke).replace("(?:-->|$)", "-->").getRegex();
var Lt = g("^comment|^</[a-zA-Z][a-zA-Z0-9-]*\\s*>|^<[a-zA-Z][a-zA-Z0-9-]*(?:attribute)*?\\s*/?>|^<\\?[\\s\\S]*?\\?>|^<![a-zA-Z]+\\s[\\s\\S]*?>|^<!\\[CDATA\\[[\\s\\S]*?\\]\\]>").replace("comment", $t).replace("attribute", /\s+[a-zA-Z:_][\w.:-]*(?:\s*=\s*"[^"]*"|\s*=\s*'[^']*'|\s*=\s*[^\s"'=<>`]+)?/).getRegex();
var Me = /\[(?:\\[\s\S]|[^\[\]\\])*\]/;
var ie = g(/(?:\[(?:brackets|\\[\s\S]|[^\[\]\\])*\]|\\[\s\S]|`+(?!`)[^`]*?`+(?!`)|``+(?=\])|[^\[\]\\`])*?/).replace("brackets", Me).getRegex();
var Ct = g(/^!?\[(label)\]\([ \t\n]*(href)(?:(?:[ \t]+(?:\n[ \t]*)?|\n[ \t]*)(title))?[ \t\n]*\)/).replace("label", ie).replace("href", /<(?:\\.|[^\n<>\\])*>|(?!<)[^ \t\n\x00-\x1f]+|(?=\))/).replace("title", /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\((?:\\[\s\S]|[^)\\])*\)/).getRegex();
var It = g(/^!?\[(label)\]\[(ref)\]/).replace("label", ie).replace("ref", ge).getRegex();
var At = g(/^!?\[(ref)\](?:\[\])?/).replace("ref", ge).getRegex();
var ye = /(?!\s*\])(?:\\[\s\S]|[^\[\]\\]){1,999}/;
var Et = g(/(?:[^\[\]\\`]*(?:\[(?:brackets|\\[\s\S]|[^\[\]\\])*\]|\\[\s\S]|`+(?!`)[^`]*?`+(?!`)|``+(?=\]))){0,999}?[^\[\]\\`]*?/).replace("brackets", Me).getRegex();
var zt = g("reflink|nolink(?!\\()", "g").replace("reflink", g(/^!?\[(label)\]\[(ref)\]/).replace("label", Et).replace("ref", ye).getRegex()).replace("nolink", g(/^!?\[(ref)\](?:\[\])?/).replace("ref", ye).getRegex()).getRegex();
var Se = /[hH][tT][tT][pP][sS]?|[fF][tT][pP]/;
var Mt = /[A-Za-z0-9._+-]+@[a-zA-Z0-9-_]+(?:\.[a-zA-Z0-9-_]*[a-zA-Z0-9])+(?![\w-])/;
var Bt = g(/(?:mailto:email|xmpp:email(?:\/[A-Za-z0-9@.]+)?)/).replace(/email/g, Mt).getRegex();
var me = { _backpedal: q, anyPunctuation: yt, anyPunctuationOutsideCode: St, autolink: _t, blockSkip: pt, br: Ie, code: st, del: q, delLDelim: q, delRDelim: q, emStrongLDelim: ct, emStrongRDelimAst: kt, emStrongRDelimUnd: bt, escape: rt, link: Ct, nolink: At, punctuation: ot, reflink: It, reflinkSearch: zt, tag: Lt, text: it, url: q };
var Dt = { ...me, emStrongLDelim: gt, emStrongRDelimAst: xt, emStrongRDelimUnd: Tt, link: g(/^!?\[(label)\]\((.*?)\)/).replace("label", ie).getRegex(), reflink: g(/^!?\[(label)\]\s*\[([^\]]*)\]/).replace("label", ie).getRegex() };
var pe = { ...me, emStrongRDelimAst: ft, emStrongLDelim: ht, delLDelim: Ot, delRDelim: Pt, url: g(/^emailProtocol|^((?:protocol):\/\/|www\.)(?:[a-zA-Z0-9\-]+\.?)+[^\s<]*|^email/).replace("emailProtocol", Bt).replace("protocol", Se).replace("email", /[A-Za-z0-9._+-]+(@)[a-zA-Z0-9-_]+(?:\.[a-zA-Z0-9-_]*[a-zA-Z0-9])+(?![\w-])/).getRegex(), _backpedal: /(?:[^?!.,:;*_'"~()&]+|\([^)]*\)|&(?![a-zA-Z0-9]+;$)|[?!.,:;*_'"~)]+(?!$))+/, del: /^(~~?)(?=[^\s~])((?:\\[\s\S]|[^\\])*?(?:\\[\s\S]|[^\s~\\]))\1(?=[^~]|$)/, text: g(/^(?:[^a-zA-Z0-9](?=emailProtocol)|(`+|~+|[^`~])(?:(?=[`~])|(?= {2,}\n)|(?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@)|[\s\S]*?(?:(?=[\\<!\[`*~_]|\b_|protocol:\/\/|wwwStart|$)|[^ ](?= {2,}\n)|[^a-zA-Z0-9](?=emailProtocol)|[^a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-](?=[a-zA-Z0-9.!#$%&'*+\/=?_`{\|}~-]+@))))/).replace("protocol", Se).replace(/emailProtocol/g, /(?:mailto|xmpp):/).replace("wwwStart", _e ? "(?<![^\\s*_~(])www\\." : "www\\.").getRegex() };
var qt = { ...pe, br: g(Ie).replace("{2,}", "*").getRegex(), text: g(pe.text).replace("\\b_", "\\b_| {2,}\\n").replace(/\{2,\}/g, "*").getRegex() };
var ee = { normal: fe, gfm: tt, pedantic: nt };
var F2 = { normal: me, gfm: pe, breaks: qt, pedantic: Dt };
function De(l3) {
  return O.numericCharacterReference.test(l3) ? l3.replace(O.numericCharacterReferenceOrAmpersand, (e, t, n) => {
    if (t === void 0 && n === void 0) return "&amp;";
    let r = t === void 0 ? Number.parseInt(n, 16) : Number.parseInt(t, 10);
    return r === 0 || r > 1114111 || r >= 55296 && r <= 57343 ? "�" : r === 38 ? "&amp;" : String.fromCodePoint(r);
  }) : l3;
}
function be(l3, e) {
  let t = l3.replace(O.findPipe, (s, o, i) => {
    let a2 = false, c = o;
    for (; --c >= 0 && i[c] === "\\"; ) a2 = !a2;
    return a2 ? "|" : " |";
  }), n = t.split(O.splitPipe), r = 0;
  if (n[0].trim() || n.shift(), n.length > 0 && !n.at(-1)?.trim() && n.pop(), e) if (n.length > e) n.splice(e);
  else for (; n.length < e; ) n.push("");
  for (; r < n.length; r++) n[r] = n[r].trim().replace(O.slashPipe, "|");
  return n;
}
function C(l3, e, t) {
  let n = l3.length;
  if (n === 0) return "";
  let r = 0;
  for (; r < n; ) {
    let s = l3.charAt(n - r - 1);
    if (s === e && !t) r++;
    else if (s !== e && t) r++;
    else break;
  }
  return l3.slice(0, n - r);
}
function Re(l3) {
  let e = l3.split(`
`), t = e.length - 1;
  for (; t >= 0 && O.blankLine.test(e[t]); ) t--;
  return e.length - t <= 2 ? l3 : e.slice(0, t + 1).join(`
`);
}
function W(l3) {
  return l3.trim().replace(O.multipleSpaceGlobal, " ").toLowerCase().toUpperCase().toLowerCase();
}
function Te(l3, e) {
  if (l3.indexOf(e[0]) === -1 && l3.indexOf(e[1]) === -1) return -1;
  let t = 0;
  for (let n = 0; n < l3.length; n++) if (l3[n] === "\\") n++;
  else if (l3[n] === e[0]) t++;
  else if (l3[n] === e[1] && (t--, t < 0)) return n;
  return t > 0 ? -2 : -1;
}
var Q = /* @__PURE__ */ new WeakMap();
function Oe(l3) {
  let e = { "*": -1, _: -1 }, t = -1, n = l3.length;
  for (let r = 0; r < n; r++) {
    let s = l3[r];
    if (s !== "*" && s !== "_" && s !== "~") continue;
    let o = r === 0 ? `
` : l3[r - 1], i = r + 1;
    for (; i < n && l3[i] === s; ) i++;
    o !== " " && o !== "	" && o !== `
` && o !== "\r" && o !== "\f" && (s === "~" ? t = r : e[s] = r), r = i - 1;
  }
  return { maskedSrc: l3, lastPossibleEmStrongCloserIndex: e, lastPossibleDelCloserIndex: t };
}
function qe(l3, e) {
  let t = Oe(e), n = Q.get(l3);
  n ? n.push(t) : Q.set(l3, [t]);
}
function ve(l3) {
  let e = Q.get(l3);
  e && (e.pop(), e.length === 0 && Q.delete(l3));
}
function oe(l3, e, t) {
  let n = Q.get(l3)?.at(-1);
  return n && n.maskedSrc === e ? n.lastPossibleEmStrongCloserIndex[t] : Oe(e).lastPossibleEmStrongCloserIndex[t];
}
function ae(l3, e) {
  let t = Q.get(l3)?.at(-1);
  return t && t.maskedSrc === e ? t.lastPossibleDelCloserIndex : Oe(e).lastPossibleDelCloserIndex;
}
function te(l3, e = 0) {
  let t = e, n = "";
  for (let r of l3) if (r === "	") {
    let s = 4 - t % 4;
    n += " ".repeat(s), t += s;
  } else n += r, t++;
  return n;
}
function Ht(l3, e) {
  let t = "";
  for (let n = 0; n < l3.length; n++) {
    if (l3[n] === "`") {
      let r = e.inline.code.exec(l3.slice(n));
      if (r) {
        t += r[0], n += r[0].length - 1;
        continue;
      }
    }
    if (l3[n] === "\\" && (l3[n + 1] === "[" || l3[n + 1] === "]")) {
      t += l3[n + 1], n++;
      continue;
    }
    t += l3[n];
  }
  return t;
}
function He(l3, e, t, n, r) {
  let s = e.href, o = e.title || null, i = Ht(l3[1], r), a2 = l3[0].charAt(0) === "!", c = n.state.inLink, u = n.state.linkEmitted, d2 = n.state.inRawBlock;
  n.state.inLink = true, n.state.linkEmitted = false;
  let h = n.inlineTokens(i), p = n.state.linkEmitted;
  if (n.state.linkEmitted = u, n.state.inLink = c, !a2) {
    if (p) {
      n.state.inRawBlock = d2;
      return;
    }
    n.state.linkEmitted = true;
  }
  return { type: a2 ? "image" : "link", raw: t, href: s, title: o, text: i, tokens: h };
}
function Zt(l3, e, t) {
  let n = l3.match(t.other.indentCodeCompensation);
  if (n === null) return e;
  let r = n[1];
  return e.split(`
`).map((s) => {
    let o = s.match(t.other.beginningSpace);
    if (o === null) return s;
    let [i] = o;
    return s.slice(Math.min(i.length, r.length));
  }).join(`
`);
}
function Ze(l3, e, t, n) {
  if (!e.includes("<")) return false;
  for (let r = 0; r < e.length; r++) {
    if (e[r] === "\\") {
      r++;
      continue;
    }
    if (e[r] === "`") {
      let i = n.inline.code.exec(e.slice(r));
      if (i) {
        r += i[0].length - 1;
        continue;
      }
    }
    if (e[r] !== "<") continue;
    let s = l3.slice(t + r), o = n.inline.tag.exec(s) || n.inline.autolink.exec(s);
    if (o) {
      if (o[0].length > e.length - r) return true;
      r += o[0].length - 1;
    }
  }
  return false;
}
var _ = class {
  options;
  rules;
  lexer;
  constructor(e) {
    this.options = e || S;
  }
  space(e) {
    let t = this.rules.block.newline.exec(e);
    if (t && t[0].length > 0) return { type: "space", raw: t[0] };
  }
  code(e) {
    let t = this.rules.block.code.exec(e);
    if (t) {
      let n = this.options.pedantic ? t[0] : Re(t[0]), r = n.replace(this.rules.other.codeRemoveIndent, "");
      return { type: "code", raw: n, codeBlockStyle: "indented", text: r };
    }
  }
  fences(e) {
    let t = this.rules.block.fences.exec(e);
    if (t) {
      let n = t[0], r = Zt(n, t[3] || "", this.rules);
      return t[3] !== void 0 && (r === "" || r.endsWith(`
`)) && (r += `
`), { type: "code", raw: n, lang: t[2] ? t[2].trim().replace(this.rules.inline.anyPunctuation, "$1") : t[2], text: r };
    }
  }
  heading(e) {
    let t = this.rules.block.heading.exec(e);
    if (t) {
      let n = t[2].trim();
      if (this.rules.other.endingHash.test(n)) {
        let r = C(n, "#");
        (this.options.pedantic || !r || this.rules.other.endingSpaceTabChar.test(r)) && (n = r.trim());
      }
      return { type: "heading", raw: C(t[0], `
`), depth: t[1].length, text: n, tokens: this.lexer.inline(n) };
    }
  }
  hr(e) {
    let t = this.rules.block.hr.exec(e);
    if (t) return { type: "hr", raw: C(t[0], `
`) };
  }
  blockquote(e) {
    let t = this.rules.block.blockquote.exec(e);
    if (t) {
      let n = C(t[0], `
`).split(`
`), r = "", s = "", o = [];
      for (; n.length > 0; ) {
        let i = false, a2 = [], c;
        for (c = 0; c < n.length; c++) if (this.rules.other.blockquoteStart.test(n[c])) a2.push(n[c]), i = true;
        else if (!i) a2.push(n[c]);
        else break;
        n = n.slice(c);
        let u = a2.join(`
`), d2 = u.replace(this.rules.other.blockquoteMarkerWhitespace, (k, m, b) => b.startsWith(" ") ? m + " " + b.slice(1) : m + te(b, m.length)).replace(this.rules.other.blockquoteSetextReplace, `
    $1`).replace(this.rules.other.blockquoteSetextReplace2, "");
        r = r ? `${r}
${u}` : u, s = s ? `${s}
${d2}` : d2;
        let h = this.lexer.state.top;
        if (this.lexer.state.top = true, this.lexer.blockTokens(d2, o, true), this.lexer.state.top = h, n.length === 0) break;
        let p = o.at(-1);
        if (p?.type === "code" || p?.type === "heading" || p?.type === "hr" || p?.type === "html" || p?.type === "table") break;
        if (p?.type === "blockquote") {
          let k = p, m = n.join(`
`), b = k.raw + `
` + m.replace(this.rules.other.blockquoteSetextReplace2, ""), f = this.blockquote(b);
          o[o.length - 1] = f;
          let R = b.substring(f.raw.length).replace(/^\n/, ""), E = R ? R.split(`
`).length : 0, T2 = E ? n.slice(0, -E) : n;
          if (T2.length > 0 && (r = `${r}
${T2.join(`
`)}`), s = s.substring(0, s.length - k.text.length) + f.text, n = n.slice(T2.length), n.length > 0 && this.rules.other.blockquoteStart.test(n[0])) continue;
          break;
        } else if (p?.type === "list") {
          let k = p, m = k.raw + `
` + n.join(`
`), b = this.list(m);
          o[o.length - 1] = b;
          let f = b.raw.length > k.raw.length ? m.slice(k.raw.length + 1, b.raw.length).split(`
`).length : 0;
          if (f > 0) {
            let R = n.slice(0, f).join(`
`);
            r = `${r}
${R}`, s = `${s}
${R}`;
          }
          if (n = n.slice(f), n.length > 0 && !this.rules.other.blockquoteStart.test(n[0])) break;
          continue;
        }
      }
      return { type: "blockquote", raw: r, tokens: o, text: s };
    }
  }
  list(e) {
    let t = this.rules.block.list.exec(e);
    if (t) {
      if (!this.options.pedantic && this.lexer.state.lastToken?.type === "text" && !this.rules.other.listInterruptsParagraph.test(e)) return;
      let n = e, r = () => n.length - e.length, s = t[1].trim(), o = s.length > 1, i = { type: "list", raw: "", ordered: o, start: o ? +s.slice(0, -1) : "", loose: false, items: [] };
      s = o ? `\\d{1,9}\\${s.slice(-1)}` : `\\${s}`, this.options.pedantic && (s = o ? s : "[*+-]");
      let a2 = this.rules.other.listItemRegex(s), c = false;
      for (; e; ) {
        let h = false, p = "";
        if (!(t = a2.exec(e)) || this.rules.block.hr.test(e)) break;
        let k = r();
        e = e.substring(t[0].length);
        let m = t[2].split(`
`, 1)[0], b = t[1].length, f = this.options.pedantic ? te(m, b) : m.replace(this.rules.other.leadingSpaceTab, (H) => te(H, b)), R = e.split(`
`, 1)[0], E = !f.trim(), T2 = 0;
        if (this.options.pedantic ? (T2 = 2, p = f.trimStart()) : E ? T2 = b + 1 : (T2 = f.search(this.rules.other.nonSpaceChar), T2 = T2 > 4 ? 1 : T2, p = f.slice(T2), T2 += b), E && this.rules.other.blankLine.test(R) && (e = e.substring(R.length + 1), h = true), !h) {
          let H = this.rules.other.nextBulletRegex(T2), K = this.rules.other.hrRegex(T2), re = this.rules.other.fencesBeginRegex(T2), B = this.options.pedantic ? this.rules.other.pedanticHeadingBeginRegex(T2) : this.rules.other.headingBeginRegex(T2), X = this.rules.other.htmlBeginRegex(T2), se = this.rules.other.blockquoteBeginRegex(T2), le = false;
          for (; e; ) {
            let we = e.split(`
`, 1)[0], Z;
            if (R = we, this.options.pedantic ? (R = R.replace(this.rules.other.listReplaceNesting, "  "), Z = R) : Z = R.replace(this.rules.other.leadingSpaceTab, ($2) => te($2)), re.test(R) || B.test(R) || X.test(R) || se.test(R) || H.test(R) || K.test(R)) break;
            if (Z.search(this.rules.other.nonSpaceChar) >= T2 || !R.trim()) p += `
` + Z.slice(T2), le = false;
            else {
              if (E) break;
              let $2 = f;
              if (!this.options.pedantic && !p.includes(`
`) && !f.includes("	")) {
                let j;
                for (; !K.test($2) && (j = this.rules.other.nestedBlockMarker.exec($2)); ) $2 = $2.slice(j[0].length);
                if (!$2.trim()) break;
              }
              if ($2.replace(this.rules.other.tabCharGlobal, "    ").search(this.rules.other.nonSpaceChar) >= 4 || re.test($2) || B.test($2) || X.test($2) || K.test($2)) break;
              if (!this.options.pedantic && !le) {
                let j = f.replace(this.rules.other.nestedContainerMarkers, "");
                if (this.rules.block.fences.test(j) || this.rules.block.heading.test(j) || this.rules.block.hr.test(j)) break;
              }
              let je = !this.options.pedantic && /^ {0,3}(?:=+|-+) *$/.test(R) && this.rules.block.lheading.test(`${f}
${R}`) ? `    ${Z.replace(/^ {0,3}/, "")}` : R;
              p += `
` + je, le = true;
            }
            E = !R.trim(), e = e.substring(we.length + 1), f = Z.slice(T2);
          }
        }
        let U = n.slice(k, r());
        i.loose || (c ? i.loose = true : this.rules.other.doubleBlankLine.test(U) && (c = true)), i.items.push({ type: "list_item", raw: U, task: !!this.options.gfm && this.rules.other.listIsTask.test(p), loose: false, text: p, tokens: [] });
      }
      let u = i.items.at(-1);
      if (u) u.raw = u.raw.trimEnd(), u.text = u.text.trimEnd();
      else return;
      i.raw = n.slice(0, r()).trimEnd();
      let d2 = [];
      for (let h of i.items) if (this.lexer.state.top = false, d2.push(this.lexer.inlineQueue.length), h.tokens = this.lexer.blockTokens(h.text, []), !i.loose) {
        let p = h.tokens.filter((m) => m.type === "space"), k = p.length > 0 && p.some((m) => this.rules.other.anyLine.test(m.raw));
        i.loose = k;
      }
      for (let h = 0; h < i.items.length; h++) {
        let p = i.items[h], k = p.tokens[0];
        if (p.task && (k?.type === "text" || k?.type === "paragraph")) {
          p.text = p.text.replace(this.rules.other.listReplaceTask, ""), k.raw = k.raw.replace(this.rules.other.listReplaceTask, ""), k.text = k.text.replace(this.rules.other.listReplaceTask, "");
          let m = this.lexer.inlineQueue;
          for (let f = d2[h]; f < m.length; f++) if (m[f].tokens === k.tokens) {
            m[f].src = m[f].src.replace(this.rules.other.listReplaceTask, "");
            break;
          }
          let b = this.rules.other.listTaskCheckbox.exec(p.raw);
          if (b) {
            let f = { type: "checkbox", raw: b[0] + " ", checked: b[0] !== "[ ]" };
            p.checked = f.checked, i.loose ? p.tokens[0] && ["paragraph", "text"].includes(p.tokens[0].type) && "tokens" in p.tokens[0] && p.tokens[0].tokens ? (p.tokens[0].raw = f.raw + p.tokens[0].raw, p.tokens[0].text = f.raw + p.tokens[0].text, p.tokens[0].tokens.unshift(f)) : p.tokens.unshift({ type: "paragraph", raw: f.raw, text: f.raw, tokens: [f] }) : p.tokens.unshift(f);
          }
        } else p.task && (p.task = false);
      }
      if (i.loose) for (let h of i.items) {
        h.loose = true;
        for (let p of h.tokens) p.type === "text" && (p.type = "paragraph");
      }
      return i;
    }
  }
  html(e) {
    let t = this.rules.block.html.exec(e);
    if (t) {
      if (this.lexer.state.lastToken?.type === "paragraph" && !this.rules.other.htmlBeginRegex(4).test(e)) return;
      let n = Re(t[0]);
      return { type: "html", block: true, raw: n, pre: t[1] === "pre" || t[1] === "script" || t[1] === "style", text: n };
    }
  }
  def(e) {
    let t = this.rules.block.def.exec(e);
    if (t) {
      if (!this.rules.other.startAngleBracket.test(t[2]) && Te(t[2], "()") !== -1) return;
      let n = W(t[1]), r = t[2] ? t[2].replace(this.rules.other.hrefBrackets, "$1").replace(this.rules.inline.anyPunctuation, "$1") : "", s = t[3] ? t[3].substring(1, t[3].length - 1).replace(this.rules.inline.anyPunctuation, "$1") : t[3];
      return { type: "def", tag: n, raw: C(t[0], `
`), href: r, title: s };
    }
  }
  table(e) {
    let t = this.rules.block.table.exec(e);
    if (!t || !this.rules.other.tableDelimiter.test(t[2])) return;
    let n = be(t[1]), r = t[2].replace(this.rules.other.tableAlignChars, "").split("|"), s = t[3]?.trim() ? t[3].replace(this.rules.other.tableRowBlankLine, "").split(`
`) : [], o = { type: "table", raw: C(t[0], `
`), header: [], align: [], rows: [] };
    if (n.length === r.length) {
      for (let i of r) this.rules.other.tableAlignRight.test(i) ? o.align.push("right") : this.rules.other.tableAlignCenter.test(i) ? o.align.push("center") : this.rules.other.tableAlignLeft.test(i) ? o.align.push("left") : o.align.push(null);
      for (let i = 0; i < n.length; i++) o.header.push({ text: n[i], tokens: this.lexer.inline(n[i]), header: true, align: o.align[i] });
      for (let i of s) o.rows.push(be(i, o.header.length).map((a2, c) => ({ text: a2, tokens: this.lexer.inline(a2), header: false, align: o.align[c] })));
      return o;
    }
  }
  lheading(e) {
    let t = this.rules.block.lheading.exec(e);
    if (t) {
      let n = t[1].trim();
      return { type: "heading", raw: C(t[0], `
`), depth: t[2].charAt(0) === "=" ? 1 : 2, text: n, tokens: this.lexer.inline(n) };
    }
  }
  paragraph(e) {
    let t = this.rules.block.paragraph.exec(e);
    if (t) {
      let n = t[1].charAt(t[1].length - 1) === `
` ? t[1].slice(0, -1) : t[1];
      return { type: "paragraph", raw: t[0], text: n, tokens: this.lexer.inline(n) };
    }
  }
  text(e) {
    let t = this.rules.block.text.exec(e);
    if (t) return { type: "text", raw: t[0], text: t[0], tokens: this.lexer.inline(t[0]) };
  }
  escape(e) {
    if (e.charCodeAt(0) !== 92) return;
    let t = this.rules.inline.escape.exec(e);
    if (t) return { type: "escape", raw: t[0], text: t[1] };
  }
  tag(e) {
    if (e.charCodeAt(0) !== 60) return;
    let t = this.rules.inline.tag.exec(e);
    if (t) return !this.lexer.state.inLink && this.rules.other.startATag.test(t[0]) ? this.lexer.state.inLink = true : this.lexer.state.inLink && this.rules.other.endATag.test(t[0]) && (this.lexer.state.inLink = false), !this.lexer.state.inRawBlock && this.rules.other.startPreScriptTag.test(t[0]) ? this.lexer.state.inRawBlock = true : this.lexer.state.inRawBlock && this.rules.other.endPreScriptTag.test(t[0]) && (this.lexer.state.inRawBlock = false), { type: "html", raw: t[0], inLink: this.lexer.state.inLink, inRawBlock: this.lexer.state.inRawBlock, block: false, text: t[0] };
  }
  link(e) {
    if (this.lexer.state.linkParenPossible === false) return;
    let t = e.charCodeAt(0);
    if (t !== 91 && t !== 33) return;
    let n = this.rules.inline.link.exec(e);
    if (n) {
      let r = n[0].charAt(0) === "!" ? 2 : 1;
      if (!this.options.pedantic && Ze(e, n[1], r, this.rules)) return;
      let s = n[2].trim();
      if (!this.options.pedantic && this.rules.other.startAngleBracket.test(s)) {
        if (!this.rules.other.endAngleBracket.test(s)) return;
        let c = C(s.slice(0, -1), "\\");
        if ((s.length - c.length) % 2 === 0) return;
      } else {
        let c = Te(n[2], "()");
        if (c === -2) return;
        if (c > -1) {
          let d2 = (n[0].indexOf("!") === 0 ? 5 : 4) + n[1].length + c;
          n[2] = n[2].substring(0, c), n[0] = n[0].substring(0, d2).trim(), n[3] = "";
        }
      }
      let o = C(n[0].slice(0, -1), "\\");
      if ((n[0].length - o.length) % 2 === 0) return;
      let i = n[2], a2 = "";
      if (this.options.pedantic) {
        let c = this.rules.other.pedanticHrefTitle.exec(i);
        c && (i = c[1], a2 = c[3]);
      } else a2 = n[3] ? n[3].slice(1, -1) : "";
      return i = i.trim(), this.rules.other.startAngleBracket.test(i) && (this.options.pedantic && !this.rules.other.endAngleBracket.test(s) ? i = i.slice(1) : i = i.slice(1, -1)), He(n, { href: i && i.replace(this.rules.inline.anyPunctuation, "$1"), title: a2 && a2.replace(this.rules.inline.anyPunctuation, "$1") }, n[0], this.lexer, this.rules);
    }
  }
  reflink(e, t) {
    let n = e.charCodeAt(0);
    if (n !== 91 && n !== 33) return;
    let r;
    if ((r = this.rules.inline.reflink.exec(e)) || (r = this.rules.inline.nolink.exec(e))) {
      let s = r[0].charAt(0) === "!" ? 2 : 1;
      if (!this.options.pedantic && Ze(e, r[1], s, this.rules)) return;
      let o = t[W(r[2] || r[1])];
      if (!o) {
        let i = r[0].charAt(0);
        return { type: "text", raw: i, text: i };
      }
      return He(r, o, r[0], this.lexer, this.rules);
    }
  }
  emStrong(e, t, n = "") {
    let r = this.rules.inline.emStrongLDelim.exec(e);
    if (!r || !r[1] && !r[2] && !r[3] && !r[4]) return;
    let s = r[0][0], o = n === s, i = t.length - e.length, a2 = i;
    for (; !this.options.pedantic && a2 > 0 && t[a2 - 1] === s; ) a2--;
    let c = [...t.slice(Math.max(0, a2 - 2), a2)].at(-1) ?? "", u = c === "*" || c === "_" || !!this.rules.inline.punctuation.exec(c);
    a2 < i && (n = c);
    let d2 = a2 < i ? u : n === "*" || n === "_" || !!this.rules.inline.punctuation.exec(n);
    if (r[4] && n.match(this.rules.other.unicodeAlphaNumeric)) return;
    let h = r[1] || r[3] || "";
    if (!h || !n || d2) {
      let p = [...r[0]].length - 1, k, m, b = p, f = 0, R = i - a2 + p, E = !this.options.pedantic && !!c.trim() && (!!h || s === "*" && !u);
      if (s !== "*" && s !== "_") return;
      let T2 = s === "*" ? this.rules.inline.emStrongRDelimAst : this.rules.inline.emStrongRDelimUnd, U = oe(this, t, s), H = t.length - e.length + p;
      if (U < H) return;
      t = t.slice(-1 * e.length + p);
      let K = U - H;
      for (T2.lastIndex = 0; (r = T2.exec(t)) !== null && !(r.index > K); ) {
        if (k = r[1] || r[2] || r[3] || r[4] || r[5] || r[6], !k) continue;
        if (m = [...k].length, r[3] || r[4]) {
          b += m;
          continue;
        } else if ((r[5] || r[6] || E) && R % 3 && !((R + m) % 3)) {
          if (o && (r[5] || r[6])) break;
          f += m;
          continue;
        }
        if (b -= m, b > 0) continue;
        m = Math.min(m, m + b + f);
        let re = [...r[0]][0].length, B = e.slice(0, p + r.index + re + m);
        if (Math.min(p, m) % 2) {
          let se = B.slice(1, -1);
          return { type: "em", raw: B, text: se, tokens: this.lexer.inlineTokens(se) };
        }
        let X = B.slice(2, -2);
        return { type: "strong", raw: B, text: X, tokens: this.lexer.inlineTokens(X) };
      }
    }
  }
  codespan(e) {
    if (e.charCodeAt(0) !== 96) return;
    let t = this.rules.inline.code.exec(e);
    if (t) {
      let n = t[2].replace(this.rules.other.newLineCharGlobal, " "), r = this.rules.other.nonSpaceChar.test(n), s = this.rules.other.startingSpaceChar.test(n) && this.rules.other.endingSpaceChar.test(n);
      return r && s && (n = n.substring(1, n.length - 1)), { type: "codespan", raw: t[0], text: n };
    }
  }
  br(e) {
    let t = e.charCodeAt(0);
    if (t !== 32 && t !== 92 && t !== 10) return;
    let n = this.rules.inline.br.exec(e);
    if (n) return { type: "br", raw: n[0] };
  }
  del(e, t, n = "") {
    if (e.charCodeAt(0) !== 126) return;
    let r = this.rules.inline.delLDelim.exec(e);
    if (!r) return;
    if (!(r[1] || "") || !n || this.rules.inline.punctuation.exec(n)) {
      let o = [...r[0]].length - 1, i, a2, c = o, u = this.rules.inline.delRDelim, d2 = ae(this, t), h = t.length - e.length + o;
      if (d2 < h) return;
      t = t.slice(-1 * e.length + o);
      let p = d2 - h;
      for (u.lastIndex = 0; (r = u.exec(t)) !== null && !(r.index > p); ) {
        if (i = r[1] || r[2] || r[3] || r[4] || r[5] || r[6], !i || (a2 = [...i].length, a2 !== o)) continue;
        if (r[3] || r[4]) {
          c += a2;
          continue;
        }
        if (c -= a2, c > 0) continue;
        a2 = Math.min(a2, a2 + c);
        let k = [...r[0]][0].length, m = e.slice(0, o + r.index + k + a2), b = m.slice(o, -o);
        return { type: "del", raw: m, text: b, tokens: this.lexer.inlineTokens(b) };
      }
    }
  }
  autolink(e) {
    if (e.charCodeAt(0) !== 60) return;
    let t = this.rules.inline.autolink.exec(e);
    if (t) {
      let n, r;
      return t[2] === "@" ? (n = t[1], r = "mailto:" + n) : (n = t[1], r = n), { type: "link", raw: t[0], text: n, href: r, autolink: true, tokens: [{ type: "text", raw: n, text: n }] };
    }
  }
  url(e) {
    let t;
    if (t = this.rules.inline.url.exec(e)) {
      let n, r;
      if (t[2] === "@") n = t[0], r = "mailto:" + n;
      else {
        let s;
        do
          s = t[0], t[0] = this.rules.inline._backpedal.exec(t[0])?.[0] ?? "";
        while (s !== t[0]);
        n = t[0], t[1] === "www." ? r = "http://" + t[0] : r = t[0];
      }
      return { type: "link", raw: t[0], text: n, href: r, autolink: true, tokens: [{ type: "text", raw: n, text: n }] };
    }
  }
  inlineText(e) {
    let t = this.rules.inline.text.exec(e);
    if (t) {
      let n = this.lexer.state.inRawBlock;
      return { type: "text", raw: t[0], text: n ? t[0] : De(t[0]), escaped: n };
    }
  }
};
var w2 = class l {
  tokens;
  options;
  state;
  inlineQueue;
  tokenizer;
  constructor(e) {
    this.tokens = [], this.tokens.links = /* @__PURE__ */ Object.create(null), this.options = e || S, this.options.tokenizer = this.options.tokenizer || new _(), this.tokenizer = this.options.tokenizer, this.tokenizer.options = this.options, this.tokenizer.lexer = this, this.inlineQueue = [], this.state = { inLink: false, inRawBlock: false, linkEmitted: false, linkParenPossible: true, top: true };
    let t = { other: O, block: ee.normal, inline: F2.normal };
    this.options.pedantic ? (t.block = ee.pedantic, t.inline = F2.pedantic) : this.options.gfm && (t.block = ee.gfm, this.options.breaks ? t.inline = F2.breaks : t.inline = F2.gfm), this.tokenizer.rules = t;
  }
  static get rules() {
    return { block: ee, inline: F2 };
  }
  static lex(e, t) {
    return new l(t).lex(e);
  }
  static lexInline(e, t) {
    return new l(t).inlineTokens(e);
  }
  lex(e) {
    e = e.replace(O.carriageReturn, `
`), this.blockTokens(e, this.tokens);
    for (let t = 0; t < this.inlineQueue.length; t++) {
      let n = this.inlineQueue[t];
      this.state.inRawBlock = false, this.inlineTokens(n.src, n.tokens);
    }
    return this.inlineQueue = [], this.tokens;
  }
  blockTokens(e, t = [], n = false) {
    this.tokenizer.lexer = this;
    let r = this.state.lastToken;
    this.options.pedantic && (e = e.replace(O.tabCharGlobal, "    ").replace(O.spaceLine, ""));
    let s = 1 / 0, o, i = this.options.gfm && !this.options.pedantic && this.tokenizer.paragraph === _.prototype.paragraph;
    for (; e; ) {
      if (e.length < s) s = e.length;
      else {
        this.infiniteLoopError(e.charCodeAt(0));
        break;
      }
      this.state.lastToken = t.at(-1);
      let a2;
      if (this.options.extensions?.block?.some((u) => (a2 = u.call({ lexer: this }, e, t)) ? (e = e.substring(a2.raw.length), t.push(a2), true) : false)) continue;
      if (a2 = this.tokenizer.space(e)) {
        e = e.substring(a2.raw.length);
        let u = t.at(-1);
        a2.raw.length === 1 && u !== void 0 ? u.raw += `
` : t.push(a2);
        continue;
      }
      if (a2 = this.tokenizer.code(e)) {
        e = e.substring(a2.raw.length);
        let u = t.at(-1);
        u?.type === "paragraph" || u?.type === "text" ? (u.raw += (u.raw.endsWith(`
`) ? "" : `
`) + a2.raw, u.text += `
` + a2.text, this.inlineQueue.at(-1).src = u.text) : t.push(a2);
        continue;
      }
      if (a2 = this.tokenizer.fences(e)) {
        e = e.substring(a2.raw.length), t.push(a2);
        continue;
      }
      if (a2 = this.tokenizer.heading(e)) {
        e = e.substring(a2.raw.length), t.push(a2);
        continue;
      }
      if (a2 = this.tokenizer.hr(e)) {
        e = e.substring(a2.raw.length), t.push(a2);
        continue;
      }
      if (a2 = this.tokenizer.blockquote(e)) {
        e = e.substring(a2.raw.length), t.push(a2);
        continue;
      }
      if (a2 = this.tokenizer.list(e)) {
        e = e.substring(a2.raw.length), t.push(a2);
        continue;
      }
      if (a2 = this.tokenizer.html(e)) {
        e = e.substring(a2.raw.length), t.push(a2);
        continue;
      }
      if (a2 = this.tokenizer.def(e)) {
        e = e.substring(a2.raw.length);
        let u = t.at(-1);
        u?.type === "paragraph" || u?.type === "text" ? (u.raw += (u.raw.endsWith(`
`) ? "" : `
`) + a2.raw, u.text += `
` + a2.raw, this.inlineQueue.at(-1).src = u.text) : (this.tokens.links[a2.tag] || (this.tokens.links[a2.tag] = { href: a2.href, title: a2.title }), t.push(a2));
        continue;
      }
      if (a2 = this.tokenizer.table(e)) {
        e = e.substring(a2.raw.length), t.push(a2);
        continue;
      }
      if (a2 = this.tokenizer.lheading(e)) {
        e = e.substring(a2.raw.length), t.push(a2);
        continue;
      }
      let c = e;
      if (this.options.extensions?.startBlock) {
        let u = 1 / 0, d2 = e.slice(1), h;
        this.options.extensions.startBlock.forEach((p) => {
          h = p.call({ lexer: this }, d2), typeof h == "number" && h >= 0 && (u = Math.min(u, h));
        }), u < 1 / 0 && u >= 0 && (c = e.substring(0, u + 1));
      }
      if (this.state.top && (a2 = this.tokenizer.paragraph(c))) {
        let u = t.at(-1);
        (n || u === o && i) && u?.type === "paragraph" ? (u.raw += (u.raw.endsWith(`
`) ? "" : `
`) + a2.raw, u.text += `
` + a2.text, this.inlineQueue.pop(), this.inlineQueue.at(-1).src = u.text, o = u) : (t.push(a2), o = a2), n = c.length !== e.length, e = e.substring(a2.raw.length);
        continue;
      }
      if (a2 = this.tokenizer.text(e)) {
        e = e.substring(a2.raw.length);
        let u = t.at(-1);
        u?.type === "text" ? (u.raw += (u.raw.endsWith(`
`) ? "" : `
`) + a2.raw, u.text += `
` + a2.text, this.inlineQueue.pop(), this.inlineQueue.at(-1).src = u.text) : t.push(a2);
        continue;
      }
      if (e) {
        this.infiniteLoopError(e.charCodeAt(0));
        break;
      }
    }
    return this.state.top = true, this.state.lastToken = r, t;
  }
  inline(e, t = []) {
    return this.inlineQueue.push({ src: e, tokens: t }), t;
  }
  linkInText(e) {
    if (!e.includes("[")) return false;
    let t = this.tokenizer.rules.inline.link;
    for (let n of e.matchAll(this.tokenizer.rules.inline.blockSkip)) if (t.test(n[0]) && e.charAt(n.index - 1) !== "!") return true;
    for (let n of e.matchAll(this.tokenizer.rules.inline.reflinkSearch)) {
      let r = n[0], s = r.lastIndexOf("[");
      if (!(r.charAt(0) === "!" || !Object.hasOwn(this.tokens.links, W(r.slice(s + 1, -1)))) && !(s > 1 && this.linkInText(r.slice(1, s - 1)))) return true;
    }
    return false;
  }
  inlineTokens(e, t = []) {
    this.tokenizer.lexer = this;
    let n = this.state.linkParenPossible;
    this.state.linkParenPossible = e.includes(")");
    try {
      return this.#t(e, t);
    } finally {
      this.state.linkParenPossible = n;
    }
  }
  #t(e, t) {
    let n = e.includes("*") || e.includes("_") || e.includes("~"), r = n || this.options.hooks?.emStrongMask || this.tokenizer.emStrong !== _.prototype.emStrong || this.tokenizer.del !== _.prototype.del ? this.#r(e) : e;
    if (!n) return this.#e(e, r, t);
    qe(this.tokenizer, r);
    try {
      return this.#e(e, r, t);
    } finally {
      ve(this.tokenizer);
    }
  }
  #e(e, t, n) {
    let r = false, s = "", o = 1 / 0;
    for (; e; ) {
      if (e.length < o) o = e.length;
      else {
        this.infiniteLoopError(e.charCodeAt(0));
        break;
      }
      r || (s = ""), r = false;
      let i;
      if (this.options.extensions?.inline?.some((u) => (i = u.call({ lexer: this }, e, n)) ? (e = e.substring(i.raw.length), n.push(i), true) : false)) continue;
      if (i = this.tokenizer.escape(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.tag(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.link(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.reflink(e, this.tokens.links)) {
        e = e.substring(i.raw.length);
        let u = n.at(-1);
        i.type === "text" && u?.type === "text" ? (u.raw += i.raw, u.text += i.text) : n.push(i);
        continue;
      }
      let a2 = e[0];
      if (a2 === "*" || a2 === "_") {
        let u = t.length - e.length;
        if (oe(this.tokenizer, t, a2) <= u) {
          let h = 1;
          for (; h < e.length && e.charCodeAt(h) === a2.charCodeAt(0); ) h++;
          let p = e.substring(0, h), k = n.at(-1);
          k?.type === "text" && !k.escaped ? (k.raw += p, k.text += p) : n.push({ type: "text", raw: p, text: p, escaped: false }), e = e.substring(h), s = a2, r = true;
          continue;
        }
      } else if (a2 === "~") {
        let u = t.length - e.length;
        if (ae(this.tokenizer, t) <= u) {
          let h = 1;
          for (; h < e.length && e.charCodeAt(h) === 126; ) h++;
          let p = e.substring(0, h), k = n.at(-1);
          k?.type === "text" && !k.escaped ? (k.raw += p, k.text += p) : n.push({ type: "text", raw: p, text: p, escaped: false }), e = e.substring(h), s = a2, r = true;
          continue;
        }
      }
      if (i = this.tokenizer.emStrong(e, t, s)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.codespan(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.br(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.del(e, t, s)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (i = this.tokenizer.autolink(e)) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      if (!this.state.inLink && (i = this.tokenizer.url(e))) {
        e = e.substring(i.raw.length), n.push(i);
        continue;
      }
      let c = e;
      if (this.options.extensions?.startInline) {
        let u = 1 / 0, d2 = e.slice(1), h;
        this.options.extensions.startInline.forEach((p) => {
          h = p.call({ lexer: this }, d2), typeof h == "number" && h >= 0 && (u = Math.min(u, h));
        }), u < 1 / 0 && u >= 0 && (c = e.substring(0, u + 1));
      }
      if (i = this.tokenizer.inlineText(c)) {
        e = e.substring(i.raw.length), i.raw.slice(-1) !== "_" && (s = i.raw.slice(-1)), r = true;
        let u = n.at(-1);
        u?.type === "text" ? (u.raw += i.raw, u.text += i.text) : n.push(i);
        continue;
      }
      if (e) {
        this.infiniteLoopError(e.charCodeAt(0));
        break;
      }
    }
    return n;
  }
  #n(e) {
    let { blockSkip: t, tag: n, autolink: r } = this.tokenizer.rules.inline, s = "", o = 0, i;
    for (t.lastIndex = 0; i = t.exec(e); ) {
      let a2 = i.index + (i[2] ? i[2].length : 0), c = i.index + i[0].length;
      if (e.charAt(a2) === "<") {
        let u = e.slice(a2), d2 = n.exec(u) || r.exec(u);
        if (!d2) {
          t.lastIndex = a2 + 1;
          continue;
        }
        c = a2 + d2[0].length, t.lastIndex = c;
      }
      s += e.slice(o, a2) + "[" + "a".repeat(c - a2 - 2) + "]", o = c;
    }
    return s + e.slice(o);
  }
  #r(e) {
    let t = e;
    if (this.tokens.links && e.includes("[")) {
      let n = this.tokenizer.rules.inline.reflinkSearch, r = (s) => {
        let o = s.lastIndexOf("[");
        if (!Object.hasOwn(this.tokens.links, W(s.slice(o + 1, -1)))) return s;
        if (o > 1 && s.charAt(0) !== "!") {
          let i = s.slice(1, o - 1);
          if (this.linkInText(i)) return "[" + i.replace(n, r) + "][" + "a".repeat(s.length - o - 2) + "]";
        }
        return "[" + "a".repeat(s.length - 2) + "]";
      };
      t = t.replace(n, r);
    }
    return t = t.replace(this.tokenizer.rules.inline.anyPunctuationOutsideCode, (n, r, s) => s ? "+".repeat(n.length) : r ? r + n.slice(r.length, -r.length).replace(/`/g, "+") + r : n), t = this.#n(t), t = this.options.hooks?.emStrongMask?.call({ lexer: this }, t) ?? t, t;
  }
  infiniteLoopError(e) {
    let t = "Infinite loop on byte: " + e;
    if (this.options.silent) console.error(t);
    else throw new Error(t);
  }
};

// src/draw/nodes.ts
var LINK = /^(https?:|mailto:)/i;
var IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,/i;
function element(name, children = [], className) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
function blockNodes(token, settled) {
  const known = token;
  switch (known.type) {
    case "space":
    case "def":
      return [];
    case "hr":
      return [element("hr")];
    case "heading":
      return [element(`h${Math.min(6, known.depth + 2)}`, inline(known.tokens))];
    case "paragraph":
      return [element("p", inline(known.tokens))];
    case "text":
      return known.tokens ? inline(known.tokens) : [text(known.text)];
    case "html":
      return [element("p", [known.raw.trimEnd()], "raw")];
    case "blockquote":
      return [element("blockquote", blocks(known.tokens, settled))];
    case "list":
      return [list(known, settled)];
    case "table":
      return [table(known)];
    case "code":
      return [code(known, settled)];
    default:
      return inline([token]);
  }
}
function blocks(tokens, settled) {
  return tokens.flatMap((token) => blockNodes(token, settled));
}
function list(token, settled) {
  const items = token.items.map((item) => {
    const mark = item.task ? [item.checked ? "☑ " : "☐ "] : [];
    return element("li", [...mark, ...blocks(item.tokens, settled)], item.task ? "task" : void 0);
  });
  if (!token.ordered) return element("ul", items);
  const made = element("ol", items);
  if (token.start !== "" && token.start !== 1) made.start = token.start;
  return made;
}
function table(token) {
  const row = (cells, name) => element(
    "tr",
    cells.map((cell, column) => {
      const made = element(name, inline(cell.tokens));
      if (name === "th") made.scope = "col";
      if (token.align[column]) made.className = token.align[column];
      return made;
    })
  );
  const head = element("thead", [row(token.header, "th")]);
  const body = element(
    "tbody",
    token.rows.map((cells) => row(cells, "td"))
  );
  return scrolls(element("table", token.rows.length ? [head, body] : [head]), words.draw.table);
}
function scrolls(child, label) {
  const made = element("div", [child], "scroll");
  made.tabIndex = 0;
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  return made;
}
function code(token, settled) {
  const view = codeView(token.lang ?? "");
  view.append(token.text);
  if (settled) highlightLater(view);
  return view.element;
}
function inline(tokens) {
  return tokens.flatMap((token) => {
    const known = token;
    switch (known.type) {
      case "strong":
      case "em":
      case "del":
        return [element(known.type, inline(known.tokens))];
      case "codespan":
        return [element("code", [known.text])];
      case "br":
        return [element("br")];
      case "link":
        return [link(known)];
      case "image":
        return [image(known)];
      case "escape":
        return [text(known.text)];
      case "checkbox":
        return [];
      case "text":
        return known.tokens ? inline(known.tokens) : [text(entities(known.raw))];
      default:
        return [text(known.raw)];
    }
  });
}
function text(content) {
  return document.createTextNode(content);
}
function link(token) {
  const inside = inline(token.tokens);
  const href = entities(token.href);
  if (!LINK.test(href)) return element("span", inside);
  return address(href, inside);
}
function address(href, inside) {
  const made = element("a", inside);
  made.href = href;
  made.rel = "noreferrer noopener";
  made.target = "_blank";
  return made;
}
function image(token) {
  const name = entities(token.text) || words.draw.image;
  const href = entities(token.href);
  if (IMAGE.test(href)) {
    const made = element("img");
    made.alt = name;
    made.src = href;
    return made;
  }
  if (!/^https?:/i.test(href)) return text(token.raw);
  const button = element("button", [`${words.draw.showAddress} ${name}`], "image-address");
  button.type = "button";
  button.addEventListener("click", () => button.replaceWith(address(href, [href])));
  return button;
}
var named = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
function entities(content) {
  if (!content.includes("&")) return content;
  return content.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) return named[name] ?? whole;
    const point = decimal ? Number(decimal) : parseInt(hex, 16);
    return point > 0 && point <= 1114111 ? String.fromCodePoint(point) : whole;
  });
}

// src/draw/markdown.ts
var PIECE2 = 8192;
var FENCE = /^ {0,3}(`{3,}|~{3,})/;
var Blocks = class extends _ {
  def() {
    return void 0;
  }
};
function lex(text2) {
  return new w2({ gfm: true, tokenizer: new Blocks() }).lex(text2);
}
var Markdown = class {
  // the tail is an open code block
  constructor(root) {
    this.root = root;
  }
  root;
  pending = "";
  // what came and was not lexed yet
  tail = "";
  // the source of what is not settled
  tailNodes = [];
  open = null;
  append(text2) {
    this.pending += text2.replaceAll("\r", "");
  }
  // draw: works until the time is over. Returns whether all that came is drawn.
  draw(until = Infinity) {
    let changed = false;
    while (this.pending) {
      const piece = this.pending.slice(0, PIECE2);
      this.pending = this.pending.slice(PIECE2);
      this.tail += piece;
      if (!this.open || !this.feed(piece)) {
        changed = true;
        this.settle();
      }
      if (performance.now() >= until) break;
    }
    if (changed && !this.open) this.drawTail();
    return this.pending === "";
  }
  // finish: the text is complete; the tail is settled as it is.
  finish() {
    this.draw();
    this.open = null;
    this.drawTail(true);
    this.tailNodes = [];
    this.tail = "";
  }
  // settle: moves the blocks that can't change any more out of the tail.
  settle() {
    this.open = null;
    const tokens = lex(this.tail.slice(0, this.tail.lastIndexOf("\n") + 1));
    const last = tokens.findLastIndex((token) => token.type !== "space");
    const settled = tokens.slice(0, isClosed(tokens[last]) ? last + 1 : Math.max(0, last));
    if (settled.length > 0) {
      this.clearTail();
      this.root.append(...settled.flatMap((token) => blockNodes(token, true)));
      this.tail = this.tail.slice(settled.reduce((length, token) => length + token.raw.length, 0));
    }
    this.openCode();
  }
  clearTail() {
    for (const node2 of this.tailNodes) node2.parentNode?.removeChild(node2);
    this.tailNodes = [];
  }
  drawTail(settled = false) {
    this.clearTail();
    this.tailNodes = lex(this.tail).flatMap((token) => blockNodes(token, settled));
    this.root.append(...this.tailNodes);
  }
  // openCode: takes the tail for an open code block where it is one: its first line is complete, its end has
  // not come.
  openCode() {
    const fence = FENCE.exec(this.tail)?.[1];
    const start = this.tail.indexOf("\n") + 1;
    if (!fence || start === 0) return;
    const token = lex(this.tail.slice(0, start))[0];
    if (token.type !== "code" || token.codeBlockStyle === "indented") return;
    this.clearTail();
    const view = codeView(token.lang ?? "");
    this.open = { fence, view, held: "" };
    this.tailNodes = [view.element];
    this.root.append(view.element);
    this.feed(this.tail.slice(start));
  }
  // feed: appends to the open block, and holds back a last line that may be its end. False: the end has come.
  feed(piece) {
    const { fence, view, held } = this.open;
    const text2 = held + piece;
    const last = text2.slice(text2.lastIndexOf("\n") + 1);
    const lines = text2.split("\n").slice(0, -1);
    if (lines.some((line) => closes(line, fence))) return false;
    this.open.held = /^ {0,3}[`~]* *$/.test(last) ? last : "";
    view.append(text2.slice(0, text2.length - this.open.held.length));
    return true;
  }
};
function closes(line, fence) {
  const trimmed = line.replace(/^ {0,3}/, "");
  return trimmed.startsWith(fence) && /^[`~]+ *$/.test(trimmed);
}
function isClosed(token) {
  const fence = token?.type === "code" && FENCE.exec(token.raw)?.[1];
  const lines = token?.raw.trimEnd().split("\n") ?? [];
  return Boolean(fence) && lines.length > 1 && closes(lines.at(-1), fence);
}

// src/chat/segments_view.ts
var SegmentsView = class {
  constructor(root) {
    this.root = root;
  }
  root;
  views = [];
  // draw: whether all is drawn. Segments before the last one are complete, and all are where `whole`.
  draw(segments, whole, until = Infinity) {
    for (let place = 0; place < segments.length; place++) {
      const segment = segments[place];
      this.views[place] ??= { view: this.make(segment), length: 0, finished: false };
      const shown = this.views[place];
      if (shown.finished) {
        if (segment.type === "code") shown.view.draw(segment, "", until);
        continue;
      }
      const added = segment.text.slice(shown.length);
      shown.length = segment.text.length;
      if (!shown.view.draw(segment, added, until)) return false;
      if (whole || place < segments.length - 1) {
        shown.view.finish?.(segment);
        shown.finished = true;
      }
      if (performance.now() >= until && place < segments.length - 1) return false;
    }
    return true;
  }
  make(segment) {
    const view = makers[segment.type](segment);
    this.root.append(view.element);
    return view;
  }
};
var makers = {
  text: () => {
    const root = element("div", [], "text");
    const markdown = new Markdown(root);
    return {
      element: root,
      draw: (_2, added, until) => {
        markdown.append(added);
        return markdown.draw(until);
      },
      finish: () => markdown.finish()
    };
  },
  reasoning: () => folded(words.chat.reasoning),
  code: (segment) => {
    const view = codeView(segment.type === "code" ? segment.language : "", true);
    return {
      element: view.element,
      draw: (now, added) => {
        if (added) view.append(added);
        if (now.type === "code") view.activate(now.active);
        return true;
      },
      finish: () => highlightLater(view)
    };
  },
  console: () => plainBlock(words.chat.console, "console"),
  call: (segment) => folded(`${words.chat.call} ${segment.type === "call" ? segment.name : ""}`, pretty),
  result: () => folded(words.chat.result),
  confirmation: () => ({ element: element("p", [words.chat.confirmation], "fine confirmation"), draw: () => true }),
  image: (segment) => image2(segment.text),
  file: (segment) => file(segment),
  error: () => plainBlock(words.chat.error, "failed")
};
function plainBlock(label, className) {
  const content = document.createTextNode("");
  const pre = element("pre", [content]);
  pre.tabIndex = 0;
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", label);
  const title = element("p", [label], "fine");
  return {
    element: element("div", [title, pre], className),
    draw: (_2, added) => {
      content.appendData(added);
      return true;
    }
  };
}
function folded(label, complete) {
  const content = document.createTextNode("");
  const title = document.createTextNode(label);
  const summary = element("summary", [title]);
  const pre = element("pre", [content]);
  pre.tabIndex = 0;
  return {
    element: element("details", [summary, pre], "folded"),
    draw: (segment, added) => {
      content.appendData(added);
      if (segment.type === "call") title.data = `${words.chat.call} ${segment.name}`;
      return true;
    },
    finish: (segment) => {
      if (complete) content.data = complete(segment.text);
    }
  };
}
function pretty(text2) {
  try {
    return JSON.stringify(JSON.parse(text2), null, 2);
  } catch {
    return text2;
  }
}
function image2(address2) {
  const made = element("figure");
  if (/^data:image\/(png|jpeg|gif|webp);base64,/i.test(address2)) {
    const picture = element("img");
    picture.alt = words.chat.image;
    picture.src = address2;
    made.append(picture);
  } else {
    const button = element("button", [`${words.draw.showAddress} ${words.draw.image}`]);
    button.type = "button";
    button.addEventListener("click", () => button.replaceWith(element("code", [address2])));
    made.append(button);
  }
  return { element: made, draw: () => true };
}
function file(segment) {
  const name = segment.type === "file" ? segment.name : "";
  const made = segment.text ? element("details", [element("summary", [name]), element("pre", [segment.text])], "folded") : element("p", [name], "attached");
  return { element: made, draw: () => true };
}

// src/chat/turn.tsx
function TurnView({ chat, turn, live, joined, ...actions }) {
  const run = turn.run ? chat.runs.value.get(turn.run) : void 0;
  return /* @__PURE__ */ a("article", { class: `turn ${turn.role}${joined ? " joined" : ""}`, children: [
    !joined && /* @__PURE__ */ a("h2", { class: "unseen", children: turn.role === "user" ? words.chat.you : turn.model ?? words.chat.answer }),
    /* @__PURE__ */ a(Content, { chat, turn, live }),
    live && /* @__PURE__ */ a(Waiting, { chat }),
    run && !live && /* @__PURE__ */ a(Outcome, { run, goOn: actions.goOn }),
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
function Outcome({ run, goOn }) {
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
function Buttons({ turn, edit, again, code: code2 }) {
  return /* @__PURE__ */ a("span", { class: "row actions", children: [
    /* @__PURE__ */ a(Copy, { bare: true, text: () => plain(turn.segments), label: words.chat.copyText }),
    edit && /* @__PURE__ */ a(Action, { icon: "edit", label: words.chat.edit, run: () => edit(turn) }),
    again && /* @__PURE__ */ a(Action, { icon: "again", label: words.chat.again, run: () => again(turn) }),
    code2 && /* @__PURE__ */ a(Action, { icon: "code", label: words.chat.code, run: () => code2(turn) })
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
  const [text2, setText] = d(() => plain(turn.segments));
  return /* @__PURE__ */ a(
    "form",
    {
      class: "turn user editor",
      onSubmit: (event) => {
        event.preventDefault();
        send(text2);
      },
      children: [
        /* @__PURE__ */ a("label", { children: [
          words.chat.edit,
          /* @__PURE__ */ a(
            "textarea",
            {
              rows: Math.min(12, text2.split("\n").length + 1),
              value: text2,
              autofocus: true,
              onInput: (event) => setText(event.currentTarget.value),
              onKeyDown: (event) => event.key === "Escape" && close()
            }
          )
        ] }),
        /* @__PURE__ */ a("p", { class: "fine", children: turn.parent ? words.chat.editText : words.chat.editFirst }),
        /* @__PURE__ */ a("div", { class: "row", children: [
          /* @__PURE__ */ a("button", { class: "primary", disabled: !text2.trim(), children: words.chat.send }),
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
    const text2 = takePrepared();
    if (text2) void chat.send(text2, [], options);
  }, [chat]);
  const behind = (turn) => chat.turns.value.slice(0, chat.turns.value.indexOf(turn));
  const edit = (turn, text2) => {
    setEditing(null);
    if (turn.parent) void chat.send(text2, [], options, turn.parent);
    else sayAnew(text2);
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
    /* @__PURE__ */ a(Log, { chat, children: (turn, live, joined) => turn === editing ? /* @__PURE__ */ a(Editor, { turn, send: (text2) => edit(turn, text2), close: () => setEditing(null) }, turn.key) : /* @__PURE__ */ a(
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
        send: (text2, files) => void chat.send(text2, files, options)
      }
    ),
    dialog === "branches" && chat.id && /* @__PURE__ */ a(BranchesBeside, { conversation: chat.id, leaf, onLeaf: (to) => go("chat", chat.id, { leaf: to }) }),
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
    };
    const grown = new ResizeObserver(() => follows && toEnd());
    grown.observe(content.current);
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", scrolled);
    };
  }, [chat]);
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
    void import("./branches.OLJ6DNVT.js").then((file2) => setTree(() => file2.default));
  }, []);
  return /* @__PURE__ */ a("aside", { class: "beside", "aria-label": words.chat.branches, children: Tree ? /* @__PURE__ */ a(Tree, { ...props }) : /* @__PURE__ */ a(Loading, {}) });
}
export {
  ChatPage as default
};
