import {
  go
} from "./chunk.PVJQ653K.js";
import {
  get,
  y
} from "./chunk.NTQJNANU.js";

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

export {
  models,
  readModels,
  sayAnew,
  takePrepared
};
