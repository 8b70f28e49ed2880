import {
  Table
} from "./chunk.4U3THEMF.js";
import {
  Growing,
  SegmentsView,
  drawNever,
  drawSoon,
  follow,
  pause,
  pauseAfter,
  readBlocks
} from "./chunk.YETYJEC3.js";
import "./chunk.D3GP55VX.js";
import {
  Copy
} from "./chunk.VMVVYFXQ.js";
import {
  useLoad
} from "./chunk.G5MVI7XM.js";
import {
  More,
  useAction,
  useList
} from "./chunk.RUJWRWSJ.js";
import {
  Time
} from "./chunk.2CUZQZSK.js";
import {
  compact,
  duration,
  money,
  time
} from "./chunk.5KMNDZQV.js";
import "./chunk.5PW4BKAU.js";
import {
  go,
  href,
  replace
} from "./chunk.PVJQ653K.js";
import {
  announce
} from "./chunk.EOXX2F6M.js";
import {
  admin,
  may,
  me
} from "./chunk.SNUI3KLE.js";
import {
  $,
  A,
  ApiError,
  Empty,
  Icon,
  Refused,
  State,
  T,
  a,
  call,
  d,
  get,
  isAbort,
  query,
  words
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/pages/runs_stream.tsx
var world = { call, pause, random: Math.random };
function RunStream({ run, going, onEnd }) {
  const root = T(null);
  const [end, setEnd] = d(null);
  const [cut, setCut] = d(false);
  const [empty, setEmpty] = d(true);
  const was = T({ going, onEnd });
  was.current.onEnd = onEnd;
  A(() => {
    const abort = new AbortController();
    const growing = new Growing();
    const view = new SegmentsView(root.current);
    let whole = false;
    const drawer = (until) => view.draw(growing.segments, whole, until);
    const sink = {
      began: () => {
      },
      block: ({ event, data }) => {
        if (event || data === "[DONE]") return;
        growing.add(JSON.parse(data));
        setEmpty(growing.segments.length === 0);
        drawSoon(drawer);
      },
      cut: () => setCut(true),
      back: () => setCut(false)
    };
    follow({ run }, sink, abort.signal, world).then(
      (how) => {
        whole = true;
        drawSoon(drawer);
        setCut(false);
        setEnd(how);
        if (!was.current.going) return;
        announce(words.runs.ended);
        was.current.onEnd();
      },
      (error) => {
        if (!isAbort(error)) throw error;
      }
    );
    return () => {
      abort.abort();
      drawNever(drawer);
    };
  }, [run]);
  return /* @__PURE__ */ a("section", { class: "card stack", "aria-label": words.runs.stream, "aria-busy": end === null, children: [
    /* @__PURE__ */ a("h2", { children: words.runs.stream }),
    end?.kind === "gone" ? /* @__PURE__ */ a("p", { class: "fine", children: words.runs.streamGone }) : /* @__PURE__ */ a("p", { class: "fine", children: end === null && going ? words.runs.streamLive : words.runs.streamText }),
    /* @__PURE__ */ a("div", { class: "content", ref: root }),
    cut && /* @__PURE__ */ a("p", { class: "fine waiting", children: words.runs.connecting }),
    end?.kind === "refused" && /* @__PURE__ */ a(Refused, { error: end.error }),
    end && end.kind !== "gone" && end.kind !== "refused" && empty && /* @__PURE__ */ a("p", { class: "fine", children: words.runs.streamEmpty })
  ] });
}

// src/pages/runs_one.tsx
function RunPage({ id }) {
  const read2 = useLoad((signal) => get(`/v1/runs/${id}`, { signal }), [id]);
  return /* @__PURE__ */ a("div", { class: "page runs", children: [
    /* @__PURE__ */ a("p", { children: /* @__PURE__ */ a("a", { href: href("runs"), children: words.runs.back }) }),
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h1", { children: words.runs.one }),
      /* @__PURE__ */ a("p", { class: "fine row", children: [
        /* @__PURE__ */ a("code", { children: id }),
        /* @__PURE__ */ a(Copy, { text: id, bare: true, label: words.runs.copyId })
      ] })
    ] }),
    /* @__PURE__ */ a(State, { of: read2, children: (run) => /* @__PURE__ */ a(Details, { run, onChange: read2.set, onEnd: read2.reload }) })
  ] });
}
function Details({ run, onChange, onEnd }) {
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("section", { class: "card stack", children: [
      /* @__PURE__ */ a("header", { class: "row wrap between", children: [
        /* @__PURE__ */ a(StatusBadge, { of: run.status }),
        /* @__PURE__ */ a(Actions, { run, onChange })
      ] }),
      run.error && /* @__PURE__ */ a(Failed, { of: run.error }),
      /* @__PURE__ */ a("dl", { class: "fact-list", children: [
        /* @__PURE__ */ a(Fact, { name: words.runs.model, value: run.model }),
        /* @__PURE__ */ a(Fact, { name: words.runs.provider, value: run.provider ?? words.units.none }),
        /* @__PURE__ */ a(Fact, { name: words.runs.begun, value: time(run.created_at) }),
        /* @__PURE__ */ a(Fact, { name: words.runs.ended, value: run.completed_at === null ? words.units.none : time(run.completed_at) }),
        /* @__PURE__ */ a(Fact, { name: words.runs.finish, value: run.finish_reason ?? words.units.none }),
        /* @__PURE__ */ a(Fact, { name: words.runs.tokensIn, value: /* @__PURE__ */ a(Tokens, { of: run, which: "prompt_tokens" }) }),
        /* @__PURE__ */ a(Fact, { name: words.runs.tokensOut, value: /* @__PURE__ */ a(Tokens, { of: run, which: "completion_tokens" }) }),
        /* @__PURE__ */ a(Fact, { name: words.runs.cost, value: money(run.cost) })
      ] }),
      run.continues && /* @__PURE__ */ a("p", { children: [
        words.runs.continues,
        " ",
        /* @__PURE__ */ a("a", { href: href("runs", run.continues), children: run.continues })
      ] })
    ] }),
    run.attempt_list && run.attempt_list.length > 0 && /* @__PURE__ */ a("section", { class: "stack", children: [
      /* @__PURE__ */ a("h2", { children: words.runs.attemptsTitle }),
      /* @__PURE__ */ a(Attempts, { of: run.attempt_list })
    ] }),
    /* @__PURE__ */ a(RunStream, { run: run.id, going: live(run.status), onEnd }, run.id)
  ] });
}
function Fact({ name, value }) {
  return /* @__PURE__ */ a("div", { children: [
    /* @__PURE__ */ a("dt", { children: name }),
    /* @__PURE__ */ a("dd", { children: value })
  ] });
}
function Failed({ of }) {
  return /* @__PURE__ */ a("div", { class: "notice bad", children: [
    /* @__PURE__ */ a(Icon, { name: "warn" }),
    /* @__PURE__ */ a("div", { children: [
      /* @__PURE__ */ a("strong", { children: of.code }),
      of.message && /* @__PURE__ */ a("p", { children: of.message })
    ] })
  ] });
}
function Actions({ run, onChange }) {
  const action = useAction();
  const cancel = () => action.run(async () => {
    onChange(await get(`/v1/runs/${run.id}/cancel`, { method: "POST" }));
    announce(words.runs.cancelled);
  });
  const goOn = () => action.run(async () => {
    const answer = await call(`/v1/runs/${run.id}/continue`, {
      method: "POST",
      body: { background: true },
      headers: { "Idempotency-Key": crypto.randomUUID() }
    });
    go("runs", (await answer.json()).id);
  });
  return /* @__PURE__ */ a("div", { class: "row wrap", children: [
    may("chat") && live(run.status) && /* @__PURE__ */ a("button", { type: "button", class: "danger", disabled: action.busy, onClick: cancel, children: [
      /* @__PURE__ */ a(Icon, { name: "stop" }),
      words.runs.cancel
    ] }),
    may("chat") && (run.status === "incomplete" || run.status === "cancelled") && /* @__PURE__ */ a("button", { type: "button", class: "primary", disabled: action.busy, onClick: goOn, children: [
      /* @__PURE__ */ a(Icon, { name: "again" }),
      words.runs.goOn
    ] }),
    run.conversation && /* @__PURE__ */ a("a", { class: "button", href: href("chat", run.conversation), children: [
      /* @__PURE__ */ a(Icon, { name: "chat" }),
      words.runs.conversation
    ] }),
    action.error && /* @__PURE__ */ a(Refused, { error: action.error })
  ] });
}
var span = (from, to) => from === null || to === null ? words.units.none : duration(to - from);
function Attempts({ of }) {
  const rows = of.map((attempt, i) => ({ attempt, n: i + 1, wait: i === 0 ? null : of[i - 1].ended_at_ms }));
  return /* @__PURE__ */ a(
    Table,
    {
      caption: words.runs.attemptsTitle,
      rows,
      id: (row) => String(row.n),
      columns: [
        { title: words.runs.attempt, cell: (row) => row.n },
        {
          title: words.runs.provider,
          cell: ({ attempt }) => /* @__PURE__ */ a($, { children: [
            attempt.provider ?? words.units.none,
            attempt.model && /* @__PURE__ */ a("p", { class: "fine", children: /* @__PURE__ */ a("code", { children: attempt.model }) })
          ] })
        },
        { title: words.runs.outcome, cell: ({ attempt }) => /* @__PURE__ */ a(Outcome, { of: attempt }) },
        { title: words.runs.wait, numeric: true, cell: (row) => span(row.wait, row.attempt.started_at_ms) },
        {
          title: words.runs.first,
          numeric: true,
          cell: ({ attempt }) => span(attempt.started_at_ms, attempt.first_token_at_ms)
        },
        {
          title: words.runs.duration,
          numeric: true,
          cell: ({ attempt }) => span(attempt.started_at_ms, attempt.ended_at_ms)
        },
        {
          title: words.runs.tokensIn,
          numeric: true,
          cell: ({ attempt }) => /* @__PURE__ */ a(Tokens, { of: attempt, which: "prompt_tokens" })
        },
        {
          title: words.runs.tokensOut,
          numeric: true,
          cell: ({ attempt }) => /* @__PURE__ */ a(Tokens, { of: attempt, which: "completion_tokens" })
        },
        { title: words.runs.cost, numeric: true, cell: ({ attempt }) => money(attempt.cost) }
      ]
    }
  );
}
function Outcome({ of }) {
  const kind = { running: "going", completed: "good", failed: "bad", cancelled: "", lost: "bad" }[of.outcome];
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("span", { class: `badge ${kind}`, children: words.runs.outcomes[of.outcome] }),
    (of.http_status !== null || of.error_code) && /* @__PURE__ */ a("p", { class: "fine", children: [
      of.http_status,
      " ",
      /* @__PURE__ */ a("code", { children: of.error_code })
    ] })
  ] });
}

