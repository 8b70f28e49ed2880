/* Three parts between two dots. */
#include "token/jwt.h"

#include "base/err.h"

#include <strings.h>

enum { PARTS = 3 };

bool jwt_alg_find(struct str name, enum jwt_alg *ret)
{
	static const char *const names[JWT_ALG__COUNT] = {
		[JWT_RS256] = "RS256",
		[JWT_ES256] = "ES256",
		[JWT_EDDSA] = "EdDSA",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(name, names[i])) {
			*ret = (enum jwt_alg)i;
			return true;
		}
	return false;
}

static int jwt_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '-' ? 62 : c == '_' ? 63 : -1;
}

bool jwt_unbase64(struct str text, struct arena *a, struct str *ret)
{
	unsigned char *bytes = text.n % 4 == 1 ? NULL : arena_alloc(a, text.n / 4 * 3 + 3);
	size_t         n = 0;
	uint32_t       word = 0;
	unsigned       bits = 0;

	if (!bytes)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		int v = jwt_digit(text.p[i]);

		if (v < 0)
			return false;
		word = word << 6 | (uint32_t)v;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			bytes[n++] = (unsigned char)(word >> bits);
			word &= (1u << bits) - 1;
		}
	}
	if (word != 0)
		return false;
	*ret = (struct str){ (const char *)bytes, n };
	return true;
}

bool jwt_json(struct json_doc *d, struct str text)
{
	static const struct json_limits limits = { .depth = 16, .tokens = 4096, .unique = 16 };
	struct err                      e;

	return json_scan(d, text.p, text.n, &limits, &e) == ERR_OK &&
	       json_kind(d, 0) == JSON_OBJECT;
}

/* type_is_ours: an ID token and an access token have the same form; a logout token or a proof of possession is
 * signed with the same keys, and is for something else. */
static bool type_is_ours(struct str type)
{
	static const char *const types[] = { "JWT", "at+jwt", "application/at+jwt" };

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (type.n == strlen(types[i]) && strncasecmp(type.p, types[i], type.n) == 0)
			return true;
	return false;
}

static bool jwt_header(struct json_doc *d, struct str text, struct arena *a, struct jwt *t)
{
	struct str alg, type;

	if (!jwt_json(d, text) || json_get(d, 0, "crit") != JSON_ABSENT ||
	    !json_text(d, json_get(d, 0, "alg"), a, &alg) || !jwt_alg_find(alg, &t->alg))
		return false;
	json_at typ = json_get(d, 0, "typ");
	json_at kid = json_get(d, 0, "kid");
	if (typ != JSON_ABSENT && (!json_text(d, typ, a, &type) || !type_is_ours(type)))
		return false;
	return kid == JSON_ABSENT || (json_text(d, kid, a, &t->kid) && t->kid.n <= JWT_KID_MAX);
}

bool jwt_read(struct str text, struct arena *a, struct jwt *ret)
{
	struct str      parts[PARTS] = { STR_NONE };
	struct str      header, claims;
	struct json_doc doc = { 0 };
	size_t          at = 0;

	*ret = (struct jwt){ .kid = STR_NONE };
	for (size_t i = 0; i < PARTS; i++) {
		const char *dot = at <= text.n ? memchr(text.p + at, '.', text.n - at) : NULL;
		size_t      end = dot ? (size_t)(dot - text.p) : text.n;

		if ((dot != NULL) != (i < PARTS - 1))
			return false;
		parts[i] = (struct str){ text.p + at, end - at };
		at = end + 1;
	}
	ret->said = (struct str){ text.p, parts[0].n + 1 + parts[1].n };
	bool ok = jwt_unbase64(parts[0], a, &header) && jwt_header(&doc, header, a, ret) &&
		  jwt_unbase64(parts[1], a, &claims) && jwt_json(&ret->claims, claims) &&
		  jwt_unbase64(parts[2], a, &ret->signature);
	json_doc_finish(&doc);
	return ok;
}

void jwt_finish(struct jwt *t)
{
	json_doc_finish(&t->claims);
}
