/* The field table of api_key_budget.json. */
#include "schema/api_key_budget.h"

#include "base/limits.h"

#define AT(m) offsetof(struct api_key_budget, m)
static const struct field rows[] = {
	{ "money", FIELD_STRING, false, 1, LIMIT_MONEY_TEXT, AT(money), NULL },
	{ "tokens", FIELD_INT, false, 1, LIMIT_BUDGET_TOKENS, AT(tokens), NULL },
	{ "window", FIELD_STRING, false, 2, LIMIT_WINDOW_TEXT, AT(window), NULL },
};
#undef AT

const struct field_set api_key_budget_fields = FIELD_SET("api_key_budget", rows);
