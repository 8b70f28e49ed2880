/* schema/api_key_budget: the budget of a key: how much the key may use up in a window. */
#pragma once

#include "json/field.h"

struct api_key_budget {
	struct str money;  /* .p NULL: absent */
	int64_t    tokens; /* 0: absent */
	struct str window; /* .p NULL: the budget is never renewed */
};

#define API_KEY_BUDGET_INIT \
	((struct api_key_budget){ .money = STR_NONE, .tokens = 0, .window = STR_NONE })

extern const struct field_set api_key_budget_fields;
