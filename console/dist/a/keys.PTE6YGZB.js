import {
  exported,
  importArchive
} from "./chunk.O5PH5Z5L.js";
import "./chunk.UGZVKU5L.js";
import {
  save
} from "./chunk.52WONUWP.js";
import {
  Table
} from "./chunk.4U3THEMF.js";
import {
  Copy
} from "./chunk.VMVVYFXQ.js";
import "./chunk.G5MVI7XM.js";
import {
  FormDialog,
  More,
  asApiError,
  useAction,
  useList
} from "./chunk.RUJWRWSJ.js";
import {
  Time
} from "./chunk.2CUZQZSK.js";
import {
  count,
  number,
  time
} from "./chunk.5KMNDZQV.js";
import {
  Dialog
} from "./chunk.5PW4BKAU.js";
import {
  href
} from "./chunk.PVJQ653K.js";
import {
  announce
} from "./chunk.EOXX2F6M.js";
import {
  me,
  open,
  signIn
} from "./chunk.SNUI3KLE.js";
import {
  $,
  Empty,
  Icon,
  Refused,
  State,
  a,
  d,
  fill,
  get,
  query,
  words
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/pages/keys_change.tsx
function Made({ of, onClose }) {
  return /* @__PURE__ */ a(Dialog, { title: words.keys.madeTitle, onClose, children: /* @__PURE__ */ a("div", { class: "stack", children: [
    /* @__PURE__ */ a("p", { children: fill(words.keys.madeText, { name: of.name || of.id }) }),
    /* @__PURE__ */ a(KeyText, { text: of.key }),
    /* @__PURE__ */ a("footer", { children: /* @__PURE__ */ a("button", { type: "button", class: "primary", onClick: onClose, children: words.keys.madeDone }) })
  ] }) });
}
function KeyText({ text: text2 }) {
  return /* @__PURE__ */ a("div", { class: "row key-text", children: [
    /* @__PURE__ */ a(
      "input",
      {
        class: "mono",
        "aria-label": words.keys.text,
        readOnly: true,
        value: text2,
        onFocus: (event) => event.currentTarget.select()
      }
    ),
    /* @__PURE__ */ a(Copy, { text: text2 })
  ] });
}
var GRACES = [0, 3600, 86400, 7 * 86400, 30 * 86400];
function Rotate({ of, onClose, onMade }) {
  const [grace, setGrace] = d(86400);
  const submit = async () => onMade(await get(`/v1/admin/keys/${of.id}/rotate`, { method: "POST", body: { grace } }));
  return /* @__PURE__ */ a(FormDialog, { title: words.keys.rotateTitle, submit: words.keys.rotate, onSubmit: submit, onClose, children: [
    /* @__PURE__ */ a("p", { children: fill(words.keys.rotateText, { name: of.name || of.id }) }),
    /* @__PURE__ */ a("label", { children: [
      words.keys.grace,
      /* @__PURE__ */ a("select", { value: grace, onChange: (event) => setGrace(Number(event.currentTarget.value)), children: GRACES.map((seconds) => /* @__PURE__ */ a("option", { value: seconds, children: words.keys.graces[String(seconds)] }, seconds)) })
    ] })
  ] });
}
function Revoke({ of, onClose, onRevoked }) {
  const [typed, setTyped] = d("");
  const name = of.name || of.id;
  const submit = async () => {
    onRevoked(await get(`/v1/admin/keys/${of.id}`, { method: "DELETE" }));
    announce(words.keys.revoked);
    onClose();
  };
  return /* @__PURE__ */ a(
    FormDialog,
    {
      title: words.keys.revokeTitle,
      submit: words.keys.revoke,
      danger: true,
      disabled: typed !== name,
      onSubmit: submit,
      onClose,
      children: [
        /* @__PURE__ */ a("p", { children: words.keys.revokeText }),
        /* @__PURE__ */ a("label", { children: [
          /* @__PURE__ */ a("span", { children: [
            words.keys.revokeType,
            " ",
            /* @__PURE__ */ a("strong", { children: name })
          ] }),
          /* @__PURE__ */ a(
            "input",
            {
              autocomplete: "off",
              spellcheck: false,
              value: typed,
              onInput: (event) => setTyped(event.currentTarget.value)
            }
          )
        ] })
      ]
    }
  );
}

// src/pages/keys_first.tsx
function FirstKey({ onDone }) {
  const [name, setName] = d(words.keys.firstName);
  const [along, setAlong] = d(true);
  const [progress, setProgress] = d("");
  const [outcome, setOutcome] = d(null);
  const action = useAction();
  const submit = (event) => {
    event.preventDefault();
    action.run(async () => {
      const kept = along ? await exportAll((n) => setProgress(count(n, words.keys.firstExported))) : null;
      const key = await get("/v1/admin/keys", {
        method: "POST",
        body: { name, scopes: ["chat", "read", "files", "admin"] }
      });
      setOutcome({ key, kept, taken: 0, failed: null });
      setProgress("");
      announce(words.keys.madeTitle);
      setOutcome(await moveIn(key, kept));
    });
  };
  return /* @__PURE__ */ a("div", { class: "page", children: [
    /* @__PURE__ */ a("h1", { children: words.pages.keys }),
    outcome ? /* @__PURE__ */ a(FirstMade, { of: outcome, busy: action.busy, onDone }) : /* @__PURE__ */ a("form", { class: "card stack first-key", onSubmit: submit, children: [
      /* @__PURE__ */ a("h2", { children: words.keys.firstTitle }),
      /* @__PURE__ */ a("p", { children: words.keys.firstText }),
      /* @__PURE__ */ a("label", { children: [
        words.keys.name,
        /* @__PURE__ */ a(
          "input",
          {
            required: true,
            maxLength: 128,
            autocomplete: "off",
            value: name,
            onInput: (event) => setName(event.currentTarget.value)
          }
        )
      ] }),
      /* @__PURE__ */ a("label", { class: "choice", children: [
        /* @__PURE__ */ a("input", { type: "checkbox", checked: along, onChange: (event) => setAlong(event.currentTarget.checked) }),
        words.keys.firstAlong
      ] }),
      /* @__PURE__ */ a("p", { class: "fine", children: along ? words.keys.firstFiles : words.keys.firstBehind }),
      action.error && /* @__PURE__ */ a(Refused, { error: action.error }),
      /* @__PURE__ */ a("p", { class: "row wrap", children: [
        /* @__PURE__ */ a("button", { class: "primary", disabled: action.busy, children: words.keys.firstMake }),
        /* @__PURE__ */ a("span", { role: "status", children: progress })
      ] })
    ] })
  ] });
}
async function exportAll(tell) {
  const parts = [];
  let after = null;
  do {
    const page = await get(
      `/v1/conversations${query({ limit: 100, order: "asc", after: after ?? void 0 })}`
    );
    for (const { id } of page.data) {
      parts.push(await exported(id));
      tell(parts.length);
    }
    after = page.has_more ? page.last_id : null;
  } while (after);
  return { archive: parts.length ? new Blob(parts) : null, conversations: parts.length };
}
async function moveIn(key, kept) {
  try {
    await signIn(key.key);
    const taken = kept?.archive ? (await importArchive(kept.archive)).conversations.length : 0;
    return { key, kept, taken, failed: null };
  } catch (error) {
    return { key, kept, taken: 0, failed: asApiError(error) };
  }
}
function FirstMade({ of, busy, onDone }) {
  const archive = of.kept?.archive;
  return /* @__PURE__ */ a("section", { class: "card stack first-key", children: [
    /* @__PURE__ */ a("h2", { children: words.keys.madeTitle }),
    /* @__PURE__ */ a("p", { children: fill(words.keys.madeText, { name: of.key.name }) }),
    /* @__PURE__ */ a(KeyText, { text: of.key.key }),
    busy && /* @__PURE__ */ a("p", { role: "status", children: words.keys.firstMoving }),
    !busy && !of.failed && /* @__PURE__ */ a("p", { children: words.keys.firstSignedIn }),
    of.taken > 0 && /* @__PURE__ */ a("p", { children: count(of.taken, words.keys.firstTaken) }),
    of.kept === null && /* @__PURE__ */ a("p", { children: words.keys.firstBehind }),
    of.failed && /* @__PURE__ */ a($, { children: [
      /* @__PURE__ */ a(Refused, { error: of.failed }),
      archive && /* @__PURE__ */ a($, { children: [
        /* @__PURE__ */ a("p", { children: words.keys.firstNotTaken }),
        /* @__PURE__ */ a("button", { type: "button", onClick: () => save(archive, "conversations.jsonl"), children: words.actions.download })
      ] })
    ] }),
    !busy && /* @__PURE__ */ a("p", { class: "row wrap", children: [
      /* @__PURE__ */ a("button", { type: "button", class: "primary", onClick: onDone, children: words.keys.madeDone }),
      /* @__PURE__ */ a("a", { href: href("conversations"), children: words.pages.conversations })
    ] })
  ] });
}

// src/pages/keys_form.tsx
var SCOPES = ["chat", "read", "files", "admin", "execute"];
var text = (value) => value === null || value === void 0 ? "" : String(value);
function fieldsOf(key) {
  return {
    name: key?.name ?? "",
    scopes: key?.scopes ?? ["chat", "read", "files"],
    models: key?.models?.join("\n") ?? "",
    expires: key?.expires_at ? local(key.expires_at) : "",
    requests: text(key?.limits?.requests?.count),
    requestsWindow: key?.limits?.requests?.window ?? "1m",
    tokens: text(key?.limits?.tokens?.count),
    tokensWindow: key?.limits?.tokens?.window ?? "1m",
    concurrent: text(key?.limits?.concurrent),
    money: text(key?.budget?.money),
    budgetTokens: text(key?.budget?.tokens),
    budgetWindow: key ? text(key.budget?.window) : "30d"
  };
}
function local(seconds) {
  const at = new Date(seconds * 1e3);
  return new Date(at.getTime() - at.getTimezoneOffset() * 6e4).toISOString().slice(0, 16);
}
var rate = (count2, window) => count2 ? { count: Number(count2), window } : void 0;
function bodyOf(fields, key) {
  const models = fields.models.split(/[\n,]/).map((name) => name.trim()).filter(Boolean);
  const limits = {
    requests: rate(fields.requests, fields.requestsWindow),
    tokens: rate(fields.tokens, fields.tokensWindow),
    concurrent: fields.concurrent ? Number(fields.concurrent) : void 0,
    max_body: key?.limits?.max_body ?? void 0
  };
  const has_budget = fields.money !== "" || fields.budgetTokens !== "";
  const budget = {
    money: fields.money || void 0,
    tokens: fields.budgetTokens ? Number(fields.budgetTokens) : void 0,
    window: has_budget && fields.budgetWindow || void 0
  };
  const expires_at = fields.expires ? Math.floor(new Date(fields.expires).getTime() / 1e3) : 0;
  const same = key?.expires_at && local(key.expires_at) === fields.expires;
  return {
    name: fields.name,
    scopes: fields.scopes,
    models: models.length ? models : key ? ["*"] : void 0,
    expires_at: same ? key.expires_at : expires_at,
    limits,
    budget
  };
}
function KeyForm({ of, onClose, onMade, onChanged }) {
  const [fields, setFields] = d(() => fieldsOf(of));
  const put = (change) => setFields((old) => ({ ...old, ...change }));
  const submit = async () => {
    const body = bodyOf(fields, of);
    if (!of) return onMade(await get("/v1/admin/keys", { method: "POST", body }));
    onChanged(await get(`/v1/admin/keys/${of.id}`, { method: "POST", body }));
    announce(words.keys.changed);
    onClose();
  };
  const field = (name, more = {}) => /* @__PURE__ */ a("input", { value: fields[name], onInput: (event) => put({ [name]: event.currentTarget.value }), ...more });
  return /* @__PURE__ */ a(
    FormDialog,
    {
      title: of ? words.keys.edit : words.keys.make,
      submit: of ? words.actions.save : words.keys.make,
      disabled: fields.scopes.length === 0,
      onSubmit: submit,
      onClose,
      children: [
        /* @__PURE__ */ a("label", { children: [
          words.keys.name,
          field("name", { maxLength: 128, required: true, autocomplete: "off" })
        ] }),
        /* @__PURE__ */ a(Scopes, { of: fields.scopes, onChange: (scopes) => put({ scopes }) }),
        /* @__PURE__ */ a("label", { children: [
          words.keys.expires,
          field("expires", { type: "datetime-local" })
        ] }),
        /* @__PURE__ */ a("label", { children: [
          words.keys.modelsOnly,
          /* @__PURE__ */ a(
            "textarea",
            {
              rows: 2,
              placeholder: words.keys.modelsHint,
              value: fields.models,
              onInput: (event) => put({ models: event.currentTarget.value })
            }
          )
        ] }),
        /* @__PURE__ */ a("details", { open: of?.limits !== null && of !== null, children: [
          /* @__PURE__ */ a("summary", { children: words.keys.limits }),
          /* @__PURE__ */ a("div", { class: "pairs", children: [
            /* @__PURE__ */ a("label", { children: [
              words.keys.requests,
              field("requests", { type: "number", min: 1, step: 1 })
            ] }),
            /* @__PURE__ */ a("label", { children: [
              words.keys.window,
              field("requestsWindow", window_field)
            ] }),
            /* @__PURE__ */ a("label", { children: [
              words.keys.tokens,
              field("tokens", { type: "number", min: 1, step: 1 })
            ] }),
            /* @__PURE__ */ a("label", { children: [
              words.keys.window,
              field("tokensWindow", window_field)
            ] }),
            /* @__PURE__ */ a("label", { children: [
              words.keys.concurrent,
              field("concurrent", { type: "number", min: 1, step: 1 })
            ] })
          ] })
        ] }),
        /* @__PURE__ */ a("details", { open: of?.budget !== null && of !== null, children: [
          /* @__PURE__ */ a("summary", { children: words.keys.budget }),
          /* @__PURE__ */ a("div", { class: "pairs", children: [
            /* @__PURE__ */ a("label", { children: [
              words.keys.money,
              field("money", { inputMode: "decimal", pattern: "[0-9]+(\\.[0-9]{1,9})?" })
            ] }),
            /* @__PURE__ */ a("label", { children: [
              words.keys.tokens,
              field("budgetTokens", { type: "number", min: 1, step: 1 })
            ] }),
            /* @__PURE__ */ a("label", { children: [
              words.keys.renews,
              field("budgetWindow", window_field)
            ] })
          ] })
        ] })
      ]
    }
  );
}
var window_field = { pattern: "[0-9]+[smhd]", title: words.keys.windowHint, placeholder: words.keys.windowExample };
function Scopes({ of, onChange }) {
  return /* @__PURE__ */ a("fieldset", { class: "scopes", children: [
    /* @__PURE__ */ a("legend", { children: words.keys.scopes }),
    SCOPES.map((scope) => /* @__PURE__ */ a("label", { class: "choice", children: [
      /* @__PURE__ */ a(
        "input",
        {
          type: "checkbox",
          checked: of.includes(scope),
          onChange: (event) => onChange(event.currentTarget.checked ? [...of, scope] : of.filter((one) => one !== scope))
        }
      ),
      /* @__PURE__ */ a("span", { children: [
        /* @__PURE__ */ a("strong", { children: scope }),
        " ",
        /* @__PURE__ */ a("span", { class: "fine", children: words.keys.scopeTexts[scope] })
      ] })
    ] }, scope))
  ] });
}

// src/pages/keys.tsx
var PAGE = 50;
function Keys() {
  const [first, setFirst] = d(open.value);
  return first ? /* @__PURE__ */ a(FirstKey, { onDone: () => setFirst(false) }) : /* @__PURE__ */ a(AllKeys, {});
}
function AllKeys() {
  const [shown, setShown] = d(null);
  const list = useList(
    (after, signal) => get(`/v1/admin/keys${query({ limit: PAGE, after: after ?? void 0 })}`, { signal }),
    []
  );
  const close = () => setShown(null);
  const put = (key) => {
    const rows = list.data ?? [];
    list.set(
      rows.some((row) => row.id === key.id) ? rows.map((row) => row.id === key.id ? key : row) : [key, ...rows]
    );
  };
  const made = ({ key, ...rest }) => {
    put(rest);
    setShown({ kind: "made", of: { ...rest, key } });
  };
  return /* @__PURE__ */ a("div", { class: "page keys-page", children: [
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h1", { children: words.pages.keys }),
      /* @__PURE__ */ a("button", { type: "button", class: "primary", onClick: () => setShown({ kind: "make" }), children: [
        /* @__PURE__ */ a(Icon, { name: "plus" }),
        words.keys.make
      ] })
    ] }),
    /* @__PURE__ */ a(
      State,
      {
        of: list,
        empty: (data) => data.length === 0,
        none: /* @__PURE__ */ a(Empty, { title: words.keys.none, children: /* @__PURE__ */ a("p", { children: words.keys.noneText }) }),
        children: (data) => /* @__PURE__ */ a(KeyTable, { rows: data, onOpen: setShown })
      }
    ),
    /* @__PURE__ */ a(More, { of: list }),
    shown?.kind === "make" && /* @__PURE__ */ a(KeyForm, { of: null, onClose: close, onMade: made, onChanged: put }),
    shown?.kind === "edit" && /* @__PURE__ */ a(KeyForm, { of: shown.of, onClose: close, onMade: made, onChanged: put }),
    shown?.kind === "rotate" && /* @__PURE__ */ a(Rotate, { of: shown.of, onClose: close, onMade: made }),
    shown?.kind === "revoke" && /* @__PURE__ */ a(Revoke, { of: shown.of, onClose: close, onRevoked: put }),
    shown?.kind === "made" && /* @__PURE__ */ a(Made, { of: shown.of, onClose: close })
  ] });
}
function KeyTable({ rows, onOpen }) {
  return /* @__PURE__ */ a(
    Table,
    {
      caption: words.pages.keys,
      rows,
      id: (key) => key.id,
      columns: [
        { title: words.keys.name, cell: (key) => /* @__PURE__ */ a(Name, { of: key }) },
        { title: words.keys.status, cell: (key) => /* @__PURE__ */ a(Status, { of: key }) },
        {
          title: words.keys.scopes,
          cell: (key) => /* @__PURE__ */ a("span", { class: "row wrap", children: key.scopes.map((scope) => /* @__PURE__ */ a("span", { class: "badge", children: scope }, scope)) })
        },
        { title: words.keys.models, cell: (key) => key.models?.join(", ") ?? words.keys.allModels },
        { title: words.keys.allowance, cell: (key) => /* @__PURE__ */ a(Allowance, { of: key }) },
        {
          title: words.keys.lastUse,
          cell: (key) => key.last_used_at === null ? words.keys.never : /* @__PURE__ */ a(Time, { at: key.last_used_at })
        },
        { title: words.keys.actions, cell: (key) => /* @__PURE__ */ a(Actions, { of: key, onOpen }) }
      ]
    }
  );
}
function Name({ of }) {
  return /* @__PURE__ */ a($, { children: [
    of.name || words.keys.noName,
    of.id === me.value?.id && /* @__PURE__ */ a("span", { class: "badge good own", children: words.keys.own }),
    /* @__PURE__ */ a("br", {}),
    /* @__PURE__ */ a("code", { class: "fine", children: of.id })
  ] });
}
function Status({ of }) {
  const kind = of.status === "active" ? "badge good" : "badge bad";
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("span", { class: kind, children: words.keys.statuses[of.status] }),
    of.status === "active" && of.expires_at !== null && /* @__PURE__ */ a("p", { class: "fine", children: fill(words.keys.until, { when: time(of.expires_at) }) }),
    of.grace_until !== null && of.grace_until * 1e3 > Date.now() && /* @__PURE__ */ a("p", { class: "fine", children: fill(words.keys.graceUntil, { when: time(of.grace_until) }) })
  ] });
}
function Allowance({ of }) {
  const lines = [];
  const rate2 = (words_, limit) => limit && lines.push(fill(words_, { n: number(limit.count), window: limit.window }));
  rate2(words.keys.requestsIn, of.limits?.requests);
  rate2(words.keys.tokensIn, of.limits?.tokens);
  if (of.limits?.concurrent) lines.push(fill(words.keys.atOnce, { n: number(of.limits.concurrent) }));
  const window = of.budget?.window ? fill(words.keys.every, { window: of.budget.window }) : "";
  if (of.budget?.money) lines.push(fill(words.keys.budgetMoney, { n: of.budget.money, window }));
  if (of.budget?.tokens) lines.push(fill(words.keys.budgetTokens, { n: number(of.budget.tokens), window }));
  if (lines.length === 0) return /* @__PURE__ */ a($, { children: words.units.none });
  return /* @__PURE__ */ a("ul", { class: "plain fine", children: lines.map((line) => /* @__PURE__ */ a("li", { children: line }, line)) });
}
function Actions({ of, onOpen }) {
  if (of.status === "revoked") return null;
  const name = of.name || of.id;
  const button = (kind, icon) => /* @__PURE__ */ a(
    "button",
    {
      type: "button",
      class: "bare",
      title: words.keys[kind],
      "aria-label": `${words.keys[kind]}: ${name}`,
      onClick: () => onOpen({ kind, of }),
      children: /* @__PURE__ */ a(Icon, { name: icon })
    }
  );
  return /* @__PURE__ */ a("span", { class: "row", children: [
    button("edit", "edit"),
    button("rotate", "again"),
    button("revoke", "trash")
  ] });
}
export {
  Keys as default
};
