/* The field table of run_continue.json. */
#include "schema/run_continue.h"

#define AT(m) offsetof(struct run_continue, m)
static const struct field rows[] = {
	{ "config", FIELD_OBJECT, false, 0, 0, AT(config), NULL },
	{ "stream", FIELD_BOOL, false, 0, 0, AT(stream), NULL },
	{ "background", FIELD_BOOL, false, 0, 0, AT(background), NULL },
	{ "format", FIELD_ENUM, false, 0, 0, AT(format), chat_formats },
	{ "lmc", FIELD_OBJECT, false, 0, 0, AT(lmc), NULL },
	{ "on_disconnect", FIELD_ENUM, false, 0, 0, AT(on_disconnect), chat_on_disconnects },
};
#undef AT

const struct field_set run_continue_fields = FIELD_SET("run_continue", rows);
