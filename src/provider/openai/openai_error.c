/* Error objects of OpenAI-compatible providers, in all forms that these send. */
#include "base/arena.h"
#include "provider/openai/openai.h"
#include "provider/secret_mask.h"

/* The members of an error object; each may be missing. */
struct report {
	char    message[280];
	char    type[64];
	char    code[64];
	char    param[160];
	char    reason[64]; /* Gemini's details: why; OpenRouter's metadata: MODERATED */
	int64_t status;
};

#define MODERATED "flagged_input"

enum { OVERLOADED = 529 }; /* Anthropic's; clients of other APIs get a 503 */

/* The client must see that the gateway's key is wrong, not its own. */
#define KEY_REFUSED                                                                               \
	"the provider refused the gateway's own key (status %d); the key of this request is not " \
	"at fault"

/* The meaning of a refusal: the first row of its status whose word is the error's type, code or
 * reason decides. AUTH: the key itself is refused, and only this makes a key dead. DENIED: the
 * gateway's account may not make the call, but another target may. SIGNATURE: the request has
 * parts that another host signed. REJECTED: the request is at fault otherwise. Sources: the providers' pages of errors (OpenAI, Azure OpenAI, Anthropic, OpenRouter),
 * google.rpc.Code and google.api.ErrorReason. */
/* clang-format off */
static const struct refusal {
	int64_t     status;
	const char *word; /* "": any other */
	enum errc   code;
	const char *begins; /* its message, where nothing else tells; NULL: any */
} refusals[] = {
	{ 400, "invalid_request_error", ERR_UPSTREAM_DENIED, "Your credit balance is too low" }, /* Anthropic */
	{ 400, "invalid_request_error", ERR_UPSTREAM_DENIED, "You have reached your specified" },
	{ 400, "invalid_encrypted_content", ERR_UPSTREAM_SIGNATURE, NULL }, /* OpenAI */
	{ 400, "API_KEY_INVALID", ERR_UPSTREAM_AUTH, NULL },
	{ 400, "invalid_request", ERR_UPSTREAM_AUTH, "API key not valid" }, /* Gemini's Interactions */
	{ 400, "FAILED_PRECONDITION", ERR_UPSTREAM_DENIED, NULL }, /* Gemini: wrong region, no billing */
	{ 400, "failed_precondition", ERR_UPSTREAM_DENIED, NULL },
	{ 401, "PermissionDenied", ERR_UPSTREAM_DENIED, NULL },    /* Azure: a role lacks the right */
	{ 401, "", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "invalid_api_key", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "authentication_error", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "AuthenticationTypeDisabled", ERR_UPSTREAM_AUTH, NULL }, /* Azure: keys are switched off */
	{ 403, "API_KEY_INVALID", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "API_KEY_SERVICE_BLOCKED", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "API_KEY_HTTP_REFERRER_BLOCKED", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "API_KEY_IP_ADDRESS_BLOCKED", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "API_KEY_ANDROID_APP_BLOCKED", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "API_KEY_IOS_APP_BLOCKED", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "CREDENTIALS_MISSING", ERR_UPSTREAM_AUTH, NULL },
	{ 403, "", ERR_UPSTREAM_AUTH, "The security token included in the request" }, /* Amazon */
	{ 403, "", ERR_UPSTREAM_AUTH, "The request signature we calculated" },
	{ 403, "", ERR_UPSTREAM_AUTH, "Signature expired" },
	{ 403, "", ERR_UPSTREAM_AUTH, "Authentication failed: Please make sure your API Key is valid" },
	{ 403, "", ERR_UPSTREAM_AUTH, "Invalid API Key format" },
	{ 403, "", ERR_UPSTREAM_AUTH, "Bearer Token has expired" },
	{ 403, MODERATED, ERR_UPSTREAM_REJECTED, NULL },
	{ 403, "content_filter", ERR_UPSTREAM_REJECTED, NULL },
	{ 403, "content_policy_violation", ERR_UPSTREAM_REJECTED, NULL },
	{ 403, "", ERR_UPSTREAM_DENIED, NULL },
};
/* clang-format on */

/* Parts of messages that refuse what another host signed, where no code says it: from Anthropic and those who
 * pass its words on, from OpenAI, and from Gemini.  Each message names the place first. */
