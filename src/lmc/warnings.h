/* lmc/warnings: the entries of a `warnings` array: each says what was asked for, but not handed
 * on. */
#pragma once

#include "base/buf.h"

/* The index of a message whose warnings are dropped, because an earlier turn has sent the message
 * and given them already. */
#define WARNINGS_UNTOLD SIZE_MAX

/* Laid open so that it can be embedded; zero-initialised is empty. */
struct warnings {
	struct buf json;  /* entries with commas between them, without the brackets */
	size_t     count; /* number of entries */
};

void warnings_init(struct warnings *w);
void warnings_finish(struct warnings *w);
/* warnings_add: adds {"index":…,"code":…,"message":…}.  w may be NULL: nobody reads warnings.
 * After LIMIT_WARNINGS entries, one last entry says that there are more. */
void warnings_add(struct warnings *w, size_t index, const char *code, const char *fmt, ...)
	PRINTF(4, 5);
/* warnings_join: adds `count` entries in the form of struct warnings' json.  False: no memory. */
bool warnings_join(struct warnings *w, struct str entries, size_t count) MUST_USE;
/* warnings_print: appends the array with its brackets.  False: out is full. */
bool warnings_print(const struct warnings *w, struct buf *out) MUST_USE;
