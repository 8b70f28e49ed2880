/* lmc/members: the members of an unfinished message that mean nothing to Parley; of each name
 * the first one (rule C6). The time is linear in the input, whoever chose the names. */
#pragma once

#include "base/buf.h"

struct members_slot;

/* Laid open so that it can be embedded. */
struct members {
	struct buf           json;       /* `,"name":value` for each, as they came */
	struct buf           names;      /* decoded, one behind the other */
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
