/* provider/mask: the configured secrets of all providers, and what a provider says without them.
 *
 * A provider that refuses a key often repeats it.  What looks like a key is provider/scrub's guess; here
 * the values themselves are known, so that a UUID, a pass phrase or a name with dots is found too: as
 * it is, percent-encoded, as a JSON string writes it (both also twice), and within base64, standard or
 * URL-safe, whatever stands in front of it there ("Bearer ", "user:").
 *
 * Of a value of 8 bytes or more any run of half of it, 8 bytes at least and 32 at most, is hidden,
 * whatever its case; a shorter value only as a whole word.
 *
 * Immutable after creation and counted: each provider holds its configuration's.  Threads: any. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct mask;

/* mask_create: copies the values; empty ones are passed over.  False: no memory. */
bool mask_create(const struct str *values, size_t count, struct mask **ret) MUST_USE;
/* mask_ref: one more holder; NULL stays NULL.  mask_destroy drops one; the last one wipes the values. */
struct mask *mask_ref(struct mask *m);
void         mask_destroy(struct mask *m);
OWNABLE(mask);

/* mask_text: copies text into ret (NUL-terminated; a NUL within becomes a space), each secret replaced
 * by "[key]"; true: there was one.  No more than the first LIMIT_MASK_TEXT bytes are looked at or copied.  m NULL: nothing is
 * secret. */
bool mask_text(const struct mask *m, struct str text, char *ret, size_t ret_size);
