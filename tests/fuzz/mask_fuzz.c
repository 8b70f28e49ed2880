/* libFuzzer: whatever a provider says, no run of a secret that counts is left in it, and a text
 * without one stays as it is. */
#include "base/limits.h"
#include "provider/secret_mask.h"

#include <stdint.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct str secrets[] = {
	{ .p = "3f2b8c1e-9d4a-4e7b-8a6c-5d0e1f2a3b4c", .n = 36 },
	{ .p = "correct horse battery staple", .n = 28 },
	{ .p = "aaaaaaaaaaaaaaaaaaaa", .n = 20 },
	{ .p = "hunter-2", .n = 8 },
	{ .p = "zq7pw", .n = 5 },
};

static void check_gone(struct str secret, const char *text, size_t n)
{
	size_t need = secret.n / 2 > 8 ? secret.n / 2 : 8;

	for (size_t i = 0; secret.n >= 8 && i + need <= n; i++)
		for (size_t at = 0; at + need <= secret.n; at++)
			CHECK(strncasecmp(text + i, secret.p + at, need) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mask *m;
	char                out[5 * LIMIT_MASK_TEXT + 1];
	struct str          text = { (const char *)data, size };

	if (!m)
		CHECK(mask_create(secrets, ARRAY_LEN(secrets), &m));
	bool   found = mask_text(m, text, out, sizeof out);
	size_t n = strlen(out);

	for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
		check_gone(secrets[i], out, n);
	CHECK(found || n == (size < LIMIT_MASK_TEXT ? size : LIMIT_MASK_TEXT));
	for (size_t i = 0; !found && i < n; i++)
		CHECK(out[i] == (data[i] ? (char)data[i] : ' '));
	return 0;
}
