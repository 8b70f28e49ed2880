/* Chooses between the two kinds of schemas that Gemini knows.
 *
 * parameters and responseSchema take a subset of OpenAPI's schemas. All models and servers with
 * this API know them, but refuse a request with any other key in them ($ref, $schema,
 * additionalProperties, const, a list of types). parametersJsonSchema and responseJsonSchema take
 * JSON Schema. So a schema is always sent unchanged, in the one member or the other. Source: the
 * API's reference, "Schema", "FunctionDeclaration" and "GenerationConfig" (v1beta). */
#include "provider/gemini/gemini.h"

#include "lmc/warnings.h"
#include "provider/ask_param.h"

#include <stdio.h>

/* Keys whose values mean the same in both kinds. */
static const char *const plain[] = {
	"title",         "description", "nullable",  "required", "propertyOrdering",
	"default",       "example",     "minimum",   "maximum",  "minItems",
	"maxItems",      "minLength",   "maxLength", "pattern",  "minProperties",
	"maxProperties",
};

static const char *const formats[] = {
	"int32", "int64", "float", "double", "date-time", "enum",
};

static bool gemini_schema_is_one_of(const struct json_doc *d, json_at i, const char *const *list,
				    size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (json_is(d, i, list[k]))
			return true;
	return false;
}

/* is_enum: whether a list has only strings: the simple kind has no other enums. */
static bool is_enum(const struct json_doc *d, json_at list)
{
	if (json_kind(d, list) != JSON_ARRAY)
		return false;
	JSON_EACH (i, d, list)
		if (json_kind(d, i) != JSON_STRING || json_inner(d, i).n == 0)
			return false;
	return true;
}

static bool is_simple(const struct json_doc *d, json_at schema);

static bool are_simple(const struct json_doc *d, json_at list)
{
	if (json_kind(d, list) != JSON_ARRAY || d->tok[list].count == 0)
		return false;
	JSON_EACH (i, d, list)
		if (!is_simple(d, i))
			return false;
	return true;
}

static bool has_simple(const struct json_doc *d, json_at object)
{
	if (json_kind(d, object) != JSON_OBJECT || d->tok[object].count == 0)
		return false;
	JSON_EACH_MEMBER (k, d, object)
		if (!is_simple(d, json_value(k)))
			return false;
	return true;
}

static bool member_is_simple(const struct json_doc *d, json_at key)
{
	json_at value = json_value(key);

	if (json_is(d, key, "type"))
		return json_kind(d, value) == JSON_STRING && !json_is(d, value, "null");
	if (json_is(d, key, "properties"))
		return has_simple(d, value);
	if (json_is(d, key, "items"))
		return is_simple(d, value);
	if (json_is(d, key, "anyOf"))
		return are_simple(d, value);
	if (json_is(d, key, "enum"))
		return is_enum(d, value);
	if (json_is(d, key, "format"))
		return gemini_schema_is_one_of(d, value, formats, ARRAY_LEN(formats));
	return gemini_schema_is_one_of(d, key, plain, ARRAY_LEN(plain));
}

/* is_simple: recursive; the scan limits the depth. */
static bool is_simple(const struct json_doc *d, json_at schema)
{
	if (json_kind(d, schema) != JSON_OBJECT)
		return false;
	JSON_EACH_MEMBER (k, d, schema)
		if (!member_is_simple(d, k))
			return false;

	/* The simple kind needs properties in an object, and items in an array. */
	json_at type = json_get(d, schema, "type");
	if (type == JSON_ABSENT)
		return true;
	if (json_is(d, type, "object"))
		return json_get(d, schema, "properties") != JSON_ABSENT;
	return !json_is(d, type, "array") || json_get(d, schema, "items") != JSON_ABSENT;
}

bool gemini_schema_put(struct str schema, const char *simple, const char *full, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            ok = json_scan(&d, schema.p, schema.n, &json_limits_upstream, &e) == ERR_OK;

	ok = ok && buf_text(out, ",\"") && buf_text(out, is_simple(&d, 0) ? simple : full) &&
	     buf_text(out, "\":") && buf_str(out, schema);
	json_doc_finish(&d);
	return ok;
}

