/* The field table of rebyte_run.json. */
#include "schema/rebyte_run.h"

#include "base/limits.h"

#define AT(m) offsetof(struct rebyte_run, m)
static const struct field rows[] = {
	{ "version", FIELD_ANY, false, 0, 0, AT(version), NULL },
	{ "config", FIELD_OBJECT, false, 0, 0, AT(config), NULL },
	{ "inputs", FIELD_ARRAY, false, 0, 1, AT(inputs), NULL },
	{ "thread_id", FIELD_STRING, false, 1, LIMIT_ID, AT(thread_id), NULL },
	{ "blocking", FIELD_BOOL, false, 0, 0, AT(blocking), NULL },
	{ "stream", FIELD_BOOL, false, 0, 0, AT(stream), NULL },
	{ "contentOnly", FIELD_BOOL, false, 0, 0, AT(content_only), NULL },
	{ "block_filter", FIELD_ANY, false, 0, 0, AT(block_filter), NULL },
};
#undef AT

const struct field_set rebyte_run_fields = FIELD_SET("rebyte_run", rows);
