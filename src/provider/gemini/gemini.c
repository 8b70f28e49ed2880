/* Google's Gemini API (generateContent): decodes streams and plain answers.
 *
 * Each event of a stream is a whole GenerateContentResponse with the next parts; calls come in one
 * piece. There is no terminator: the stream is complete only after a finishReason, or if the prompt
 * was blocked, which leaves no candidates. Source: the API's reference, "GenerateContentResponse"
 * (v1beta). */
#include "provider/gemini/gemini.h"

#include "base/hash.h"
#include "base/id.h"
#include "base/limits.h"
#include "json/scan.h"
#include "shape/api_words.h"
#include "shape/carry.h"
#include "provider/openai/openai.h"
#include "provider/secret_mask.h"
#include "provider/decode.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* The newest running totals. */
struct counts {
	int64_t prompt, tools, candidates, thoughts, cached;
	int64_t heard, heard_cached, said, drawn; /* parts of those that are audio, and pictures */
	uint8_t class;
	uint16_t images; /* given so far */
};

struct reader {
	bool          called; /* a call was given */
	bool          said;   /* so was anything but reasoning */
	struct counts counts;
	struct usage  usage;      /* made of them */
	char          word[32];   /* the end so far, in OpenAI's word; "": none */
	char          native[64]; /* in the provider's */
	bool          went_on;    /* there was content after an end */
	uint64_t      begun,
		ended; /* bits of further candidates, which only the provider's own object has */
	char       seed[128]; /* for made ids: the answer's id, or random; "": not known yet */
	struct buf args;      /* scratch: a call's arguments */
	struct buf escaped;   /* scratch: the arguments escaped, or an image */
	uint32_t   unseen;    /* bytes of the object that no event is made of */
};

static const struct decode_state reader_state = {
	.size = sizeof(struct reader),
	.bufs = {
		{ offsetof(struct reader, args), LIMIT_ANSWER },
		{ offsetof(struct reader, escaped), 2 * (size_t)LIMIT_ANSWER },
	},
};

/* want_member: reads a member that must be of one kind. *ret: JSON_ABSENT if the member is absent, null or
 * of another kind. Errors: UPSTREAM_BAD_RESPONSE if the member is of another kind. */
static enum errc want_member(const struct json_doc *doc, json_at obj, const char *key,
			     enum json_kind kind, json_at *ret, struct err *e)
{
	json_at i = json_get_some(doc, obj, key);
	bool    ok = i == JSON_ABSENT || json_kind(doc, i) == kind;

	*ret = ok ? i : JSON_ABSENT;
	if (ok)
		return ERR_OK;
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL,
		       "the provider sent a member %s of a type that it should not have", key);
}

/* --- usage --- */

/* The counts, each of which is a running total: one that an event leaves out, or has as 0, stays.
 * False: it is no count. */
static bool gemini_count(const struct json_doc *doc, json_at at, const char *key, int64_t *ret)
{
	int64_t n = 0;
	bool    ok = decode_count_some(doc, at, key, &n);

	if (n > 0)
		*ret = n;
	return ok;
}

/* modality_count: the tokens of a modality in a list of counts. */
static void modality_count(const struct json_doc *doc, json_at at, const char *list,
			   const char *modality, int64_t *ret)
{
	json_at counts = json_get(doc, at, list);

	if (!json_is_kind(doc, counts, JSON_ARRAY))
		return;
	JSON_EACH (i, doc, counts)
		if (json_is_kind(doc, i, JSON_OBJECT) && json_get_is(doc, i, "modality", modality))
			gemini_count(doc, i, "tokenCount", ret);
}

/* The API names the class itself, Vertex AI the kind of the traffic. */
static void gemini_read_class(struct counts *c, const struct json_doc *doc, json_at at)
{
	enum usage_class class = usage_class_of(json_get_inner(doc, at, "serviceTier"));

	if (json_get_is(doc, at, "trafficType", "ON_DEMAND_PRIORITY"))
		class = CLASS_PRIORITY;
	else if (json_get_is(doc, at, "trafficType", "ON_DEMAND_FLEX"))
		class = CLASS_FLEX;
	if (class != CLASS_UNTOLD)
		c->class = (uint8_t) class;
}

