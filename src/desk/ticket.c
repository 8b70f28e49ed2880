/* Makes and reads tickets; no ticket is stored. */
#include "desk/ticket.h"

#include "base/api_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "tick_"

enum {
	UNTIL_DIGITS = 10,
	MAC_BYTES = 16,
	MAC_HEX = 2 * MAC_BYTES,
	FRONT = sizeof PREFIX - 1,
	WHO_AT = FRONT + UNTIL_DIGITS + 1,
};

void ticket_who(const struct identity *who, char ret[TICKET_WHO])
{
	struct str id;

	if (strncmp(who->id, "jwt:", 4) == 0)
		snprintf(ret, TICKET_WHO, "%s%s%s", who->group ? "g" : "j", who->id + 4,
			 who->group ? who->group->id + 4 : "");
	else if (who->number != 0 && api_key_id(str_of(who->id), &id))
		str_copy(ret, TICKET_WHO, id);
	else
		snprintf(ret, TICKET_WHO, "%016" PRIx64, (uint64_t)who->owner);
}

/* ticket_sign: the MAC of the text before it and of the run, which the URL names. */
static void ticket_sign(const unsigned char signing[HASH_BYTES], struct str front, struct id run,
			char ret[MAC_HEX + 1])
{
	char          text[TICKET_MAX + ID_MAX];
	char          id[ID_MAX];
	unsigned char mac[HASH_BYTES];

	int n = snprintf(text, sizeof text, "%.*s %s", STR_ARG(front), id_text(run, ID_RUN, id).p);
	hash_hmac(signing, text, (size_t)n, mac);
	hash_hex(mac, MAC_BYTES, ret);
}

void ticket_make(const unsigned char signing[HASH_BYTES], struct id run, const struct identity *who,
		 int64_t until_s, char ret[TICKET_MAX])
{
	char name[TICKET_WHO];

	ticket_who(who, name);
	if (who->proof != 0)
		snprintf(name + strlen(name), TICKET_WHO - strlen(name), "%08" PRIx32, who->proof);
	int n = snprintf(ret, TICKET_MAX, PREFIX "%0*" PRIx64 "_%s_", UNTIL_DIGITS,
			 (uint64_t)until_s, name);
	ticket_sign(signing, (struct str){ ret, (size_t)n }, run, ret + n);
}

/* until_of: the time of ten signed digits. */
static int64_t until_of(const char *digits)
{
	unsigned char bytes[UNTIL_DIGITS / 2];
	int64_t       s = 0;

	if (!hash_unhex(digits, UNTIL_DIGITS, bytes, sizeof bytes))
		return 0;
	for (size_t i = 0; i < sizeof bytes; i++)
		s = s << 8 | bytes[i];
	return s;
}

bool ticket_read(const unsigned char signing[HASH_BYTES], struct str text, struct id run,
		 int64_t now_s, char ret_who[TICKET_WHO])
{
	char mac[MAC_HEX + 1];

	if (text.n < WHO_AT + 1 + MAC_HEX || text.n >= TICKET_MAX ||
	    text.n - WHO_AT - 1 - MAC_HEX >= TICKET_WHO || memcmp(text.p, PREFIX, FRONT) != 0)
		return false;
	struct str front = { text.p, text.n - MAC_HEX };
	ticket_sign(signing, front, run, mac);
	if (!hash_equal(mac, text.p + front.n, MAC_HEX) || until_of(text.p + FRONT) <= now_s)
		return false;
	str_copy(ret_who, TICKET_WHO, (struct str){ text.p + WHO_AT, front.n - WHO_AT - 1 });
	return true;
}
