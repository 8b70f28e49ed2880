/* The tables of schema.def, with their words and with what an error suggests instead of a wrong member. */
#include "schema/schema.h"

#include "base/limits.h"

#include <math.h>

const char *const chat_formats[] = { "openai", "lmc", NULL };
const char *const chat_on_disconnects[] = { "finish", "cancel", NULL };
const char *const chat_computer_confirms[] = { "ask", "never", NULL };
const char *const chat_computer_files[] = { "prompt", "workspace", "both", NULL };
const char *const chat_lmc_codes[] = { "tools", "fence", NULL };
const char *const chat_roles[] = { "user", "assistant", "system", "developer", "tool", NULL };
const char *const embedding_formats[] = { "float", "base64", NULL };
const char *const expires_anchors[] = { "last_active_at", NULL };
const char *const conversation_item_types[] = { "message", "function_call", "function_call_output",
						NULL };
const char *const conversation_item_roles[] = { "user", "assistant", "system", "developer", NULL };
const char *const response_truncations[] = { "auto", "disabled", NULL };
const char *const rebyte_roles[] = { "user", "assistant", "system", NULL };

/* clang-format off */
#define BEGIN const struct THIS SCHEMA_JOIN(THIS, _init) = {
/* A text begins as { 0 }, which parentheses would spoil. */
#define MEMBER(type, name, first) .name = first, /* NOLINT(bugprone-macro-parentheses) */
#define ROW(...)
#define END };
#define END_OPEN END
#define END_ROWS END
#include "schema/schema.def"

#define SCHEMA_TEXT_(name) #name
#define SCHEMA_TEXT(name)  SCHEMA_TEXT_(name)
#define SCHEMA_SET(any)                                                                  \
	};                                                                               \
	const struct field_set SCHEMA_JOIN(THIS, _fields) = {                            \
		.name = SCHEMA_TEXT(THIS), .rows = SCHEMA_JOIN(THIS, _rows),             \
		.count = ARRAY_LEN(SCHEMA_JOIN(THIS, _rows)), .open = (any) };
#define BEGIN static const struct field SCHEMA_JOIN(THIS, _rows)[] = {
#define MEMBER(...)
#define ROW(key, kind, need, min, max, name, words) \
	{ key, FIELD_##kind, need, min, max, offsetof(struct THIS, name), words },
#define END SCHEMA_SET(false)
#define END_OPEN SCHEMA_SET(true)
#define END_ROWS };
#include "schema/schema.def"
/* clang-format on */

/* The last row, `shares`, is fixed when a key is made. */
const struct field_set api_key_update_fields = {
	.name = "api_key_update",
	.rows = api_key_create_rows,
	.count = ARRAY_LEN(api_key_create_rows) - 1,
};

/* Members of other APIs, and their names here. Some of them resemble a known name that means
 * something else, which the error would suggest otherwise. */
/* clang-format off */
#define EXTRA(key) { key, "extra." key }
/* clang-format on */
static const struct field_moved chat_config_moved[] = {
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
	.rows = chat_config_rows,
	.count = ARRAY_LEN(chat_config_rows),
	.moved = chat_config_moved,
	.others = "members that only the provider knows go into config.extra",
};

static const struct field_moved chat_request_moved[] = {
	{ "system", "instruction" },
	{ "instructions", "instruction" },
	{ "prompt", "messages" },
	{ "input", "messages" },
	{ "conversation_id", "conversation" },
	{ "previous_response_id", "conversation" },
	{ 0 },
};

const struct field_set chat_request_fields = {
	.name = "chat_request",
	.rows = chat_request_rows,
	.count = ARRAY_LEN(chat_request_rows),
	.moved = chat_request_moved,
	.inner = &chat_config_fields,
	.inner_key = "config",
};