static const char *const signatures[] = {
	"Invalid `signature` in `thinking` block",
	"Invalid signature in thinking block",
	"Invalid `data` in `redacted_thinking` block",
	"latest assistant message cannot be modified",
	"Encrypted content could not be decrypted",
	"Corrupted thought signature",
};

static bool read_string(const struct json_doc *doc, json_at i, struct arena *a, struct str *ret)
{
	return json_is_kind(doc, i, JSON_STRING) && json_text(doc, i, a, ret);
}

static json_at first_of(const struct json_doc *doc, json_at obj, const char *const keys[])
{
	for (; *keys; keys++) {
		json_at i = json_get_some(doc, obj, *keys);

		if (i != JSON_ABSENT)
			return i;
	}
	return JSON_ABSENT;
}

static void read_word(const struct decode *d, json_at obj, const char *key, struct arena *a,
		      char *ret, size_t ret_size)
{
	struct str text;

	if (read_string(d->doc, json_get(d->doc, obj, key), a, &text))
		scrub_word(d->mask, text, ret, ret_size);
}

/* A number in code or status is an HTTP status: OpenRouter, Gemini and llama.cpp write it so. */
static void openai_error_read_status(const struct json_doc *doc, json_at obj, struct report *r)
{
	static const char *const keys[] = { "status", "code", "status_code" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_at v = json_get(doc, obj, keys[i]);
		int64_t n;

		if (v != JSON_ABSENT && json_int(doc, v, &n) && n >= 400 && n <= 599)
			r->status = n;
	}
}

/* put_loc: prints a list such as ["body","messages",0,"role"] as the path messages[0].role. */
static void put_loc(const struct decode *d, json_at loc, char *ret, size_t ret_size)
{
	const struct json_doc *doc = d->doc;

	struct buf path;
	bool       ok = true;

	buf_init(&path, ret_size);
	for (json_at i = json_first(doc, loc); ok && i != json_end(doc, loc);
	     i = json_next(doc, i)) {
		struct str word = json_inner_of(doc, i);

		if (json_kind(doc, i) == JSON_NUMBER)
			ok = buf_text(&path, "[") && buf_str(&path, json_raw(doc, i)) &&
			     buf_text(&path, "]");
		else if (path.len > 0 || !str_is(word, "body"))
			ok = (path.len == 0 || buf_text(&path, ".")) && buf_str(&path, word);
	}
	if (ok)
		scrub_word(d->mask, buf_view(&path), ret, ret_size);
	buf_finish(&path);
}

/* read_detail: reads the first entry of a list of a request's faults (FastAPI: Mistral, vLLM). */
static void read_detail(const struct decode *d, json_at obj, struct arena *a, struct report *r)
{
	const struct json_doc *doc = d->doc;

	json_at    message = json_get(doc, obj, "message");
	json_at    list = json_get(doc, obj, "detail");
	struct str text;

	if (list == JSON_ABSENT && message != JSON_ABSENT)
		list = json_get(doc, message, "detail");
	if (!json_is_kind(doc, list, JSON_ARRAY) || doc->tok[list].count == 0)
		return;
	json_at first = json_first(doc, list);
	json_at loc = json_get(doc, first, "loc");
	if (json_kind(doc, first) != JSON_OBJECT)
		return;
	if (read_string(doc, json_get(doc, first, "msg"), a, &text))
		scrub_message(d->mask, text, r->message, sizeof r->message);
	if (json_is_kind(doc, loc, JSON_ARRAY))
		put_loc(d, loc, r->param, sizeof r->param);
}

/* read_reason: reads reasons that codes do not give. */
static void read_reason(const struct decode *d, json_at obj, struct arena *a, struct report *r)
{
	const struct json_doc *doc = d->doc;
	json_at                list = json_get(doc, obj, "details");
	json_at                meta = json_get(doc, obj, "metadata");

	if (meta != JSON_ABSENT && (json_get(doc, meta, "flagged_input") != JSON_ABSENT ||
				    json_get(doc, meta, "reasons") != JSON_ABSENT))
		str_copy(r->reason, sizeof r->reason, STR(MODERATED));
	if (!r->code[0] &&
	    json_is_kind(doc, list, JSON_OBJECT)) /* Anthropic: a limit of spending */
		read_word(d, list, "error_code", a, r->code, sizeof r->code);
	if (!json_is_kind(doc, list, JSON_ARRAY))
		return;
	for (json_at i = json_first(doc, list); !r->reason[0] && i != json_end(doc, list);
	     i = json_next(doc, i))
		read_word(d, i, "reason", a, r->reason, sizeof r->reason);
}

