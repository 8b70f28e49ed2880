/* routes/response/response_parts: the parts of an item's content as parts of a chat's message. */
#pragma once

#include "routes/response/response_draft.h"

/* response_parts_is_upload: whether a part names a file of this gateway. */
bool response_parts_is_upload(const struct json_doc *d, json_at part);
bool response_parts_is_text(const struct json_doc *d, json_at part);
/* response_parts_at: the place of the n-th part, which must be an object. */
bool response_parts_at(const struct response_draft *x, json_at part, const char *key, size_t n,
		       char ret[96]) MUST_USE;
/* response_parts_put: appends a part of a user's message, with a comma before it if it is not the
 * first. */
bool response_parts_put(struct response_draft *x, json_at part, const char *place,
			struct buf *out) MUST_USE;
/* response_parts_image: an image that a model has made (image_generation_call) is handed on as one of
 * a user, because an assistant's message has no place for it. */
bool response_parts_image(struct response_draft *x, json_at item) MUST_USE;
/* response_parts_read: appends the parts of a user's message to x->made; the only part of one text
 * becomes a string. */
bool response_parts_read(struct response_draft *x, json_at content) MUST_USE;