// src/pages/runs_live.ts
function useLive(path, onState, onAgain) {
  const [following, setFollowing] = d("connecting");
  const told = T({ onState, onAgain });
  told.current = { onState, onAgain };
  A(() => {
    const abort = new AbortController();
    void follow2(path, abort.signal, {
      ready: (again) => {
        setFollowing("live");
        if (again) told.current.onAgain();
      },
      state: (run) => told.current.onState(run),
      cut: () => setFollowing("connecting"),
      refused: () => setFollowing("off")
    });
    return () => abort.abort();
  }, [path]);
  return following;
}
async function follow2(path, signal, reader) {
  let cuts = 0, again = false;
  while (!signal.aborted) {
    try {
      await read(path, signal, reader, () => {
        reader.ready(again);
        again = true;
        cuts = 0;
      });
    } catch (error) {
      if (isAbort(error)) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429)
        return reader.refused();
    }
    cuts += 1;
    reader.cut();
    await pause(pauseAfter(cuts, Math.random()), signal).catch(() => {
    });
  }
}
async function read(path, signal, reader, ready) {
  const answer = await call(path, { signal, headers: { Accept: "text/event-stream" } });
  for await (const { event, data } of readBlocks(answer)) {
    if (event) return;
    const { object, stored, error_code, ...state } = JSON.parse(data);
    if (object === "ready") ready();
    else if (stored)
      reader.state({
        ...state,
        error: error_code === null ? null : { code: error_code, message: "" },
        continues: null
      });
  }
}