static void read_report(const struct decode *d, json_at at, struct report *r);

/* read_within: reads an error object that is the text of another (Ollama's, of the server that it
 * runs).  False: the text is none. */
static bool read_within(const struct decode *d, struct str text, struct report *r)
{
	struct json_doc   doc = { 0 };
	struct decode     own = { .doc = &doc, .mask = d->mask };
	struct openai_top top;
	struct err        e;
	json_at           where = JSON_ABSENT;

	if (!str_starts(text, STR("{\"error\":{")))
		return false;
	bool found = json_scan(&doc, text.p, text.n, &json_limits_upstream, &e) == ERR_OK;
	if (found) {
		openai_top_read(&doc, &top);
		found = openai_is_error(&doc, &top, &where);
	}
	if (found)
		read_report(&own, where, r);
	json_doc_finish(&doc);
	return found;
}

static void read_report(const struct decode *d, json_at at, struct report *r)
{
	const struct json_doc *doc = d->doc;

	static const char *const message_keys[] = { "message", "detail", "error", "msg", NULL };
	struct arena             a;
	struct str               text;

	*r = (struct report){ 0 };
	arena_init(&a, (size_t)1 << 20);
	if (json_kind(doc, at) == JSON_OBJECT) {
		if (read_string(doc, first_of(doc, at, message_keys), &a, &text))
			scrub_message(d->mask, text, r->message, sizeof r->message);
		read_word(d, at, "type", &a, r->type, sizeof r->type);
		read_word(d, at, "param", &a, r->param, sizeof r->param);
		read_word(d, at, "code", &a, r->code, sizeof r->code);
		if (!r->code[0])
			read_word(d, at, "status", &a, r->code, sizeof r->code);
		if (!r->message[0])
			read_detail(d, at, &a, r);
		read_reason(d, at, &a, r);
		openai_error_read_status(doc, at, r);
	} else if (json_kind(doc, at) == JSON_STRING && json_text(doc, at, &a, &text) &&
		   !read_within(d, text, r)) {
		scrub_message(d->mask, text, r->message, sizeof r->message);
	}
	arena_finish(&a);
}

/* --- a prompt that is too long --- */

/* Providers' words for a request whose prompt, alone or with the answer's most tokens, does not fit
 * into the model's context.  Sources: the providers' pages of errors and the sources of the servers
 * (vLLM's protocol checks, llama.cpp's server, SGLang, TGI, llama-cpp-python, LiteLLM's
 * ContextWindowExceededError and its lists of such texts). */
static const char *const overflow_words[] = {
	/* types and codes */
	"context_length_exceeded",   /* OpenAI, Azure, Groq, llama-cpp-python */
	"exceed_context_size_error", /* llama.cpp */
	"model_max_prompt_tokens_exceeded",
};
/* clang-format off */
static const char *const overflow_texts[] = {
	"maximum context length is",         /* OpenAI, DeepSeek, vLLM, OpenRouter, LM Studio */
	"exceeds the context window",        /* OpenAI's Responses */
	"exceed context window",             /* llama-cpp-python */
	"ContextWindowExceededError",        /* LiteLLM */
	"exceeds the available context size", /* llama.cpp; Ollama, as JSON in a text */
	"longer than the maximum model length", /* vLLM */
	"longer than the model's context length", /* SGLang */
	"model's maximum context length",    /* SGLang */
	"exceeds the context length",        /* Ollama */
	"prompt is too long",                /* Anthropic */
	"exceed context limit",              /* Anthropic: with max_tokens */
	"exceeds the maximum number of tokens allowed", /* Gemini */
	"tokens, too large for model with",  /* Mistral */
	"draft tokens, too large for model", /* Mistral */
	"maximum prompt length is",          /* xAI */
	"exceeded model token limit",        /* Moonshot */
	"Range of input length should be",   /* Qwen */
	"Prompt exceeds max length",         /* Zhipu */
	"context window exceeds limit",      /* MiniMax */
	"Input is too long for requested model", /* Bedrock */
	"`inputs` tokens + `max_new_tokens` must be", /* TGI */
};
/* clang-format on */

