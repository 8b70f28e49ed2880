/* Reads a request to translate, passes it to the parts with the rules, and answers it. */
#include "lmc/translate.h"

#include "base/limits.h"
#include "lmc/lmc_gather.h"
#include "lmc/segment.h"
#include "lmc/to_lmc.h"
#include "lmc/to_openai.h"

/* "messages[" and the digits of a size_t. */
enum { PATH_MAX_ELEMENT = 40 };

/* A request: one of the four forms of G1, with its options. */
struct ask {
	const struct json_doc *d;
	json_at                list;
	bool                   from_lmc;
	bool                   chunks; /* the list holds chunks */
	bool                   fence;
	bool                   vision;
	bool                   fences;
};

/* The lists of the answer, each without brackets. */
struct made {
	struct buf      messages;
	struct buf      chunks;
	struct warnings warnings;
};

/* --- reading the request --- */

static enum errc read_side(const struct json_doc *d, const char *name, bool *ret_lmc, struct err *e)
{
	json_at i = json_get(d, 0, name);

	if (i == JSON_ABSENT)
		return err_set(e, ERR_MISSING_PARAMETER, name,
			       "is required; must be lmc or openai");
	if (json_kind(d, i) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, name, "must be a string: lmc or openai");
	if (!json_is(d, i, "lmc") && !json_is(d, i, "openai"))
		return err_set(e, ERR_INVALID_VALUE, name, "must be lmc or openai");
	*ret_lmc = json_is(d, i, "lmc");
	return ERR_OK;
}

static enum errc read_sides(struct ask *a, struct err *e)
{
	bool      to_lmc = false;
	enum errc rc = read_side(a->d, "from", &a->from_lmc, e);

	if (rc == ERR_OK)
		rc = read_side(a->d, "to", &to_lmc, e);
	if (rc == ERR_OK && a->from_lmc == to_lmc)
		return err_set(e, ERR_INVALID_VALUE, "to",
			       "must not be the same as from; %s is meant",
			       to_lmc ? "openai" : "lmc");
	return rc;
}

static enum errc translate_read_code(struct ask *a, struct err *e)
{
	json_at i = json_get(a->d, 0, "code");

	if (i == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(a->d, i) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, "code", "must be a string: tools or fence");
	if (!json_is(a->d, i, "tools") && !json_is(a->d, i, "fence"))
		return err_set(e, ERR_INVALID_VALUE, "code", "must be tools or fence");
	a->fence = json_is(a->d, i, "fence");
	return ERR_OK;
}

static enum errc translate_read_bool(const struct json_doc *d, const char *name, bool *ret,
				     struct err *e)
{
	json_at i = json_get(d, 0, name);

	if (i == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d, i) != JSON_TRUE && json_kind(d, i) != JSON_FALSE)
		return err_set(e, ERR_INVALID_TYPE, name, "must be true or false");
	*ret = json_kind(d, i) == JSON_TRUE;
	return ERR_OK;
}

/* Options of other forms are ignored (G1). */
static enum errc translate_read_options(struct ask *a, struct err *e)
{
	enum errc rc;

	a->vision = true;
	a->fences = true;
	if (!a->from_lmc)
		return translate_read_bool(a->d, "fences", &a->fences, e);
	rc = translate_read_code(a, e);
	if (rc == ERR_OK && !a->chunks)
		rc = translate_read_bool(a->d, "vision", &a->vision, e);
	return rc;
}

static enum errc read_ask(struct ask *a, struct err *e)
{
	json_at   messages = json_get(a->d, 0, "messages");
	json_at   chunks = json_get(a->d, 0, "chunks");
	enum errc rc = read_sides(a, e);

	if (rc != ERR_OK)
		return rc;
	a->chunks = chunks != JSON_ABSENT;
	a->list = a->chunks ? chunks : messages;
	rc = translate_read_options(a, e);
	if (rc != ERR_OK)
		return rc;
	if (messages != JSON_ABSENT && chunks != JSON_ABSENT)
		return err_set(e, ERR_INVALID_VALUE, "messages",
			       "give either messages or chunks, not both");
	if (a->list == JSON_ABSENT)
		return err_set(e, ERR_MISSING_PARAMETER, "messages",
			       "is required: an array; chunks may be given instead");
	if (json_kind(a->d, a->list) != JSON_ARRAY)
		return err_set(e, ERR_INVALID_TYPE, a->chunks ? "chunks" : "messages",
			       "must be an array of objects");
	return ERR_OK;
}

/* --- the four forms --- */

/* The path of an element, such as messages[2]. It is written by hand, from the back: every small
 * message needs one, and printf would cost as much as the translation. */
struct path {
	char        room[PATH_MAX_ELEMENT];
	const char *text; /* points into room */
};

