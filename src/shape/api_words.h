/* shape/api_words: the words with which an API says why an answer has ended, and what kind of error it is.  There is
 * one table for each API, and it serves both directions: providers are read with it, and clients are told with it.
 * A row that stands first decides, where several have the same word or the same meaning.
 *
 * The inner words for an end are OpenAI's finish_reasons: stop, length, tool_calls, content_filter. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

struct api_reason {
	const char *word;
	const char *finish; /* the finish_reason */
};

struct api_error {
	const char *word;
	int         http;
	bool        told; /* clients get this word; others get a more general one */
};

/* Both end with a row without a word. */
struct api_words {
	const struct api_reason *reasons;
	const struct api_error  *errors;
};

extern const struct api_words words_anthropic;    /* stop_reason; error.type */
extern const struct api_words words_responses;    /* incomplete_details.reason; error.code */
extern const struct api_words words_gemini;       /* finishReason; error.status */
extern const struct api_words words_interactions; /* status; error.code */

/* api_words_finish: the finish_reason that word means; api_words_reason: the word for a finish_reason.
 * NULL: there is no row. */
const char *api_words_finish(const struct api_words *w, struct str word);
const char *api_words_reason(const struct api_words *w, struct str finish);
/* api_words_error: the row of an error's word; api_words_told: the row that tells a status.  NULL: there is none. */
const struct api_error *api_words_error(const struct api_words *w, struct str word);
const struct api_error *api_words_told(const struct api_words *w, int http);
