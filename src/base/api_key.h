/* base/api_key: the text of an API key, parley_sk_ID_SECRETCHECK: an id of 8 characters, a
 * secret of 43 (256 bits), and a checksum of 6 over everything before, by which source code
 * scanners recognise a key and typing errors are noticed. The text is shown once; only its
 * SHA-256 is stored.
 *
 * Threads: any. */
#pragma once

#include "base/hash.h"
#include "base/str.h"

#include <stdint.h>

enum {
	API_KEY_ID = 8,                      /* characters */
	API_KEY_ID_MAX = 4 + API_KEY_ID + 1, /* "key_", the id and a NUL */
	API_KEY_LENGTH = 10 + API_KEY_ID + 1 + 43 + 6,
	API_KEY_MAX = API_KEY_LENGTH + 1,
};

/* api_key_make: makes a new key: its id (without key_) and its text, both NUL-terminated. Wipe
 * the text after use (api_key_wipe). */
void api_key_make(char ret_id[API_KEY_ID + 1], char ret_text[API_KEY_MAX]);
/* api_key_remake: makes another secret for the same id. */
void api_key_remake(const char id[API_KEY_ID + 1], char ret_text[API_KEY_MAX]);
/* api_key_owner: the owner number for a new key; never 0, which owns everything that is stored
 * without keys. */
int64_t api_key_owner(void);
void    api_key_wipe(char text[API_KEY_MAX]);

/* api_key_parse: whether text has the form of a key, checksum included; *ret_id is borrowed from
 * text. */
bool api_key_parse(struct str text, struct str *ret_id) MUST_USE;
/* api_key_within: whether a text contains what may be a key, or the token of a session or of an issuer. */
bool api_key_within(struct str text);
/* api_key_id: whether text is key_ and an id; *ret is the id, borrowed from text.  api_key_group: the same for grp_,
 * a group of keys. */
bool api_key_id(struct str text, struct str *ret) MUST_USE;
bool api_key_group(struct str text, struct str *ret) MUST_USE;
/* api_key_group_make: the id (without grp_) of a new group. */
void api_key_group_make(char ret_id[API_KEY_ID + 1]);
