/* routes/response/response_reading: how the input of a response is read, and what it has besides
 * messages.  Plain data. */
#pragma once

#include "lmc/warnings.h"
#include "msg/prompt.h"
#include "routes/response/response_origins.h"
#include "routes/response/response_tools.h"

struct response_reading {
	struct response_origins *origins;  /* borrowed; gets where the messages come from */
	struct warnings         *warnings; /* borrowed; says what was left out */
	bool                     drops;    /* items of tools that OpenAI runs itself are left out */
	bool native; /* some targets take the request as it is; passes: all of them do */
	bool passes;
	bool follows; /* the input goes on with earlier messages */

	/* What became of each item, in the order of the input; in the arena. */
	struct prompt_item *items;
	size_t              item_count;
	/* A file of this gateway is named where only the item itself could go to a provider of this API. */
	bool unsendable;
	/* The tools that items bring along; in the arena. */
	struct response_tools_more *more;
	size_t                      more_count;
};
