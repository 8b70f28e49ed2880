/* chore: work that the writer's thread does besides jobs (chores.h), in short steps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CHORE_IDLE INT64_MAX /* no step is due until chores_call */

struct chore {
	/* run: does one step, is called outside of any transaction, and returns an SQLite code.
	 * *ret_again_ms: milliseconds until the next step is due; unchanged: CHORE_IDLE. */
	int (*run)(void *subject, int64_t *ret_again_ms);
	const char *event;    /* logged once, when steps begin to fail; NULL: nothing is logged */
	const char *failed;   /* text of this log line, before the reason */
	int64_t     retry_ms; /* until the next step after a failed one */
	int64_t     pause_ms; /* shortest time between two steps */
	bool        durable;  /* its commits wait for the disk */
	bool        alone;    /* rests while another process takes over (chores_quiesce) */
	bool        last;     /* has a step when the writer stops, due or not */
};
