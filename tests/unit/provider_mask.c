/* Configured secrets in what a provider says: every way of writing them, and what must stay. */
#include "provider/secret_mask.h"
#include "provider/provider.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define UUID   "3f2b8c1e-9d4a-4e7b-8a6c-5d0e1f2a3b4c"
#define PHRASE "correct horse battery staple"
#define DOTTED "alpha.team.project.key"
#define ODD    "vio/let+otter=77&\"sesame\\seed\""
#define SHORT  "zq7pw"
#define EIGHT  "hunter-2"

static struct mask *make(void)
{
	const struct str values[] = { STR(UUID),  STR(PHRASE), STR(DOTTED), STR(ODD),
				      STR(SHORT), STR(EIGHT),  STR_NONE };
	struct mask     *m = NULL;

	assert_true(mask_create(values, ARRAY_LEN(values), &m));
	return m;
}

static const struct {
	const char *in;
	const char *out; /* NULL: nothing is hidden */
} cases[] = {
	/* as they are */
	{ "Incorrect API key provided: " UUID ".", "Incorrect API key provided: [key]." },
	{ "key \"" PHRASE "\" is unknown", "key \"[key]\" is unknown" },
	{ "<" DOTTED ">", "<[key]>" },
	{ ODD, "[key]" },
	{ EIGHT, "[key]" },
	{ "3F2B8C1E-9D4A-4E7B-8A6C-5D0E1F2A3B4C?", "[key]?" },
	{ UUID UUID " and " DOTTED, "[key] and [key]" },
	/* parts: half of it, and 8 bytes */
	{ "ends in 8a6c-5d0e1f2a3b4c", NULL },
	{ "ends in -8a6c-5d0e1f2a3b4c", "ends in [key]" },
	{ "begins with 3f2b8c1e-9d4a-4e7b", "begins with [key]" },
	{ "begins with 3f2b8c1e-9d4a-4e7", NULL },
	{ "3f2b8c1e-****-4e7b-****-5d0e1f2a3b4c", NULL },
	{ "battery staple gun", "[key] gun" },
	{ "correct horse", NULL },
	{ "a hunter-3 or unter-2", NULL },
	/* percent-encoded */
	{ "/v1?key=correct%20horse%20battery%20staple&x", "/v1?key=[key]&x" },
	{ "key=correct+horse+battery+staple", "key=[key]" },
	{ "vio%2Flet%2Botter%3D77%26%22sesame%5Cseed%22", "[key]" },
	{ "vio%2flet%2botter%3d77%26%22sesame%5cseed%22", "[key]" },
	{ "correct%2520horse%2520battery%2520staple", "[key]" },
	{ "%33%66%32%62%38%63%31%65%2d%39%64%34%61%2d%34%65%37%62", "[key]" },
	/* in a string of JSON */
	{ "{\"k\":\"vio\\/let+otter=77&\\\"sesame\\\\seed\\\"\"}", "{\"k\":\"[key]\"}" },
	{ "vio\\u002flet\\u002Botter=77\\u0026\\u0022sesame\\\\seed\\\"", "[key]" },
	{ "vio\\\\/let+otter=77&\\\\\\\"sesame\\\\\\\\seed", "[key]" },
	/* base64: alone, behind "user:" and "Bearer ", and from the middle; URL-safe */
	{ "M2YyYjhjMWUtOWQ0YS00ZTdiLThhNmMtNWQwZTFmMmEzYjRj", "[key]" },
	{ "Basic dXNlcjozZjJiOGMxZS05ZDRhLTRlN2ItOGE2Yy01ZDBlMWYyYTNiNGM=", "Basic dXNlcj[key]=" },
	{ "QmVhcmVyIDNmMmI4YzFlLTlkNGEtNGU3Yi04YTZjLTVkMGUxZjJhM2I0Yw==", "QmVhcmVyI[key]==" },
	{ "key_IDNmMmI4YzFlLTlkNGEtNGU3Yi04YTZjLTVkMGUxZjJhM2I0Yw", "key_I[key]" },
	{ "dmlvL2xldCtvdHRlcj03NyYic2VzYW1lXHNlZWQi", "[key]" },
	{ "dmlvL2xldCtvdHRlcj03NyYic2VzYW1lXHNlZWQi%3D", "[key]%3D" },
	/* short ones as words */
	{ "the key zq7pw is wrong", "the key [key] is wrong" },
	{ "zq7pw", "[key]" },
	{ "'zq7pw',(zq7pw)", "'[key]',([key])" },
	{ "xzq7pw zq7pw1 zq7pw-mini my_zq7pw ZQ7PW", NULL },
	{ "YTp6cTdwdw==", "YT[key]==" },
	/* what is nobody's */
	{ "", NULL },
	{ "Rate limit reached for requests; try again in 20s.", NULL },
	{ "%", NULL },
	{ "100% \\u12 \\", NULL },
};

