import {
  y
} from "./chunk.NTQJNANU.js";

// src/router.ts
var route = y(parse(location.hash));
function href(name, id, parameters = {}) {
  const tail = new URLSearchParams(parameters).toString();
  return `#/${name}${id ? `/${encodeURIComponent(id)}` : ""}${tail ? `?${tail}` : ""}`;
}
function go(name, id, parameters = {}) {
  location.hash = href(name, id, parameters);
}
function replace(name, id, parameters = {}) {
  history.replaceState(null, "", href(name, id, parameters));
  route.value = parse(location.hash);
}
function parse(hash) {
  const [path = "", tail = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name = "", id = ""] = path.split("/", 2);
  return { name, id: id ? decode(id) : null, query: new URLSearchParams(tail) };
}
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

export {
  route,
  href,
  go,
  replace
};
