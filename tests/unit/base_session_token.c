/* The text of sessions' tokens: what it says, how long it is good, and that no slip in it passes. */
#include "base/identity.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NOW = 1764000000 };

static const unsigned char signing[HASH_BYTES] = { 1, 2, 3 };
static const unsigned char sha256[HASH_BYTES] = { 4, 5, 6 };
static const unsigned char other[HASH_BYTES] = { 4, 5, 7 };

static struct str named_text(const struct session_token *t, const char *name,
			     char ret[SESSION_TOKEN_MAX])
{
	session_token_print(t, str_of(name), signing, sha256, ret);
	return str_of(ret);
}

static struct str text_of(const struct session_token *t, char ret[SESSION_TOKEN_MAX])
{
	return named_text(t, "", ret);
}

static void a_token_says_what_it_was_made_of(void **state)
{
	(void)state;
	static const char *const keys[] = { "0123abcz", "0123456789abcdef" };
	char                     text[SESSION_TOKEN_MAX];
	struct session_token     got;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct session_token t = session_token_begin(keys[i], 15, false, NOW);

		assert_int_equal(t.begun_s, NOW);
		assert_int_equal(t.until_s, NOW + LIMIT_SESSION_IDLE_SECONDS);
		assert_int_equal(t.ends_s, NOW + LIMIT_SESSION_SECONDS);
		struct str s = text_of(&t, text);
		assert_true(session_token_is(s));
		assert_true(session_token_parse(s, NOW, &got));
		assert_int_equal(got.id.key, t.id.key);
		assert_true(got.id.secret == t.id.secret);
		assert_string_equal(got.key, keys[i]);
		assert_int_equal(got.scopes, 15);
		assert_int_equal(got.begun_s, t.begun_s);
		assert_int_equal(got.until_s, t.until_s);
		assert_int_equal(got.ends_s, t.ends_s);
		assert_true(session_token_proves(s, signing, sha256));
	}
}

/* A holder's name has any bytes but NUL; a token without one is as it ever was. */
static void a_token_has_the_name_of_its_holder(void **state)
{
	(void)state;
	static const char *const names[] = {
		"",
		"a",
		"_",
		"ann@example.com",
		"\xc3\xa9\xc3\xa9",
		"0123456789012345678901234567890123456789012345678901234567890123"
	};
	struct session_token t = session_token_begin("0123456789abcdefghijklmn", 15, false, NOW);
	struct session_token got;
	char                 text[SESSION_TOKEN_MAX], name[SESSION_TOKEN_NAME];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct str s = named_text(&t, names[i], text);

		assert_true(session_token_parse(s, NOW, &got));
		assert_true(session_token_proves(s, signing, sha256));
		assert_string_equal(got.key, t.key);
		session_token_name(s, name);
		assert_string_equal(name, names[i]);
	}
}

static void a_token_is_good_for_an_hour(void **state)
{
	(void)state;
	struct session_token t = session_token_begin("0123abcz", 1, false, NOW);
	struct session_token got;
	char                 text[SESSION_TOKEN_MAX];
	struct str           s = text_of(&t, text);

	assert_true(session_token_parse(s, NOW + LIMIT_SESSION_IDLE_SECONDS - 1, &got));
	assert_false(session_token_parse(s, NOW + LIMIT_SESSION_IDLE_SECONDS, &got));
}

static void the_next_tokens_end_with_the_session(void **state)
{
	(void)state;
	struct session_token first = session_token_begin("0123abcz", 7, false, NOW);
	struct session_token t = first, got;
	char                 text[SESSION_TOKEN_MAX];
	int64_t              now = NOW;

	for (int n = 0; n < 100; n++, now += 30 * 60) {
		struct str s = text_of(&t, text);

		if (!session_token_parse(s, now, &got))
			break;
		t = session_token_renew(&got, got.scopes & 5, now);
		assert_true(t.id.secret == first.id.secret && t.begun_s == NOW && t.scopes == 5);
		assert_int_equal(t.ends_s, NOW + LIMIT_SESSION_SECONDS);
		assert_true(t.until_s <= t.ends_s);
	}
	assert_int_equal(now, NOW + LIMIT_SESSION_SECONDS);

	/* A text that says more of its end than a session may have is of no use behind that. */
	t = first;
	t.until_s = NOW + 2 * LIMIT_SESSION_SECONDS;
	struct str s = text_of(&t, text);
	assert_true(session_token_parse(s, NOW + LIMIT_SESSION_SECONDS - 1, &got));
	assert_false(session_token_parse(s, NOW + LIMIT_SESSION_SECONDS, &got));
}

