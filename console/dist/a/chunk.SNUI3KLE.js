import {
  ApiError,
  O,
  call,
  credentials,
  get,
  isAbort,
  y
} from "./chunk.NTQJNANU.js";

// src/session.ts
var STORED = "parley.session";
var phase = y("starting");
var me = y(null);
var admin = y(false);
var open = O(() => me.value !== null && me.value.id === null);
var signedInKey = null;
var renewal;
function may(scope) {
  if (scope === null) return true;
  return scope === "admin" ? admin.value : me.value?.scopes.includes(scope) ?? false;
}
async function start() {
  credentials.refused = forget;
  credentials.token = stored()?.token ?? "";
  try {
    await learn();
  } catch (error) {
    if (phase.value === "starting") phase.value = refusal(error) ? "out" : "unreachable";
  }
}
async function signIn(key) {
  keep(await get("/v1/session", { body: {}, key }));
  signedInKey = key;
  await learn();
}
async function signOut() {
  try {
    await call("/v1/session", { method: "DELETE" });
  } catch (error) {
    if (!refusal(error)) throw error;
  }
  forget();
}
async function learn() {
  const found = await get("/v1/me");
  admin.value = found.scopes.includes("admin") && await adminServed();
  me.value = found;
  phase.value = "in";
  planRenewal();
}
async function adminServed() {
  try {
    await call("/v1/admin/overview");
    return true;
  } catch (error) {
    if (isAbort(error) || !(error instanceof ApiError) || error.status === 0) throw error;
    return false;
  }
}
function refusal(error) {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}
function keep(session) {
  credentials.token = session.token;
  sessionStorage.setItem(STORED, JSON.stringify(session));
}
function stored() {
  const text = sessionStorage.getItem(STORED);
  return text === null ? null : JSON.parse(text);
}
function forget() {
  clearTimeout(renewal);
  credentials.token = "";
  signedInKey = null;
  sessionStorage.removeItem(STORED);
  me.value = null;
  admin.value = false;
  phase.value = "out";
}
function planRenewal() {
  clearTimeout(renewal);
  const session = stored();
  if (!session) return;
  const left = session.expires_at * 1e3 - Date.now();
  renewal = setTimeout(() => void renew(session), Math.max(1e3, left / 2));
}
async function renew(session) {
  const last = session.ends_at <= session.expires_at;
  if (document.visibilityState === "visible" && (!last || signedInKey !== null))
    try {
      keep(await get("/v1/session", { body: {}, key: last ? signedInKey : void 0 }));
    } catch {
    }
  if (credentials.token) planRenewal();
}

export {
  phase,
  me,
  admin,
  open,
  may,
  start,
  signIn,
  signOut
};
