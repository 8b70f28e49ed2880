import {
  useOverview
} from "./chunk.RK7UPRV6.js";
import {
  Table
} from "./chunk.4U3THEMF.js";
import {
  useLoad
} from "./chunk.G5MVI7XM.js";
import {
  Time
} from "./chunk.2CUZQZSK.js";
import {
  duration,
  number
} from "./chunk.5KMNDZQV.js";
import {
  admin
} from "./chunk.SNUI3KLE.js";
import {
  $,
  Empty,
  Icon,
  State,
  a,
  fill,
  get,
  words
} from "./chunk.NTQJNANU.js";
import "./chunk.I6EMAZO5.js";

// src/pages/models.tsx
function Models() {
  return admin.value ? /* @__PURE__ */ a(Configured, {}) : /* @__PURE__ */ a(Names, {});
}
function Names() {
  const read = useLoad((signal) => get("/v1/models", { signal }), []);
  return /* @__PURE__ */ a("div", { class: "page", children: [
    /* @__PURE__ */ a("h1", { children: words.pages.models }),
    /* @__PURE__ */ a(State, { of: read, empty: (models) => models.data.length === 0, children: (models) => /* @__PURE__ */ a(
      Table,
      {
        caption: words.pages.models,
        rows: models.data,
        id: (model) => model.id,
        columns: [
          { title: words.models.name, cell: (model) => /* @__PURE__ */ a("code", { children: model.id }) },
          { title: words.models.provider, cell: (model) => model.owned_by ?? words.units.none }
        ]
      }
    ) })
  ] });
}
function Configured() {
  const read = useOverview();
  return /* @__PURE__ */ a("div", { class: "page models", children: [
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h1", { children: words.pages.models }),
      /* @__PURE__ */ a("button", { type: "button", disabled: read.busy, onClick: read.reload, children: [
        /* @__PURE__ */ a(Icon, { name: "again" }),
        words.models.reload
      ] })
    ] }),
    /* @__PURE__ */ a(State, { of: read, children: ({ models, providers }) => /* @__PURE__ */ a($, { children: [
      /* @__PURE__ */ a("section", { class: "stack", children: [
        models.length === 0 && /* @__PURE__ */ a(Empty, { title: words.models.none }),
        models.map((model) => /* @__PURE__ */ a(ModelCard, { of: model }, model.name))
      ] }),
      /* @__PURE__ */ a("section", { class: "stack", children: [
        /* @__PURE__ */ a("h2", { children: words.models.providers }),
        /* @__PURE__ */ a(Providers, { of: providers })
      ] })
    ] }) })
  ] });
}
function HealthBadge({ of, until }) {
  const kind = of === "fine" ? "good" : of === "probe" ? "" : "bad";
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("span", { class: `badge ${kind}`, title: words.models.healthTexts[of], children: words.models.health[of] }),
    until && /* @__PURE__ */ a("p", { class: "fine", children: [
      words.models.until,
      " ",
      /* @__PURE__ */ a(Time, { at: until })
    ] })
  ] });
}
function ModelCard({ of }) {
  return /* @__PURE__ */ a("article", { class: "card stack", children: [
    /* @__PURE__ */ a("header", { class: "row wrap between", children: [
      /* @__PURE__ */ a("h2", { children: /* @__PURE__ */ a("code", { children: of.name }) }),
      /* @__PURE__ */ a("p", { class: "fine row wrap", children: [
        of.max_output !== null && /* @__PURE__ */ a("span", { children: fill(words.models.maxOutput, { n: number(of.max_output) }) }),
        of.place && /* @__PURE__ */ a("code", { children: of.place })
      ] })
    ] }),
    /* @__PURE__ */ a(
      Table,
      {
        caption: fill(words.models.targetsOf, { name: of.name }),
        rows: of.targets,
        id: (target) => `${target.provider} ${target.upstream_model}`,
        columns: [
          { title: words.models.target, cell: (target) => /* @__PURE__ */ a(TargetName, { of: target }) },
          {
            title: words.models.healthTitle,
            cell: (target) => /* @__PURE__ */ a(HealthBadge, { of: target.health, until: target.until })
          },
          { title: words.models.weight, numeric: true, cell: (target) => number(target.weight) },
          { title: words.models.calls, numeric: true, cell: (target) => number(target.calls) },
          { title: words.models.failed, numeric: true, cell: (target) => number(target.failed) },
          {
            title: words.models.first,
            numeric: true,
            cell: (target) => target.first_token_ms === null ? words.units.none : duration(target.first_token_ms)
          },
          { title: words.models.price, cell: (target) => /* @__PURE__ */ a(Price, { of: target }) },
          { title: words.models.lastError, cell: (target) => /* @__PURE__ */ a(LastError, { of: target }) }
        ]
      }
    ),
    of.fallback.length > 0 && /* @__PURE__ */ a("p", { children: [
      words.models.fallback,
      " ",
      of.fallback.map((name, i) => /* @__PURE__ */ a("span", { children: [
        i > 0 && " → ",
        /* @__PURE__ */ a("code", { children: name })
      ] }, name))
    ] })
  ] });
}
function TargetName({ of }) {
  return /* @__PURE__ */ a($, { children: [
    of.provider,
    /* @__PURE__ */ a("br", {}),
    of.upstream_model === null ? /* @__PURE__ */ a("span", { class: "fine", children: words.models.star }) : /* @__PURE__ */ a("code", { class: "fine", children: of.upstream_model })
  ] });
}
function Price({ of }) {
  if (!of.price) return /* @__PURE__ */ a("span", { class: "fine", children: words.models.priceSources[of.price_source] });
  return /* @__PURE__ */ a($, { children: [
    /* @__PURE__ */ a("span", { title: words.models.priceUnit, children: fill(words.models.priceText, { input: of.price.input, output: of.price.output }) }),
    /* @__PURE__ */ a("p", { class: "fine", children: words.models.priceSources[of.price_source] })
  ] });
}
function LastError({ of }) {
  if (!of.last_error) return /* @__PURE__ */ a($, { children: words.units.none });
  const { at, code, http_status, message } = of.last_error;
  return /* @__PURE__ */ a("div", { class: "last-error", children: [
    /* @__PURE__ */ a("p", { children: [
      /* @__PURE__ */ a("code", { children: code }),
      " ",
      http_status,
      " · ",
      /* @__PURE__ */ a(Time, { at })
    ] }),
    /* @__PURE__ */ a("p", { class: "fine", children: message })
  ] });
}
function Providers({ of }) {
  return /* @__PURE__ */ a(
    Table,
    {
      caption: words.models.providers,
      rows: of,
      id: (provider) => provider.name,
      columns: [
        { title: words.models.name, cell: (provider) => provider.name },
        { title: words.models.healthTitle, cell: (provider) => /* @__PURE__ */ a(HealthBadge, { of: provider.health }) },
        { title: words.models.dialect, cell: (provider) => /* @__PURE__ */ a("code", { children: provider.dialect }) },
        {
          title: words.models.address,
          cell: (provider) => provider.base_url ? /* @__PURE__ */ a("code", { children: provider.base_url }) : words.models.builtIn
        },
        { title: words.models.key, cell: (provider) => words.settings.secretStates[provider.key] },
        { title: words.models.headers, cell: (provider) => provider.headers.join(", ") || words.units.none },
        {
          title: words.settings.place,
          cell: (provider) => provider.place ? /* @__PURE__ */ a("code", { children: provider.place }) : words.units.none
        }
      ]
    }
  );
}
export {
  HealthBadge,
  Models as default
};
