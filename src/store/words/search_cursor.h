/* search_cursor: where a page of a search ended, in the form that clients send back. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct search_cursor {
	uint64_t query; /* hash of the search's expression; a cursor fits its own search only */
	int64_t  top;   /* id of the window's newest message; newer ones are not in the window */
	int64_t  score; /* score of the last hit on the page, in millionths */
	int64_t  id;    /* id of this hit; 0: the page has no hit of this window */
};

enum { SEARCH_CURSOR = 64 };

void search_cursor_print(const struct search_cursor *c, char ret[SEARCH_CURSOR + 1]);
bool search_cursor_parse(struct str text, struct search_cursor *ret);
