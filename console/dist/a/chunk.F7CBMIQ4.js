import {
  x,
  y
} from "./chunk.NTQJNANU.js";

// src/preferences.ts
var STORED = "parley.preferences";
var defaults = { theme: "auto", letters: true, model: "" };
var preferences = y(read());
function prefer(change) {
  preferences.value = { ...preferences.value, ...change };
  localStorage.setItem(STORED, JSON.stringify(preferences.value));
}
function read() {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(STORED) ?? "{}") };
  } catch {
    return defaults;
  }
}
x(() => {
  document.documentElement.dataset.theme = preferences.value.theme;
});

export {
  preferences,
  prefer
};
