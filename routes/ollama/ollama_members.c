/* Options, format, think and tools of Ollama's requests by tables.  What only Ollama has goes on to its own servers, and
 * is left out for others with a warning. */
#include "routes/ollama/internal.h"

#include "base/limits.h"
#include "provider/provider.h"
#include "routes/kit/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MEMBERS_MAX = 20 }; /* the most that are made */

enum option_rule {
	OPTION_NUMBER,
	OPTION_WHOLE, /* some clients print 40.0 */
	OPTION_TOP_K, /* a whole number, where the provider knows it */
	OPTION_READ,  /* read by other code */
};

static const struct {
	const char      *key;
	enum option_rule rule;
} option_rows[] = {
	{ "temperature", OPTION_NUMBER },
	{ "top_p", OPTION_NUMBER },
	{ "top_k", OPTION_TOP_K },
	{ "seed", OPTION_WHOLE },
	{ "presence_penalty", OPTION_NUMBER },
	{ "frequency_penalty", OPTION_NUMBER },
	{ "num_predict", OPTION_READ },
	{ "stop", OPTION_READ },
};

/* Members that are read elsewhere, or that say how Ollama keeps its models and contexts, which nobody does here. */
static const char *const quiet_members[] = {
	"model",   "messages", "prompt",  "system",     "images", "stream",
	"tools",   "format",   "options", "keep_alive", "think",  "suffix",
	"context", "template", "raw",     "truncate",   "shift",
};

enum errc ollama_members_begin(struct ollama_reading *x, struct err *e)
{
	x->members = arena_alloc(x->arena, MEMBERS_MAX * sizeof *x->members);
	return x->members ? ERR_OK : err_no_memory(e);
}

enum errc ollama_members_add(struct ollama_reading *x, bool ok, struct err *e)
{
	struct str made = ok ? arena_str(x->arena, buf_view(&x->out)) : STR_NONE;

	buf_clear(&x->out);
	if (!made.p)
		return err_no_memory(e);
	CHECK(x->member_count < MEMBERS_MAX);
	x->members[x->member_count++] = made;
	return ERR_OK;
}

static void members_warn(struct ollama_reading *x, const char *what, const char *why)
{
	warnings_add(&x->warnings, 0, "parameter_dropped", "%s was not sent: %s", what, why);
}

/* --- options --- */

/* option_whole: false: no whole number, or too large. */
static bool option_whole(const struct json_doc *d, json_at at, int64_t *ret)
{
	double v;

	if (json_int(d, at, ret))
		return true;
	if (!json_number(d, at, &v) || v != floor(v) || fabs(v) > 1e15)
		return false;
	*ret = (int64_t)v;
	return true;
}

static enum errc option_refuse(const char *key, const char *must, struct err *e)
{
	char path[160];

	check_path(path, "options.%s", key);
	return err_set(e, ERR_INVALID_TYPE, path, "%s", must);
}

static enum errc add_option(struct ollama_reading *x, size_t row, json_at value, struct err *e)
{
	const char *key = option_rows[row].key;
	bool        whole = option_rows[row].rule != OPTION_NUMBER;
	int64_t     n = 0;

	if (whole ? !option_whole(x->doc, value, &n) : json_kind(x->doc, value) != JSON_NUMBER)
		return option_refuse(key, whole ? "must be a whole number" : "must be a number", e);
	if (option_rows[row].rule == OPTION_TOP_K && !(x->takes & PROVIDER_TOP_K)) {
		members_warn(x, "options.top_k", "this provider has no such parameter");
		return ERR_OK;
	}
	return ollama_members_add(
		x,
		buf_fmt(&x->out, "\"%s\":", key) &&
			(whole ? buf_int(&x->out, n) : buf_str(&x->out, json_raw(x->doc, value))),
		e);
}

/* add_stop: a list, or one text. */
static enum errc add_stop(struct ollama_reading *x, json_at stop, struct err *e)
{
	const struct json_doc *d = x->doc;
	bool                   one = json_is_kind(d, stop, JSON_STRING);
	size_t                 most = x->takes & PROVIDER_OLLAMA ? SIZE_MAX : LIMIT_STOPS;
	size_t                 n = 0;

	if (stop == JSON_ABSENT || (json_kind(d, stop) == JSON_ARRAY && d->tok[stop].count == 0))
		return ERR_OK;
	if (!one && json_kind(d, stop) != JSON_ARRAY)
		return option_refuse("stop", "must be an array", e);
	bool ok = buf_text(&x->out, "\"stop\":[");
	for (json_at i = one ? stop : json_first(d, stop); i != json_end(d, stop);
	     i = json_next(d, i)) {
		char path[160];

		check_path(path, "options.stop[%zu]", n);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (n++ < most)
			ok = ok && (n == 1 || buf_text(&x->out, ",")) &&
			     buf_str(&x->out, json_raw(d, i));
	}
	if (n > most)
		warnings_add(&x->warnings, 0, "parameter_clamped",
			     "only the first %zu of options.stop were sent", most);
	return ollama_members_add(x, ok && buf_text(&x->out, "]"), e);
}