static enum errc gemini_read_usage(struct reader *r, const struct json_doc *doc, struct err *e)
{
	struct counts *c = &r->counts;
	json_at        at;
	enum errc      rc = want_member(doc, 0, "usageMetadata", JSON_OBJECT, &at, e);

	if (rc != ERR_OK || at == JSON_ABSENT)
		return rc;
	bool in_ok = gemini_count(doc, at, "promptTokenCount", &c->prompt);
	bool out_ok = gemini_count(doc, at, "candidatesTokenCount", &c->candidates);
	gemini_count(doc, at, "toolUsePromptTokenCount", &c->tools);
	gemini_count(doc, at, "thoughtsTokenCount", &c->thoughts);
	gemini_count(doc, at, "cachedContentTokenCount", &c->cached);
	modality_count(doc, at, "promptTokensDetails", "AUDIO", &c->heard);
	modality_count(doc, at, "cacheTokensDetails", "AUDIO", &c->heard_cached);
	modality_count(doc, at, "candidatesTokensDetails", "AUDIO", &c->said);
	modality_count(doc, at, "candidatesTokensDetails", "IMAGE", &c->drawn);
	gemini_read_class(c, doc, at);
	r->usage = (struct usage){
		.known = in_ok && out_ok && c->prompt + c->candidates + c->thoughts > 0,
		.in = c->prompt + c->tools,
		.out = c->candidates + c->thoughts,
		.cached_read = c->cached,
		.reasoning = c->thoughts,
		.audio_in = usage_small(c->heard - c->heard_cached),
		.audio_out = usage_small(c->said),
		.image_out = usage_small(c->drawn),
		.images = c->images,
		.class = c->class,
	};
	return ERR_OK;
}

/* --- the end --- */

/* gemini_hold_end: some servers put STOP in each event, so that only the stream's own end tells which
 * was the last. */
static void gemini_hold_end(struct reader *r, struct str word, struct str native)
{
	str_copy(r->word, sizeof r->word, word);
	str_copy(r->native, sizeof r->native, native);
}

static void gemini_give_end(struct decode *d, const struct reader *r)
{
	struct str word = str_of(r->word);

	/* A call may follow a STOP. */
	if (r->called && str_is(word, "stop"))
		word = STR("tool_calls");
	decode_end(d, word, str_of(r->native), &r->usage);
}

/* gemini_has_end: whether all candidates that have begun have ended; the first one, where the client gets no other. */
static bool gemini_has_end(const struct reader *r, bool native)
{
	return r->word[0] && (!native || (r->begun & ~r->ended) == 0);
}

static void gemini_over(struct decode *d, bool well)
{
	struct reader *r = d->state;

	if (r && gemini_has_end(r, d->native) && !d->finished && (well || !r->went_on))
		gemini_give_end(d, r);
}

/* A finishReason in OpenAI's words.  Empty: the model stopped without a usable answer.  So does a
 * reason of later days, unless there is an answer, whose reader must see that it is not whole. */
static struct str gemini_word_of(struct str reason, bool said)
{
	static const char *const unusable[] = {
		"MALFORMED_FUNCTION_CALL",
		"MALFORMED_RESPONSE",
		"MISSING_THOUGHT_SIGNATURE",
		"UNEXPECTED_TOOL_CALL",
		"TOO_MANY_TOOL_CALLS",
		"NO_IMAGE",
		"IMAGE_OTHER",
		"OTHER",
	};
	const char *word = api_words_finish(&words_gemini, reason);

	if (word)
		return str_of(word);
	for (size_t i = 0; i < ARRAY_LEN(unusable); i++)
		if (str_is(reason, unusable[i]))
			return STR_NONE;
	return said ? STR("content_filter") : STR_NONE;
}

static enum errc gemini_fail(const struct decode *d, struct reader *r, json_at candidate,
			     struct str reason, struct err *e)
{
	char       why[160] = "";
	struct str message = json_get_inner(d->doc, candidate, "finishMessage");

