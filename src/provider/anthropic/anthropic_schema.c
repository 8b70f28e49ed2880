/* One walk over a schema, which prints it anew, member by member. */
#include "provider/anthropic/anthropic.h"

#include "base/limits.h"
#include "json/scan.h"

#include <stdint.h>

enum { DEFINITIONS = 256 }; /* the most in a schema, so that following them is cheap */

struct walk {
	const struct json_doc   *doc;
	struct anthropic_schema *told;
	struct buf              *out;
	bool                     failed; /* out is full */
};

static void walk_put(struct walk *w, struct str s)
{
	w->failed = w->failed || !buf_str(w->out, s);
}

static void walk_text(struct walk *w, const char *text)
{
	walk_put(w, str_of(text));
}

static void walk_fault(struct walk *w, const char *why)
{
	if (!w->told->fault)
		w->told->fault = why;
}

/* --- references --- */

/* schema_target: the definition that a reference names; JSON_ABSENT: it names something else. */
static json_at schema_target(const struct json_doc *d, struct str ref)
{
	static const struct {
		struct str  front;
		const char *key;
	} places[] = { { { "#/$defs/", 8 }, "$defs" },
		       { { "#/definitions/", 14 }, "definitions" } };

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (str_starts(ref, places[i].front)) {
			json_at all = json_get(d, 0, places[i].key);

			ref = (struct str){ ref.p + places[i].front.n, ref.n - places[i].front.n };
			return json_is_kind(d, all, JSON_OBJECT) ? json_get_str(d, all, ref)
								 : JSON_ABSENT;
		}
	return JSON_ABSENT;
}

/* A definition on the way from the root, or one that was followed to all its ends. */
struct followed {
	json_at at[DEFINITIONS];
	bool    open[DEFINITIONS];
	size_t  count;
};

/* follow_references: whether the references within a value end.  Recursive; each definition is followed once. */
static const char *follow_references(const struct json_doc *d, json_at value, struct followed *f)
{
	for (json_at i = value + 1; i < d->tok[value].next; i++) {
		const char *fault;
		size_t      k = 0;

		if (!json_is(d, i, "$ref") || i + 1 >= d->tok[value].next ||
		    json_kind(d, i + 1) != JSON_STRING)
			continue;
		json_at target = schema_target(d, json_inner(d, i + 1));
		if (target == JSON_ABSENT)
			return "it refers to something other than its own definitions";
		while (k < f->count && f->at[k] != target)
			k++;
		if (k < f->count && f->open[k])
			return "it is recursive";
		if (k < f->count)
			continue;
		if (k == DEFINITIONS)
			return "it has too many definitions";
		f->at[k] = target;
		f->open[k] = true;
		f->count++;
		fault = follow_references(d, target, f);
		f->open[k] = false;
		if (fault)
			return fault;
	}
	return NULL;
}

/* --- keywords --- */

static bool schema_is_scalar(const struct json_doc *d, json_at i)
{
	return json_kind(d, i) != JSON_ARRAY && json_kind(d, i) != JSON_OBJECT;
}

static bool are_scalars(const struct json_doc *d, json_at list)
{
	if (json_kind(d, list) != JSON_ARRAY || d->tok[list].count == 0)
		return false;
	JSON_EACH (i, d, list)
		if (!schema_is_scalar(d, i))
			return false;
	return true;
}

static bool is_format(const struct json_doc *d, json_at value)
{
	static const char *const formats[] = { "date-time", "time", "date", "duration", "email",
					       "hostname",  "uri",  "ipv4", "ipv6",     "uuid" };

	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (json_is(d, value, formats[i]))
			return true;
	return false;
}

static bool is_zero_or_one(const struct json_doc *d, json_at value)
{
	int64_t n;

	return json_int(d, value, &n) && (n == 0 || n == 1);
}

static bool is_schema(const struct json_doc *d, json_at value)
{
	return json_kind(d, value) == JSON_OBJECT;
}

static bool schema_always(const struct json_doc *d, json_at value)
{
	(void)d;
	(void)value;
	return true;
}

static bool schema_is_array(const struct json_doc *d, json_at value)
{
	return json_kind(d, value) == JSON_ARRAY;
}

static bool schema_is_list(const struct json_doc *d, json_at value)
{
	return json_kind(d, value) == JSON_ARRAY && d->tok[value].count > 0;
}

/* The treatment of a keyword whose value fits; any other keyword, and any other value, moves to the
 * description. */
enum keyword { KEEP, OMIT, SCHEMA, SCHEMAS, LIST };

