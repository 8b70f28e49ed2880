/* Members of generationConfig by a table. */
#include "routes/gemini/internal.h"

#include "base/limits.h"
#include "provider/provider.h"
#include "routes/kit/check.h"

#include <math.h>
#include <string.h>

enum { EFFORT_LOW = 2048, EFFORT_MEDIUM = 8192, GOOGLE_STOPS = 5, GOOGLE_CANDIDATES = 8 };

#define CONFIG "generationConfig"

enum rule {
	RULE_NUMBER, /* sent with the other name */
	RULE_WHOLE,  /* the same, a whole number: some clients print 40.0 */
	RULE_TOP_K,  /* like RULE_WHOLE, where the provider knows it */
	RULE_READ,   /* read by other code */
	RULE_UNSENT, /* nobody gets it */
};

static const struct {
	const char *key;
	const char *as;
	enum rule   rule;
} rows[] = {
	{ "temperature", "temperature", RULE_NUMBER },
	{ "topP", "top_p", RULE_NUMBER },
	{ "topK", "top_k", RULE_TOP_K },
	{ "seed", "seed", RULE_WHOLE },
	{ "presencePenalty", "presence_penalty", RULE_NUMBER },
	{ "frequencyPenalty", "frequency_penalty", RULE_NUMBER },
	{ "maxOutputTokens", NULL, RULE_READ },
	{ "stopSequences", NULL, RULE_READ },
	{ "candidateCount", NULL, RULE_READ },
	{ "responseMimeType", NULL, RULE_READ },
	{ "responseSchema", NULL, RULE_READ },
	{ "responseJsonSchema", NULL, RULE_READ },
	{ "thinkingConfig", NULL, RULE_READ },
	{ "responseLogprobs", NULL, RULE_UNSENT },
	{ "logprobs", NULL, RULE_UNSENT },
};

static enum errc refuse_type(const char *key, const char *must, struct err *e)
{
	char path[160];

	check_path(path, CONFIG ".%s", key);
	return err_set(e, ERR_INVALID_TYPE, path, "%s", must);
}

/* whole_of: false: no whole number, or too large. */
static bool whole_of(const struct json_doc *d, json_at at, int64_t *ret)
{
	double v;

	if (json_int(d, at, ret))
		return true;
	if (!json_number(d, at, &v) || v != floor(v) || fabs(v) > 1e15)
		return false;
	*ret = (int64_t)v;
	return true;
}

static enum errc generation_add_number(struct gemini_reading *x, size_t row, json_at value,
				       struct err *e)
{
	int64_t n = 0;
	bool    whole = rows[row].rule != RULE_NUMBER;

	if (whole ? !whole_of(x->doc, value, &n) : json_kind(x->doc, value) != JSON_NUMBER)
		return refuse_type(rows[row].key,
				   whole ? "must be a whole number" : "must be a number", e);
	if (rows[row].rule == RULE_TOP_K && !(x->takes & PROVIDER_TOP_K)) {
		reading_warn(x, CONFIG ".topK", "this provider has no such parameter");
		return ERR_OK;
	}
	return reading_add(
		x,
		buf_fmt(&x->out, "\"%s\":", rows[row].as) &&
			(whole ? buf_int(&x->out, n) : buf_str(&x->out, json_raw(x->doc, value))),
		e);
}

/* --- members that are read --- */

static enum errc generation_add_stops(struct gemini_reading *x, json_at stops, struct err *e)
{
	size_t most = x->takes & PROVIDER_GEMINI ? GOOGLE_STOPS : LIMIT_STOPS;
	bool   ok = buf_text(&x->out, "\"stop\":[");
	size_t n = 0;

