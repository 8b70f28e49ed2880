/* Signs names with the secret that signs tickets: it is the same for all processes of a database. */
#include "run/session_name.h"

#include "base/hash.h"
#include "store/key_ring.h"
#include "store/store.h"

#include <stdio.h>

void session_name(const struct store *s, int64_t owner, struct id of, char ret[SESSION_NAME_TEXT])
{
	unsigned char signing[HASH_BYTES] = { 0 };
	unsigned char name[HASH_BYTES];
	char          id[ID_MAX] = "";
	char          text[ID_MAX + 40];

	if (s && s->ring)
		key_ring_signing(s->ring, signing);
	if (!id_none(of))
		id_text(of, ID_CONVERSATION, id);
	int n = snprintf(text, sizeof text, "computer %lld %s", (long long)owner, id);
	hash_hmac(signing, text, (size_t)n, name);
	hash_hex(name, SESSION_NAME_TEXT / 2, ret);
}
