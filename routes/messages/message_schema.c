/* Leaves out the keywords of a schema that are null, and adds what its root lacks. */
#include "routes/messages/internal.h"

enum holds { HOLDS_OTHER, HOLDS_SCHEMA, HOLDS_LIST, HOLDS_MAP, HOLDS_VALUE };

/* Keywords whose values have schemas, and those whose value may be null. */
static const struct {
	const char *key;
	enum holds  holds;
} words[] = {
	{ "properties", HOLDS_MAP },   { "patternProperties", HOLDS_MAP },
	{ "$defs", HOLDS_MAP },        { "definitions", HOLDS_MAP },
	{ "items", HOLDS_SCHEMA },     { "additionalProperties", HOLDS_SCHEMA },
	{ "not", HOLDS_SCHEMA },       { "anyOf", HOLDS_LIST },
	{ "oneOf", HOLDS_LIST },       { "allOf", HOLDS_LIST },
	{ "prefixItems", HOLDS_LIST }, { "default", HOLDS_VALUE },
	{ "const", HOLDS_VALUE },      { "example", HOLDS_VALUE },
};

static enum holds holds_of(const struct json_doc *d, json_at key)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (json_is(d, key, words[i].key))
			return words[i].holds;
	return HOLDS_OTHER;
}

/* is_void: whether a keyword is to be left out. */
static bool is_void(const struct json_doc *d, json_at key)
{
	return json_kind(d, json_value(key)) == JSON_NULL && holds_of(d, key) != HOLDS_VALUE;
}

static bool message_schema_one(const struct json_doc *d, json_at schema, const char *more,
			       struct buf *out);

static bool message_schema_list(const struct json_doc *d, json_at list, struct buf *out)
{
	bool first = true;
	bool ok = buf_text(out, "[");

	JSON_EACH (i, d, list) {
		ok = ok && (first || buf_text(out, ",")) && message_schema_one(d, i, "", out);
		first = false;
	}
	return ok && buf_text(out, "]");
}

static bool message_schema_map(const struct json_doc *d, json_at map, struct buf *out)
{
	bool first = true;
	bool ok = buf_text(out, "{");

	JSON_EACH_MEMBER (k, d, map) {
		ok = ok && (first || buf_text(out, ",")) && buf_str(out, json_raw(d, k)) &&
		     buf_text(out, ":") && message_schema_one(d, json_value(k), "", out);
		first = false;
	}
	return ok && buf_text(out, "}");
}

static bool message_schema_value(const struct json_doc *d, json_at key, struct buf *out)
{
	json_at    value = json_value(key);
	enum holds holds = holds_of(d, key);

	if (holds == HOLDS_MAP && json_kind(d, value) == JSON_OBJECT)
		return message_schema_map(d, value, out);
	if (holds == HOLDS_LIST && json_kind(d, value) == JSON_ARRAY)
		return message_schema_list(d, value, out);
	if (holds == HOLDS_SCHEMA)
		return message_schema_one(d, value, "", out);
	return buf_str(out, json_raw(d, value));
}

/* message_schema_one: recursive; the scan limits the depth.  more: members that are added at the end. */
static bool message_schema_one(const struct json_doc *d, json_at schema, const char *more,
			       struct buf *out)
{
	bool first = true;
	bool ok;

	if (json_kind(d, schema) != JSON_OBJECT)
		return buf_str(out, json_raw(d, schema));
	ok = buf_text(out, "{");
	JSON_EACH_MEMBER (k, d, schema) {
		if (is_void(d, k))
			continue;
		ok = ok && (first || buf_text(out, ",")) && buf_str(out, json_raw(d, k)) &&
		     buf_text(out, ":") && message_schema_value(d, k, out);
		first = false;
	}
	return ok && (!*more || first || buf_text(out, ",")) && buf_text(out, more) &&
	       buf_text(out, "}");
}

/* has_null: whether there may be something to leave out, in any depth. */
static bool has_null(const struct json_doc *d, json_at schema)
{
	for (json_at i = schema + 1; i < json_next(d, schema); i++)
		if (d->tok[i].kind == JSON_NULL)
			return true;
	return false;
}

bool message_schema_put(const struct json_doc *d, json_at schema, struct buf *out)
{
	bool type = json_get_some(d, schema, "type") != JSON_ABSENT;
	bool properties = json_get_some(d, schema, "properties") != JSON_ABSENT;

	if (type && properties && !has_null(d, schema))
		return buf_str(out, json_raw(d, schema));
	return message_schema_one(d, schema,
				  type && properties ? ""
				  : type             ? "\"properties\":{}"
				  : properties       ? "\"type\":\"object\""
						     : "\"type\":\"object\",\"properties\":{}",
				  out);
}