	if (stops == JSON_ABSENT ||
	    (json_kind(x->doc, stops) == JSON_ARRAY && x->doc->tok[stops].count == 0)) {
		buf_clear(&x->out);
		return ERR_OK;
	}
	if (json_kind(x->doc, stops) != JSON_ARRAY)
		return refuse_type("stopSequences", "must be an array", e);
	JSON_EACH (i, x->doc, stops) {
		char path[160];

		check_path(path, CONFIG ".stopSequences[%zu]", n);
		if (json_kind(x->doc, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
		if (n++ < most)
			ok = ok && (n == 1 || buf_text(&x->out, ",")) &&
			     buf_str(&x->out, json_raw(x->doc, i));
	}
	if (n > most)
		warnings_add(&x->warnings, 0, "parameter_clamped",
			     "only the first %zu of " CONFIG ".stopSequences were sent", most);
	return reading_add(x, ok && buf_text(&x->out, "]"), e);
}

/* add_candidates: several come only in the provider's own words, which are not stored. */
static enum errc add_candidates(struct gemini_reading *x, json_at count, struct err *e)
{
	int64_t n = 1;
	bool    whole = count == JSON_ABSENT || whole_of(x->doc, count, &n);

	if (whole && n == 1)
		return ERR_OK;
	if (!(x->takes & PROVIDER_GEMINI) || x->stored)
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, CONFIG ".candidateCount",
			       "must be 1: this gateway gives one candidate%s",
			       x->stored ? " of a stored answer" : "");
	if (!whole || n < 1 || n > GOOGLE_CANDIDATES)
		return err_set(e, ERR_INVALID_VALUE, CONFIG ".candidateCount",
			       "must be a whole number from 1 to %d", GOOGLE_CANDIDATES);
	return reading_add(x, buf_fmt(&x->out, "\"n\":%d", (int)n), e);
}

/* check_twice: the provider might take the one that was not read here. */
static enum errc check_twice(const struct gemini_reading *x, json_at config, struct err *e)
{
	static const char *const keys[] = { "maxOutputTokens", "candidateCount",
					    "stopSequences",   "responseMimeType",
					    "responseSchema",  "responseJsonSchema",
					    "thinkingConfig" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (proto_twice(x->doc, config, keys[i])) {
			refuse_type(keys[i], "must not be there in both spellings", e);
			e->code = ERR_INVALID_VALUE;
			return e->code;
		}
	return ERR_OK;
}

static enum errc read_counts(struct gemini_reading *x, json_at config, struct err *e)
{
	if (check_twice(x, config, e) != ERR_OK)
		return e->code;
	json_at most = proto_get(x->doc, config, "maxOutputTokens");
	int64_t n;

	if (add_candidates(x, proto_get(x->doc, config, "candidateCount"), e) != ERR_OK)
		return e->code;
	if (most == JSON_ABSENT)
		return ERR_OK;
	if (!whole_of(x->doc, most, &n) || n < 1 || n > LIMIT_TOKENS)
		return err_set(e, ERR_INVALID_VALUE, CONFIG ".maxOutputTokens",
			       "must be a whole number from 1 to %d", LIMIT_TOKENS);
	x->max_tokens = n;
	return ERR_OK;
}

static enum errc generation_add_format(struct gemini_reading *x, json_at config, struct err *e)
{
	const struct json_doc *d = x->doc;
	json_at                type = proto_get(d, config, "responseMimeType");
	json_at                own = proto_get(d, config, "responseSchema");
	json_at                full = proto_get(d, config, "responseJsonSchema");

	if (type != JSON_ABSENT && !json_is(d, type, "application/json") &&
	    !json_is(d, type, "text/plain") && json_inner_of(d, type).n > 0)
		reading_warn(x, CONFIG ".responseMimeType",
			     "only text/plain and application/json can be asked for");
	if (type == JSON_ABSENT || !json_is(d, type, "application/json")) {
		if (own != JSON_ABSENT || full != JSON_ABSENT)
			reading_warn(x, CONFIG ".responseSchema",
				     "it holds with the responseMimeType application/json alone");
		return ERR_OK;
	}
	if (own != JSON_ABSENT && json_kind(d, own) != JSON_OBJECT)
		return refuse_type("responseSchema", "must be an object", e);
	if (full != JSON_ABSENT && json_kind(d, full) != JSON_OBJECT)
		return refuse_type("responseJsonSchema", "must be an object", e);
	if (own == JSON_ABSENT && full == JSON_ABSENT)
		return reading_add(
			x, buf_text(&x->out, "\"response_format\":{\"type\":\"json_object\"}"), e);
	return reading_add(
		x,
		buf_text(&x->out, "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
				  "\"name\":\"output\",\"schema\":") &&
			(own != JSON_ABSENT ? functions_schema(d, own, &x->out)
					    : buf_str(&x->out, json_raw(d, full))) &&
			buf_text(&x->out, "}}"),
		e);
}

/* generation_effort_of: the word of OpenAI's for how much the model should think; NULL: the request leaves it to the model. */
static const char *generation_effort_of(struct gemini_reading *x, json_at thinking)
{
	static const char *const levels[][2] = { { "MINIMAL", "minimal" },
						 { "LOW", "low" },
						 { "MEDIUM", "medium" },
						 { "HIGH", "high" } };
	const struct json_doc   *d = x->doc;
	json_at                  level = proto_get(d, thinking, "thinkingLevel");
	json_at                  budget = proto_get(d, thinking, "thinkingBudget");
	int64_t                  n = -1;

	for (size_t i = 0; level != JSON_ABSENT && i < ARRAY_LEN(levels); i++)
		if (json_is(d, level, levels[i][0]) || json_is(d, level, levels[i][1]))
			return levels[i][1];
	if (level != JSON_ABSENT && !json_is(d, level, "THINKING_LEVEL_UNSPECIFIED"))
		reading_warn(x, CONFIG ".thinkingConfig.thinkingLevel",
			     "only MINIMAL, LOW, MEDIUM and HIGH can be asked for");
	if (budget == JSON_ABSENT || !whole_of(d, budget, &n) || n < 0)
		return NULL;
	return n == 0 ? "none" : n <= EFFORT_LOW ? "low" : n <= EFFORT_MEDIUM ? "medium" : "high";
}

static enum errc add_thinking(struct gemini_reading *x, json_at config, struct err *e)
{
	json_at     thinking = proto_get(x->doc, config, "thinkingConfig");
	const char *effort;

