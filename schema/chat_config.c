/* The field table of chat_config.json. */
#include "schema/chat_config.h"

#include "base/limits.h"

#define AT(m) offsetof(struct chat_config, m)
static const struct field rows[] = {
	{ "max_tokens", FIELD_INT, false, 1, LIMIT_MAX_TOKENS, AT(max_tokens), NULL },
	{ "temperature", FIELD_NUMBER, false, 0, 2, AT(temperature), NULL },
	{ "model", FIELD_STRING, false, 1, LIMIT_MODEL, AT(model), NULL },
	{ "top_p", FIELD_NUMBER, false, 0, 1, AT(top_p), NULL },
	{ "stop", FIELD_ANY, false, 0, 0, AT(stop), NULL },
	{ "seed", FIELD_INT, false, 0, 0, AT(seed), NULL },
	{ "presence_penalty", FIELD_NUMBER, false, -2, 2, AT(presence_penalty), NULL },
	{ "frequency_penalty", FIELD_NUMBER, false, -2, 2, AT(frequency_penalty), NULL },
	{ "response_format", FIELD_OBJECT, false, 0, 0, AT(response_format), NULL },
	{ "tools", FIELD_ARRAY, false, 0, LIMIT_TOOLS, AT(tools), NULL },
	{ "tool_choice", FIELD_ANY, false, 0, 0, AT(tool_choice), NULL },
	{ "reasoning_effort", FIELD_STRING, false, 1, LIMIT_NAME, AT(reasoning_effort), NULL },
	{ "computer", FIELD_OBJECT, false, 0, 0, AT(computer), NULL },
	{ "extra", FIELD_OBJECT, false, 0, 0, AT(extra), NULL },
};
#undef AT

/* Members of other APIs, and their names here. Some of them resemble a known name that means
 * something else, which the error would suggest otherwise. */
/* clang-format off */
#define EXTRA(key) { key, "extra." key }
/* clang-format on */
static const struct field_moved moved[] = {
	{ "max_completion_tokens", "max_tokens" },
	{ "max_output_tokens", "max_tokens" },
	{ "max_new_tokens", "max_tokens" },
	{ "num_predict", "max_tokens" },
	{ "stop_sequences", "stop" },
	{ "functions", "tools" },
	{ "function_call", "tool_choice" },
	EXTRA("top_k"),
	EXTRA("top_a"),
	EXTRA("min_p"),
	EXTRA("typical_p"),
	EXTRA("repetition_penalty"),
	EXTRA("logit_bias"),
	EXTRA("logprobs"),
	EXTRA("top_logprobs"),
	EXTRA("parallel_tool_calls"),
	EXTRA("modalities"),
	EXTRA("audio"),
	EXTRA("prediction"),
	EXTRA("verbosity"),
	EXTRA("thinking"),
	EXTRA("reasoning"),
	EXTRA("service_tier"),
	EXTRA("user"),
	EXTRA("provider"),
	EXTRA("options"),
	EXTRA("keep_alive"),
	{ 0 },
};
#undef EXTRA

const struct field_set chat_config_fields = {
	.name = "chat_config",
	.rows = rows,
	.count = ARRAY_LEN(rows),
	.moved = moved,
	.others = "members that only the provider knows go into config.extra",
};
