/* The field table of chat_lmc.json. */
#include "schema/chat_lmc.h"

static const char *const codes[] = { "tools", "fence", NULL };

#define AT(m) offsetof(struct chat_lmc, m)
static const struct field rows[] = {
	{ "code", FIELD_ENUM, false, 0, 0, AT(code), codes },
	{ "fences", FIELD_BOOL, false, 0, 0, AT(fences), NULL },
};
#undef AT

const struct field_set chat_lmc_fields = FIELD_SET("chat_lmc", rows);
