/* lmc/warnings: what was not handed on, as the entries of a `warnings` array. */
#pragma once

#include "base/buf.h"

/* An index that is told to nobody: of what was sent, and warned of, earlier. */
#define WARNINGS_UNTOLD SIZE_MAX

/* Laid open so that it can be embedded; zero-initialised is empty. */
struct warnings {
	struct buf json; /* entries with commas between them, without the brackets */
	size_t     count;
};

void warnings_init(struct warnings *w);
void warnings_finish(struct warnings *w);
/* warnings_add: {"index":…,"code":…,"message":…}.  w may be NULL: nobody asks.  What is over
 * LIMIT_WARNINGS is counted and told in one last entry. */
void warnings_add(struct warnings *w, size_t index, const char *code, const char *fmt, ...)
	PRINTF(4, 5);
/* warnings_join: entries as they stand in another's json, and how many they are. */
bool warnings_join(struct warnings *w, struct str entries, size_t count) MUST_USE;
/* warnings_print: the array with its brackets. */
bool warnings_print(const struct warnings *w, struct buf *out) MUST_USE;
