import {
  Drop
} from "./chunk.UGZVKU5L.js";
import {
  save
} from "./chunk.52WONUWP.js";
import {
  useLoad
} from "./chunk.G5MVI7XM.js";
import {
  FormDialog,
  useAction
} from "./chunk.RUJWRWSJ.js";
import {
  count
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
  $,
  A,
  Icon,
  Loading,
  Refused,
  a,
  call,
  d,
  fill,
  get,
  words
} from "./chunk.NTQJNANU.js";

// src/pages/conversations_change.tsx
function Changes({ change, onClose, onChanged, onDeleted }) {
  switch (change.kind) {
    case "edit":
      return /* @__PURE__ */ a(Edit, { id: change.of.id, onClose, onChanged });
    case "export":
      return /* @__PURE__ */ a(Export, { of: change.of, onClose });
    case "delete":
      return /* @__PURE__ */ a(Delete, { of: change.of, onClose, onDeleted });
  }
}
var path = (id) => `/v1/conversations/${id}`;
var titleOf = (of) => of.title || words.conversations.untitled;
function Edit({
  id,
  onClose,
  onChanged
}) {
  const read = useLoad(
    async (signal) => {
      const answer = await call(path(id), { signal });
      return { conversation: await answer.json(), revision: answer.headers.get("ETag") };
    },
    [id]
  );
  if (read.data) return /* @__PURE__ */ a(EditForm, { read: read.data, onClose, onChanged });
  return /* @__PURE__ */ a(Dialog, { title: words.conversations.edit, onClose, children: read.error ? /* @__PURE__ */ a(Refused, { error: read.error, retry: read.reload }) : /* @__PURE__ */ a(Loading, {}) });
}
function EditForm({ read, onClose, onChanged }) {
  const [title, setTitle] = d(read.conversation.title ?? "");
  const [labels, setLabels] = d(Object.entries(read.conversation.metadata));
  const change = (i, name, value) => setLabels(labels.map((pair, place) => place === i ? [name, value] : pair));
  const submit = async () => {
    const metadata = Object.fromEntries(labels.filter(([name]) => name !== ""));
    const headers = read.revision ? { "If-Match": read.revision } : {};
    onChanged(
      await get(path(read.conversation.id), { method: "POST", body: { title, metadata }, headers })
    );
    announce(words.conversations.saved);
    onClose();
  };
  return /* @__PURE__ */ a(FormDialog, { title: words.conversations.edit, submit: words.actions.save, onSubmit: submit, onClose, children: [
    /* @__PURE__ */ a("label", { children: [
      words.conversations.title,
      /* @__PURE__ */ a("input", { value: title, maxLength: 256, onInput: (event) => setTitle(event.currentTarget.value) })
    ] }),
    /* @__PURE__ */ a("fieldset", { class: "labels", children: [
      /* @__PURE__ */ a("legend", { children: words.conversations.labels }),
      labels.map(([name, value], i) => /* @__PURE__ */ a("div", { class: "row", children: [
        /* @__PURE__ */ a(
          "input",
          {
            "aria-label": words.conversations.labelName,
            placeholder: words.conversations.labelName,
            maxLength: 64,
            value: name,
            onInput: (event) => change(i, event.currentTarget.value, value)
          }
        ),
        /* @__PURE__ */ a(
          "input",
          {
            "aria-label": words.conversations.labelValue,
            placeholder: words.conversations.labelValue,
            maxLength: 512,
            value,
            onInput: (event) => change(i, name, event.currentTarget.value)
          }
        ),
        /* @__PURE__ */ a(
          "button",
          {
            type: "button",
            class: "bare",
            title: words.conversations.labelRemove,
            "aria-label": `${words.conversations.labelRemove}: ${name}`,
            onClick: () => setLabels(labels.filter((_, place) => place !== i)),
            children: /* @__PURE__ */ a(Icon, { name: "close" })
          }
        )
      ] }, i)),
      labels.length < 16 && /* @__PURE__ */ a("button", { type: "button", onClick: () => setLabels([...labels, ["", ""]]), children: [
        /* @__PURE__ */ a(Icon, { name: "plus" }),
        words.conversations.labelAdd
      ] })
    ] })
  ] });
}
async function exported(id, signal) {
  return (await call(`${path(id)}/export`, { signal })).blob();
}
function Export({ of, onClose }) {
  const read = useLoad((signal) => exported(of.id, signal), [of.id]);
  A(() => {
    if (!read.data) return;
    save(read.data, `${of.id}.jsonl`);
    announce(words.conversations.exported);
    onClose();
  }, [read.data]);
  return /* @__PURE__ */ a(Dialog, { title: words.conversations.export, onClose, children: [
    /* @__PURE__ */ a("p", { children: titleOf(of) }),
    read.error ? /* @__PURE__ */ a(Refused, { error: read.error, retry: read.reload }) : /* @__PURE__ */ a(Loading, {})
  ] });
}
function Delete({
  of,
  onClose,
  onDeleted
}) {
  const submit = async () => {
    await call(path(of.id), { method: "DELETE" });
    onDeleted(of.id);
    announce(words.conversations.deleted);
    onClose();
  };
  return /* @__PURE__ */ a(
    FormDialog,
    {
      title: words.conversations.deleteTitle,
      submit: words.actions.delete,
      danger: true,
      onSubmit: submit,
      onClose,
      children: /* @__PURE__ */ a("p", { children: fill(words.conversations.deleteText, { title: titleOf(of) }) })
    }
  );
}

