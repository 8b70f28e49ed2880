/* shape/family: the list of the families (struct family, msg/family.h), and the lookup of a
 * family's shapes. */
#pragma once

#include "msg/family.h"

extern const struct family family_chat; /* LLM Chat, and all routes that are Parley's own */
extern const struct family
	family_completions;                  /* OpenAI's chat completions, and stored completions */
extern const struct family family_text;      /* OpenAI's completions of a prompt */
extern const struct family family_messages;  /* Anthropic's Messages API */
extern const struct family family_responses; /* OpenAI's Responses API */
extern const struct family family_rebyte;    /* Rebyte's API of agents */
/* Gemini's generateContent API; the second one: streams without alt=sse. */
extern const struct family family_gemini, family_gemini_array;

/* Ollama's API; the second one: answers to a prompt. */
extern const struct family family_ollama, family_ollama_prompt;

/* The headers of family_messages. */
enum messages_header { MESSAGES_VERSION, MESSAGES_BETA, MESSAGES_STORE };
/* The headers of family_gemini. */
enum gemini_header { GEMINI_STORE };
/* The headers of family_ollama. */
enum ollama_header { OLLAMA_STORE };

/* family_shape: the family's shape for a run that was stored with this word; the family's usual
 * shape if the word belongs to another family. */
const struct shape *family_shape(const struct family *f, struct str word);
/* family_has: whether a run that was stored with this word belongs to the family. */
bool family_has(const struct family *f, struct str word);
/* family_halves: whether the family knows the client as one that takes a failed stream for a whole answer.
 * agent: its User-Agent; empty: it sent none. */
bool family_halves(const struct family *f, struct str agent);
/* family_format: the shape with this name in the member `format` of requests; NULL: there is
 * none. */
const struct shape *family_format(const struct family *f, struct str name);
