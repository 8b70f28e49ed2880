/* The field table of text_completion_request.json. */
#include "schema/text_completion_request.h"

#include "base/limits.h"

#define AT(m) offsetof(struct text_completion_request, m)
static const struct field rows[] = {
	{ "model", FIELD_STRING, false, 1, LIMIT_MODEL, AT(model), NULL },
	{ "prompt", FIELD_ANY, true, 0, 0, AT(prompt), NULL },
	{ "stream", FIELD_BOOL, false, 0, 0, AT(stream), NULL },
	{ "stream_options", FIELD_OBJECT, false, 0, 0, AT(stream_options), NULL },
	{ "max_tokens", FIELD_INT, false, 0, 0, AT(max_tokens), NULL },
	{ "n", FIELD_INT, false, 1, LIMIT_CHOICES, AT(n), NULL },
	{ "best_of", FIELD_INT, false, 1, LIMIT_CHOICES, AT(best_of), NULL },
	{ "echo", FIELD_BOOL, false, 0, 0, AT(echo), NULL },
	{ "logprobs", FIELD_INT, false, 0, 0, AT(logprobs), NULL },
	{ "suffix", FIELD_STRING, false, 0, 0, AT(suffix), NULL },
	/* These are checked alone, and passed on as they came. */
	{ "temperature", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "top_p", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "presence_penalty", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "frequency_penalty", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "seed", FIELD_NUMBER, false, 0, 0, AT(number), NULL },
	{ "user", FIELD_STRING, false, 0, 0, AT(text), NULL },
};
#undef AT

const struct field_set text_completion_request_fields =
	FIELD_SET_OPEN("text_completion_request", rows);
