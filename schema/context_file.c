/* The field table of context_file.json. */
#include "schema/context_file.h"

#include "base/limits.h"

#define AT(m) offsetof(struct context_file, m)
static const struct field rows[] = {
	{ "uuid", FIELD_STRING, false, 1, LIMIT_ID, AT(uuid), NULL },
	{ "name", FIELD_STRING, false, 1, LIMIT_FILE_NAME, AT(name), NULL },
	{ "content", FIELD_STRING, false, 0, 0, AT(content), NULL },
};
#undef AT

const struct field_set context_file_fields = FIELD_SET("context_file", rows);
