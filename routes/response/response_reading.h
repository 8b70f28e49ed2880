/* routes/response/response_reading: how the input of a response is read, and what it has besides
 * messages.  Plain data. */
#pragma once

#include "lmc/warnings.h"
#include "routes/response/response_origins.h"
#include "routes/response/response_tools.h"

struct response_reading {
	struct response_origins *origins;  /* borrowed; gets where the messages come from */
	struct warnings         *warnings; /* borrowed; says what was left out */
	bool                     drops;    /* items of tools that OpenAI runs itself are left out */
	bool                     follows;  /* the input goes on with earlier messages */

	/* The tools that items bring along; in the arena. */
	struct response_tools_more *more;
	size_t                      more_count;
};