/* element_path: the path of an element; ERR: the element is not an object (G2). */
static enum errc element_path(const struct ask *a, json_at i, size_t index, struct path *ret,
			      struct err *e)
{
	struct str list = a->chunks ? STR("chunks[") : STR("messages[");
	char      *at = ret->room + sizeof ret->room;

	*--at = '\0';
	*--at = ']';
	do {
		*--at = (char)('0' + index % 10);
		index /= 10;
	} while (index > 0);
	at -= list.n;
	memcpy(at, list.p, list.n);
	ret->text = at;
	if (json_kind(a->d, i) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, ret->text, "must be an object");
	return ERR_OK;
}

static bool keep_message(void *arg, struct str message)
{
	struct buf *messages = arg;

	return (messages->len == 0 || buf_add(messages, ",", 1)) && buf_str(messages, message);
}

/* lmc_messages: translates the messages of the request, or the stored messages that its chunks make
 * (C10). */
static enum errc lmc_messages(const struct ask *a, struct made *m, struct err *e)
{
	struct path       path;
	size_t            index = 0;
	enum errc         rc = ERR_OK;
	struct to_openai *t =
		to_openai_create(&(struct to_openai_options){ .fence = a->fence,
							      .vision = a->vision,
							      .warnings = &m->warnings,
							      .made = keep_message,
							      .arg = &m->messages });

	if (!t)
		return err_no_memory(e);
	for (json_at i = json_first(a->d, a->list); i != json_end(a->d, a->list) && rc == ERR_OK;
	     i = json_next(a->d, i), index++) {
		rc = element_path(a, i, index, &path, e);
		if (rc == ERR_OK)
			rc = to_openai_lmc(t, a->d, i, path.text, index, e);
	}
	if (rc == ERR_OK)
		rc = to_openai_end(t, e);
	to_openai_destroy(t);
	return rc;
}

/* gather_all: joins all chunks. *ret: the messages without brackets, borrowed from g. */
static enum errc gather_all(const struct ask *a, struct gather *g, struct str *ret, struct err *e)
{
	struct path path;
	size_t      index = 0;

	for (json_at i = json_first(a->d, a->list); i != json_end(a->d, a->list);
	     i = json_next(a->d, i), index++) {
		enum errc rc = element_path(a, i, index, &path, e);

		if (rc == ERR_OK)
			rc = gather_chunk(g, a->d, i, path.text, index, e);
		if (rc != ERR_OK)
			return rc;
	}
	return gather_end(g, ret, e);
}

/* The limits for messages that were joined from chunks; they are no deeper than the chunks. */
static const struct json_limits stored_limits = {
	.depth = LIMIT_JSON_DEPTH,
	.tokens = 2 * LIMIT_JSON_TOKENS, /* a message has members that its chunks leave out */
};

static enum errc stored_messages(const struct ask *a, const struct translate_about *about,
				 const struct buf *text, struct made *m, struct err *e)
{
	struct json_doc stored = { 0 };
	enum errc       rc = json_scan(&stored, text->data, text->len, &stored_limits, e);

	if (rc != ERR_OK && rc != ERR_OVERLOADED)
		return err_set(e, ERR_INTERNAL, "", "the chunks could not be put together");
	if (rc == ERR_OK) {
		struct ask as_messages = *a;

		as_messages.d = &stored;
		as_messages.list = 0;
		as_messages.chunks = false;
		rc = lmc_messages(&as_messages, m, e);
	}
	if (rc == ERR_OK && !say_chunks(&stored, 0, a->fence, about->id, about->model,
					about->created_s, &m->chunks))
		rc = err_no_memory(e);
	json_doc_finish(&stored);
	return rc;
}

static enum errc lmc_chunks(const struct ask *a, const struct translate_about *about,
			    struct made *m, struct err *e)
{
	struct gather *g = gather_create(m->messages.max, &m->warnings);
	struct str     messages = STR_NONE;
	struct buf     text;

	if (!g)
		return err_no_memory(e);
	buf_init(&text, m->messages.max);
	enum errc rc = gather_all(a, g, &messages, e);
	if (rc == ERR_OK &&
	    (!buf_text(&text, "[") || !buf_str(&text, messages) || !buf_text(&text, "]")))
		rc = err_no_memory(e);
	gather_destroy(g);
	if (rc == ERR_OK)
		rc = stored_messages(a, about, &text, m, e);
	buf_finish(&text);
	return rc;
}

static enum errc openai_messages(const struct ask *a, struct made *m, struct err *e)
{
	struct to_lmc_scratch scratch;
	struct to_lmc_options o = { .fences = a->fences,
				    .warnings = &m->warnings,
				    .scratch = &scratch };
	struct path           path;
	size_t                index = 0;
	enum errc             rc = ERR_OK;

