/* http/reply: sends answers and errors, and is the only place that does. A request gets exactly
 * one reply. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

struct request;

/* reply_header: a header for the reply or stream to come; copied.  false: dropped and logged, for memory was
 * short, or the value had control bytes, which never come from us. */
bool reply_header(struct request *r, const char *name, struct str value);
/* reply_json_take: body's memory is handed over, body is empty afterwards. */
void reply_json_take(struct request *r, int status, struct buf *body);
/* reply_error: status and headers (Retry-After, x-should-retry, …) follow from e, the body is as the
 * family of the request has it. */
void reply_error(struct request *r, const struct err *e);
/* reply_refuse: reply_error for an error that is noticed here and now; path as in err_set. */
void reply_refuse(struct request *r, enum errc code, const char *path, const char *text);
/* reply_static: bytes that live as long as the process. */
void reply_static(struct request *r, int status, const char *content_type, struct str body);
/* reply_text_take: as reply_json_take with another content type (a literal). */
void reply_text_take(struct request *r, int status, const char *content_type, struct buf *body);
