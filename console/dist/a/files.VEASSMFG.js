import {
  Drop
} from "./chunk.UGZVKU5L.js";
import {
  save
} from "./chunk.52WONUWP.js";
import {
  Table
} from "./chunk.4U3THEMF.js";
import {
  picture
} from "./chunk.D3GP55VX.js";
import {
  useLoad
} from "./chunk.G5MVI7XM.js";
import {
  FormDialog,
  More,
  useAction,
  useList
} from "./chunk.RUJWRWSJ.js";
import {
  Time
} from "./chunk.2CUZQZSK.js";
import {
  bytes,
  count,
  time
} from "./chunk.5KMNDZQV.js";
import {
  Dialog
} from "./chunk.5PW4BKAU.js";
import {
  announce
} from "./chunk.EOXX2F6M.js";
import {
  $,
  A,
  Empty,
  Icon,
  Loading,
  Refused,
  State,
  a,
  call,
  d,
  fill,
  get,
  query,
  words
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/pages/files_preview.tsx
var SHOWN_MAX = 2e7;
var TEXT_MAX = 1e5;
function Preview({ of, onClose }) {
  const read = useLoad(
    (signal) => of.bytes > SHOWN_MAX ? Promise.resolve({ kind: "other", blob: null }) : look(of, signal),
    [of.id]
  );
  const download = async () => save(read.data?.blob ?? await content(of), of.filename);
  return /* @__PURE__ */ a(Dialog, { title: of.filename, onClose, children: /* @__PURE__ */ a("div", { class: "stack preview", children: [
    /* @__PURE__ */ a("p", { class: "fine", children: [
      bytes(of.bytes),
      " · ",
      time(of.created_at),
      " · ",
      /* @__PURE__ */ a("code", { children: of.id })
    ] }),
    /* @__PURE__ */ a(State, { of: read, children: (found) => /* @__PURE__ */ a(Shown, { of: found, name: of.filename }) }),
    /* @__PURE__ */ a("footer", { children: /* @__PURE__ */ a("button", { type: "button", onClick: () => void download(), children: words.actions.download }) })
  ] }) });
}
async function content(of, signal) {
  return (await call(`/v1/files/${of.id}/content`, { signal })).blob();
}
async function look(of, signal) {
  const blob = await content(of, signal);
  const image = await picture(blob);
  if (image) return { kind: "image", blob: image };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await blob.arrayBuffer());
    if (text.includes("\0")) return { kind: "other", blob };
    return { kind: "text", blob, text: text.slice(0, TEXT_MAX), cut: text.length > TEXT_MAX };
  } catch {
    return { kind: "other", blob };
  }
}
function Shown({ of, name }) {
  switch (of.kind) {
    case "text":
      return /* @__PURE__ */ a($, { children: [
        /* @__PURE__ */ a("pre", { class: "sheet", tabIndex: 0, "aria-label": name, children: of.text }),
        of.cut && /* @__PURE__ */ a("p", { class: "fine", children: fill(words.files.cut, { n: TEXT_MAX }) })
      ] });
    case "image":
      return /* @__PURE__ */ a(Picture, { blob: of.blob, name });
    case "other":
      return /* @__PURE__ */ a("p", { children: of.blob ? words.files.noPreview : words.files.tooLarge });
  }
}
function Picture({ blob, name }) {
  const [address, setAddress] = d("");
  A(() => {
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return address ? /* @__PURE__ */ a("img", { src: address, alt: fill(words.files.image, { name }) }) : null;
}

// src/pages/files.tsx
var PAGE = 100;
function Files() {
  const [shown, setShown] = d(null);
  const [leaving, setLeaving] = d(null);
  const list = useList(
    (after, signal) => get(`/v1/files${query({ limit: PAGE, after: after ?? void 0 })}`, { signal }),
    []
  );
  const rows = () => list.data ?? [];
  const upload = useAction();
  const take = (files) => upload.run(async () => {
    const made = [];
    try {
      for (const file of files) made.unshift(await send(file));
    } finally {
      list.set([...made, ...rows()]);
    }
    announce(count(made.length, words.files.uploaded));
  });
  return /* @__PURE__ */ a("div", { class: "page files", children: [
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h1", { children: words.pages.files }),
      /* @__PURE__ */ a(Drop, { label: words.files.upload, hint: words.files.uploadHint, multiple: true, busy: upload.busy, onFiles: take })
    ] }),
    upload.busy && /* @__PURE__ */ a(Loading, {}),
    upload.error && /* @__PURE__ */ a(Refused, { error: upload.error }),
    /* @__PURE__ */ a(
      State,
      {
        of: list,
        empty: (data) => data.length === 0,
        none: /* @__PURE__ */ a(Empty, { title: words.files.none, children: /* @__PURE__ */ a("p", { children: words.files.noneText }) }),
        children: (data) => /* @__PURE__ */ a(
          Table,
          {
            caption: words.pages.files,
            rows: data,
            id: (file) => file.id,
            columns: [
              {
                title: words.files.name,
                cell: (file) => /* @__PURE__ */ a("button", { type: "button", class: "bare link", onClick: () => setShown(file), children: file.filename })
              },
              { title: words.files.size, numeric: true, cell: (file) => bytes(file.bytes) },
              { title: words.files.purpose, cell: (file) => /* @__PURE__ */ a("code", { children: file.purpose }) },
              { title: words.files.time, cell: (file) => /* @__PURE__ */ a(Time, { at: file.created_at }) },
              { title: words.files.actions, cell: (file) => /* @__PURE__ */ a(Remove, { of: file, onRemove: () => setLeaving(file) }) }
            ]
          }
        )
      }
    ),
    /* @__PURE__ */ a(More, { of: list }),
    shown && /* @__PURE__ */ a(Preview, { of: shown, onClose: () => setShown(null) }),
    leaving && /* @__PURE__ */ a(
      Delete,
      {
        of: leaving,
        onClose: () => setLeaving(null),
        onDeleted: (id) => list.set(rows().filter((file) => file.id !== id))
      }
    )
  ] });
}
function send(file) {
  const form = new FormData();
  form.append("purpose", file.type.startsWith("image/") ? "vision" : "user_data");
  form.append("file", file);
  return get("/v1/files", {
    method: "POST",
    body: form,
    headers: { "Idempotency-Key": crypto.randomUUID() }
  });
}
function Remove({ of, onRemove }) {
  return /* @__PURE__ */ a(
    "button",
    {
      type: "button",
      class: "bare",
      title: words.actions.delete,
      "aria-label": `${words.actions.delete}: ${of.filename}`,
      onClick: onRemove,
      children: /* @__PURE__ */ a(Icon, { name: "trash" })
    }
  );
}
function Delete({ of, onClose, onDeleted }) {
  const submit = async () => {
    await call(`/v1/files/${of.id}`, { method: "DELETE" });
    onDeleted(of.id);
    announce(words.files.deleted);
    onClose();
  };
  return /* @__PURE__ */ a(
    FormDialog,
    {
      title: words.files.deleteTitle,
      submit: words.actions.delete,
      danger: true,
      onSubmit: submit,
      onClose,
      children: /* @__PURE__ */ a("p", { children: fill(words.files.deleteText, { name: of.filename }) })
    }
  );
}
export {
  Files as default
};
