/* Small JSON trees on json-c.  They are printed here, because json-c can't report a full buffer. */
#include "json/value.h"

#include "base/buf.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* json-c's null is a null pointer, which means "absent" or "failed" to the callers of this file; so
 * a JSON null has a handle of its own. */
struct value {
	char unused;
};
static struct value null_value;

static struct json_object *json_of_value(const struct value *v)
{
	/* json-c's functions take no const, but those that get a const value here change
	 * nothing. */
	return v == &null_value ? NULL : (struct json_object *)(uintptr_t)v;
}

static struct value *value_of_json(struct json_object *o)
{
	return (struct value *)(void *)o;
}

struct value *value_array(void)
{
	return value_of_json(json_object_new_array());
}

struct value *value_string(struct str s)
{
	if (s.n > INT32_MAX)
		return NULL;
	return value_of_json(json_object_new_string_len(s.n ? s.p : "", (int)s.n));
}

struct value *value_int(int64_t v)
{
	return value_of_json(json_object_new_int64(v));
}

struct value *value_bool(bool v)
{
	return value_of_json(json_object_new_boolean(v));
}

struct value *value_null(void)
{
	return &null_value;
}

struct value *value_text_of(const char *text)
{
	return value_string(str_of(text));
}

/* json-c prints a double as the text with which it was made, so any JSON text can be a "double". */
struct value *value_raw(struct str json)
{
	char         *text = strndup(json.p, json.n);
	struct value *v = text ? value_of_json(json_object_new_double_s(0, text)) : NULL;

	free(text);
	return v;
}

struct value *value_fmt(const char *fmt, ...)
{
	char    text[VALUE_FMT_MAX];
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return n >= 0 && n < VALUE_FMT_MAX ? value_string((struct str){ text, (size_t)n }) : NULL;
}

struct value *value_object_take(const struct value_member *members, size_t count)
{
	struct json_object *o = json_object_new_object();
	bool                ok = o;

	for (size_t i = 0; i < count; i++) {
		struct value *v = members[i].value;
		bool          wanted = ok && members[i].key;

		if (wanted && v && json_object_object_add(o, members[i].key, json_of_value(v)) == 0)
			continue;
		value_destroy(v);
		ok = ok && !wanted;
	}
	if (ok)
		return value_of_json(o);
	json_object_put(o);
	return NULL;
}

void value_destroy(struct value *v)
{
	if (v)
		json_object_put(json_of_value(v));
}

bool value_push_take(struct value *array, struct value *child)
{
	if (array && child &&
	    json_object_array_add(json_of_value(array), json_of_value(child)) == 0)
		return true;
	value_destroy(child);
	return false;
}

static bool value_print_any(struct json_object *o, struct buf *out);

static bool value_print_array(struct json_object *o, struct buf *out)
{
	size_t n = json_object_array_length(o);

	if (!buf_text(out, "["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i && !buf_text(out, ",")) ||
		    !value_print_any(json_object_array_get_idx(o, i), out))
			return false;
	return buf_text(out, "]");
}

static bool value_print_object(struct json_object *o, struct buf *out)
{
	struct json_object_iterator at = json_object_iter_begin(o);
	struct json_object_iterator end = json_object_iter_end(o);
	const char                 *comma = "";

	if (!buf_text(out, "{"))
		return false;
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		if (!buf_text(out, comma) ||
		    !buf_json_string(out, str_of(json_object_iter_peek_name(&at))) ||
		    !buf_text(out, ":") || !value_print_any(json_object_iter_peek_value(&at), out))
			return false;
		comma = ",";
	}
	return buf_text(out, "}");
}

static bool value_print_any(struct json_object *o, struct buf *out)
{
	const char *number; /* the text of value_raw, which makes the only doubles */

	switch (json_object_get_type(o)) {
	case json_type_null: return buf_text(out, "null");
	case json_type_boolean: return buf_text(out, json_object_get_boolean(o) ? "true" : "false");
	case json_type_int: return buf_int(out, json_object_get_int64(o));
	case json_type_double:
		number = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
		return number && buf_text(out, number);
	case json_type_string:
		return buf_json_string(out, (struct str){ json_object_get_string(o),
							  (size_t)json_object_get_string_len(o) });
	case json_type_array: return value_print_array(o, out);
	case json_type_object: return value_print_object(o, out);
	}
	return false;
}

bool value_print(const struct value *v, struct buf *out)
{
	size_t start = out->len;

	if (v && value_print_any(json_of_value(v), out))
		return true;
	out->len = start;
	return false;
}
