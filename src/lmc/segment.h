/* lmc/segment: the segments of an assistant's answer, and the interface of whoever receives
 * them.
 *
 * Segments follow one another: open, any number of texts, close; they never nest. All texts are
 * as in lmc/text.h, borrowed for the call. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

enum segment_kind {
	SEGMENT_MESSAGE,   /* prose */
	SEGMENT_CODE,      /* format: the language */
	SEGMENT_TOOL_CALL, /* a call of a function that is none of ours; format: its name */
	SEGMENT_REVIEW,    /* format: safe, warning or unsafe */
	SEGMENT__COUNT
};

/* Each function returns false to stop, because of a limit or a lack of memory; then none of them is
 * called again. */
struct segment_sink {
	bool (*open)(void *arg, enum segment_kind kind,
		     struct str format);          /* format: .p is NULL if there is none */
	bool (*text)(void *arg, struct str text); /* never empty */
	bool (*close)(void *arg);
};