// src/pages/conversations_import.tsx
function importArchive(file) {
  return get("/v1/conversations/import", {
    method: "POST",
    body: file,
    headers: { "Content-Type": "application/jsonl", "Idempotency-Key": crypto.randomUUID() }
  });
}
function Import({ onDone }) {
  const action = useAction();
  const [done, setDone] = d(null);
  const take = ([file]) => action.run(async () => {
    setDone(null);
    const result = await importArchive(file);
    setDone(result);
    announce(count(result.conversations.length, words.conversations.imported));
    onDone();
  });
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a(
      Drop,
      {
        label: words.conversations.import,
        hint: words.conversations.importHint,
        accept: ".jsonl,.json,application/json,application/jsonl",
        busy: action.busy,
        onFiles: take
      }
    ),
    action.busy && /* @__PURE__ */ a(Loading, {}),
    action.error && /* @__PURE__ */ a(Refused, { error: action.error }),
    done && /* @__PURE__ */ a(Outcome, { of: done, onClose: () => setDone(null) })
  ] });
}
function Outcome({ of, onClose }) {
  const messages = of.conversations.reduce((sum, one) => sum + one.messages, 0);
  const only = of.conversations.length === 1 ? of.conversations[0] : void 0;
  return /* @__PURE__ */ a("div", { class: "notice wide", role: "group", "aria-label": words.conversations.importDone, children: [
    /* @__PURE__ */ a(Icon, { name: "check" }),
    /* @__PURE__ */ a("div", { children: [
      /* @__PURE__ */ a("strong", { children: count(of.conversations.length, words.conversations.imported) }),
      /* @__PURE__ */ a("p", { children: count(messages, words.conversations.messages) }),
      only && /* @__PURE__ */ a("a", { href: href("chat", only.id), children: words.conversations.open }),
      of.warnings.length > 0 && /* @__PURE__ */ a("details", { open: true, children: [
        /* @__PURE__ */ a("summary", { children: count(of.warnings.length, words.conversations.warnings) }),
        /* @__PURE__ */ a("ul", { children: of.warnings.map((warning, i) => /* @__PURE__ */ a("li", { children: warning.message }, i)) })
      ] }),
      /* @__PURE__ */ a("button", { type: "button", onClick: onClose, children: words.actions.close })
    ] })
  ] });
}

export {
  Changes,
  exported,
  importArchive,
  Import
};
