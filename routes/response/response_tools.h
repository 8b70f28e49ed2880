/* routes/response/response_tools: the tools of a response as tools of a chat.
 *
 * Tools of a namespace become functions with both names, `crm__find`, and their calls get the two
 * names back (shape/response). */
#pragma once

#include "base/buf.h"
#include "json/input.h"
#include "lmc/warnings.h"
#include "routes/response/response_origins.h"

/* Between the names of a namespace and of its tool. */
#define RESPONSE_TOOLS_JOINT "__"

/* Tools that an item of the input brings along. */
struct response_tools_more {
	json_at  list;
	uint32_t item; /* the item's index */
};

struct response_tools {
	const struct json_doc            *d;
	json_at                           list; /* array, or absent */
	const struct response_tools_more *more;
	size_t                            more_count;
	json_at                           choice; /* or absent */
	bool                              drops;  /* tools that OpenAI runs itself are left out */
	bool                     shows;    /* such tools are shown, as a provider may take them */
	struct warnings         *warnings; /* borrowed; says what was left out */
	struct response_origins *origins;  /* borrowed; gets the places of tools that have moved */
};

/* response_tools_read: checks the tools and the choice, and appends the member `"tools":[…]` to ret; the
 * choice of some allowed tools leaves the other tools out.  Nothing if there are no tools.
 * Errors: with the path of the culprit, such as tools[2].type; OVERLOADED. */
enum errc response_tools_read(const struct response_tools *t, struct buf *ret,
			      struct err *e) MUST_USE;
/* response_tools_put_choice: appends the member `"tool_choice":…`, if there is a choice that a chat has a
 * word for; it was checked.  False: no memory. */
bool response_tools_put_choice(const struct response_tools *t, struct buf *out) MUST_USE;
/* response_tools_show: appends the array of tools that the response shows.  False: no memory. */
bool response_tools_show(const struct response_tools *t, struct buf *out) MUST_USE;