	to_lmc_scratch_init(&scratch);
	for (json_at i = json_first(a->d, a->list); i != json_end(a->d, a->list) && rc == ERR_OK;
	     i = json_next(a->d, i), index++) {
		rc = element_path(a, i, index, &path, e);
		if (rc == ERR_OK)
			rc = to_lmc_message(a->d, i, path.text, index, &o, &m->messages, e);
	}
	to_lmc_scratch_finish(&scratch);
	return rc;
}

static enum errc speech_failed(const struct speech *speech, struct err *e)
{
	if (!speech_overfull(speech))
		return err_no_memory(e);
	return err_set(e, ERR_REQUEST_TOO_LARGE, "chunks", "an answer may have at most %d calls",
		       LIMIT_TOOLS);
}

static enum errc read_deltas(const struct ask *a, struct speech *speech, struct made *m,
			     struct err *e)
{
	struct delta state = { 0 };
	struct path  path;
	size_t       index = 0;

	for (json_at i = json_first(a->d, a->list); i != json_end(a->d, a->list);
	     i = json_next(a->d, i), index++) {
		enum errc rc = element_path(a, i, index, &path, e);

		if (rc != ERR_OK)
			return rc;
		if (!delta_add(&state, a->d, i, index, speech, &m->warnings))
			return speech_failed(speech, e);
	}
	return speech_close(speech) ? ERR_OK : speech_failed(speech, e);
}

static enum errc openai_chunks(const struct ask *a, struct made *m, struct err *e)
{
	struct spool spool;

	spool_init(&spool, &m->messages, &m->chunks);
	struct speech *speech = speech_create(&(struct speech_options){ .fences = a->fences,
									.sink = &spool_sink,
									.arg = &spool,
									.warnings = &m->warnings,
									.max = m->messages.max });
	enum errc      rc = speech ? read_deltas(a, speech, m, e) : err_no_memory(e);

	speech_destroy(speech);
	spool_finish(&spool);
	return rc;
}

static enum errc translate_fill(const struct ask *a, const struct translate_about *about,
				struct made *m, struct err *e)
{
	size_t likely = json_raw(a->d, a->list).n;

	/* One reservation avoids a copy at each step of growth. */
	if (likely <= MIB && likely <= m->messages.max && !buf_reserve(&m->messages, likely))
		return err_no_memory(e);
	if (a->from_lmc)
		return a->chunks ? lmc_chunks(a, about, m, e) : lmc_messages(a, m, e);
	return a->chunks ? openai_chunks(a, m, e) : openai_messages(a, m, e);
}

/* --- the answer --- */

static bool translate_put_list(struct buf *out, const char *before, const struct buf *list)
{
	return buf_text(out, before) && buf_str(out, buf_view(list)) && buf_text(out, "]");
}

static bool translate_put_answer(const struct ask *a, const struct made *m, struct buf *out)
{
	size_t lists = m->messages.len + m->chunks.len + m->warnings.json.len;

	return buf_reserve(out, lists) &&
	       translate_put_list(out, "{\"object\":\"translation\",\"messages\":[",
				  &m->messages) &&
	       (!a->chunks || translate_put_list(out, ",\"chunks\":[", &m->chunks)) &&
	       buf_text(out, ",\"warnings\":") && warnings_print(&m->warnings, out) &&
	       buf_text(out, "}");
}

/* The parts report a limit and a lack of memory alike. But a full buffer has grown (and stays so),
 * and a string grows to at most twice its length in one step (quotes inside quotes). */
static bool is_too_large(const struct ask *a, const struct made *m, const struct buf *out)
{
	size_t many = out->max / 2;

	return m->messages.cap > many || m->chunks.cap > many || out->cap > many ||
	       a->d->len > many;
}

static enum errc translate_too_large(const struct ask *a, const struct buf *out, struct err *e)
{
	return err_set(e, ERR_REQUEST_TOO_LARGE, a->chunks ? "chunks" : "messages",
		       "the translation would have more than %zu bytes", out->max);
}

enum errc translate_messages(const struct json_doc *d, const struct translate_about *about,
			     struct buf *out, struct err *e)
{
	struct ask  ask = { .d = d };
	struct made made;
	size_t      start = out->len;
	enum errc   rc = read_ask(&ask, e);

	if (rc != ERR_OK)
		return rc;
	buf_init(&made.messages, out->max);
	buf_init(&made.chunks, out->max);
	warnings_init(&made.warnings);
	rc = translate_fill(&ask, about, &made, e);
	if (rc == ERR_OK && !translate_put_answer(&ask, &made, out))
		rc = err_no_memory(e);
	if (rc == ERR_OVERLOADED && is_too_large(&ask, &made, out))
		rc = translate_too_large(&ask, out, e);
	if (rc != ERR_OK)
		out->len = start;
	buf_finish(&made.messages);
	buf_finish(&made.chunks);
	warnings_finish(&made.warnings);
	return rc;
}
