/* routes/admin/api_key_body: what is asked of a key, from a JSON object: a request's, or what the command
 * line was made into. */
#pragma once

#include "json/input.h"
#include "store/api_key.h"

/* Each fills what w asks for; spans point into the input.  w->now_ms is set.
 * Errors: those of fields_read, INVALID_VALUE. */
enum errc api_key_body_create(struct input *in, struct api_key_write *w, struct err *e) MUST_USE;
enum errc api_key_body_update(struct input *in, struct api_key_write *w, struct err *e) MUST_USE;
/* api_key_body_scopes: the scopes that a list names (enum scope). */
enum errc api_key_body_scopes(struct input *in, json_at list, unsigned *ret,
			      struct err *e) MUST_USE;
enum errc api_key_body_rotate(struct input *in, struct api_key_write *w, struct err *e) MUST_USE;
