/* The routes of table.def as a table, and what a path that is none of them looks like. */
#include "routes/kit/gateway.h"
#include "routes/kit/handlers.h"

#define ROUTE(...) { __VA_ARGS__ },
const struct route routes[] = {
#include "routes/table.def"
	{ 0 },
};
#undef ROUTE

/* An unknown path is refused in the shape of the API that it looks like.  Anthropic's clients say the
 * version of its API, and know no other shape. */
const struct family *routes_family(const struct route *row, struct str path, struct str version)
{
	if (!row && str_starts(path, STR("/api/sdk/")))
		return &family_rebyte;
	if (!row)
		return version.n > 0 || str_starts(path, STR("/v1/messages/")) ? &family_messages
									       : &family_chat;
	return version.n > 0 && (row->handle == models_list || row->handle == models_get)
		       ? &family_messages
		       : row->family;
}
