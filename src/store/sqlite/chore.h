/* chore: one of the things that the writer's thread does besides jobs (chores.h), a step at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CHORE_IDLE INT64_MAX /* nothing is due until it is called for */

struct chore {
	/* run: one step of its subject, outside of any transaction; an SQLite code.  *ret_again_ms: until the next step is
	 * due, or CHORE_IDLE. */
	int (*run)(void *subject, int64_t *ret_again_ms);
	const char *event;  /* of the log, once, when steps begin to fail; NULL: nothing is said */
	const char *failed; /* what is said then, in front of the reason */
	int64_t     retry_ms; /* until the next step after one that failed */
	int64_t     pause_ms; /* between two steps at least */
	bool        durable;  /* its commits wait for the disk */
	bool        alone;    /* rests while another process takes over (chores_quiesce) */
	bool        last;     /* a step is done at the end, due or not */
};
