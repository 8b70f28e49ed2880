/* provider/anthropic/anthropic_rules: which members of a request Anthropic's API takes together.  Internal to the
 * dialect.
 *
 * Thinking has to be left out where a tool is forced, where an answer is continued, and where a turn of calls has
 * begun without it; its budget has to be less than the limit of tokens.  Thinking excludes the choice among tokens; without it, temperature
 * and top_p exclude each other, and newer models refuse them altogether.  Each thing that is left out or changed
 * is told by a warning.  Source: https://platform.claude.com/docs/en/build-with-claude/extended-thinking, "Feature
 * compatibility", "Sampling parameters", and the API's errors. */
#pragma once

#include "provider/ask.h"

struct anthropic_rules {
	struct str thinking;  /* raw; empty: left out, or the client sent none */
	bool       unthought; /* left out: the history has to go without its thinking, too */
	int64_t    budget;    /* sent instead of the budget in it; 0: it stays */
	int64_t    max;       /* the limit of tokens, if the client set none; 0: it did */
	bool       temperature;
	bool       top_p;
	bool       top_k;
};

/* anthropic_rules_read: decides.  Errors: INVALID_TYPE at thinking; OVERLOADED. */
enum errc anthropic_rules_read(const struct ask *a, struct anthropic_rules *ret,
			       struct err *e) MUST_USE;
/* anthropic_rules_put: appends the member thinking. */
bool anthropic_rules_put(const struct anthropic_rules *r, struct buf *out) MUST_USE;
/* anthropic_rules_thinking: appends the blocks of thinking that led to a call, in a list. */
bool anthropic_rules_thinking(const struct ask_call *c, bool *first, struct buf *out) MUST_USE;
