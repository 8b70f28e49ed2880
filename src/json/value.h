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

struct value *value_parse(struct str text) MUST_USE; /* owned; NULL: not JSON, or no memory */
struct value *value_object(void) MUST_USE;
struct value *value_array(void) MUST_USE;
struct value *value_string(struct str s) MUST_USE;
struct value *value_int(int64_t v) MUST_USE;
struct value *value_bool(bool v) MUST_USE;
struct value *value_null(void) MUST_USE; /* a JSON null, as a handle of its own */
void          value_destroy(struct value *v); /* NULL is fine */

/* Adders consume `child` also on failure; a NULL child fails, so that calls can be nested. */
bool value_add_take(struct value *object, const char *key, struct value *child) MUST_USE;
bool value_push_take(struct value *array, struct value *child) MUST_USE;

/* Look-ups borrow; NULL when absent or of another kind. */
const struct value *value_get(const struct value *object, const char *key);
const struct value *value_at(const struct value *array, size_t i);
size_t              value_count(const struct value *array);
bool                value_is_array(const struct value *v);
bool                value_is_object(const struct value *v);
bool                value_is_null(const struct value *v);
bool                value_text(const struct value *v, struct str *ret); /* a string's bytes */

/* value_print: appends v as compact JSON (no escaped slashes) to out. */
bool value_print(const struct value *v, struct buf *out) MUST_USE;
