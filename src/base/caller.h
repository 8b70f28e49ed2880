/* base/caller: who makes a request, and with what. */
#pragma once

#include "base/hash.h"
#include "base/identity.h"
#include "base/session_token.h"

struct caller {
	struct identity *who;    /* held */
	unsigned         scopes; /* enum scope; those of the key, or fewer in a session */
	/* Of the key's text, also where a token stands for the key. */
	unsigned char        sha256[HASH_BYTES];
	struct session_token session; /* of the token that was sent; its id is none: the key was */
};
