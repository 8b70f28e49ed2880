/* Function declarations, as functions of OpenAI's. */
#include "routes/gemini/internal.h"

#include "base/limits.h"
#include "routes/kit/check.h"

#include <string.h>

/* --- schemas: Google's own kind is OpenAPI's, with types in capitals, and numbers that may be strings.  Source:
 * ai.google.dev/api/caching#Schema. */

enum schema_holds {
	HOLDS_SAME,
	HOLDS_TYPE,
	HOLDS_ENUM,
	HOLDS_NUMBER,
	HOLDS_SCHEMA,
	HOLDS_LIST,
	HOLDS_MAP,
	HOLDS_NOTHING, /* not a keyword of JSON Schema */
};

static const struct {
	const char       *key;
	enum schema_holds holds;
} keywords[] = {
	{ "type", HOLDS_TYPE },
	{ "enum", HOLDS_ENUM },
	{ "properties", HOLDS_MAP },
	{ "defs", HOLDS_MAP },
	{ "$defs", HOLDS_MAP },
	{ "items", HOLDS_SCHEMA },
	{ "additionalProperties", HOLDS_SCHEMA },
	{ "anyOf", HOLDS_LIST },
	{ "prefixItems", HOLDS_LIST },
	{ "minItems", HOLDS_NUMBER },
	{ "maxItems", HOLDS_NUMBER },
	{ "minLength", HOLDS_NUMBER },
	{ "maxLength", HOLDS_NUMBER },
	{ "minProperties", HOLDS_NUMBER },
	{ "maxProperties", HOLDS_NUMBER },
	{ "minimum", HOLDS_NUMBER },
	{ "maximum", HOLDS_NUMBER },
	{ "nullable", HOLDS_NOTHING },
	{ "propertyOrdering", HOLDS_NOTHING },
};

static bool schema_put(const struct json_doc *d, json_at schema, bool whole, struct buf *out);

static bool put_type_word(const struct json_doc *d, json_at type, struct buf *out)
{
	struct str word = json_inner_of(d, type);
	bool       ok = buf_text(out, "\"");

	for (size_t i = 0; ok && i < word.n; i++) {
		char c = word.p[i];

		ok = buf_add(out, &(char){ c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c }, 1);
	}
	return ok && buf_text(out, "\"");
}

/* put_type: a type, or a list of them, and null if the schema says so in another way. */
static bool put_type(const struct json_doc *d, json_at type, bool nullable, struct buf *out)
{
	bool list = json_kind(d, type) == JSON_ARRAY;
	bool first = true;
	bool ok;

	if (!list && !nullable)
		return put_type_word(d, type, out);
	ok = buf_text(out, "[") && (list || put_type_word(d, type, out));
	if (list)
		for (json_at i = json_first(d, type); ok && i != json_end(d, type);
		     i = json_next(d, i)) {
			nullable = nullable && !json_is(d, i, "NULL") && !json_is(d, i, "null");
			ok = (first || buf_text(out, ",")) && put_type_word(d, i, out);
			first = false;
		}
	return ok && (!nullable || buf_text(out, list && first ? "\"null\"" : ",\"null\"")) &&
	       buf_text(out, "]");
}

static bool functions_put_list(const struct json_doc *d, json_at list, struct buf *out)
{
	bool ok = buf_text(out, "[");

	for (json_at i = json_first(d, list); ok && i != json_end(d, list); i = json_next(d, i))
		ok = (i == json_first(d, list) || buf_text(out, ",")) &&
		     schema_put(d, i, false, out);
	return ok && buf_text(out, "]");
}

static bool put_map(const struct json_doc *d, json_at map, struct buf *out)
{
	bool ok = buf_text(out, "{");

	for (json_at k = json_first(d, map); ok && k != json_end(d, map);
	     k = json_next_member(d, k))
		ok = (k == json_first(d, map) || buf_text(out, ",")) &&
		     buf_str(out, json_raw(d, k)) && buf_text(out, ":") &&
		     schema_put(d, json_value(k), false, out);
	return ok && buf_text(out, "}");
}