/* read_predict: a number below 1 sets no bound. */
static enum errc read_predict(struct ollama_reading *x, json_at value, struct err *e)
{
	int64_t n = 0;

	if (value == JSON_ABSENT)
		return ERR_OK;
	if (!option_whole(x->doc, value, &n))
		return option_refuse("num_predict", "must be a whole number", e);
	if (n > LIMIT_TOKENS)
		return err_set(e, ERR_INVALID_VALUE, "options.num_predict", "must be at most %d",
			       LIMIT_TOKENS);
	x->max_tokens = n > 0 ? n : 0;
	return ERR_OK;
}

static size_t option_row(const struct json_doc *d, json_at key)
{
	size_t i = 0;

	while (i < ARRAY_LEN(option_rows) && !json_is(d, key, option_rows[i].key))
		i++;
	return i;
}

/* add_own_options: options without a row. */
static enum errc add_own_options(struct ollama_reading *x, json_at options, struct err *e)
{
	const struct json_doc *d = x->doc;
	bool                   any = false;
	bool                   ok = true;

	JSON_EACH_MEMBER (k, d, options) {
		struct str key = json_inner(d, k);

		if (json_kind(d, json_value(k)) == JSON_NULL ||
		    option_row(d, k) < ARRAY_LEN(option_rows))
			continue;
		if (x->takes & PROVIDER_OLLAMA) {
			ok = ok && buf_text(&x->out, any ? "," : "\"options\":{") &&
			     buf_str(&x->out, json_member(d, k));
			any = true;
		} else {
			warnings_add(&x->warnings, 0, "parameter_dropped",
				     "the parameter \"options.%.*s\" was not sent",
				     (int)(key.n < 64 ? key.n : 64), key.p);
		}
	}
	return any ? ollama_members_add(x, ok && buf_text(&x->out, "}"), e) : ERR_OK;
}

static enum errc read_options(struct ollama_reading *x, struct err *e)
{
	const struct json_doc *d = x->doc;
	json_at                options = json_get_some(d, 0, "options");

	if (options == JSON_ABSENT)
		return ERR_OK;
	for (size_t row = 0; row < ARRAY_LEN(option_rows); row++) {
		json_at value = json_get_some(d, options, option_rows[row].key);

		if (value != JSON_ABSENT && option_rows[row].rule != OPTION_READ &&
		    add_option(x, row, value, e) != ERR_OK)
			return e->code;
	}
	enum errc rc = read_predict(x, json_get_some(d, options, "num_predict"), e);
	if (rc == ERR_OK)
		rc = add_stop(x, json_get_some(d, options, "stop"), e);
	return rc == ERR_OK ? add_own_options(x, options, e) : rc;
}

/* --- format, think, tools --- */

static enum errc ollama_members_format(struct ollama_reading *x, struct err *e)
{
	const struct json_doc *d = x->doc;
	json_at                format = json_get_some(d, 0, "format");

	if (format == JSON_ABSENT || json_is(d, format, ""))
		return ERR_OK;
	if (json_is(d, format, "json"))
		return ollama_members_add(
			x, buf_text(&x->out, "\"response_format\":{\"type\":\"json_object\"}"), e);
	if (json_kind(d, format) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_VALUE, "format", "must be json, or a JSON Schema");
	return ollama_members_add(
		x,
		buf_text(&x->out, "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
				  "\"name\":\"output\",\"schema\":") &&
			buf_str(&x->out, json_raw(d, format)) && buf_text(&x->out, "}}"),
		e);
}

/* think_effort: OpenAI's word; NULL: think is something else. */
static const char *think_effort(const struct json_doc *d, json_at think)
{
	static const char *const levels[] = { "low", "medium", "high" };

	if (json_kind(d, think) == JSON_TRUE)
		return "medium";
	if (json_kind(d, think) == JSON_FALSE)
		return "none";
	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (json_is(d, think, levels[i]))
			return levels[i];
	return json_is(d, think, "max") ? "high" : NULL;
}

static enum errc add_think(struct ollama_reading *x, struct err *e)
{
	json_at think = json_get_some(x->doc, 0, "think");

	if (think == JSON_ABSENT || json_is(x->doc, think, ""))
		return ERR_OK;
	const char *effort = think_effort(x->doc, think);
	if (!effort)
		return err_set(e, ERR_INVALID_VALUE, "think",
			       "must be true, false, low, medium, high or max");
	x->unthinking = json_kind(x->doc, think) == JSON_FALSE;
	if (x->takes & PROVIDER_OLLAMA)
		return ollama_members_add(x,
					  buf_text(&x->out, "\"think\":") &&
						  buf_str(&x->out, json_raw(x->doc, think)),
					  e);
	if (x->takes & PROVIDER_REASONS)
		return ollama_members_add(
			x, buf_fmt(&x->out, "\"reasoning_effort\":\"%s\"", effort), e);
	if (!x->unthinking)
		members_warn(x, "think", "the model's entry does not say that it reasons");
	return ERR_OK;
}

