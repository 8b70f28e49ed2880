/* message_row: writes a message of a turn, or the turn's answer. */
#pragma once

#include "store/sqlite/kit/conn.h"

struct message_place {
	int64_t owner;
	int64_t conversation;
	int64_t prev;
	int64_t run;
	int64_t created_ms;
};

int message_row_add(struct conn *c, struct message_place at, struct id id,
		    struct str body) MUST_USE;
