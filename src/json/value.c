/* Small JSON trees on json-c, fed and printed by us: its own parser and printer accept too much. */
#include "json/value.h"

#include "base/buf.h"
#include "json/internal.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* json-c writes null as a null pointer, which to our callers means "absent" or "failed". */
struct value {
	char unused;
};
static struct value null_value;

static struct json_object *inside(const struct value *v)
{
	/* json-c's readers take no const; none of those used here changes anything. */
	return v == &null_value ? NULL : (struct json_object *)(uintptr_t)v;
}

static struct value *outside(struct json_object *o)
{
	return (struct value *)(void *)o;
}

static const struct value *found(struct json_object *o)
{
	return o ? outside(o) : &null_value;
}

struct value *value_object(void)
{
	return outside(json_object_new_object());
}

struct value *value_array(void)
{
	return outside(json_object_new_array());
}

struct value *value_string(struct str s)
{
	if (s.n > INT32_MAX)
		return NULL;
	return outside(json_object_new_string_len(s.n ? s.p : "", (int)s.n));
}

struct value *value_int(int64_t v)
{
	return outside(json_object_new_int64(v));
}

struct value *value_bool(bool v)
{
	return outside(json_object_new_boolean(v));
}

struct value *value_null(void)
{
	return &null_value;
}

struct value *value_text_of(const char *text)
{
	return value_string(str_of(text));
}

/* json-c prints a double by the text that it was made with, if it has one. */
struct value *value_raw(struct str json)
{
	char         *text = strndup(json.p, json.n);
	struct value *v = text ? outside(json_object_new_double_s(0, text)) : NULL;

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
	struct value *v = value_object();
	bool          ok = v;

	for (size_t i = 0; i < count; i++) {
		if (ok && members[i].key)
			ok = value_add_take(v, members[i].key, members[i].value);
		else
			value_destroy(members[i].value);
	}
	if (ok)
		return v;
	value_destroy(v);
	return NULL;
}

void value_destroy(struct value *v)
{
	if (v)
		json_object_put(inside(v));
}

bool value_add_take(struct value *object, const char *key, struct value *child)
{
	if (child && value_is_object(object) &&
	    json_object_object_add(inside(object), key, inside(child)) == 0)
		return true;
	value_destroy(child);
	return false;
}

bool value_push_take(struct value *array, struct value *child)
{
	if (child && value_is_array(array) &&
	    json_object_array_add(inside(array), inside(child)) == 0)
		return true;
	value_destroy(child);
	return false;
}

const struct value *value_get(const struct value *object, const char *key)
{
	struct json_object *child = NULL;

	if (!value_is_object(object) || !json_object_object_get_ex(inside(object), key, &child))
		return NULL;
	return found(child);
}

const struct value *value_at(const struct value *array, size_t i)
{
	if (i >= value_count(array))
		return NULL;
	return found(json_object_array_get_idx(inside(array), i));
}

size_t value_count(const struct value *array)
{
	return value_is_array(array) ? json_object_array_length(inside(array)) : 0;
}

bool value_is_array(const struct value *v)
{
	return v && json_object_is_type(inside(v), json_type_array);
}

bool value_is_object(const struct value *v)
{
	return v && json_object_is_type(inside(v), json_type_object);
}

bool value_is_null(const struct value *v)
{
	return v == &null_value;
}

bool value_text(const struct value *v, struct str *ret)
{
	if (!v || !json_object_is_type(inside(v), json_type_string))
		return false;
	*ret = (struct str){ json_object_get_string(inside(v)),
			     (size_t)json_object_get_string_len(inside(v)) };
	return true;
}

/* Parsing: our scan's tape made into a tree. */

static struct value *make(const struct json_doc *d, json_at i);

static struct value *make_string(const struct json_doc *d, json_at i)
{
	struct buf    b;
	struct value *v = NULL;

	if (!(d->tok[i].flags & JSON_ESCAPED))
		return value_string(json_inner(d, i));
	buf_init(&b, d->tok[i].len);
	if (json_unescape(json_inner(d, i), &b))
		v = value_string(buf_view(&b));
	buf_finish(&b);
	return v;
}

/* What no int64 holds keeps its own text, so that it is printed as it was read. */
static struct value *make_number(const struct json_doc *d, json_at i)
{
	int64_t integer;

	return json_int(d, i, &integer) ? value_int(integer) : value_raw(json_raw(d, i));
}

static struct value *make_array(const struct json_doc *d, json_at array)
{
	struct value *v = value_array();

	if (!v)
		return NULL;
	for (json_at i = json_first(d, array); i != json_end(d, array); i = json_next(d, i))
		if (!value_push_take(v, make(d, i))) {
			value_destroy(v);
			return NULL;
		}
	return v;
}

static struct value *make_object(const struct json_doc *d, json_at object)
{
	struct value *v = value_object();

	if (!v)
		return NULL;
	for (json_at i = json_first(d, object); i != json_end(d, object);
	     i = json_next_member(d, i)) {
		char       tmp[LIMIT_JSON_KEY];
		char       key[LIMIT_JSON_KEY + 1];
		struct str name = json_key(d, i, tmp);

		memcpy(key, name.p, name.n);
		key[name.n] = '\0';
		if (!value_add_take(v, key, make(d, json_value(i)))) {
			value_destroy(v);
			return NULL;
		}
	}
	return v;
}

/* Recursive: the scan has bounded the depth. */
static struct value *make(const struct json_doc *d, json_at i)
{
	switch (json_kind(d, i)) {
	case JSON_NULL: return value_null();
	case JSON_FALSE: return value_bool(false);
	case JSON_TRUE: return value_bool(true);
	case JSON_NUMBER: return make_number(d, i);
	case JSON_STRING: return make_string(d, i);
	case JSON_ARRAY: return make_array(d, i);
	case JSON_OBJECT: return make_object(d, i);
	}
	return NULL;
}

struct value *value_parse(struct str text)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct value   *v = NULL;

	if (json_scan(&d, text.p, text.n, &json_limits_upstream, &e) == ERR_OK)
		v = make(&d, 0);
	json_doc_finish(&d);
	return v;
}

/* Printing: by us, because a buffer that is full has to be told. */

static bool print(struct json_object *o, struct buf *out);

static bool print_array(struct json_object *o, struct buf *out)
{
	size_t n = json_object_array_length(o);

	if (!buf_text(out, "["))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i && !buf_text(out, ",")) || !print(json_object_array_get_idx(o, i), out))
			return false;
	return buf_text(out, "]");
}

static bool print_object(struct json_object *o, struct buf *out)
{
	struct json_object_iterator at = json_object_iter_begin(o);
	struct json_object_iterator end = json_object_iter_end(o);
	const char                 *comma = "";

	if (!buf_text(out, "{"))
		return false;
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		if (!buf_text(out, comma) ||
		    !buf_json_string(out, str_of(json_object_iter_peek_name(&at))) ||
		    !buf_text(out, ":") || !print(json_object_iter_peek_value(&at), out))
			return false;
		comma = ",";
	}
	return buf_text(out, "}");
}

static bool print(struct json_object *o, struct buf *out)
{
	/* No double is made but those that keep their text, which is what this returns. */
	const char *number;

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
	case json_type_array: return print_array(o, out);
	case json_type_object: return print_object(o, out);
	}
	return false;
}

bool value_print(const struct value *v, struct buf *out)
{
	size_t start = out->len;

	if (v && print(inside(v), out))
		return true;
	out->len = start;
	return false;
}
