/* routes/kit/packed: files that are embedded at build time, compressed, and sent to clients with and without gzip. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>

struct request;

struct packed {
	const char *name; /* name of the file, without its folder */
	const char *gzip; /* its bytes, compressed */
	size_t      gzip_len;
	size_t      len;
	const char *tag; /* another for other bytes, in hex */
};

/* The built pages of console/dist: index.html first, then the files of a/; ended by a row without a name.
 * A build without the console has no other row. */
extern const struct packed console_files[];
/* The API's own description, openapi.json, without references outside itself. */
extern const struct packed openapi_files[];

/* packed_reply: replies with the file, compressed if the client takes that, or with 304 if the client has it. */
void packed_reply(struct request *r, const struct packed *f, const char *content_type);
/* packed_inflate: appends the len bytes that gzip was made of to out.  False: no memory, or gzip was
 * made of something else. */
bool packed_inflate(struct str gzip, size_t len, struct buf *out) MUST_USE;
