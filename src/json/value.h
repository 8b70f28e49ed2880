/* json/value: small JSON trees, for code off the hot path.  Only value.c uses json-c.
 *
 * A value that was added to a parent is owned by the parent; only roots are destroyed.  Not shared
 * between threads.  The functions that make values return NULL without memory. */
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
struct value *value_null(void) MUST_USE;           /* a JSON null; never a NULL pointer */
struct value *value_raw(struct str json) MUST_USE; /* a JSON text, printed as it is */
struct value *value_text_of(const char *text) MUST_USE;
/* value_fmt: a string of less than VALUE_FMT_MAX bytes; NULL if it is longer. */
enum { VALUE_FMT_MAX = 256 };
struct value *value_fmt(const char *fmt, ...) PRINTF(1, 2) MUST_USE;
void          value_destroy(struct value *v); /* NULL is fine */

/* value_push_take: appends `child`, which is consumed even on failure.  A NULL child is a failure,
 * so that calls can be nested. */
bool value_push_take(struct value *array, struct value *child) MUST_USE;

/* A member for value_object_take. */
struct value_member {
	const char   *key; /* NULL: the member is left out, and its value destroyed */
	struct value *value;
};

/* value_object_take: an object of these members, in their order; consumes all their values, even on
 * failure.  NULL: a value is NULL, or there is no memory. */
struct value *value_object_take(const struct value_member *members, size_t count) MUST_USE;
#define VALUE_OBJECT(...)                                               \
	value_object_take((const struct value_member[]){ __VA_ARGS__ }, \
			  ARRAY_LEN(((const struct value_member[]){ __VA_ARGS__ })))

/* value_print: appends v as compact JSON, without escaped slashes.  False: v is NULL, or out is
 * full; out is unchanged. */
bool value_print(const struct value *v, struct buf *out) MUST_USE;
