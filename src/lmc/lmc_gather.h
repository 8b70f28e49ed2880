/* lmc/lmc_gather: joins LMC chunks to the messages that are stored (rules C1 to C9). */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"

struct members_slot;

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

/* --- members: the members of an unfinished message that mean nothing to Parley; of each name
 * the first one (rule C6). The time is linear in the input, whoever chose the names. */

/* Laid open so that it can be embedded. */
struct members {
	struct buf           json;       /* `,"name":value` for each, as they came */
	struct buf           names;      /* decoded, one after the other */
	struct members_slot *slots;      /* owned; NULL until the first member */
	size_t               slot_count; /* a power of two, or 0 */
	size_t               count;
	uint64_t             secret[2];
};

/* members_init: max bounds the members' bytes. */
void members_init(struct members *m, size_t max);
void members_finish(struct members *m);
/* members_clear: forgets all members, for the next message. */
void members_clear(struct members *m);
/* members_add: keeps member (`"name":value`), unless there is one with this (decoded) name.
 * False: max is reached or memory is short; m is then unchanged. */
bool members_add(struct members *m, struct str name, struct str member) MUST_USE;
/* members_bytes: the memory in use, the table included. */
size_t members_bytes(const struct members *m);