/* put_number: a string that may be a number; any other stays as it is. */
static bool functions_put_number(const struct json_doc *d, json_at value, struct buf *out)
{
	struct str      text = json_inner(d, value);
	struct json_doc doc = { 0 };
	struct err      e;
	enum errc       rc = json_scan(&doc, text.p, text.n, &json_limits_request, &e);
	bool            number = rc == ERR_OK && json_kind(&doc, 0) == JSON_NUMBER;

	json_doc_finish(&doc);
	return rc != ERR_OVERLOADED && buf_str(out, number ? text : json_raw(d, value));
}

static bool put_keyword(const struct json_doc *d, json_at value, enum schema_holds holds,
			bool nullable, struct buf *out)
{
	enum json_kind kind = json_kind(d, value);

	switch (holds) {
	case HOLDS_TYPE: return put_type(d, value, nullable, out);
	case HOLDS_SCHEMA: return schema_put(d, value, false, out);
	case HOLDS_LIST:
		if (kind == JSON_ARRAY)
			return functions_put_list(d, value, out);
		break;
	case HOLDS_MAP:
		if (kind == JSON_OBJECT)
			return put_map(d, value, out);
		break;
	case HOLDS_ENUM:
		if (kind == JSON_ARRAY && nullable && d->tok[value].count > 0)
			return buf_add(out, json_raw(d, value).p, json_raw(d, value).n - 1) &&
			       buf_text(out, ",null]");
		break;
	case HOLDS_NUMBER:
		if (kind == JSON_STRING)
			return functions_put_number(d, value, out);
		break;
	case HOLDS_SAME:
	case HOLDS_NOTHING: break;
	}
	return buf_str(out, json_raw(d, value));
}

/* keyword_of: the row of a key that has two spellings; ARRAY_LEN(keywords): it is another one. */
static size_t keyword_of(const struct json_doc *d, json_at key)
{
	size_t i = 0;

	while (i < ARRAY_LEN(keywords) && !proto_is(d, key, keywords[i].key))
		i++;
	return i;
}

static bool has_type(const struct json_doc *d, json_at type)
{
	return json_kind(d, type) == JSON_ARRAY ||
	       (json_kind(d, type) == JSON_STRING && !json_is(d, type, "TYPE_UNSPECIFIED"));
}

/* schema_put: recursive; the scan limits the depth.  whole: the schema is all that a tool or an answer has, and
 * OpenAI wants an object there to say its properties. */
static bool schema_put(const struct json_doc *d, json_at schema, bool whole, struct buf *out)
{
	bool     nullable = json_is_kind(d, json_get(d, schema, "nullable"), JSON_TRUE);
	uint32_t seen = 0; /* bits 1 << row */
	bool     first = true;
	bool     ok;

	if (json_kind(d, schema) != JSON_OBJECT)
		return buf_str(out, json_raw(d, schema));
	ok = buf_text(out, "{");
	JSON_EACH_MEMBER (k, d, schema) {
		size_t            row = keyword_of(d, k);
		bool              known = row < ARRAY_LEN(keywords);
		enum schema_holds holds = known ? keywords[row].holds : HOLDS_SAME;
		json_at           value = json_value(k);

		/* A keyword in both spellings counts once. */
		if (holds == HOLDS_NOTHING || json_kind(d, value) == JSON_NULL ||
		    (holds == HOLDS_TYPE && !has_type(d, value)) || (known && (seen & 1u << row)))
			continue;
		seen |= known ? 1u << row : 0;
		ok = ok && (first || buf_text(out, ",")) &&
		     (known ? buf_text(out, "\"") && buf_text(out, keywords[row].key) &&
				      buf_text(out, "\":")
			    : buf_str(out, json_raw(d, k)) && buf_text(out, ":")) &&
		     put_keyword(d, value, holds, nullable, out);
		first = false;
	}
	if (ok && whole && json_get_some(d, schema, "type") == JSON_ABSENT) {
		ok = buf_text(out, first ? "\"type\":\"object\"" : ",\"type\":\"object\"");
		first = false;
	}
	if (ok && whole && json_get_some(d, schema, "properties") == JSON_ABSENT)
		ok = buf_text(out, first ? "\"properties\":{}" : ",\"properties\":{}");
	return ok && buf_text(out, "}");
}

bool functions_schema(const struct json_doc *d, json_at schema, struct buf *out)
{
	return schema_put(d, schema, false, out);
}

