/* provider/lmc/lmc_chunk: reads and checks one chunk of an LMC stream (rule C1 in
 * tests/fixtures/lmc), and prints chunks. Internal to provider/. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

enum lmc_role { LMC_USER, LMC_ASSISTANT, LMC_COMPUTER, LMC_SYSTEM, LMC_SERVER, LMC_ROLE__COUNT };

/* The members of a chunk that describe its message, besides the role. */
enum lmc_said { LMC_TYPE, LMC_FORMAT, LMC_RECIPIENT, LMC_SAID__COUNT };

/* A chunk that was read. All spans point into d's text or into the scratch. */
struct lmc_chunk {
	const struct json_doc *d;
	json_at                object;
	enum lmc_role          role;
	struct str said[LMC_SAID__COUNT]; /* JSON in one spelling; empty: absent or null */
	json_at    content;               /* JSON_ABSENT: none, or it adds nothing (C2) */
	bool       has_content;           /* the member exists, even if it is null or empty */
	bool       start;
	bool       end;
	bool       others; /* the chunk has members that this struct does not name */
	bool       plain;  /* the chunk can be passed on unchanged */
};

struct lmc_scratch {
	struct buf decoded;
	struct buf printed[LMC_SAID__COUNT];
};

void lmc_scratch_init(struct lmc_scratch *s);
void lmc_scratch_finish(struct lmc_scratch *s);

/* lmc_chunk_read: reads an object of d; *ret is valid until the next call with this scratch.
 * Errors: UPSTREAM_BAD_RESPONSE (the object is no chunk), OVERLOADED. */
enum errc lmc_chunk_read(const struct json_doc *d, json_at object, struct lmc_scratch *scratch,
			 struct lmc_chunk *ret, struct err *e) MUST_USE;

/* lmc_head_print: prints `{"role":…,"type":…,"format":…,"recipient":…` without empty members and
 * without the closing brace. */
bool lmc_head_print(enum lmc_role role, const struct str said[LMC_SAID__COUNT],
		    struct buf *out) MUST_USE;
/* lmc_others_print: prints `,"name":value` for each other member, in one line. */
bool lmc_others_print(const struct lmc_chunk *c, struct buf *out) MUST_USE;
/* lmc_content_print: prints the chunk with its content (null if there is none), without flags. */
bool lmc_content_print(const struct lmc_chunk *c, struct buf *out) MUST_USE;

/* lmc_is: whether a JSON value is this string. */
static inline bool lmc_is(struct str json, const char *text)
{
	size_t n = strlen(text);

	return json.n == n + 2 && json.p[0] == '"' && memcmp(json.p + 1, text, n) == 0;
}