static void secrets_are_hidden_however_they_are_written(void **state)
{
	OWNED(mask) m = make();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *want = cases[i].out ? cases[i].out : cases[i].in;
		char        got[LIMIT_MASK_TEXT];

		assert_int_equal(mask_text(m, str_of(cases[i].in), got, sizeof got),
				 cases[i].out != NULL);
		assert_string_equal(got, want);
	}
}

static void what_has_no_room_is_cut(void **state)
{
	OWNED(mask) m = make();
	char  got[10];
	char *large = malloc(2 * (size_t)LIMIT_MASK_TEXT);
	char  whole[4 * LIMIT_MASK_TEXT];

	(void)state;
	assert_true(mask_text(m, STR("a key: " UUID), got, sizeof got));
	assert_string_equal(got, "a key: [k");
	assert_non_null(large);
	memset(large, '\\', 2 * (size_t)LIMIT_MASK_TEXT);
	assert_false(mask_text(m, (struct str){ large, 2 * (size_t)LIMIT_MASK_TEXT }, whole,
			       sizeof whole));
	assert_int_equal(strlen(whole), LIMIT_MASK_TEXT);
	free(large);
	assert_false(mask_text(NULL, STR(UUID), whole, sizeof whole));
	assert_string_equal(whole, UUID);
}

/* A value of the greatest length: 32 bytes of it are enough, from wherever. */
static void parts_of_a_long_value(void **state)
{
	char         value[LIMIT_SECRET];
	struct mask *m = NULL;
	char         got[LIMIT_MASK_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof value; i++)
		value[i] = (char)('!' + (i * i * 7 + i / 3) % 90);
	assert_true(mask_create(&(struct str){ value, sizeof value }, 1, &m));
	for (size_t i = 0; i + 32 <= sizeof value; i += 13)
		assert_true(mask_text(m, (struct str){ value + i, 32 }, got, sizeof got));
	mask_destroy(m);
	memset(value, 'a', sizeof value);
	assert_true(mask_create(&(struct str){ value, sizeof value }, 1, &m));
	assert_true(mask_text(m, (struct str){ value, LIMIT_MASK_TEXT }, got, sizeof got));
	assert_string_equal(got, "[key]");
	mask_destroy(m);
}

static void every_secret_of_a_configuration_is_known(void **state)
{
	const struct provider_header headers[] = {
		{ "X-Tenant", "tenant-of-the-house", true },
		{ "Authorization", "Token 5omething-else", false },
		{ "X-Title", "the name of a program", false },
	};
	const struct provider_options providers[] = {
		{ .key = "the-first-key-of-all",
		  .headers = headers,
		  .header_count = ARRAY_LEN(headers) },
		{ .query = "api-version=2026-01-01&sub_key=in-the-query",
		  .proxy = "http://u:word-of-proxy@h:1" },
	};
	static const struct {
		const char *text;
		bool        secret;
	} words[] = {
		{ "the-first-key-of-all", true }, { "tenant-of-the-house", true },
		{ "5omething-else", true },       { "the name of a program", false },
		{ "in-the-query", true },         { "2026-01-01", false },
		{ "word-of-proxy", true },
	};
	struct mask *m = NULL;
	char         got[64];

	(void)state;
	assert_true(secrets_mask(providers, ARRAY_LEN(providers), &m));
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_int_equal(mask_text(m, str_of(words[i].text), got, sizeof got),
				 words[i].secret);
	mask_destroy(m);
	assert_true(secrets_mask(NULL, 0, &m));
	assert_false(mask_text(m, STR("anything"), got, sizeof got));
	mask_destroy(m);
}

static bool hides(const struct mask *m, const char *text)
{
	char out[64];

	return mask_text(m, str_of(text), out, sizeof out);
}

static void fetched_secrets_are_in_every_mask_while_they_are_used(void **state)
{
	static const char *const keys[] = { "first-key-1", "second-key-2", "third-key-3" };
	struct mask             *m = make();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct str value = str_of(keys[i]);

		assert_false(hides(m, keys[i]));
		assert_true(mask_live_put(keys, &value, 1));
		assert_true(hides(m, keys[i]));
		assert_true(hides(NULL, keys[i]));
		/* The one before is in use until it ends. */
		assert_true(i < 1 || hides(m, keys[i - 1]));
		assert_true(i < 2 || !hides(m, keys[i - 2]));
	}
	assert_true(hides(m, UUID));
	mask_live_drop(keys);
	assert_false(hides(m, keys[2]));
	mask_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_hidden_however_they_are_written),
		cmocka_unit_test(what_has_no_room_is_cut),
		cmocka_unit_test(parts_of_a_long_value),
		cmocka_unit_test(every_secret_of_a_configuration_is_known),
		cmocka_unit_test(fetched_secrets_are_in_every_mask_while_they_are_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
