/* routes/conversation/import_check: what was sent to be imported, in whatever form, made into an archive of which
 * every line was checked.  Shared by the route and the command.
 *
 *   in --map--> what is it? --archive------------> CHECKING --> text
 *                    \-------ChatGPT--> CONVERTING --^
 *
 * Threads: a worker's, or the command's; what is embedded is one thread's at a time. */
#pragma once

#include "archive/archive_walk.h"
#include "archive/chatgpt.h"
#include "lmc/warnings.h"
#include "store/scratch.h"

enum import_state {
	IMPORT_FILLING, /* scratch_add to in */
	IMPORT_CONVERTING,
	IMPORT_CHECKING,
	IMPORT_CHECKED,
};

/* Laid open so that it can be embedded. */
struct import_check {
	enum import_state   state;
	struct blobs       *blobs; /* borrowed */
	struct scratch      in;
	struct scratch      made; /* the archive made from a ChatGPT export */
	int64_t             now_ms;
	struct chatgpt      chatgpt;
	struct archive_walk walk;
	struct buf          lines;
	struct warnings     warnings; /* lost content; index: the conversation's place */
	struct str          text;     /* out: the archive, once CHECKED */
};

void import_check_init(struct import_check *x, struct blobs *blobs, int64_t now_ms);
/* import_check_finish: waits for the disk. */
void import_check_finish(struct import_check *x);
/* import_check_step: goes on for a while; once all that was sent is in.
 * Errors: UNSUPPORTED_MEDIA for what is packed or something else; those of archive_walk_next and
 * chatgpt_next. */
enum errc import_check_step(struct import_check *x, struct err *e) MUST_USE;
