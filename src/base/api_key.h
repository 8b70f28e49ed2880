/* api_key: the text of an API key, parley_sk_ID_SECRETCHECK: 8 signs that name it, 43 that nobody can
 * guess (256 bits), and 6 that are a checksum of all before them, so that a scanner of sources knows a
 * key and a slip in typing is seen.  The text is shown once; what is kept is its SHA-256.
 *
 * Threads: any. */
#pragma once

#include "base/hash.h"
#include "base/str.h"

#include <stdint.h>

enum {
	API_KEY_ID = 8,                         /* signs */
	API_KEY_ID_MAX = 4 + API_KEY_ID + 1,    /* "key_", those, NUL */
	API_KEY_LENGTH = 10 + API_KEY_ID + 1 + 43 + 6,
	API_KEY_MAX = API_KEY_LENGTH + 1,
};

/* api_key_make: a new one; its id (without key_) and the text, both NUL-terminated.  Wipe the text
 * after use (api_key_wipe). */
void api_key_make(char ret_id[API_KEY_ID + 1], char ret_text[API_KEY_MAX]);
/* api_key_remake: another secret for the same id. */
void api_key_remake(const char id[API_KEY_ID + 1], char ret_text[API_KEY_MAX]);
/* api_key_owner: a number for what it will store; never 0, which is what is stored without keys. */
int64_t api_key_owner(void);
void api_key_wipe(char text[API_KEY_MAX]);

/* api_key_parse: whether text has the form of a key, checksum included; *ret_id is borrowed from it. */
bool api_key_parse(struct str text, struct str *ret_id) MUST_USE;
/* api_key_within: somewhere in it is what may be a key. */
bool api_key_within(struct str text);
/* api_key_id: text is key_ and an id; *ret is that without key_. */
bool api_key_id(struct str text, struct str *ret) MUST_USE;
