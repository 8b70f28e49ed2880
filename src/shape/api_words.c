/* The tables of words, and the search in them. */
#include "shape/api_words.h"

#include <stddef.h>

/* clang-format off */
static const struct api_reason anthropic_reasons[] = {
	{ "end_turn", "stop" },
	{ "stop_sequence", "stop" },
	{ "max_tokens", "length" },
	{ "model_context_window_exceeded", "length" },
	{ "tool_use", "tool_calls" },
	{ "refusal", "content_filter" },
	{ 0 },
};

static const struct api_error anthropic_errors[] = {
	{ "invalid_request_error", 400, true },
	{ "authentication_error", 401, true },
	{ "billing_error", 402, true },
	{ "permission_error", 403, true },
	{ "not_found_error", 404, true },
	{ "not_found_error", 410, true },
	{ "request_too_large", 413, true },
	{ "rate_limit_error", 429, true },
	{ "api_error", 500, true },
	{ "timeout_error", 504, true },
	{ "overloaded_error", 529, true },
	{ 0 },
};

static const struct api_reason responses_reasons[] = {
	{ "max_output_tokens", "length" },
	{ "content_filter", "content_filter" },
	{ 0 },
};

static const struct api_error responses_errors[] = {
	{ "rate_limit_exceeded", 429, true },
	{ "insufficient_quota", 429, true },
	{ "context_length_exceeded", 400, true },
	{ "invalid_prompt", 400, true },
	{ "invalid_image", 400, false },
	{ "invalid_image_format", 400, false },
	{ "invalid_base64_image", 400, false },
	{ "invalid_image_url", 400, false },
	{ "invalid_image_mode", 400, false },
	{ "image_too_large", 400, false },
	{ "image_too_small", 400, false },
	{ "image_parse_error", 400, false },
	{ "image_file_too_large", 400, false },
	{ "image_content_policy_violation", 400, false },
	{ "empty_image_file", 400, false },
	{ "unsupported_image_media_type", 400, false },
	{ "image_file_not_found", 400, false },
	{ "failed_to_download_image", 400, false },
	{ "model_not_found", 404, false },
	{ "invalid_api_key", 401, false },
	{ "server_is_overloaded", 503, false },
	{ "slow_down", 503, false },
	{ "server_error", 500, true },
	{ 0 },
};

/* An answer with calls has the end of a text. */
static const struct api_reason gemini_reasons[] = {
	{ "STOP", "stop" },
	{ "MAX_TOKENS", "length" },
	{ "SAFETY", "content_filter" },
	{ "RECITATION", "content_filter" },
	{ "BLOCKLIST", "content_filter" },
	{ "PROHIBITED_CONTENT", "content_filter" },
	{ "SPII", "content_filter" },
	{ "IMAGE_SAFETY", "content_filter" },
	{ "IMAGE_PROHIBITED_CONTENT", "content_filter" },
	{ "IMAGE_RECITATION", "content_filter" },
	{ "LANGUAGE", "content_filter" },
	{ "MODEL_ARMOR", "content_filter" },
	{ 0 },
};

static const struct api_error gemini_errors[] = {
	{ "INVALID_ARGUMENT", 400, true },
	{ "UNAUTHENTICATED", 401, true },
	{ "PERMISSION_DENIED", 403, true },
	{ "NOT_FOUND", 404, true },
	{ "ABORTED", 409, true },
	{ "FAILED_PRECONDITION", 412, true },
	{ "RESOURCE_EXHAUSTED", 429, true },
	{ "CANCELLED", 499, true },
	{ "INTERNAL", 500, true },
	{ "UNAVAILABLE", 502, true },
	{ "UNAVAILABLE", 503, true },
	{ "DEADLINE_EXCEEDED", 504, true },
	{ 0 },
};
/* An answer with calls may have the end of a text. */
static const struct api_reason interactions_reasons[] = {
	{ "completed", "stop" },
	{ "requires_action", "tool_calls" },
	{ "incomplete", "length" },
	{ "budget_exceeded", "length" },
	{ "requires_continuation", "length" },
	{ 0 },
};

static const struct api_error interactions_errors[] = {
	{ "invalid_request", 400, true },
	{ "failed_precondition", 400, false },
	{ "parameter_unknown", 400, false },
	{ "content_blocked", 400, false },
	{ "authentication", 401, true },
	{ "payment_required", 402, true },
	{ "permission_denied", 403, true },
	{ "not_found", 404, true },
	{ "model_not_found", 404, false },
	{ "aborted", 409, true },
	{ "already_exists", 409, false },
	{ "out_of_range", 416, true },
	{ "rate_limit_exceeded", 429, true },
	{ "quota_exceeded", 429, false },
	{ "too_many_requests", 429, false },
	{ "cancelled", 499, true },
	{ "api_error", 500, true },
	{ "unimplemented", 501, true },
	{ "service_unavailable", 503, true },
	{ "gateway_timeout", 504, true },
	{ "deadline_exceeded", 504, false },
	{ 0 },
};
/* clang-format on */

const struct api_words words_anthropic = { anthropic_reasons, anthropic_errors };
const struct api_words words_responses = { responses_reasons, responses_errors };
const struct api_words words_gemini = { gemini_reasons, gemini_errors };
const struct api_words words_interactions = { interactions_reasons, interactions_errors };

const char *api_words_finish(const struct api_words *w, struct str word)
{
	for (const struct api_reason *r = w->reasons; r->word; r++)
		if (str_is(word, r->word))
			return r->finish;
	return NULL;
}

const char *api_words_reason(const struct api_words *w, struct str finish)
{
	for (const struct api_reason *r = w->reasons; r->word; r++)
		if (str_is(finish, r->finish))
			return r->word;
	return NULL;
}

const struct api_error *api_words_error(const struct api_words *w, struct str word)
{
	for (const struct api_error *r = w->errors; r->word; r++)
		if (str_is(word, r->word))
			return r;
	return NULL;
}

const struct api_error *api_words_told(const struct api_words *w, int http)
{
	for (const struct api_error *r = w->errors; r->word; r++)
		if (r->told && r->http == http)
			return r;
	return NULL;
}
