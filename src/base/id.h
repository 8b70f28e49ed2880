/* Ids of stored things: a time-ordered 63-bit key (the row id, so no index is needed to find a row)
 * and 64 random bits that make the id unguessable; 32 hex digits after a prefix.
 *
 * One body names a run (run_), its answer (msg_) and its completion (chatcmpl-), so each leads to
 * the others without a look-up.  A prefix is part of the public contract. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct id {
	int64_t  key; /* > 0; ordered by creation in one process; unique in a database */
	uint64_t secret;
};

enum { ID_LANES = 512 };            /* processes that may share a database */
enum { ID_BODY = 32, ID_MAX = 48 }; /* ID_MAX: room for prefix, body and NUL */

#define ID_CONVERSATION    "conv_"
#define ID_MESSAGE         "msg_"
#define ID_RUN             "run_"
#define ID_COMPLETION      "chatcmpl-"
#define ID_TEXT_COMPLETION "cmpl-"
#define ID_EXECUTION       "exec_"

/* id_new: a fresh id.  Any thread. */
struct id id_new(void);
/* id_floor: all later keys will be above key.  The start calls this with the database's highest
 * key, so that a clock that was set back can't repeat keys.  Any thread. */
void id_floor(int64_t key);

/* id_key_at: the smallest key that is made at this time (wall, milliseconds) or later; at most that of
 * the last time that keys can tell. */
int64_t id_key_at(int64_t ms);

/* id_key_ms: the time of a key, or a moment before. */
int64_t id_key_ms(int64_t key);

/* id_lane: sets this process's lane, below ID_LANES; 0 at first.  Processes that share a database
 * make different keys if their lanes differ.  To be called before the first id_new. */
void id_lane(int n);

/* id_text: writes prefix and body, NUL-terminated, to ret; returns the span. */
struct str id_text(struct id id, const char *prefix, char ret[ID_MAX]);
/* id_parse: false: text is not the prefix and 32 lower-case hex digits with a key > 0. */
bool id_parse(struct str text, const char *prefix, struct id *ret);

/* id_key_lane: the lane of the process that made a key. */
int id_key_lane(int64_t key);

static inline bool id_none(struct id id)
{
	return id.key == 0;
}

/* id_request: writes "req_" and 32 random hex digits, NUL-terminated, to ret. */
struct str id_request(char ret[ID_MAX]);
/* id_random: 64 bits from the kernel's generator (buffered per thread).  Any thread. */
uint64_t id_random(void);

/* --- file_id: ids of uploaded files, which look like those of OpenAI's API: "file-" and a
 * UUID. */

enum { FILE_ID_MAX = 48 }; /* "file-", a UUID and a NUL */

/* file_id_text: "file-" and the id as a UUID, into ret. */
struct str file_id_text(struct id id, char ret[FILE_ID_MAX]);
/* file_id_parse: reads such a text, in lower case; bare: "file-" may be missing. */
bool file_id_parse(struct str text, bool bare, struct id *ret);
