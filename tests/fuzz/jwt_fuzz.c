/* libFuzzer: a token, or a set of keys, as the first byte says.  What is read of a token can be written again. */
#include "base/limits.h"
#include "token/jwks.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* same: the bytes are those of the text, and of no other text. */
static bool same(struct str bytes, struct str text)
{
	size_t at = 0;

	for (size_t i = 0; i < bytes.n; i += 3) {
		uint32_t word = 0;
		size_t   n = bytes.n - i < 3 ? bytes.n - i : 3;

		for (size_t k = 0; k < 3; k++)
			word = word << 8 | (k < n ? (unsigned char)bytes.p[i + k] : 0);
		for (size_t k = 0; k <= n; k++, at++)
			if (at == text.n || text.p[at] != signs[word >> (18 - 6 * k) & 63])
				return false;
	}
	return at == text.n;
}

static void read_token(struct str text)
{
	struct jwks_set *set = NULL;
	unsigned char    mark[HASH_BYTES];
	struct arena     a;
	struct jwt       t;
	struct err       e;

	arena_init(&a, 64 * KIB + 2 * text.n);
	if (jwt_read(text, &a, &t)) {
		struct str last = { t.said.p + t.said.n + 1, text.n - t.said.n - 1 };

		CHECK(json_kind(&t.claims, 0) == JSON_OBJECT && t.said.p == text.p);
		CHECK(same(t.signature, last) && (!t.kid.p || t.kid.n <= JWT_KID_MAX));
		CHECK(jwks_set_read(STR("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":"
					"\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"},{\"kty\":"
					"\"EC\",\"crv\":\"P-256\",\"x\":"
					"\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\",\"y\":"
					"\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}"),
				    &set, &e) == ERR_OK);
		(void)!jwks_set_check(set, &t, mark);
		jwks_set_release(set);
	}
	jwt_finish(&t);
	arena_finish(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jwks_set *set = NULL;
	struct err       e;

	if (size < 1)
		return 0;
	char *copy = malloc(size); /* whoever reads past the end is caught */
	CHECK(copy != NULL);
	memcpy(copy, data + 1, size - 1);
	struct str text = { copy, size - 1 };
	if (data[0] & 1)
		read_token(text);
	else if (jwks_set_read(text, &set, &e) == ERR_OK && jwks_set_mark(set, 0))
		CHECK(jwks_set_has(set, jwks_set_mark(set, 0)));
	jwks_set_release(set);
	free(copy);
	return 0;
}
