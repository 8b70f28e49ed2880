/* provider/scrub: makes a provider's error text fit for clients. */
#pragma once

#include "provider/secret_mask.h"

/* scrub_message: copies text into ret (NUL-terminated, cut at a character boundary) without the
 * secrets of the mask. URLs, host names, addresses and text that looks like a key are replaced,
 * and control characters become spaces. */
void scrub_message(const struct mask *m, struct str text, char *ret, size_t ret_size);
/* scrub_word: copies a code, type or parameter path; ret is "" when it holds a secret or anything
 * but letters, digits and _-.[]: or does not fit. */
void scrub_word(const struct mask *m, struct str text, char *ret, size_t ret_size);