	buf_clear(&r->args);
	if (message.n > 0 && json_unescape(message, &r->args))
		scrub_message(d->mask, buf_view(&r->args), why, sizeof why);
	err_set(e, ERR_UPSTREAM_ERROR, NULL, "the provider ended the answer with %.*s%s%s",
		STR_ARG(reason), why[0] ? ": " : "", why);
	str_copy(e->wire, sizeof e->wire, reason);
	return e->code;
}

static enum errc take_finish(struct decode *d, struct reader *r, json_at candidate, struct err *e)
{
	json_at   at;
	enum errc rc = want_member(d->doc, candidate, "finishReason", JSON_STRING, &at, e);

	if (rc != ERR_OK || at == JSON_ABSENT)
		return rc;

	struct str reason = json_inner(d->doc, at);
	if (reason.n == 0 || str_is(reason, "FINISH_REASON_UNSPECIFIED"))
		return ERR_OK;
	if (reason.n >= sizeof e->wire)
		return decode_bad(e, "a finishReason that is too long");
	struct str word = gemini_word_of(reason, r->said);
	if (word.n == 0)
		return gemini_fail(d, r, candidate, reason, e);
	gemini_hold_end(r, word, reason);
	return ERR_OK;
}

/* take_no_candidate: a response without candidates ends the answer to a blocked prompt. In a
 * stream, such a response may also bring the usage alone. */
static enum errc take_no_candidate(struct decode *d, struct reader *r, struct err *e)
{
	json_at   feedback, reason;
	enum errc rc = want_member(d->doc, 0, "promptFeedback", JSON_OBJECT, &feedback, e);

	if (rc != ERR_OK || feedback == JSON_ABSENT || r->word[0])
		return rc;
	rc = want_member(d->doc, feedback, "blockReason", JSON_STRING, &reason, e);
	if (rc == ERR_OK && reason != JSON_ABSENT &&
	    !json_is(d->doc, reason, "BLOCKED_REASON_UNSPECIFIED"))
		gemini_hold_end(r, STR("content_filter"), json_inner(d->doc, reason));
	return rc;
}

/* --- parts --- */

/* make_id: makes the id of a call that came without one. The answer's id and the call's number
 * determine the id, so that each decoding of the answer gives the same id, and no other call has
 * it. */
static struct str make_id(const struct decode *d, struct reader *r, char ret[64])
{
	unsigned char digest[HASH_BYTES];
	char          seed[sizeof r->seed + 16];

	if (!r->seed[0])
		snprintf(r->seed, sizeof r->seed, "%016llx%016llx", (unsigned long long)id_random(),
			 (unsigned long long)id_random());
	int n = snprintf(seed, sizeof seed, "%s %u", r->seed, d->next_tool);
	hash_sha256(seed, (size_t)n, digest);
	memcpy(ret, GEMINI_MADE_ID, sizeof GEMINI_MADE_ID);
	hash_hex(digest, 12, ret + sizeof GEMINI_MADE_ID - 1);
	return str_of(ret);
}

static enum errc print_args(const struct decode *d, struct reader *r, json_at args, struct err *e)
{
	buf_clear(&r->args);
	buf_clear(&r->escaped);
	/* Plain answers are indented; the arguments are printed without the white space. */
	if (args == JSON_ABSENT ? buf_text(&r->escaped, "{}")
				: json_print(d->doc, args, &r->args) &&
					  buf_json_escape(&r->escaped, buf_view(&r->args)))
		return ERR_OK;
	return err_no_memory(e);
}

/* signature_of: the signature of a part, in base64. A text that begins like an object is dropped,
 * because shape/carry would take it for one. */
static struct str signature_of(const struct decode *d, json_at part)
{
	struct str signature = json_get_inner(d->doc, part, "thoughtSignature");

	return str_starts(signature, STR("{")) ? STR_NONE : signature;
}

/* gemini_note_unseen: what goes to the client in the provider's own words alone counts, too. */
static void gemini_note_unseen(const struct decode *d, struct reader *r, json_at value)
{
	if (d->native)
		r->unseen += (uint32_t)json_raw(d->doc, value).n;
}

