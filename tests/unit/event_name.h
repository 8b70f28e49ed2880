/* The names of events. */
#pragma once

#include "msg/event.h"

static inline const char *event_name(enum event_kind kind)
{
	/* clang-format off */
	static const char *const names[EVENT__COUNT] = {
		[EVENT_START] = "start",
		[EVENT_TEXT] = "text",
		[EVENT_REASONING] = "reasoning",
		[EVENT_REFUSAL] = "refusal",
		[EVENT_TOOL_START] = "tool_start",
		[EVENT_TOOL_ARGS] = "tool_args",
		[EVENT_BLOCK_END] = "block_end",
		[EVENT_MEDIA] = "media",
		[EVENT_MESSAGE] = "message",
		[EVENT_LMC] = "lmc",
		[EVENT_ASKED] = "asked",
		[EVENT_OTHER] = "other",
		[EVENT_USAGE] = "usage",
		[EVENT_FINISH] = "finish",
		[EVENT_ERROR] = "error",
		[EVENT_END] = "end",
		[EVENT_STEP] = "step",
		[EVENT_EXECUTE] = "execute",
		[EVENT_EXECUTED] = "executed",
		[EVENT_RESUMED] = "resumed",
	};
	/* clang-format on */

	return (unsigned)kind < EVENT__COUNT && names[kind] ? names[kind] : "unknown";
}
