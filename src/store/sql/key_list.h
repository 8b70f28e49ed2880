/* key_list: keys that a walk along a branch has met. */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>

/* Laid open so that it can be embedded; all zero is empty. */
struct key_list {
	int64_t *at; /* owned */
	size_t   count;
	size_t   cap;
};

bool key_list_add(struct key_list *k, int64_t key) MUST_USE; /* false: no memory */
void key_list_finish(struct key_list *k);
