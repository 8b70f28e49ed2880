/* The routes of table.def as a table, and what a path that is none of them looks like. */
#include "http/request.h"
#include "routes/kit/gateway.h"
#include "routes/kit/handlers.h"

#define ROUTE(...) { __VA_ARGS__ },
#define SCRATCH_ROUTE(name, method, path, auth, body, traits, family, handler) \
	{ name, method, path, auth, body, traits, &(family), handler },
const struct route routes[] = {
#include "routes/table.def"
#include "base/scratch.def"
	{ 0 },
};
#undef ROUTE
#undef SCRATCH_ROUTE

/* An unknown path is refused in the shape of the API that it looks like.  Anthropic's clients say the
 * version of its API, and know no other shape. */
const struct family *routes_family(const struct request *r, const struct route *row)
{
	if (row && row->handle != models_list && row->handle != models_get)
		return row->family;
	if (!row && str_starts(request_view(r)->path, STR("/api/sdk/")))
		return &family_rebyte;
	if (request_header(r, family_messages.headers[MESSAGES_VERSION]).n > 0 ||
	    (!row && str_starts(request_view(r)->path, STR("/v1/messages/"))))
		return &family_messages;
	return row ? row->family : &family_chat;
}
