/* search_cursor: where a page of a search ended, as clients carry it. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct search_cursor {
	uint64_t query; /* what was asked, as a number: another one has another cursor */
	int64_t  top;   /* the window's newest message; later ones are not in it */
	int64_t  score; /* of the last one given, and its id; 0: none of this window yet */
	int64_t  id;
};

enum { SEARCH_CURSOR = 64 };

void search_cursor_print(const struct search_cursor *c, char ret[SEARCH_CURSOR + 1]);
bool search_cursor_parse(struct str text, struct search_cursor *ret);
