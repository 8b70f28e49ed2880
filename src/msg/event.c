/* How many tokens events are, where nobody has counted. */
#include "msg/event.h"

#include "base/limits.h"

enum { BYTES_OF_TOKEN = 4 };

int64_t event_weight(const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REASONING:
	case EVENT_REFUSAL:
	case EVENT_TOOL_ARGS:
	case EVENT_MESSAGE: return (int64_t)ev->text.n;
	case EVENT_MEDIA: return LIMIT_IMAGE_TOKENS;
	case EVENT_START:
	case EVENT_TOOL_START:
	case EVENT_BLOCK_END:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_FINISH:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT__COUNT: break;
	}
	return 0;
}

struct usage usage_guess(int64_t bytes_in, int64_t bytes_out)
{
	return (struct usage){
		.estimated = true,
		.in = (bytes_in + BYTES_OF_TOKEN - 1) / BYTES_OF_TOKEN,
		.out = (bytes_out + BYTES_OF_TOKEN - 1) / BYTES_OF_TOKEN,
	};
}

struct usage usage_cut(const struct usage *told, const struct usage *guess)
{
	struct usage u = *told;

	if (!u.known && !u.estimated)
		return *guess;
	if (u.known && u.out < guess->out) {
		u.out = guess->out;
		u.known = false;
		u.estimated = true;
	}
	return u;
}
