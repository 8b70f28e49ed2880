/* Chooses between the two kinds of schemas that Gemini knows.
 *
 * parameters and responseSchema take a subset of OpenAPI's schemas. All models and servers with
 * this API know them, but refuse a request with any other key in them ($ref, $schema,
 * additionalProperties, const, a list of types). parametersJsonSchema and responseJsonSchema take
 * JSON Schema. So a schema is always sent unchanged, in the one member or the other. Source: the
 * API's reference, "Schema", "FunctionDeclaration" and "GenerationConfig" (v1beta). */
#include "provider/gemini/gemini.h"

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
