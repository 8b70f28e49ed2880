/* http/reply: sends answers and errors, and is the only place that does. A request gets exactly
 * one reply. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

struct request;

/* reply_header: adds a header to the later reply or stream; name and value are copied.  False: the
 * header was dropped and logged, because memory was short or the value has control characters. */
bool reply_header(struct request *r, const char *name, struct str value);
/* reply_json_take: replies with the JSON text in body; consumes its memory and leaves it empty. */
void reply_json_take(struct request *r, int status, struct buf *body);
/* reply_error: replies with an error.  Status and headers (Retry-After, x-should-retry, …) follow
 * from e; the family of the request decides the form of the body. */
void reply_error(struct request *r, const struct err *e);
/* reply_refuse: err_set with these arguments, and reply_error. */
void reply_refuse(struct request *r, enum errc code, const char *path, const char *text);
/* reply_static: replies with bytes that live as long as the process. */
void reply_static(struct request *r, int status, const char *content_type, struct str body);
/* reply_text_take: reply_json_take with another content type, which is a literal. */
void reply_text_take(struct request *r, int status, const char *content_type, struct buf *body);