static enum errc ollama_members_tools(struct ollama_reading *x, struct err *e)
{
	const struct json_doc *d = x->doc;
	json_at                tools = json_get_some(d, 0, "tools");
	size_t                 n = 0;

	if (tools == JSON_ABSENT || d->tok[tools].count == 0)
		return ERR_OK;
	bool ok = buf_text(&x->out, "\"tools\":[");
	JSON_EACH (i, d, tools) {
		json_at function = json_is_kind(d, i, JSON_OBJECT) ? json_get_some(d, i, "function")
								   : JSON_ABSENT;
		char    path[160];

		check_path(path, "tools[%zu].function", n);
		if (!json_is_kind(d, function, JSON_OBJECT))
			return err_set(e, ERR_MISSING_PARAMETER, path, "must be an object");
		check_path(path, "tools[%zu].function.name", n);
		if (json_get_inner(d, function, "name").n == 0)
			return err_set(e, ERR_MISSING_PARAMETER, path, "must be a string");
		ok = ok && (n++ == 0 || buf_text(&x->out, ",")) &&
		     buf_text(&x->out, "{\"type\":\"function\",\"function\":") &&
		     buf_str(&x->out, json_raw(d, function)) && buf_text(&x->out, "}");
	}
	return ollama_members_add(x, ok && buf_text(&x->out, "]"), e);
}

/* --- all --- */

/* add_truncate: whether Ollama may leave out the beginning of a prompt that is too long. */
static enum errc add_truncate(struct ollama_reading *x, struct err *e)
{
	json_at value = json_get_some(x->doc, 0, "truncate");

	if (value == JSON_ABSENT || !(x->takes & PROVIDER_OLLAMA))
		return ERR_OK;
	return ollama_members_add(
		x, buf_text(&x->out, "\"truncate\":") && buf_str(&x->out, json_raw(x->doc, value)),
		e);
}

/* warn_unknown: a member that is false asks for nothing. */
static void warn_unknown(struct ollama_reading *x)
{
	JSON_EACH_MEMBER (k, x->doc, 0) {
		enum json_kind kind = json_kind(x->doc, json_value(k));
		struct str     key = json_inner(x->doc, k);
		bool           known = kind == JSON_NULL || kind == JSON_FALSE;

		for (size_t i = 0; !known && i < ARRAY_LEN(quiet_members); i++)
			known = json_is(x->doc, k, quiet_members[i]);
		if (!known)
			warnings_add(&x->warnings, 0, "parameter_dropped",
				     "the parameter \"%.*s\" was not sent",
				     (int)(key.n < 64 ? key.n : 64), key.p);
	}
}

/* bound_tokens: some clients send the same high number to all models. */
static enum errc bound_tokens(struct ollama_reading *x, int64_t max_output, struct prompt *ret,
			      struct err *e)
{
	int64_t most = x->max_tokens;
	char    text[24];

	if (most == 0)
		return ERR_OK;
	if (max_output > 0 && most > max_output) {
		warnings_add(&x->warnings, 0, "parameter_clamped",
			     "options.num_predict was sent as %lld, the most that the model writes",
			     (long long)max_output);
		most = max_output;
	}
	snprintf(text, sizeof text, "%lld", (long long)most);
	ret->max_tokens = arena_str(x->arena, str_of(text));
	return ret->max_tokens.p ? ERR_OK : err_no_memory(e);
}

enum errc ollama_members_read(struct ollama_reading *x, int64_t max_output, struct prompt *ret,
			      struct err *e)
{
	enum errc rc = read_options(x, e);

	if (rc == ERR_OK)
		rc = bound_tokens(x, max_output, ret, e);
	if (rc == ERR_OK)
		rc = ollama_members_format(x, e);
	if (rc == ERR_OK)
		rc = add_think(x, e);
	if (rc == ERR_OK)
		rc = ollama_members_tools(x, e);
	if (rc == ERR_OK)
		rc = add_truncate(x, e);
	if (rc == ERR_OK)
		warn_unknown(x);
	return rc;
}

enum errc ollama_members_done(struct ollama_reading *x, struct call_request *ret, struct err *e)
{
	ret->what.prompt.members = x->members;
	ret->what.prompt.member_count = x->member_count;
	ret->what.warning_count = x->warnings.count;
	ret->what.warnings = arena_str(x->arena, buf_view(&x->warnings.json));
	return ret->what.warnings.p ? ERR_OK : err_no_memory(e);
}
