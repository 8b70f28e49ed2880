/* msg/origin: where in the client's request the messages and tools of a prompt come from, for the
 * paths of errors.  A family whose requests are not those of a chat fills the list; its function
 * `place` (msg/family.h) reads it.  Plain data. */
#pragma once

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

enum origin_of {
	ORIGIN_MESSAGE, /* a message of the request */
	ORIGIN_PART,    /* the n-th part of the message's content, where it has moved */
	ORIGIN_CALL,    /* the n-th call of the message */
	/* The n-th tool, where it has moved; key: it is element `at` of the tools in an element of the
	 * list of this name. */
	ORIGIN_TOOL,
};

struct origin {
	enum origin_of of;
	uint32_t       message;
	uint32_t       n;
	uint32_t       item; /* its index in the client's list */
	uint32_t       at;   /* a part: its index in the item */
	const char    *key;  /* static; the item's member that has the content; "": the item
				   * names a stored message; NULL: the whole input is a text */
};

struct origins {
	const struct origin *list;
	size_t               count;
	/* The members below are the run's: how many messages come before the request's own in the
	 * paths of errors, and whether the first of them is its instruction. */
	size_t before;
	bool   instructed;
	bool   follows; /* the others are those of an earlier response; else of a conversation */
};