/* --- declarations --- */

static enum errc check_declaration(const struct json_doc *d, json_at f, const char *path,
				   json_at *ret_schema, bool *ret_own, struct err *e)
{
	json_at own =
		json_is_kind(d, f, JSON_OBJECT) ? json_get_some(d, f, "parameters") : JSON_ABSENT;
	char at[160];

	if (json_kind(d, f) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
	check_path(at, "%s.name", path);
	if (json_get_inner(d, f, "name").n == 0)
		return err_set(e, ERR_MISSING_PARAMETER, at, "must be a string");
	*ret_own = own != JSON_ABSENT;
	*ret_schema = *ret_own ? own : proto_get(d, f, "parametersJsonSchema");
	check_path(at, "%s.%s", path, *ret_own ? "parameters" : "parametersJsonSchema");
	if (*ret_schema != JSON_ABSENT && json_kind(d, *ret_schema) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, at, "must be an object");
	return ERR_OK;
}

static enum errc put_declaration(struct gemini_reading *x, json_at f, size_t *count,
				 const char *path, struct err *e)
{
	const struct json_doc *d = x->doc;
	json_at                schema = JSON_ABSENT;
	bool                   own;
	enum errc              rc = check_declaration(d, f, path, &schema, &own, e);

	if (rc != ERR_OK)
		return rc;
	if (*count == LIMIT_TOOLS)
		return err_set(e, ERR_INVALID_VALUE, "tools", "must have at most %d functions",
			       LIMIT_TOOLS);
	json_at description = json_get_some(d, f, "description");
	bool    ok = buf_text(&x->out,
                           (*count)++ == 0
				      ? "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":"
				      : ",{\"type\":\"function\",\"function\":{\"name\":") &&
		  buf_str(&x->out, json_raw(d, json_get(d, f, "name")));
	if (ok && json_is_kind(d, description, JSON_STRING))
		ok = buf_text(&x->out, ",\"description\":") &&
		     buf_str(&x->out, json_raw(d, description));
	ok = ok && buf_text(&x->out, ",\"parameters\":") &&
	     (schema == JSON_ABSENT ? buf_text(&x->out, "{\"type\":\"object\",\"properties\":{}}")
				    : schema_put(d, schema, true, &x->out)) &&
	     buf_text(&x->out, "}}");
	return ok ? ERR_OK : err_no_memory(e);
}

/* functions_put_tool: the functions of one element of tools; what else it has, Google runs. */
static enum errc functions_put_tool(struct gemini_reading *x, json_at tool, size_t n, size_t *count,
				    struct err *e)
{
	const struct json_doc *d = x->doc;
	char                   path[160];

	check_path(path, "tools[%zu]", n);
	if (json_kind(d, tool) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
	JSON_EACH_MEMBER (k, d, tool) {
		json_at    value = json_value(k);
		struct str key = json_inner(d, k);
		size_t     i = 0;

		if (json_kind(d, value) == JSON_NULL)
			continue;
		if (!proto_is(d, k, "functionDeclarations")) {
			check_path(path, "tools[%zu].%.*s", n, (int)(key.n < 64 ? key.n : 64),
				   key.p);
			if (!x->drops) {
				err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
					"this gateway has no tools that Google runs");
				if (reading_bind(x, e) != ERR_OK)
					return e->code;
				continue;
			}
			warnings_add(&x->warnings, n, "tool_dropped",
				     "%s was not sent: Google runs this tool", path);
			continue;
		}
		check_path(path, "tools[%zu].functionDeclarations", n);
		if (!proto_list(d, value))
			return err_set(e, ERR_INVALID_TYPE, path, "must be an array");
		for (json_at f = proto_first(d, value); f != json_end(d, value);
		     f = json_next(d, f)) {
			check_path(path, "tools[%zu].functionDeclarations[%zu]", n, i++);
			enum errc rc = put_declaration(x, f, count, path, e);
			if (rc != ERR_OK)
				return rc;
		}
	}
	return ERR_OK;
}

/* --- the choice --- */

#define CHOICE "toolConfig.functionCallingConfig"

static enum errc check_names(const struct json_doc *d, json_at names, struct err *e)
{
	size_t n = 0;

	if (names == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d, names) != JSON_ARRAY)
		return err_set(e, ERR_INVALID_TYPE, CHOICE ".allowedFunctionNames",
			       "must be an array");
	JSON_EACH (i, d, names) {
		char path[160];

		check_path(path, CHOICE ".allowedFunctionNames[%zu]", n++);
		if (json_kind(d, i) != JSON_STRING)
			return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
	}
	return ERR_OK;
}