static void a_limit_shortens_and_never_lengthens(void **state)
{
	(void)state;
	struct session_token t = session_token_begin("0123abcz", 1, false, NOW);

	session_token_limit(&t, INT64_MAX);
	assert_int_equal(t.ends_s, NOW + LIMIT_SESSION_SECONDS);
	session_token_limit(&t, NOW + 2 * LIMIT_SESSION_IDLE_SECONDS);
	assert_int_equal(t.until_s, NOW + LIMIT_SESSION_IDLE_SECONDS);
	assert_int_equal(t.ends_s, NOW + 2 * LIMIT_SESSION_IDLE_SECONDS);
	session_token_limit(&t, NOW + 5);
	assert_int_equal(t.until_s, NOW + 5);
	assert_int_equal(t.ends_s, NOW + 5);
}

static void a_kept_session_has_a_month_and_its_tokens_a_week(void **state)
{
	(void)state;
	struct session_token t = session_token_begin("0123abcz", 31, true, NOW);
	struct session_token got;
	char                 text[SESSION_TOKEN_MAX];
	struct str           s = text_of(&t, text);

	assert_int_equal(t.until_s, NOW + LIMIT_SESSION_KEPT_IDLE_SECONDS);
	assert_int_equal(t.ends_s, NOW + LIMIT_SESSION_KEPT_SECONDS);
	assert_true(session_token_parse(s, t.until_s - 1, &got));
	assert_true(got.kept);
	assert_int_equal(got.scopes, 31);
	assert_int_equal(got.ends_s, t.ends_s);
	assert_false(session_token_parse(s, t.until_s, &got));
	t = session_token_renew(&got, 1, t.ends_s - 5);
	assert_true(t.kept && t.scopes == 1);
	assert_int_equal(t.until_s, t.ends_s);
	/* Without the bit, it is a text of an hour's session, which ended long ago. */
	text[63] = '1';
	assert_false(session_token_parse(s, NOW + LIMIT_SESSION_SECONDS, &got) && got.kept);
	assert_false(session_token_proves(s, signing, sha256));
}

/* Of each text that differs in a byte or in its length, either the form is wrong or the proof is. */
static void no_slip_passes(void **state)
{
	struct session_token t = session_token_begin("0123abcz", 15, false, NOW);
	struct session_token got;
	char                 text[SESSION_TOKEN_MAX];
	struct str           s = named_text(&t, *state ? *state : "", text);

	for (size_t i = 0; i < s.n; i++) {
		for (int c = 0; c < 256; c++) {
			char was = text[i];

			text[i] = (char)c;
			if (text[i] != was)
				assert_false(session_token_parse(s, NOW, &got) &&
					     session_token_proves(s, signing, sha256));
			text[i] = was;
		}
		struct str cut = { text, i };
		assert_false(session_token_parse(cut, NOW, &got) &&
			     session_token_proves(cut, signing, sha256));
	}
	char longer[2 * SESSION_TOKEN_MAX] = "";
	memcpy(longer, text, s.n);
	for (size_t n = s.n + 1; n < sizeof longer; n++)
		assert_false(session_token_parse((struct str){ longer, n }, NOW, &got) &&
			     session_token_proves((struct str){ longer, n }, signing, sha256));
	assert_false(session_token_parse(STR_NONE, NOW, &got));
	assert_false(session_token_proves(STR_NONE, signing, sha256));
	assert_false(session_token_is(STR("parley_sk_01234567_x")));
	assert_false(session_token_is(STR_NONE));
	assert_true(session_token_proves(s, signing, sha256));
	assert_false(session_token_proves(s, signing, other));
	assert_false(session_token_proves(s, other, sha256));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_says_what_it_was_made_of),
		cmocka_unit_test(a_token_has_the_name_of_its_holder),
		cmocka_unit_test(a_token_is_good_for_an_hour),
		cmocka_unit_test(the_next_tokens_end_with_the_session),
		cmocka_unit_test(a_kept_session_has_a_month_and_its_tokens_a_week),
		cmocka_unit_test(a_limit_shortens_and_never_lengthens),
		cmocka_unit_test(no_slip_passes),
		cmocka_unit_test_prestate(no_slip_passes, "ann"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
