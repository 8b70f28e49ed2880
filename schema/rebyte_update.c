/* The field table of rebyte_update.json. */
#include "schema/rebyte_update.h"

#include "base/limits.h"

#define AT(m) offsetof(struct rebyte_update, m)
static const struct field rows[] = {
	{ "metadata", FIELD_OBJECT, false, 0, 0, AT(metadata), NULL },
};
#undef AT

const struct field_set rebyte_update_fields = FIELD_SET_OPEN("rebyte_update", rows);
