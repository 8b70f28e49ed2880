/* json/value: small JSON trees, for what is off the hot path.  json-c lives only in value.c.
 *
 * A value is owned by its parent once added; only roots are destroyed.  Not shared between
 * threads. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct value;

struct value *value_array(void) MUST_USE;
struct value *value_string(struct str s) MUST_USE;
struct value *value_int(int64_t v) MUST_USE;
struct value *value_bool(bool v) MUST_USE;
struct value *value_null(void) MUST_USE;           /* a JSON null, as a handle of its own */
struct value *value_raw(struct str json) MUST_USE; /* JSON already: printed as it is */
struct value *value_text_of(const char *text) MUST_USE;
/* value_fmt: a string of less than VALUE_FMT_MAX bytes. */
enum { VALUE_FMT_MAX = 256 };
struct value *value_fmt(const char *fmt, ...) PRINTF(1, 2) MUST_USE;
void          value_destroy(struct value *v); /* NULL is fine */

/* value_push_take: consumes `child` also on failure; a NULL child fails, so that calls can be nested. */
bool value_push_take(struct value *array, struct value *child) MUST_USE;

/* A member of an object that is made in one expression. */
struct value_member {
	const char   *key; /* NULL: left out, with its value */
	struct value *value;
};

/* value_object_take: an object of these members, in their order; consumes all of their values.
 * NULL: one of them is NULL, or no memory. */
struct value *value_object_take(const struct value_member *members, size_t count) MUST_USE;
#define VALUE_OBJECT(...)                                               \
	value_object_take((const struct value_member[]){ __VA_ARGS__ }, \
			  ARRAY_LEN(((const struct value_member[]){ __VA_ARGS__ })))

/* value_print: appends v as compact JSON (no escaped slashes) to out. */
bool value_print(const struct value *v, struct buf *out) MUST_USE;