// src/pages/runs.tsx
var live = (status) => status === "queued" || status === "running";
var STATUSES = ["running", "completed", "incomplete", "failed", "cancelled"];
var PAGE = 50;
function Runs({ route }) {
  if (route.id) return /* @__PURE__ */ a(RunPage, { id: route.id });
  return /* @__PURE__ */ a(
    AllRuns,
    {
      status: route.query.get("status") ?? "",
      model: route.query.get("model") ?? "",
      all: admin.value && route.query.get("all") === "1"
    }
  );
}
function AllRuns({ status, model, all }) {
  const path = all ? "/v1/admin/runs" : "/v1/runs";
  const list = useList(
    (after, signal) => get(`${path}${query({ limit: PAGE, status, model, after: after ?? void 0 })}`, { signal }),
    [path, status, model]
  );
  const fits = (run) => (!status || run.status === status) && (!model || run.model === model);
  const following = useLive(
    `${path}/live`,
    (run) => {
      if (list.data === null) return;
      const known = list.data.find((row) => row.id === run.id);
      if (known)
        list.set(
          list.data.map((row) => row === known ? merge(known, run) : row).filter((row) => row !== known || fits(run))
        );
      else if (fits(run)) list.set([run, ...list.data]);
    },
    list.reload
  );
  const filter = (change) => {
    const now = { status, model, all: all ? "1" : "", ...change };
    replace("runs", null, Object.fromEntries(Object.entries(now).filter(([, value]) => value)));
  };
  return /* @__PURE__ */ a("div", { class: "page runs", children: [
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h1", { children: words.pages.runs }),
      /* @__PURE__ */ a("div", { class: "row wrap", children: [
        /* @__PURE__ */ a(Live, { of: following }),
        admin.value && /* @__PURE__ */ a("label", { children: [
          words.runs.whose,
          /* @__PURE__ */ a("select", { value: all ? "1" : "", onChange: (event) => filter({ all: event.currentTarget.value }), children: [
            /* @__PURE__ */ a("option", { value: "", children: words.runs.own }),
            /* @__PURE__ */ a("option", { value: "1", children: words.runs.all })
          ] })
        ] }),
        /* @__PURE__ */ a("label", { children: [
          words.runs.status,
          /* @__PURE__ */ a("select", { value: status, onChange: (event) => filter({ status: event.currentTarget.value }), children: [
            /* @__PURE__ */ a("option", { value: "", children: words.runs.any }),
            STATUSES.map((name) => /* @__PURE__ */ a("option", { value: name, children: words.runs.statuses[name] }, name))
          ] })
        ] }),
        /* @__PURE__ */ a("label", { children: [
          words.runs.model,
          /* @__PURE__ */ a(
            "input",
            {
              type: "search",
              list: "models-seen",
              placeholder: words.runs.anyModel,
              value: model,
              onChange: (event) => filter({ model: event.currentTarget.value.trim() })
            }
          ),
          /* @__PURE__ */ a("datalist", { id: "models-seen", children: [...new Set(list.data?.map((run) => run.model))].map((name) => /* @__PURE__ */ a("option", { value: name }, name)) })
        ] })
      ] })
    ] }),
    /* @__PURE__ */ a(
      State,
      {
        of: list,
        empty: (data) => data.length === 0 && !list.more,
        none: /* @__PURE__ */ a(None, { filtered: status !== "" || model !== "" }),
        children: (data) => /* @__PURE__ */ a(
          Table,
          {
            caption: words.pages.runs,
            rows: data,
            id: (run) => run.id,
            columns: all ? [...columns, keyColumn] : columns
          }
        )
      }
    ),
    /* @__PURE__ */ a(More, { of: list })
  ] });
}
function merge(known, state) {
  return {
    ...known,
    ...state,
    error: known.error ?? state.error,
    continues: known.continues,
    key: known.key ?? state.key
  };
}
function None({ filtered }) {
  return /* @__PURE__ */ a(Empty, { title: filtered ? words.runs.noneFiltered : words.runs.none, children: !filtered && /* @__PURE__ */ a("p", { children: words.runs.noneText }) });
}
function Live({ of }) {
  if (of === "off") return null;
  return /* @__PURE__ */ a("span", { class: `live fine ${of}`, children: of === "live" ? words.runs.live : words.runs.connecting });
}
function StatusBadge({ of }) {
  const kind = of === "completed" ? "good" : of === "failed" || of === "incomplete" ? "bad" : live(of) ? "going" : "";
  return /* @__PURE__ */ a("span", { class: `badge ${kind}`, children: words.runs.statuses[of] });
}
function took({ created_at, completed_at }) {
  if (completed_at === null) return words.units.none;
  return completed_at === created_at ? words.runs.short : duration(1e3 * (completed_at - created_at));
}
function mine(run) {
  return !run.key || run.key.id === me.value?.id;
}
var columns = [
  {
    title: words.runs.begun,
    cell: (run) => mine(run) ? /* @__PURE__ */ a("a", { href: href("runs", run.id), children: /* @__PURE__ */ a(Time, { at: run.created_at }) }) : /* @__PURE__ */ a(Time, { at: run.created_at })
  },
  {
    title: words.runs.status,
    cell: (run) => /* @__PURE__ */ a($, { children: [
      /* @__PURE__ */ a(StatusBadge, { of: run.status }),
      run.error && /* @__PURE__ */ a("p", { class: "fine", children: /* @__PURE__ */ a("code", { children: run.error.code }) })
    ] })
  },
  {
    title: words.runs.model,
    cell: (run) => /* @__PURE__ */ a($, { children: [
      /* @__PURE__ */ a("code", { children: run.model }),
      run.provider && run.provider !== run.model && /* @__PURE__ */ a("p", { class: "fine", children: run.provider })
    ] })
  },
  {
    title: words.runs.duration,
    numeric: true,
    cell: took
  },
  { title: words.runs.tokensIn, numeric: true, cell: (run) => /* @__PURE__ */ a(Tokens, { of: run, which: "prompt_tokens" }) },
  { title: words.runs.tokensOut, numeric: true, cell: (run) => /* @__PURE__ */ a(Tokens, { of: run, which: "completion_tokens" }) },
  { title: words.runs.cost, numeric: true, cell: (run) => money(run.cost) },
  { title: words.runs.attempts, numeric: true, cell: (run) => run.attempts }
];
var keyColumn = {
  title: words.runs.key,
  cell: (run) => run.key?.name || run.key?.id || words.units.none
};
function Tokens({ of, which }) {
  if (!of.usage) return /* @__PURE__ */ a($, { children: words.units.none });
  const value = compact(of.usage[which]);
  return of.usage_source === "estimated" ? /* @__PURE__ */ a("span", { title: words.runs.estimated, children: [
    "≈ ",
    value
  ] }) : /* @__PURE__ */ a($, { children: value });
}
export {
  StatusBadge,
  Tokens,
  Runs as default,
  live
};