static const struct {
	const char  *key;
	enum keyword rule;
	bool (*fits)(const struct json_doc *d, json_at value);
} keywords[] = {
	{ "type", KEEP, schema_always },
	{ "title", KEEP, schema_always },
	{ "default", KEEP, schema_always },
	{ "required", KEEP, schema_is_array },
	{ "const", KEEP, schema_is_scalar },
	{ "enum", KEEP, are_scalars },
	{ "format", KEEP, is_format },
	{ "minItems", KEEP, is_zero_or_one },
	/* The walk prints these two itself. */
	{ "description", OMIT, schema_always },
	{ "additionalProperties", OMIT, schema_always },
	/* They say something of the schema and not of the answer. */
	{ "$schema", OMIT, schema_always },
	{ "$id", OMIT, schema_always },
	{ "$comment", OMIT, schema_always },
	{ "items", SCHEMA, is_schema },
	{ "properties", SCHEMAS, is_schema },
	{ "$defs", SCHEMAS, is_schema },
	{ "definitions", SCHEMAS, is_schema },
	{ "anyOf", LIST, schema_is_list },
	{ "oneOf", LIST, schema_is_list },
	{ "allOf", LIST, schema_is_list },
};

/* --- the walk --- */

static void walk_schema(struct walk *w, json_at schema);

static void walk_schemas(struct walk *w, json_at object)
{
	const char *before = "{";

	JSON_EACH_MEMBER (k, w->doc, object) {
		walk_text(w, before);
		walk_put(w, json_raw(w->doc, k));
		walk_text(w, ":");
		walk_schema(w, json_value(k));
		before = ",";
	}
	walk_text(w, before[0] == '{' ? "{}" : "}");
}

/* schema_walk_list: oneOf is sent as anyOf, which an answer of oneOf fits; so is allOf of one schema.  Several schemas
 * at once can't each forbid the properties of the others. */
static void schema_walk_list(struct walk *w, json_at key)
{
	json_at     list = json_value(key);
	const char *before = "\"anyOf\":[";

	if (json_is(w->doc, key, "allOf") && w->doc->tok[list].count > 1)
		walk_fault(w, "it has allOf of several schemas");
	w->told->unions += w->doc->tok[list].count > 1;
	JSON_EACH (i, w->doc, list) {
		walk_text(w, before);
		walk_schema(w, i);
		before = ",";
	}
	walk_text(w, "]");
}

static void walk_keyword(struct walk *w, json_at key, enum keyword rule)
{
	switch (rule) {
	case KEEP: walk_put(w, json_member(w->doc, key)); break;
	case OMIT: break;
	case LIST: schema_walk_list(w, key); break;
	case SCHEMA:
	case SCHEMAS:
		walk_put(w, json_raw(w->doc, key));
		walk_text(w, ":");
		if (rule == SCHEMA)
			walk_schema(w, json_value(key));
		else
			walk_schemas(w, json_value(key));
		break;
	}
}

static bool is_object_schema(const struct json_doc *d, json_at schema)
{
	json_at type = json_get(d, schema, "type");

	if (type == JSON_ABSENT)
		return json_get(d, schema, "properties") != JSON_ABSENT;
	if (json_kind(d, type) == JSON_ARRAY)
		JSON_EACH (i, d, type)
			if (json_is(d, i, "object"))
				return true;
	return json_is(d, type, "object");
}

/* walk_count: what the schema itself costs, without those within. */
static void walk_count(struct walk *w, json_at schema)
{
	const struct json_doc *d = w->doc;
	json_at                type = json_get(d, schema, "type");
	json_at                properties = json_get(d, schema, "properties");
	json_at                required = json_get(d, schema, "required");
	unsigned               have = 0, need = 0;

	w->told->unions += json_is_kind(d, type, JSON_ARRAY) && d->tok[type].count > 1;
	if (json_is_kind(d, properties, JSON_OBJECT))
		have = d->tok[properties].count;
	if (json_is_kind(d, required, JSON_ARRAY))
		need = d->tok[required].count;
	w->told->optional += have > need ? have - need : 0;
	json_at more = json_get(d, schema, "additionalProperties");
	if (!is_object_schema(d, schema) || have > 0 || json_is_kind(d, more, JSON_FALSE))
		return;
	if (schema == 0)
		w->told->bare = true;
	else
		w->told->narrowed = true;
}

