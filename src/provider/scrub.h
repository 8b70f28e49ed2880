/* provider/scrub: what a provider says about an error, made fit for a client's eyes. */
#pragma once

#include "provider/mask.h"

/* scrub_message: copies text into ret (NUL-terminated, cut at a character's border), without the
 * mask's secrets, with URLs, host names, addresses and what looks like a key replaced, and control
 * characters made spaces. */
void scrub_message(const struct mask *m, struct str text, char *ret, size_t ret_size);
/* scrub_word: copies a code, type or parameter path; ret is "" when it holds a secret or anything but
 * letters, digits and _-.[]: or does not fit. */
void scrub_word(const struct mask *m, struct str text, char *ret, size_t ret_size);