bool gemini_schema_empty(struct str schema)
{
	static const char *const others[] = {
		"$ref", "anyOf", "oneOf", "allOf", "additionalProperties", "patternProperties"
	};
	struct json_doc d = { 0 };
	struct err      e;
	bool            empty = schema.n == 0 ||
		     (json_scan(&d, schema.p, schema.n, &json_limits_upstream, &e) == ERR_OK &&
		      json_kind(&d, 0) == JSON_OBJECT);

	if (empty && schema.n > 0) {
		json_at properties = json_get(&d, 0, "properties");

		empty = properties == JSON_ABSENT ||
			(json_kind(&d, properties) == JSON_OBJECT && d.tok[properties].count == 0);
		for (size_t i = 0; empty && i < ARRAY_LEN(others); i++) {
			json_at other = json_get(&d, 0, others[i]);

			empty = other == JSON_ABSENT || json_kind(&d, other) == JSON_FALSE;
		}
	}
	json_doc_finish(&d);
	return empty;
}

/* --- gemini_model: The abilities of the API's models, by the beginning of their names.
 *
 * Sources: Google's pages "Gemini thinking" (budgets, levels, and which models have none), "Gemini 3",
 * "Structured outputs", "Function calling" (multimodal function responses) and "File input methods"
 * (ai.google.dev/gemini-api/docs/thinking, /gemini-3, /structured-output, /function-calling,
 * /file-input-methods), and the texts of the API's errors. */

/* Bits: the levels that a model has, from minimal to high. */
enum { MINIMAL = 1, LOW = 2, MEDIUM = 4, HIGH = 8, ALL = MINIMAL | LOW | MEDIUM | HIGH };

/* The first row that fits holds. */
static const struct {
	const char         *begins;
	struct gemini_model model;
} models[] = {
	{ "gemini-1", { 0 } },
	{ "gemini-2.0", { 0 } },
	{ "gemma-3", { 0 } },
	{ "gemini-2.5-flash-image", { .fetches = true } },
	{ "gemini-2.5-flash-lite", { .least = 512, .most = 24576, .off = true, .fetches = true } },
	{ "gemini-2.5-pro", { .least = 128, .most = 32768, .fetches = true } },
	{ "gemini-2", { .least = 1, .most = 24576, .off = true, .fetches = true } },
	{ "gemini-3-pro", { .levels = LOW | HIGH, .fetches = true, .newer = true } },
	{ "gemini-3.1-pro", { .levels = LOW | MEDIUM | HIGH, .fetches = true, .newer = true } },
	{ "gemini-pro-latest", { .levels = LOW | MEDIUM | HIGH, .fetches = true, .newer = true } },
	{ "", { .levels = ALL, .fetches = true, .newer = true } },
};

/* OpenAI's efforts, in their order. The budgets are those of Google's own route for OpenAI's clients;
 * what is above them there is the most that the model has. */
static const struct {
	const char *word;
	const char *level;
	unsigned    bit;
	int         budget;
} efforts[] = {
	{ "none", NULL, 0, 0 },          { "minimal", "minimal", MINIMAL, 1024 },
	{ "low", "low", LOW, 1024 },     { "medium", "medium", MEDIUM, 8192 },
	{ "high", "high", HIGH, 24576 }, { "xhigh", NULL, 0, 32768 },
	{ "max", NULL, 0, 32768 },
};

const struct gemini_model *gemini_model_of(const struct prompt *p)
{
	struct str  name = p->model;
	const char *slash = name.n > 0 ? memrchr(name.p, '/', name.n) : NULL;

	/* Names in the API's own lists have the prefix models/. */
	if (slash)
		name = (struct str){ slash + 1, name.n - (size_t)(slash + 1 - name.p) };
	for (size_t i = 0; i + 1 < ARRAY_LEN(models); i++)
		if (str_starts(name, str_of(models[i].begins)))
			return &models[i].model;
	return &models[ARRAY_LEN(models) - 1].model;
}

