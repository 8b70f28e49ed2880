/* provider/scrub: what a provider says about an error, made fit for a client's eyes. */
#pragma once

#include "base/str.h"

#include <stddef.h>

/* scrub_message: copies text into ret (NUL-terminated, cut at a character's border), with URLs, host
 * names, addresses and what looks like a key replaced, and control characters made spaces. */
void scrub_message(struct str text, char *ret, size_t ret_size);
/* scrub_word: copies a code, type or parameter path; ret is "" when it holds anything but letters,
 * digits and _-.[]: or does not fit. */
void scrub_word(struct str text, char *ret, size_t ret_size);
