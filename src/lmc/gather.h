/* lmc/gather: joins LMC chunks to the messages that are stored (rules C1 to C9). */
#pragma once

#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"

struct gather; /* opaque */

/* gather_create: max bounds the messages' bytes; warnings borrowed, may be NULL; NULL: no memory. */
struct gather *gather_create(size_t max, struct warnings *warnings) MUST_USE;
void           gather_destroy(struct gather *g);
/* gather_chunk: the next chunk; what it needs of d is copied.  path as chunks[2]; index for warnings.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER with the culprit's path (C1); OVERLOADED
 * (memory, or over max); only then g is lost: gather_chunk and gather_end go on failing.  Else a
 * refused chunk has changed nothing. */
enum errc gather_chunk(struct gather *g, const struct json_doc *d, json_at chunk, const char *path,
		       size_t index, struct err *e) MUST_USE;
/* gather_end: no more come; the open message is closed.  *ret: the stored messages, JSON objects
 * with commas between them, each with role, type, format, recipient and content (those it has) and
 * its other members; borrowed until gather_destroy. */
enum errc gather_end(struct gather *g, struct str *ret, struct err *e) MUST_USE;