/* gemini_is_piece: whether a call's arguments come in pieces, if the client has asked for them so
 * (streamFunctionCallArguments).  The last piece has no name. */
static bool gemini_is_piece(const struct json_doc *doc, json_at call)
{
	return json_get_some(doc, call, "partialArgs") != JSON_ABSENT ||
	       json_get_some(doc, call, "willContinue") != JSON_ABSENT || doc->tok[call].count == 0;
}

static enum errc gemini_give_call(struct decode *d, struct reader *r, json_at part, json_at call,
				  struct err *e)
{
	struct str id = json_get_inner(d->doc, call, "id");
	struct str signature = signature_of(d, part);
	json_at    name, args;
	char       made[64];
	enum errc  rc = want_member(d->doc, call, "name", JSON_STRING, &name, e);

	if (rc == ERR_OK)
		rc = want_member(d->doc, call, "args", JSON_OBJECT, &args, e);
	if (rc == ERR_OK && gemini_is_piece(d->doc, call)) {
		r->called = true;
		gemini_note_unseen(d, r, part);
		return d->native
			       ? ERR_OK
			       : decode_bad(e,
					    "a call's arguments in pieces, which nobody asked for");
	}
	if (rc == ERR_OK && (name == JSON_ABSENT || json_inner(d->doc, name).n == 0))
		return decode_bad(e, "a call without a name");
	if (rc == ERR_OK)
		rc = print_args(d, r, args, e);
	if (rc != ERR_OK)
		return rc;
	decode_give(d, (struct event){ .kind = EVENT_TOOL_START,
				       .block = d->next_tool,
				       .id = id.n > 0 ? id : make_id(d, r, made),
				       .name = json_inner(d->doc, name),
				       .text = signature });
	decode_give(d, (struct event){ .kind = EVENT_TOOL_ARGS,
				       .block = d->next_tool,
				       .text = buf_view(&r->escaped) });
	decode_give(d, (struct event){ .kind = EVENT_BLOCK_END, .block = d->next_tool++ });
	r->called = true;
	return ERR_OK;
}

/* give_media: gives an image in the form in which OpenRouter gives images of models, and other
 * media as the provider sent them. */
