/* refuse: an allocator that stands before the sanitizer's and refuses memory where a test says. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REFUSE_PLACES = 1 << 14, REFUSE_FRAMES = 5 };

/* What a test sets and reads.  The gateway's lies in a file that the test maps too: test_calls.py has the
 * first four members by their offsets. */
struct refuse {
	_Atomic uint64_t left;    /* this many calls from now; 0: none is refused */
	_Atomic uint64_t refused; /* so many were, since the test set this to 0 */
	_Atomic uint64_t met;     /* calls that could have been, likewise */
	_Atomic uint64_t all;     /* not 0: those of libraries too */
	/* Not 0: the next call of a place that is not among the places; left is not looked at. */
	_Atomic uint64_t by_place;
	_Atomic uint64_t places[REFUSE_PLACES]; /* hashes of the innermost callers */
};

/* refuse_page: shared with children of a fork, or with who maps the file that PARLEY_REFUSE names. */
struct refuse *refuse_page(void);
