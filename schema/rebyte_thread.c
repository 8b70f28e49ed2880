/* The field table of rebyte_thread.json. */
#include "schema/rebyte_thread.h"

#include "base/limits.h"

#define AT(m) offsetof(struct rebyte_thread, m)
static const struct field rows[] = {
	{ "messages", FIELD_ARRAY, false, 0, LIMIT_ITEMS, AT(messages), NULL },
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
};
#undef AT

const struct field_set rebyte_thread_fields = FIELD_SET("rebyte_thread", rows);