static bool give_media(struct decode *d, struct reader *r, json_at part, json_at media)
{
	struct str type = json_get_inner(d->doc, media, "mimeType");
	struct str data = json_get_inner(d->doc, media, "data");
	struct str signature = signature_of(d, part);

	if (!str_starts(type, STR("image/")) || data.n == 0) {
		decode_give(d,
			    (struct event){ .kind = EVENT_MEDIA, .text = json_raw(d->doc, part) });
		return true;
	}
	buf_clear(&r->escaped);
	if (!buf_text(&r->escaped, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:") ||
	    !buf_str(&r->escaped, type) || !buf_text(&r->escaped, ";base64,") ||
	    !buf_str(&r->escaped, data) || !buf_text(&r->escaped, "\"}") ||
	    !extra_put(signature, &r->escaped) || !buf_text(&r->escaped, "}"))
		return false;
	r->counts.images++;
	r->usage.images = r->counts.images;
	decode_give(d, (struct event){ .kind = EVENT_MEDIA, .text = buf_view(&r->escaped) });
	return true;
}

static enum errc give_part(struct decode *d, struct reader *r, json_at part, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                thought = json_get(doc, part, "thought");
	json_at                text, call, media;

	if (json_kind(doc, part) != JSON_OBJECT)
		return decode_bad(e, "a part that is no object");
	bool thinks = json_is_kind(doc, thought, JSON_TRUE);

	r->went_on = r->went_on || r->word[0];
	enum errc rc = want_member(doc, part, "text", JSON_STRING, &text, e);
	if (rc == ERR_OK)
		rc = want_member(doc, part, "functionCall", JSON_OBJECT, &call, e);
	if (rc == ERR_OK)
		rc = want_member(doc, part, "inlineData", JSON_OBJECT, &media, e);
	if (rc != ERR_OK)
		return rc;
	r->said = r->said || call != JSON_ABSENT || media != JSON_ABSENT ||
		  (!thinks && json_inner_of(doc, text).n > 0);
	if (text == JSON_ABSENT && call == JSON_ABSENT && media == JSON_ABSENT)
		gemini_note_unseen(d, r, part);
	if (text != JSON_ABSENT && json_inner(doc, text).n > 0)
		decode_give(d, (struct event){ .kind = thinks ? EVENT_REASONING : EVENT_TEXT,
					       .text = json_inner(doc, text) });
	if (media != JSON_ABSENT && !give_media(d, r, part, media))
		return err_no_memory(e);
	return call != JSON_ABSENT ? gemini_give_call(d, r, part, call, e) : ERR_OK;
}

/* note_further: a candidate that no events are made of. */
static void note_further(const struct decode *d, struct reader *r, json_at candidate, int64_t index)
{
	json_at  content = json_get_some(d->doc, candidate, "content");
	uint64_t bit = index > 0 && index < 64 ? UINT64_C(1) << index : 0;

	if (!d->native)
		return; /* nobody has asked for it */
	if (content != JSON_ABSENT)
		gemini_note_unseen(d, r, content);
	r->begun |= bit;
	if (json_get_inner(d->doc, candidate, "finishReason").n > 0)
		r->ended |= bit;
}

static enum errc take_candidate(struct decode *d, struct reader *r, json_at candidate,
				struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                content;
	json_at                parts = JSON_ABSENT;
	json_at                index = json_get(doc, candidate, "index");
	int64_t                n;

	if (json_kind(doc, candidate) != JSON_OBJECT)
		return decode_bad(e, "a candidate that is no object");
	if (index != JSON_ABSENT && json_int(doc, index, &n) && n != 0) {
		note_further(d, r, candidate, n);
		return ERR_OK;
	}
	enum errc rc = want_member(doc, candidate, "content", JSON_OBJECT, &content, e);
	if (rc == ERR_OK && content != JSON_ABSENT)
		rc = want_member(doc, content, "parts", JSON_ARRAY, &parts, e);
	if (rc == ERR_OK && parts != JSON_ABSENT)
		for (json_at i = json_first(doc, parts); rc == ERR_OK && i != json_end(doc, parts);
		     i = json_next(doc, i))
			rc = give_part(d, r, i, e);
	return rc == ERR_OK ? take_finish(d, r, candidate, e) : rc;
}

/* --- answers --- */

static void gemini_give_start(struct decode *d, struct reader *r)
{
	struct str id = json_get_inner(d->doc, 0, "responseId");

	if (!r->seed[0])
		str_copy(r->seed, sizeof r->seed, id);
	decode_start(d, id, json_get_inner(d->doc, 0, "modelVersion"));
}

static enum errc take_response(struct decode *d, struct reader *r, struct err *e)
{
	const struct json_doc *doc = d->doc;
	json_at                list;
	enum errc              rc = want_member(doc, 0, "candidates", JSON_ARRAY, &list, e);

	if (rc != ERR_OK)
		return rc;
	gemini_give_start(d, r);
	rc = gemini_read_usage(r, doc, e);
	if (rc != ERR_OK)
		return rc;
	d->told = r->usage;
	if (list == JSON_ABSENT || doc->tok[list].count == 0)
		rc = take_no_candidate(d, r, e);
	else
		for (json_at i = json_first(doc, list); rc == ERR_OK && i != json_end(doc, list);
		     i = json_next(doc, i))
			rc = take_candidate(d, r, i, e);
	return rc;
}

/* --- errors --- */

/* read_delay: a delay such as "12s" or "1.5s", in milliseconds; 0: none. */
static int64_t read_delay(const struct json_doc *doc, json_at detail)
{
	struct str delay = json_get_inner(doc, detail, "retryDelay");
	char       text[32];
	char      *end;

	if (delay.n == 0 || delay.n >= sizeof text)
		return 0;
	str_copy(text, sizeof text, delay);
	double seconds = strtod(text, &end);
	return strcmp(end, "s") == 0 && seconds > 0 && seconds < 86400 ? (int64_t)(seconds * 1000)
								       : 0;
}

/* read_details: reads how long the next call should wait. */
static void read_details(const struct json_doc *doc, json_at error, struct err *e)
{
	json_at details = json_get(doc, error, "details");
	int64_t wait = 0;

	if (!json_is_kind(doc, details, JSON_ARRAY))
		return;
	JSON_EACH (i, doc, details) {
		if (wait == 0)
			wait = read_delay(doc, i);
	}
	if (err_http(e) == 429 || err_http(e) == 503)
		e->retry_after_ms = wait;
}

/* find_error: finds the object of an error, also within an array, as in streams without alt=sse. */
static bool find_error(const struct json_doc *doc, json_at *ret)
{
	struct openai_top top;

	openai_top_read(doc, &top);
	return openai_is_error(doc, &top, ret);
}

void gemini_decode_error(const struct decode *d, int status, struct str body, struct err *e)
{
	struct json_doc doc = { 0 };
	struct err      ignored;
	json_at         error;

	openai_decode_error(d, status, body, e);
	if (json_scan(&doc, body.p ? body.p : "", body.n, &json_limits_upstream, &ignored) ==
		    ERR_OK &&
	    find_error(&doc, &error))
		read_details(&doc, error, e);
	json_doc_finish(&doc);
}

/* gemini_take: takes a response, or the error that came in its place. */
static enum errc gemini_take(struct decode *d, struct reader *r, struct err *e)
{
	json_at error;

	if (find_error(d->doc, &error)) {
		openai_error(d, error, e);
		read_details(d->doc, error, e);
		return e->code;
	}
	if (json_kind(d->doc, 0) != JSON_OBJECT)
		return decode_bad(e, "an answer that is no JSON object");
	return take_response(d, r, e);
}

static enum errc gemini_decode_event(struct decode *d, struct str name, struct str data,
				     struct err *e)
{
	struct reader *r = decode_state(d, &reader_state);

	if (!r)
		return err_no_memory(e);
	enum errc rc = openai_scan_event(d, name, data, e);
	if (rc != ERR_OK)
		return rc;
	gemini_carry(d);
	rc = gemini_take(d, r, e);
	if (rc == ERR_OK && (d->raw.n > 0 || r->unseen > 0))
		decode_give(d, (struct event){ .kind = EVENT_OTHER, .block = r->unseen });
	r->unseen = 0;
	return rc;
}

static enum errc take_whole(struct decode *d, struct reader *r, struct err *e)
{
	enum errc rc = gemini_take(d, r, e);

	if (rc == ERR_OK && !gemini_has_end(r, d->native))
		return decode_bad(e, "an answer without a finishReason");
	if (rc == ERR_OK)
		gemini_give_end(d, r);
	return rc;
}

static enum errc gemini_decode_whole(struct decode *d, struct str body, struct err *e)
{
	struct reader *r = decode_state(d, &reader_state);
	struct whole   w;

	if (!r)
		return err_no_memory(e);
	enum errc rc = openai_scan_body(d, body, e);
	if (rc != ERR_OK)
		return rc;
	gemini_carry(d);
	if (d->count)
		return decode_give_count(d, "totalTokens", e);
	whole_begin(&w, d);
	return whole_end(&w, take_whole(d, r, e), e);
}

const struct dialect dialect_gemini = {
	.name = "gemini",
	.names = NAMES_BRIEF,
	.takes = PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_PDF | PROVIDER_TOP_K |
		 PROVIDER_FILE_URL | PROVIDER_GEMINI,
	.path = "/models",
	.models = "/models?pageSize=1000",
	.place = gemini_place,
	.count_path = ":countTokens",
	.key_header = "x-goog-api-key",
	.framing = &upstream_events,
	.encode = gemini_encode,
	.decode_event = gemini_decode_event,
	.over = gemini_over,
	.decode_whole = gemini_decode_whole,
	.decode_error = gemini_decode_error,
	.finish = decode_state_finish,
	.embed = &gemini_embed,
};
