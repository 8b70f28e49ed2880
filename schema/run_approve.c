/* The field table of run_approve.json. */
#include "schema/run_approve.h"

#include "base/limits.h"

#define AT(m) offsetof(struct run_approve, m)
static const struct field rows[] = {
	{ "approve", FIELD_BOOL, true, 0, 0, AT(approve), NULL },
	{ "reason", FIELD_STRING, false, 0, LIMIT_COMPUTER_REASON, AT(reason), NULL },
	{ "config", FIELD_OBJECT, false, 0, 0, AT(config), NULL },
	{ "stream", FIELD_BOOL, false, 0, 0, AT(stream), NULL },
	{ "background", FIELD_BOOL, false, 0, 0, AT(background), NULL },
	{ "format", FIELD_ENUM, false, 0, 0, AT(format), chat_formats },
	{ "lmc", FIELD_OBJECT, false, 0, 0, AT(lmc), NULL },
	{ "on_disconnect", FIELD_ENUM, false, 0, 0, AT(on_disconnect), chat_on_disconnects },
};
#undef AT

const struct field_set run_approve_fields = FIELD_SET("run_approve", rows);
