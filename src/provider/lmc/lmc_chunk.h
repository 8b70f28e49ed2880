/* provider/lmc/lmc_chunk: one chunk of an LMC stream, read and checked (rule C1), and printed
 * again.  Internal to provider/. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

enum lmc_role { LMC_USER, LMC_ASSISTANT, LMC_COMPUTER, LMC_SYSTEM, LMC_SERVER, LMC_ROLE__COUNT };

/* What a chunk says of its message, beside the role. */
enum lmc_said { LMC_TYPE, LMC_FORMAT, LMC_RECIPIENT, LMC_SAID__COUNT };

/* All spans point into d's text or into the scratch. */
struct lmc_chunk {
	const struct json_doc *d;
	json_at                object;
	enum lmc_role          role;
	struct str said[LMC_SAID__COUNT]; /* JSON in one spelling; empty: absent or null */
	json_at    content;               /* JSON_ABSENT: none, or one that adds nothing (C2) */
	bool       has_content;           /* the member is there, null or empty as it may be */
	bool       start;
	bool       end;
	bool       others; /* it has members that mean nothing to us */
	bool       plain;  /* its content can be handed on with the chunk as it stands */
};

struct lmc_scratch {
	struct buf decoded;
	struct buf printed[LMC_SAID__COUNT];
};

void lmc_scratch_init(struct lmc_scratch *s);
void lmc_scratch_finish(struct lmc_scratch *s);

/* lmc_chunk_read: object is one; *ret is valid until the next call with this scratch.
 * Errors: UPSTREAM_BAD_RESPONSE (what the provider should have sent), OVERLOADED. */
enum errc lmc_chunk_read(const struct json_doc *d, json_at object, struct lmc_scratch *scratch,
			 struct lmc_chunk *ret, struct err *e) MUST_USE;

/* lmc_head_print: `{"role":…,"type":…,"format":…,"recipient":…`, those that are there; left
 * open. */
bool lmc_head_print(enum lmc_role role, const struct str said[LMC_SAID__COUNT],
		    struct buf *out) MUST_USE;
/* lmc_others_print: `,"name":value` for each member that means nothing to us, in one line. */
bool lmc_others_print(const struct lmc_chunk *c, struct buf *out) MUST_USE;
/* lmc_content_print: the chunk with its content (null, where it has none) and without flags. */
bool lmc_content_print(const struct lmc_chunk *c, struct buf *out) MUST_USE;

/* lmc_is: a JSON value is this string. */
static inline bool lmc_is(struct str json, const char *text)
{
	size_t n = strlen(text);

	return json.n == n + 2 && json.p[0] == '"' && memcmp(json.p + 1, text, n) == 0;
}
