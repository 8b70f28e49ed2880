import {
  models,
  readModels,
  sayAnew
} from "./chunk.36F4CYVO.js";
import {
  Copy
} from "./chunk.VMVVYFXQ.js";
import {
  go
} from "./chunk.PVJQ653K.js";
import "./chunk.EOXX2F6M.js";
import {
  signIn
} from "./chunk.SNUI3KLE.js";
import {
  $,
  A,
  ApiError,
  Icon,
  Refused,
  a,
  d,
  fill,
  get,
  isAbort,
  words
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/pages/start_yaml.ts
var examples = {
  openai: {
    key: "OPENAI_API_KEY",
    yaml: `default_model: gpt-4o-mini
providers:
  - name: openai
    dialect: openai
    base_url: https://api.openai.com/v1
    api_key_env: OPENAI_API_KEY
    max_tokens_field: max_completion_tokens
models:
  - {name: "*", provider: openai}
`
  },
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    yaml: `default_model: claude-sonnet-4-5
providers:
  - name: anthropic
    dialect: anthropic
    base_url: https://api.anthropic.com/v1
    api_key_env: ANTHROPIC_API_KEY
models:
  - {name: "*", provider: anthropic}
`
  },
  vllm: {
    key: null,
    yaml: `providers:
  - name: local
    dialect: openai
    base_url: http://127.0.0.1:8000/v1
models:
  - {name: "*", provider: local}
`
  },
  ollama: {
    key: null,
    yaml: `providers:
  - name: ollama
    dialect: ollama
    base_url: http://127.0.0.1:11434
    timeouts: {first_byte: 10m}
models:
  - {name: "*", provider: ollama}
`
  }
};
var providerNames = Object.keys(examples);
var yamlOf = (name) => examples[name].yaml;
function commandsOf(name) {
  const { key } = examples[name];
  const setting = key ? `export ${key}=...
` : "";
  return `${setting}parley --check-config --config parley.yaml
parley serve --config parley.yaml`;
}

// src/pages/start.tsx
function Start({ route }) {
  const asked = route.name === "start";
  const [nothingSaid, setNothingSaid] = d(false);
  A(() => {
    if (asked) return;
    const abort = new AbortController();
    get("/v1/conversations?limit=1", { signal: abort.signal }).then(
      ({ data }) => data.length > 0 ? go("chat") : setNothingSaid(true),
      (error) => isAbort(error) || setNothingSaid(true)
    );
    return () => abort.abort();
  }, [asked]);
  if (!asked && !nothingSaid) return null;
  return /* @__PURE__ */ a("div", { class: "start", children: [
    /* @__PURE__ */ a("header", { class: "stack", children: [
      /* @__PURE__ */ a("h1", { children: words.start.title }),
      /* @__PURE__ */ a("p", { children: words.start.text })
    ] }),
    /* @__PURE__ */ a("div", { class: "cards", children: [
      /* @__PURE__ */ a(Say, {}),
      /* @__PURE__ */ a(Provider, {}),
      /* @__PURE__ */ a(FirstKey, {})
    ] })
  ] });
}
function Card({ icon, title, text, children }) {
  return /* @__PURE__ */ a("section", { class: "card stack", children: [
    /* @__PURE__ */ a("h2", { class: "row", children: [
      /* @__PURE__ */ a(Icon, { name: icon }),
      title
    ] }),
    /* @__PURE__ */ a("p", { children: text }),
    children
  ] });
}
function Say() {
  const [text, setText] = d(words.start.sayHello);
  A(() => {
    readModels().catch(() => {
    });
  }, []);
  return /* @__PURE__ */ a(Card, { icon: "chat", title: words.start.say, text: words.start.sayText, children: /* @__PURE__ */ a(
    "form",
    {
      class: "stack",
      onSubmit: (event) => {
        event.preventDefault();
        sayAnew(text);
      },
      children: [
        /* @__PURE__ */ a("label", { children: [
          words.chat.message,
          /* @__PURE__ */ a("input", { value: text, onInput: (event) => setText(event.currentTarget.value) })
        ] }),
        /* @__PURE__ */ a("button", { class: "primary", disabled: !text.trim(), children: [
          /* @__PURE__ */ a(Icon, { name: "send" }),
          fill(words.start.saySend, { model: models.value?.[0] ?? "echo" })
        ] })
      ]
    }
  ) });
}
function Provider() {
  const [name, setName] = d("openai");
  return /* @__PURE__ */ a(Card, { icon: "model", title: words.start.provider, text: words.start.providerText, children: [
    /* @__PURE__ */ a("label", { children: [
      words.start.providerName,
      /* @__PURE__ */ a("select", { value: name, onChange: (event) => setName(event.currentTarget.value), children: providerNames.map((one) => /* @__PURE__ */ a("option", { value: one, children: words.start.providers[one] }, one)) })
    ] }),
    /* @__PURE__ */ a(Program, { title: words.start.copyYaml, text: yamlOf(name) }),
    /* @__PURE__ */ a(Program, { title: words.start.check, text: commandsOf(name) })
  ] });
}
function Program({ title, text }) {
  return /* @__PURE__ */ a("div", { class: "stack tight", children: [
    /* @__PURE__ */ a("div", { class: "row between fine", children: [
      title,
      /* @__PURE__ */ a(Copy, { bare: true, text, label: title })
    ] }),
    /* @__PURE__ */ a("pre", { class: "snippet", tabIndex: 0, role: "group", "aria-label": title, children: text })
  ] });
}
function FirstKey() {
  const [name, setName] = d(words.start.keyDefault);
  const [made, setMade] = d(null);
  const [error, setError] = d(null);
  const make = async (event) => {
    event.preventDefault();
    setError(null);
    try {
      const body = { name, scopes: ["chat", "read", "files", "admin"] };
      setMade((await get("/v1/admin/keys", { body })).key);
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure)));
    }
  };
  return /* @__PURE__ */ a(Card, { icon: "key", title: words.start.key, text: words.start.keyText, children: [
    made ? /* @__PURE__ */ a(Made, { text: made }) : error?.status === 404 ? /* @__PURE__ */ a($, { children: [
      /* @__PURE__ */ a("p", { children: words.start.keyElsewhere }),
      /* @__PURE__ */ a(Program, { title: words.start.key, text: `parley keys create --name ${name} --scopes chat,read,files,admin` })
    ] }) : /* @__PURE__ */ a("form", { class: "stack", onSubmit: make, children: [
      /* @__PURE__ */ a("label", { children: [
        words.start.keyName,
        /* @__PURE__ */ a("input", { required: true, maxLength: 100, value: name, onInput: (event) => setName(event.currentTarget.value) })
      ] }),
      /* @__PURE__ */ a("button", { children: words.start.keyMake }),
      error && /* @__PURE__ */ a(Refused, { error })
    ] }),
    /* @__PURE__ */ a("p", { class: "fine", children: words.start.keyStays })
  ] });
}
function Made({ text }) {
  const [error, setError] = d(null);
  const use = () => signIn(text).then(() => go("chat"), setError);
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("strong", { children: words.start.keyMade }),
    /* @__PURE__ */ a("pre", { class: "snippet secret", tabIndex: 0, role: "group", "aria-label": words.signIn.key, children: text }),
    /* @__PURE__ */ a("div", { class: "row", children: [
      /* @__PURE__ */ a(Copy, { text }),
      /* @__PURE__ */ a("button", { type: "button", class: "primary", onClick: () => void use(), children: words.start.keyUse })
    ] }),
    error && /* @__PURE__ */ a(Refused, { error })
  ] });
}
export {
  Start as default
};
