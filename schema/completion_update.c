/* The field table of completion_update.json. */
#include "schema/completion_update.h"

#define AT(m) offsetof(struct completion_update, m)
static const struct field rows[] = {
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
};
#undef AT

const struct field_set completion_update_fields = FIELD_SET("completion_update", rows);
