/* provider/secret_mask: removes the configured secrets of all providers from text of a provider.
 *
 * A provider that refuses a key often repeats it. scrub_message guesses what looks like a key;
 * this module knows the values, and so also finds a UUID, a pass phrase or a name with dots:
 * plain, percent-encoded, escaped as in a JSON string (both also twice), and within base64,
 * standard or URL-safe, whatever precedes the value there ("Bearer ", "user:").
 *
 * Of a value of 8 bytes or more, any sequence of half its length (at least 8 bytes, at most 32)
 * is hidden, whatever its case; a shorter value only as a whole word.
 *
 * Immutable after creation and reference-counted: each provider holds the mask of its
 * configuration. Secrets that are fetched later are in all masks (mask_live_put). Threads: any. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct mask;

/* mask_create: makes a mask from copies of the values; empty values are skipped. False: no
 * memory. */
bool mask_create(const struct str *values, size_t count, struct mask **ret) MUST_USE;
/* mask_ref: adds a holder; NULL stays NULL. mask_destroy: removes a holder; the last one wipes
 * the values. */
struct mask *mask_ref(struct mask *m);
void         mask_destroy(struct mask *m);
OWNABLE(mask);

/* mask_text: copies text into ret (NUL-terminated; a NUL within becomes a space) and replaces
 * each secret by "[key]"; true: there was one. Only the first LIMIT_MASK_TEXT bytes are read and
 * copied. m NULL: nothing is secret. */
bool mask_text(const struct mask *m, struct str text, char *ret, size_t ret_size);

/* mask_live_put: from now on, each mask has these values, too, beside those of the owner's last put, which are still in
 * use; for what is fetched while masks exist.  mask_live_drop: no longer.  False: no memory, and nothing has changed. */
bool mask_live_put(const void *owner, const struct str *values, size_t count) MUST_USE;
void mask_live_drop(const void *owner);

/* --- scrub: makes a provider's error text fit for clients. */

/* scrub_message: copies text into ret (NUL-terminated, cut at a character boundary) without the
 * secrets of the mask. URLs, host names, addresses and text that looks like a key are replaced,
 * and control characters become spaces. */
void scrub_message(const struct mask *m, struct str text, char *ret, size_t ret_size);
/* scrub_word: copies a code, type or parameter path; ret is "" when it holds a secret or anything
 * but letters, digits and _-.[]: or does not fit. */
void scrub_word(const struct mask *m, struct str text, char *ret, size_t ret_size);
