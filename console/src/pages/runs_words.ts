// Why a call failed, and what helps: words for each code of an error in docs/api.md. They are beside words.ts because only
// the page of a run needs them; another language has this table too.
export interface Reason {
  why: string;
  help: string;
}

const request: Reason = {
  why: 'The request was not valid, so no provider was asked.',
  help: 'The error’s message names the member of the body and says what is allowed. Correct it in the program that sends the request.',
};
const key: Reason = {
  why: 'The call came without a key that the gateway knows, so no provider was asked.',
  help: 'Send a valid key in the header Authorization. A key that has expired or was revoked has to be replaced under Keys.',
};
const provider: Reason = {
  why: 'The provider failed.',
  help: 'Most failures of this kind pass by themselves. If they stay, look at the provider under Models, and add a fallback to the model.',
};

export const reasons: Record<string, Reason> = {
  invalid_json: {
    why: 'The body of the request is not JSON, so no provider was asked.',
    help: 'Look for trailing bytes, NaN, duplicate keys and bad UTF-8 in what the program sends.',
  },
  invalid_type: request,
  invalid_value: request,
  missing_required_parameter: request,
  unknown_parameter: request,
  unsupported_parameter: request,
  not_supported_yet: request,
  bad_request: request,
  missing_api_key: key,
  malformed_authorization: key,
  invalid_api_key: key,
  invalid_session: key,
  invalid_token: {
    why: 'The token of an issuer was not accepted.',
    help: 'Get a new one. The metric parley_token_refusals_total says what was wrong: time, audience, key, signature.',
  },
  token_keys_unavailable: {
    why: 'The keys of the token’s issuer could not be fetched.',
    help: 'The log says why, as jwks. See whether the gateway reaches the issuer, and whether the configuration has its address.',
  },
  insufficient_scope: {
    why: 'The key is valid but lacks the scope that this route needs.',
    help: 'Use another key, or add the scope to this one under Keys.',
  },
  budget_not_enforceable: {
    why: 'The key has a budget, and the most that this call could cost is not known.',
    help: 'Give the model a price and max_output in the configuration, or send max_tokens with the request.',
  },
  insufficient_quota: {
    why: 'The budget of the key is too small for what the call may cost.',
    help: 'Raise the budget under Keys, wait until it resets, or send a smaller max_tokens.',
  },
  host_not_allowed: {
    why: 'A gateway without keys answers only local programs; this call came by another name or from a web page.',
    help: 'Call it as 127.0.0.1 or localhost, or make a key.',
  },
  not_found: {
    why: 'What the request names does not exist, or belongs to another key.',
    help: 'Check the id, and with which key it was made.',
  },
  run_elsewhere: {
    why: 'The run began at another gateway and is not stored.',
    help: 'Ask the gateway that began it.',
  },
  model_not_found: {
    why: 'There is no such model, or the key may not use it.',
    help: 'The error’s message lists the models. Add the name to the configuration, or allow it for the key.',
  },
  unknown_url: {
    why: 'The gateway has no such route.',
    help: 'The error’s message names the right path. Usually the base URL of the program lacks /v1, or has it twice.',
  },
  method_not_allowed: { why: 'The route has other methods.', help: 'The header Allow lists them.' },
  gone: { why: 'The object existed but is no longer kept.', help: 'Nothing can be done; the retention says how long things are kept.' },
  conversation_busy: {
    why: 'Another run of this conversation was still going on.',
    help: 'Send the request again when that run has ended.',
  },
  idempotency_key_lost: {
    why: 'The gateway was cut off for a while, and another one has made this call.',
    help: 'The same request again gets its answer.',
  },
  idempotency_key_reused: {
    why: 'The Idempotency-Key was used for another request.',
    help: 'The program must use a new key for each new request.',
  },
  not_continuable: {
    why: 'The run can’t be continued: it is not the newest, has no answer, or waits for no approval.',
    help: 'Write a new message in the conversation instead.',
  },
  precondition_failed: {
    why: 'The conversation was changed by somebody else meanwhile.',
    help: 'Read it again, and repeat the change.',
  },
  request_too_large: {
    why: 'The body, or a file in it, is larger than allowed.',
    help: 'Raise max_body, or the limit of the key; the error’s message says which of them was met.',
  },
  unsupported_media_type: {
    why: 'The body is not declared as JSON, or is compressed.',
    help: 'Send Content-Type: application/json, without compression.',
  },
  rate_limit_exceeded: {
    why: 'A limit of calls or tokens was reached.',
    help: 'Wait, as Retry-After says, and repeat. If it happens often, raise the limit, or spread the calls over several providers or keys.',
  },
  internal_error: {
    why: 'A fault of the gateway.',
    help: 'Look for the run’s id in the gateway’s log, and report it.',
  },
  overloaded: {
    why: 'The gateway had too much to do, or too little memory.',
    help: 'Repeat the call later. If it stays so, raise max_calls and max_waiting, or give it a larger machine.',
  },
  computer_unavailable: {
    why: 'The computer that runs code can’t be reached, or has stopped.',
    help: 'See whether its service runs, and send the message again.',
  },
  content_blocked: {
    why: 'A hook of the operator’s blocked the request, so no provider was asked.',
    help: 'Send something else. What the hook forbids, its operator knows; the run says which hook it was.',
  },
  not_cached: {
    why: 'The request asked for a kept answer alone, and there is none.',
    help: 'Repeat it without “only”.',
  },
  group_in_use: {
    why: 'The group can’t be deleted, because keys belong to it.',
    help: 'Move its keys to another group, or revoke them.',
  },
  websocket_not_supported: {
    why: 'The client asked for a WebSocket, which the gateway does not have.',
    help: 'Let the client use HTTP with server-sent events; most do so by themselves.',
  },
  hook_unavailable: {
    why: 'A hook that has to look at the texts gave no verdict, so nothing passed.',
    help: 'See whether its service runs and answers in time, then repeat the call. The gateway’s log names the hook.',
  },
  draining: { why: 'The gateway was stopping, and took no new calls.', help: 'Repeat the call when it is back.' },
  server_shutting_down: {
    why: 'The gateway was stopped during the answer.',
    help: 'A stored answer can be continued; others have to be asked for again.',
  },
  server_stopped: {
    why: 'The gateway ended during the answer: it was killed, or has crashed.',
    help: 'A stored answer can be continued; others have to be asked for again. The system’s log may say why the gateway ended.',
  },
  exported_unfinished: {
    why: 'The archive from which this run was imported was made while its answer was coming.',
    help: 'The archive has no more of the answer. Export the conversation again, or continue the answer here.',
  },
  storage_unavailable: {
    why: 'The database could not be read or written.',
    help: 'See under Settings why: a full disk, or a database that is away. Calls that are not stored still work.',
  },
  cancelled: { why: 'Somebody cancelled the run before its answer began.', help: 'Nothing has to be done.' },
  upstream_rejected: {
    why: 'The provider refused the request.',
    help: 'The error’s message is the provider’s own. Correct what it names; a repetition would be refused again.',
  },
  upstream_signature_refused: {
    why: 'The provider refused content that another provider has signed.',
    help: 'Begin a new conversation with this model, or stay with the model that made the content.',
  },
  context_length_exceeded: {
    why: 'The prompt is too long for the model.',
    help: 'Send less of the conversation, or use a model with a larger context.',
  },
  upstream_error: provider,
  upstream_bad_response: {
    why: 'The provider sent something that is no answer.',
    help: 'Often base_url leads to a web page or to another API: check it, and the dialect. If it worked before, the provider has a fault.',
  },
  upstream_connect_failed: {
    why: 'The provider could not be reached.',
    help: 'Check its base_url, DNS and the firewall, and whether its server runs. The gateway’s log names host and port.',
  },
  upstream_auth_failed: {
    why: 'The provider refused the gateway’s own key. The key of the caller is fine.',
    help: 'Put a valid key of this provider into the gateway’s configuration or environment, and reload.',
  },
  upstream_rate_limited: {
    why: 'The provider’s limit of calls or tokens was reached a moment before, so it was not asked.',
    help: 'Wait, as Retry-After says. If it happens often, ask the provider for more, or add a second target or a fallback to the model.',
  },
  upstream_denied: {
    why: 'The provider knows the gateway’s key but does not allow this call.',
    help: 'Usually the account lacks the model, or terms or a region forbid it. The error’s message is the provider’s own.',
  },
  upstream_credentials_exhausted: {
    why: 'The provider refused the gateway’s own key a moment ago, and no other provider is left to ask.',
    help: 'Put a valid key of this provider into the configuration, and reload.',
  },
  stream_incomplete: {
    why: 'The provider’s answer broke off.',
    help: 'Repeat the call, or continue it if it is stored. If it happens often, a proxy on the way may cut streams.',
  },
  upstream_unavailable: {
    why: 'The provider says that it is unavailable.',
    help: 'It usually passes within minutes. A fallback in the model’s configuration bridges it.',
  },
  no_healthy_upstream: {
    why: 'All targets of the model had failed too often, so none was asked.',
    help: 'Look under Models why they are down. Calls go to them again by themselves.',
  },
  connect_timeout: {
    why: 'The provider was not connected to within timeouts.connect.',
    help: 'Check its address and the network. A firewall that drops packets looks like this.',
  },
  first_byte_timeout: {
    why: 'The provider sent nothing within timeouts.first_byte.',
    help: 'A model that loads or thinks for long needs a larger first_byte; otherwise the provider hangs.',
  },
  idle_timeout: {
    why: 'The provider fell silent for longer than timeouts.idle.',
    help: 'Raise idle if the model makes long pauses; otherwise the provider or the network hangs.',
  },
  total_timeout: {
    why: 'The answer took longer than timeouts.total.',
    help: 'Raise total, or ask for shorter answers.',
  },
  upstream_timeout: {
    why: 'The model took longer than its provider lets it.',
    help: 'Ask for shorter answers, or for a stream. Another try takes as long.',
  },
};

export const otherwise = {
  refused: {
    why: 'The gateway refused the call before it asked a provider.',
    help: 'The error’s message says why.',
  },
  provider: {
    why: 'The provider reported an error; its code is the provider’s own.',
    help: 'The error’s message is the provider’s own, too. Correct what it names, or try again later if it names nothing.',
  },
  client_left: {
    why: 'The client closed the connection before the answer was complete.',
    help: 'Often its own time limit is shorter than the answer takes. A stream shows words earlier, and background lets the answer be finished without the client.',
  },
  limitOfProvider: {
    why: 'The provider’s limit of calls or tokens was reached.',
    help: 'Wait, as Retry-After says. If it happens often, ask the provider for more, or add a second target or a fallback to the model.',
  },
  limitOfGateway: {
    why: 'A limit of this key, or of all callers, was reached. No provider was asked.',
    help: 'Wait, as Retry-After says, or raise the limit under Keys.',
  },
} satisfies Record<string, Reason>;
