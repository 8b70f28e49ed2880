/* The field table of rebyte_action.json. */
#include "schema/rebyte_action.h"

#include "base/limits.h"

#define AT(m) offsetof(struct rebyte_action, m)
static const struct field rows[] = {
	{ "temperature", FIELD_NUMBER, false, 0, 2, AT(temperature), NULL },
	{ "max_tokens", FIELD_INT, false, 1, LIMIT_MAX_TOKENS, AT(max_tokens), NULL },
	{ "top_p", FIELD_NUMBER, false, 0, 1, AT(top_p), NULL },
	{ "stop", FIELD_ANY, false, 0, 0, AT(stop), NULL },
	{ "seed", FIELD_INT, false, 0, 0, AT(seed), NULL },
	{ "presence_penalty", FIELD_NUMBER, false, -2, 2, AT(presence_penalty), NULL },
	{ "frequency_penalty", FIELD_NUMBER, false, -2, 2, AT(frequency_penalty), NULL },
	{ "response_format", FIELD_OBJECT, false, 0, 0, AT(response_format), NULL },
	{ "provider_id", FIELD_STRING, false, 0, 0, AT(provider_id), NULL },
	{ "model_id", FIELD_STRING, false, 0, 0, AT(model_id), NULL },
	{ "use_stream", FIELD_BOOL, false, 0, 0, AT(use_stream), NULL },
	{ "use_cache", FIELD_BOOL, false, 0, 0, AT(use_cache), NULL },
	{ "use_semantic_cache", FIELD_BOOL, false, 0, 0, AT(use_semantic_cache), NULL },
};
#undef AT

const struct field_set rebyte_action_fields = FIELD_SET_OPEN("rebyte_action", rows);