static bool functions_put_function(const struct json_doc *d, json_at name, struct buf *out)
{
	return buf_text(out, "{\"type\":\"function\",\"function\":{\"name\":") &&
	       buf_str(out, json_raw(d, name)) && buf_text(out, "}}");
}

/* functions_put_allowed: a choice among some of the functions. */
static bool functions_put_allowed(const struct json_doc *d, json_at names, const char *word,
				  struct buf *out)
{
	bool ok = buf_fmt(out,
			  "\"tool_choice\":{\"type\":\"allowed_tools\",\"allowed_tools\":{"
			  "\"mode\":\"%s\",\"tools\":[",
			  word);

	for (json_at i = json_first(d, names); ok && i != json_end(d, names); i = json_next(d, i))
		ok = (i == json_first(d, names) || buf_text(out, ",")) &&
		     functions_put_function(d, i, out);
	return ok && buf_text(out, "]}}");
}

static enum errc functions_add_choice(struct gemini_reading *x, json_at config, struct err *e)
{
	static const struct {
		const char *mode, *word;
	} modes[] = { { "AUTO", "auto" },
		      { "ANY", "required" },
		      { "NONE", "none" },
		      { "VALIDATED", "auto" } };
	const struct json_doc *d = x->doc;
	json_at                choice =
                config != JSON_ABSENT ? proto_get(d, config, "functionCallingConfig") : JSON_ABSENT;
	size_t i = 0;

	if (choice == JSON_ABSENT)
		return ERR_OK;
	if (json_kind(d, choice) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, CHOICE, "must be an object");
	json_at mode = json_get_some(d, choice, "mode");
	json_at names = proto_get(d, choice, "allowedFunctionNames");
	if (check_names(d, names, e) != ERR_OK)
		return e->code;
	if (mode == JSON_ABSENT || json_is(d, mode, "MODE_UNSPECIFIED"))
		return ERR_OK;
	while (i < ARRAY_LEN(modes) && !json_is(d, mode, modes[i].mode))
		i++;
	if (i == ARRAY_LEN(modes) && x->native) {
		reading_warn(x, CHOICE ".mode", "it is none that other models know");
		return ERR_OK;
	}
	if (i == ARRAY_LEN(modes))
		return err_set(e, ERR_INVALID_VALUE, CHOICE ".mode",
			       "must be one of: AUTO, ANY, NONE, VALIDATED");
	size_t count = names != JSON_ABSENT && i != 2 ? d->tok[names].count : 0;
	if (count == 1 && i == 1)
		return reading_add(x,
				   buf_text(&x->out, "\"tool_choice\":") &&
					   functions_put_function(d, json_first(d, names), &x->out),
				   e);
	return reading_add(x,
			   count > 0 ? functions_put_allowed(d, names, modes[i].word, &x->out)
				     : buf_fmt(&x->out, "\"tool_choice\":\"%s\"", modes[i].word),
			   e);
}

enum errc functions_read(struct gemini_reading *x, json_at tools, json_at config, struct err *e)
{
	size_t count = 0;
	size_t n = 0;

	if (tools == JSON_ABSENT)
		return ERR_OK;
	if (proto_check_list(x->doc, tools, LIMIT_TOOLS, "tools", e) != ERR_OK)
		return e->code;
	for (json_at i = proto_first(x->doc, tools); i != json_end(x->doc, tools);
	     i = json_next(x->doc, i)) {
		enum errc rc = functions_put_tool(x, i, n++, &count, e);

		if (rc != ERR_OK)
			return rc;
	}
	if (count == 0)
		return ERR_OK; /* without tools, OpenAI refuses a choice among them */
	enum errc rc = reading_add(x, buf_text(&x->out, "]"), e);
	return rc == ERR_OK ? functions_add_choice(x, config, e) : rc;
}