#define OVERFLOW "context_length_exceeded"

static bool is_overflow(const struct report *r)
{
	for (size_t i = 0; i < ARRAY_LEN(overflow_words); i++)
		if (strcmp(r->type, overflow_words[i]) == 0 ||
		    strcmp(r->code, overflow_words[i]) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_LEN(overflow_texts); i++)
		if (strcasestr(r->message, overflow_texts[i]))
			return true;
	return false;
}

/* --- */

static bool openai_error_passes(int64_t status)
{
	return status == 400 || status == 404 || status == 413 || status == 416 || status == 422 ||
	       status == 429;
}

/* keep_words: keeps the provider's type and code.  A code that only repeats a status says nothing. */
static void keep_words(const struct report *r, struct err *e)
{
	memcpy(e->type, r->type, sizeof e->type);
	memcpy(e->wire, r->code, sizeof e->wire);
	if (strspn(e->wire, "0123456789") == 3 && e->wire[3] == '\0')
		e->wire[0] = '\0';
}

/* The provider's own error is passed on: its status, its words and the path of the parameter. */
static enum errc set_rejected(int64_t status, const struct report *r, struct err *e)
{
	enum errc code = status == 429 ? ERR_UPSTREAM_RATE_LIMIT : ERR_UPSTREAM_REJECTED;

	if (r->message[0])
		err_set(e, code, r->param, "%s", r->message);
	else
		err_set(e, code, r->param, "the provider answered with status %d", (int)status);
	keep_words(r, e);
	if (code == ERR_UPSTREAM_REJECTED && (status == 400 || status == 413 || status == 422) &&
	    is_overflow(r))
		str_copy(e->wire, sizeof e->wire, STR(OVERFLOW));
	e->http = (int)status;
	e->verbatim = true;
	return code;
}

static enum errc openai_error_failed(enum errc code, int http, int64_t status,
				     const struct report *r, struct err *e)
{
	if (r->message[0])
		err_set(e, code, NULL, "%s", r->message);
	else
		err_set(e, code, NULL, "the provider answered with status %d", (int)status);
	e->explained = r->message[0] != '\0';
	e->http = http;
	return code;
}

/* openai_error_refused: looks a refusal up in the table; ERR_OK: no row fits. */
static enum errc openai_error_refused(int64_t status, const struct report *r)
{
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		const char *word = refusals[i].word;
		const char *begins = refusals[i].begins;

		if (refusals[i].status == status &&
		    (!begins || strncmp(r->message, begins, strlen(begins)) == 0) &&
		    (!word[0] || strcmp(word, r->type) == 0 || strcmp(word, r->code) == 0 ||
		     strcmp(word, r->reason) == 0))
			return refusals[i].code;
	}
	for (size_t i = 0; status == 400 && i < ARRAY_LEN(signatures); i++)
		if (strstr(r->message, signatures[i]))
			return ERR_UPSTREAM_SIGNATURE;
	return ERR_OK;
}

static enum errc set_denied(int64_t status, const struct report *r, struct err *e)
{
	const char *says = r->message[0] ? ": " : "";

	return err_set(
		e, ERR_UPSTREAM_DENIED, NULL,
		"the provider does not let the gateway's account make this call (status %d)%s%s",
		(int)status, says, r->message);
}

static enum errc for_status(int64_t status, const struct report *r, struct err *e)
{
	enum errc code = openai_error_refused(status, r);

	if (code == ERR_UPSTREAM_AUTH)
		err_set(e, code, NULL, KEY_REFUSED, (int)status);
	else if (code == ERR_UPSTREAM_DENIED)
		set_denied(status, r, e);
	else if (code == ERR_UPSTREAM_SIGNATURE)
		set_rejected(status, r, e);
	else if (code == ERR_UPSTREAM_REJECTED || openai_error_passes(status))
		code = set_rejected(status, r, e);
	else if (status == 503 || status == OVERLOADED)
		code = openai_error_failed(ERR_UPSTREAM_UNAVAILABLE, 0, status, r, e);
	else
		code = openai_error_failed(ERR_UPSTREAM_ERROR, status == 504 ? 504 : 0, status, r,
					   e);
	e->code = code;
	e->upstream_status = (int)status;
	return code;
}