static void gemini_model_clamped(const struct prompt *p, const char *asked, const char *sent)
{
	warnings_add(p->warnings, 0, "parameter_clamped",
		     "reasoning_effort: this model has no \"%s\"; %s was sent", asked, sent);
}

/* gemini_model_budget: the number of tokens of an effort, held to what the model takes. */
static bool gemini_model_budget(const struct prompt *p, const struct gemini_model *m, size_t effort,
				struct buf *out)
{
	int  budget = efforts[effort].budget;
	int  least = budget == 0 && m->off ? 0 : m->least;
	char text[32];

	if (budget < least || budget > m->most) {
		budget = budget < least ? least : m->most;
		snprintf(text, sizeof text, "a budget of %d", budget);
		gemini_model_clamped(p, efforts[effort].word, text);
	}
	return buf_fmt(out, "\"thinkingBudget\":%d}", budget);
}

/* gemini_model_level: the number of an effort's level among the efforts, or of the next one that the model has,
 * above it if there is one. */
static size_t gemini_model_level(const struct prompt *p, unsigned levels, size_t effort)
{
	size_t i = effort;

	while (i < ARRAY_LEN(efforts) && !(efforts[i].bit & levels))
		i++;
	if (i == ARRAY_LEN(efforts)) /* every model that has levels has the highest */
		for (i = effort; !(efforts[i].bit & levels);)
			i--;
	if (i != effort)
		gemini_model_clamped(p, efforts[effort].word, efforts[i].word);
	return i;
}

/* read_effort: *ret: the number of the effort.  *ret_any: false: there is none, or the model does not think. */
static enum errc read_effort(const struct prompt *p, const struct gemini_model *m, size_t *ret,
			     bool *ret_any, struct err *e)
{
	struct str effort = ask_param_value(p, "reasoning_effort");
	size_t     i = 0;

	*ret = 0;
	*ret_any = false;
	if (effort.n == 0)
		return ERR_OK;
	if (effort.n > 2 && effort.p[0] == '"')
		effort = (struct str){ effort.p + 1, effort.n - 2 };
	while (i < ARRAY_LEN(efforts) && !str_is(effort, efforts[i].word))
		i++;
	if (i == ARRAY_LEN(efforts))
		return err_set(e, ERR_INVALID_VALUE, "reasoning_effort",
			       "must be none, minimal, low, medium, high, xhigh or max");
	*ret = i;
	*ret_any = m->levels != 0 || m->most != 0;
	if (!*ret_any && i > 0)
		gemini_model_clamped(p, efforts[i].word, "none");
	return ERR_OK;
}

enum errc gemini_level(const struct prompt *p, const char **ret, bool *ret_told, struct err *e)
{
	const struct gemini_model *m = gemini_model_of(p);
	size_t                     i;
	bool                       any;
	enum errc                  rc = read_effort(p, m, &i, &any, e);

	*ret = NULL;
	*ret_told = any && i > 0;
	/* Models with budgets have three levels in an API without budgets. */
	if (rc == ERR_OK && any)
		*ret = efforts[gemini_model_level(p, m->levels ? m->levels : LOW | MEDIUM | HIGH,
						  i)]
			       .level;
	return rc;
}

enum errc gemini_effort_put(const struct prompt *p, bool *first, struct buf *out, struct err *e)
{
	const struct gemini_model *m = gemini_model_of(p);
	size_t                     i;
	bool                       any;
	enum errc                  rc = read_effort(p, m, &i, &any, e);

	if (rc != ERR_OK || !any)
		return rc;
	/* With any effort but none, the client gets the thoughts too. */
	bool ok = ask_put_comma(first, out) &&
		  buf_fmt(out, "\"thinkingConfig\":{\"includeThoughts\":%s,",
			  i > 0 ? "true" : "false") &&
		  (m->levels ? buf_fmt(out, "\"thinkingLevel\":\"%s\"}",
				       efforts[gemini_model_level(p, m->levels, i)].level)
			     : gemini_model_budget(p, m, i, out));
	return ok ? ERR_OK : ask_too_large(e);
}
