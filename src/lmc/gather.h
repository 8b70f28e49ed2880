/* lmc/gather: joins LMC chunks to the messages that are stored (rules C1 to C9). */
#pragma once

#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"

struct gather; /* opaque */

/* gather_create: max: the most bytes of the messages; warnings: borrowed, NULL: nobody reads them.
 * NULL: no memory. */
struct gather *gather_create(size_t max, struct warnings *warnings) MUST_USE;
void           gather_destroy(struct gather *g);
/* gather_chunk: adds the next chunk; nothing of d is borrowed.  path: the chunk's own, such as
 * chunks[2]; index: of the chunk, for warnings.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER, with the path of the wrong member (C1):
 * the chunk has changed nothing.  OVERLOADED (memory, or more than max bytes): all later calls fail
 * too. */
enum errc gather_chunk(struct gather *g, const struct json_doc *d, json_at chunk, const char *path,
		       size_t index, struct err *e) MUST_USE;
/* gather_end: closes the open message after the last chunk.  *ret: the messages to be stored, JSON
 * objects with commas between them; the members of each are role, type, format, recipient and
 * content, if the message has them, and then its other members.  Borrowed until gather_destroy. */
enum errc gather_end(struct gather *g, struct str *ret, struct err *e) MUST_USE;