bool openai_is_error(const struct json_doc *doc, const struct openai_top *top, json_at *ret_where)
{
	if (json_kind(doc, 0) == JSON_ARRAY) { /* Gemini: [{"error":{...}}] */
		json_at first = json_first(doc, 0);
		json_at inner =
			first != json_end(doc, 0) ? json_get(doc, first, "error") : JSON_ABSENT;

		if (!openai_truthy(doc, inner))
			return false;
		*ret_where = inner;
		return true;
	}
	if (openai_truthy(doc, top->error)) {
		*ret_where = top->error;
		return true;
	}
	if (!str_is(json_inner_of(doc, top->object), "error"))
		return false;
	*ret_where = 0; /* older vLLM: the root is the error */
	return true;
}

enum errc openai_error(const struct decode *d, json_at where, struct err *e)
{
	struct report r;

	read_report(d, where, &r);
	if (r.status == 0 && is_overflow(&r))
		r.status = 400;
	if (r.status != 0) {
		enum errc code = for_status(r.status, &r, e);

		if (code != ERR_UPSTREAM_AUTH && code != ERR_UPSTREAM_DENIED &&
		    code != ERR_UPSTREAM_REJECTED)
			keep_words(&r, e);
		return code;
	}
	err_set(e, ERR_UPSTREAM_ERROR, r.param, "%s",
		r.message[0] ? r.message : "the provider reported an error without a message");
	keep_words(&r, e);
	e->verbatim = true;
	return e->code;
}

enum errc openai_error_plain(const struct decode *d, struct str text, struct err *e)
{
	char message[240] = "";

	if (utf8_valid(text.n > 0 ? text.p : "", text.n))
		scrub_message(d->mask, text, message, sizeof message);
	return err_set(e, ERR_UPSTREAM_ERROR, NULL, "%s",
		       message[0] ? message : "the provider reported an error without a message");
}

enum errc openai_scan_event(struct decode *d, struct str name, struct str text, struct err *e)
{
	if (json_scan(d->doc, text.p, text.n, &json_limits_upstream, e) == ERR_OK)
		return ERR_OK;
	return str_is(name, "error") ? openai_error_plain(d, text, e)
				     : decode_bad(e, "a stream event that is not JSON");
}

enum errc openai_scan_body(struct decode *d, struct str body, struct err *e)
{
	if (json_scan(d->doc, body.p ? body.p : "", body.n, &json_limits_upstream, e) == ERR_OK)
		return ERR_OK;
	return decode_bad(e, "an answer that is not JSON");
}

enum errc openai_scan_object(struct decode *d, struct str body, struct err *e)
{
	if (openai_scan_body(d, body, e) != ERR_OK)
		return e->code;
	return json_kind(d->doc, 0) == JSON_OBJECT
		       ? ERR_OK
		       : decode_bad(e, "an answer that is no JSON object");
}

enum errc openai_answer(const struct decode *d, const struct str *event, struct openai_top *ret,
			struct err *e)
{
	json_at where = 0;

	openai_top_read(d->doc, ret);
	if (openai_is_error(d->doc, ret, &where) || (event && str_is(*event, "error")))
		return openai_error(d, where, e);
	return json_kind(d->doc, 0) == JSON_OBJECT
		       ? ERR_OK
		       : decode_bad(e, event ? "a stream event that is no JSON object"
					     : "an answer that is no JSON object");
}

void openai_decode_error(const struct decode *d, int status, struct str body, struct err *e)
{
	struct json_doc   doc = { 0 };
	struct decode     own = { .doc = &doc, .mask = d->mask };
	struct report     r = { 0 };
	struct openai_top top;
	json_at           where;

	/* HTML and other text means nothing to a client, and may reveal too much. */
	if (json_scan(&doc, body.p ? body.p : "", body.n, &json_limits_upstream, e) == ERR_OK) {
		openai_top_read(&doc, &top);
		if (!openai_is_error(&doc, &top, &where))
			where = 0;
		read_report(&own, where, &r);
	}
	json_doc_finish(&doc);
	for_status(status, &r, e);
}