/* walk_describe: prints the description with what moved to it. */
static void walk_describe(struct walk *w, json_at schema, bool *first, struct str moved)
{
	struct str said = json_get_inner(w->doc, schema, "description");

	if (said.n == 0 && moved.n == 0)
		return;
	walk_text(w, *first ? "\"description\":\"" : ",\"description\":\"");
	*first = false;
	walk_put(w, said);
	if (moved.n > 0) {
		walk_text(w, said.n > 0 ? "\\n\\n{" : "{");
		w->failed = w->failed || !buf_json_escape(w->out, moved);
		walk_text(w, "}");
	}
	walk_text(w, "\"");
}

/* walk_moves: whether the member moves to the description; else *ret is its rule. */
static bool walk_moves(const struct json_doc *d, json_at key, enum keyword *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
		if (json_is(d, key, keywords[i].key)) {
			*ret = keywords[i].rule;
			return !keywords[i].fits(d, json_value(key));
		}
	return true;
}

static bool add_moved(struct buf *moved, const struct json_doc *d, json_at key)
{
	return buf_text(moved, moved->len > 0 ? ", " : "") && buf_str(moved, json_inner(d, key)) &&
	       buf_text(moved, ": ") && buf_str(moved, json_raw(d, json_value(key)));
}

/* says_what: whether a schema says anything that the API needs. */
static bool says_what(const struct json_doc *d, json_at schema)
{
	static const char *const keys[] = { "type",  "enum",  "const",     "anyOf",
					    "oneOf", "allOf", "properties" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (json_get(d, schema, keys[i]) != JSON_ABSENT)
			return true;
	return false;
}

/* walk_schema: recursive; the scan limits the depth. */
static void walk_schema(struct walk *w, json_at schema)
{
	const struct json_doc *d = w->doc;
	struct buf             moved;
	bool                   first = true;
	json_at                ref;

	if (json_kind(d, schema) != JSON_OBJECT || w->failed) {
		walk_fault(w, "a part of it allows any value");
		return;
	}
	ref = json_get(d, schema, "$ref");
	if (ref != JSON_ABSENT && schema != 0) {
		walk_text(w, "{\"$ref\":");
		walk_put(w, json_raw(d, ref));
		walk_text(w, "}");
		return;
	}
	if (!says_what(d, schema) && ref == JSON_ABSENT)
		walk_fault(w, "a part of it allows any value");
	if (json_get(d, schema, "anyOf") != JSON_ABSENT &&
	    json_get(d, schema, "oneOf") != JSON_ABSENT)
		walk_fault(w, "it has anyOf and oneOf in one place");
	walk_count(w, schema);
	buf_init(&moved, LIMIT_UPSTREAM_ASK);
	walk_text(w, "{");
	JSON_EACH_MEMBER (k, d, schema) {
		enum keyword rule = KEEP;

		if (!json_is(d, k, "$ref") && walk_moves(d, k, &rule)) {
			w->failed = w->failed || !add_moved(&moved, d, k);
			continue;
		}
		if (rule == OMIT)
			continue;
		walk_text(w, first ? "" : ",");
		first = false;
		walk_keyword(w, k, rule);
	}
	if (is_object_schema(d, schema)) {
		walk_text(w, first ? "" : ",");
		walk_text(w, "\"additionalProperties\":false");
		first = false;
	}
	walk_describe(w, schema, &first, buf_view(&moved));
	walk_text(w, "}");
	buf_finish(&moved);
}

bool anthropic_schema_put(struct str schema, struct anthropic_schema *ret, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct followed f = { 0 };
	struct walk     w = { .doc = &d, .told = ret, .out = out };
	size_t          before = out->len;

	*ret = (struct anthropic_schema){ 0 };
	w.failed = json_scan(&d, schema.p, schema.n, &json_limits_upstream, &e) != ERR_OK;
	if (!w.failed)
		ret->fault = follow_references(&d, 0, &f);
	if (!w.failed && !ret->fault)
		walk_schema(&w, 0);
	json_doc_finish(&d);
	if (ret->fault || w.failed)
		out->len = before;
	return !w.failed;
}

bool anthropic_schema_object(struct str schema, struct buf *out)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool ok = json_scan(&d, schema.p, schema.n, &json_limits_upstream, &e) == ERR_OK &&
		  json_kind(&d, 0) == JSON_OBJECT;

	if (ok && json_get_is(&d, 0, "type", "object")) {
		ok = buf_str(out, schema);
	} else if (ok) {
		ok = buf_text(out, "{\"type\":\"object\"");
		for (json_at k = json_first(&d, 0); ok && k != json_end(&d, 0);
		     k = json_next_member(&d, k))
			ok = json_is(&d, k, "type") ||
			     (buf_text(out, ",") && buf_str(out, json_member(&d, k)));
		ok = ok && buf_text(out, "}");
	}
	json_doc_finish(&d);
	return ok;
}