	if (thinking == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(x->doc, thinking) != JSON_OBJECT)
		return refuse_type("thinkingConfig", "must be an object", e);
	x->thoughts =
		json_is_kind(x->doc, proto_get(x->doc, thinking, "includeThoughts"), JSON_TRUE);
	effort = generation_effort_of(x, thinking);
	if (!effort || (x->takes & PROVIDER_GEMINI))
		return ERR_OK;
	if (x->takes & PROVIDER_REASONS)
		return reading_add(x, buf_fmt(&x->out, "\"reasoning_effort\":\"%s\"", effort), e);
	if (strcmp(effort, "none") != 0)
		reading_warn(x, "the effort of thinking",
			     "the model's entry does not say that it reasons");
	return ERR_OK;
}

/* --- all --- */

/* row_of: ARRAY_LEN(rows): Google's own. */
static size_t row_of(const struct json_doc *d, json_at key)
{
	size_t i = 0;

	while (i < ARRAY_LEN(rows) && !proto_is(d, key, rows[i].key))
		i++;
	return i;
}

/* generation_is_plain: a choice that is none: an answer of text. */
static bool generation_is_plain(const struct json_doc *d, json_at key)
{
	json_at list = json_value(key);

	if (!proto_is(d, key, "responseModalities") || json_kind(d, list) != JSON_ARRAY)
		return false;
	JSON_EACH (i, d, list)
		if (!json_is(d, i, "TEXT"))
			return false;
	return true;
}

/* add_googles: Google's own members, for providers of Gemini's alone; the thinking, too, as it can be said in more ways
 * than OpenAI's. */
static enum errc add_googles(struct gemini_reading *x, json_at config, struct err *e)
{
	const struct json_doc *d = x->doc;
	bool                   any = false;
	bool                   ok = true;

	JSON_EACH_MEMBER (k, d, config) {
		size_t     row = row_of(d, k);
		struct str key = json_inner(d, k);

		if (json_kind(d, json_value(k)) == JSON_NULL ||
		    (row < ARRAY_LEN(rows) && strcmp(rows[row].key, "thinkingConfig") != 0))
			continue;
		if (x->takes & PROVIDER_GEMINI) {
			ok = ok && buf_text(&x->out, any ? "," : "\"" CONFIG "\":{") &&
			     buf_str(&x->out, json_member(d, k));
			any = true;
		} else if (row == ARRAY_LEN(rows) && !generation_is_plain(d, k)) {
			warnings_add(&x->warnings, 0, "parameter_dropped",
				     "the parameter \"" CONFIG ".%.*s\" was not sent",
				     (int)(key.n < 64 ? key.n : 64), key.p);
		}
	}
	return any ? reading_add(x, ok && buf_text(&x->out, "}"), e) : ERR_OK;
}

enum errc generation_read(struct gemini_reading *x, json_at config, struct err *e)
{
	const struct json_doc *d = x->doc;

	if (config == JSON_ABSENT)
		return ERR_OK;
	JSON_EACH_MEMBER (k, d, config) {
		size_t  row = row_of(d, k);
		json_at value = json_value(k);

		/* A member in both spellings counts once. */
		if (row == ARRAY_LEN(rows) || proto_get(d, config, rows[row].key) != value)
			continue;
		if (rows[row].as && generation_add_number(x, row, value, e) != ERR_OK)
			return e->code;
		if (rows[row].rule == RULE_UNSENT && json_kind(d, value) != JSON_FALSE)
			reading_warn(x, rows[row].key, "answers have no log probabilities");
	}
	enum errc rc = read_counts(x, config, e);
	if (rc == ERR_OK)
		rc = generation_add_stops(x, proto_get(d, config, "stopSequences"), e);
	if (rc == ERR_OK)
		rc = generation_add_format(x, config, e);
	if (rc == ERR_OK)
		rc = add_thinking(x, config, e);
	return rc == ERR_OK ? add_googles(x, config, e) : rc;
}
