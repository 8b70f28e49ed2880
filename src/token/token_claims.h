/* token/token_claims: what a token says of its holder, by the options of its entry.  Pure.  Threads: any. */
#pragma once

#include "base/arena.h"
#include "json/scan.h"
#include "token/token_options.h"

enum { TOKEN_CLAIMS_NAME = 65 }; /* room for a name, NUL included */

/* token_claims_text: a claim, by its name or by a path with dots, that is a text of 1 to 255 bytes, in one line. */
bool token_claims_text(const struct json_doc *d, const char *name, struct arena *a,
		       struct str *ret) MUST_USE;
/* token_claims_scopes: false: no memory. */
bool token_claims_scopes(const struct token_options *o, const struct json_doc *d, struct arena *a,
			 unsigned *ret) MUST_USE;
/* token_claims_group: the first group of the map that the claim names, without grp_; none: empty.  False: no memory. */
bool token_claims_group(const struct token_options *o, const struct json_doc *d, struct arena *a,
			struct str *ret) MUST_USE;
/* token_claims_audience: whether aud is the text, or a list with nothing but it. */
bool token_claims_audience(const struct json_doc *d, const char *audience) MUST_USE;
/* token_claims_times: NULL: they are good; *ret_until_s: the end, with what clocks may differ.  Else: why not. */
const char *token_claims_times(const struct json_doc *d, int64_t now_s,
			       int64_t *ret_until_s) MUST_USE;
/* token_claims_name: for people; what is no text for a line is no name: ret stays as it is. */
void token_claims_name(const struct token_options *o, const struct json_doc *d, struct arena *a,
		       char ret[TOKEN_CLAIMS_NAME]);
