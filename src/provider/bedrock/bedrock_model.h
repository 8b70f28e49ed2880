/* provider/bedrock/bedrock_model: what the models of each maker take beside the Converse API's own members.
 * Internal to the dialect. */
#pragma once

#include "base/buf.h"

struct prompt;

struct bedrock_model {
	const char *of;     /* a part of the names of the maker's models */
	bool        claude; /* takes members together as Anthropic's do */
	bool        thinks; /* the member thinking, and thinking in the history */
	bool        cache;  /* a cachePoint in messages and instructions */
	bool        cache_tools;
	const char *top_k; /* its members before the number of top_k, and after it; NULL: none */
	const char *top_k_end;
	const char *effort; /* the same of reasoning_effort, a word in quotes */
	const char *effort_end;
};

/* bedrock_model_of: the row for a model's name; what an unknown one takes, its client knows. */
const struct bedrock_model *bedrock_model_of(struct str name);
/* bedrock_model_top_k, bedrock_model_effort: append the model's member, with a comma before it; warn where it
 * has none. */
bool bedrock_model_top_k(const struct bedrock_model *m, const struct prompt *p,
			 struct buf *out) MUST_USE;
bool bedrock_model_effort(const struct bedrock_model *m, const struct prompt *p,
			  struct buf *out) MUST_USE;
