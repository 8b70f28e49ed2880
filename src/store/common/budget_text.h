/* budget_text: the refusal of a call whose budget does not suffice. */
#pragma once

#include "store/usage.h"

/* The stored state of the budget; found false: it was never used. */
struct budget_left {
	bool    found;
	int64_t began_ms;
	int64_t spent[2]; /* money, tokens */
	int64_t reserved[2];
};

/* budget_text_refuse: fills e with INSUFFICIENT_QUOTA. */
void budget_text_refuse(const struct budget_reserve *j, const struct budget_left *left,
			struct err *e);
