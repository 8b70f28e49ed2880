/* Whose a token is, by examples that another library has signed, and by those of RFC 7515 and RFC 8037. */
#include "base/limits.h"
#include "desk/ticket.h"
#include "token/signature.h"
#include "token/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static bool has_group = true;

/* A group with a model. */
static struct identity *group_find(void *arg, struct str id)
{
	static const struct str model = { .p = "m", .n = 1 };
	struct identity_group   group = { .number = -7, .allowance = { .requests = 3 } };

	(void)arg;
	snprintf(group.id, sizeof group.id, "grp_%.*s", STR_ARG(id));
	return has_group ? identity_create(&(struct identity_options){
				   .models = &model, .model_count = 1, .group = &group })
			 : NULL;
}

static const struct token_base base = { .signing = { 1, 2, 3 }, .group = group_find };

/* A key of 2048 bits, and the same set with a key of 1024 bits in its place. */
static const char keys[] =
	"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"0FdvF6K6t2PSRL6utkeGXH1nlkca8CNHOhG_EIm5lQvcNuX3s7A4Q"
	"ZdygPmu9biU1yKTE6Ny1n16dooJGX7KnVhXOBlu-VQleA_8xZQBNWW082ZiS5proUcgMK_4luL5jnlvK"
	"so0FurtfPYSeGN727uiFp-VaDMId6n8Ilgc3n_AsR3LpzM6ewc_ZJn399aJab2KPypAOn9hyPDmfJPmt"
	"kuQrmUnAmFPiXRcI4YgTpHPYyXeErk74kwkQShHJjbHVuuayg4MD5MIwGba-9gCMZgPDiQLLqDXDKYWX"
	"mzMUoG8ZmS-A01wz4r2YbJi2KPvi1SRZ02MK4nPCaSYOgohHw\",\"e\":\"AQAB\",\"kid\":\"r\",\"use\":\"s"
	"ig\",\"alg\":\"RS256\"}]}";
static const char weak[] =
	"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"4dA-4VuxYJhD8_B8Glg_O4tXYnvdn7ywinJl_VgcVA79tP9FeTBFo"
	"sAwpZR-aao__51h7VBxgQSvdTsE3Z_nOdH5nBGvdNMEMV0UK79VEu1S-njymv5vOehmT-Cajins6DTIM"
	"vfF2Cs-nxBF3QAG1JvwXWVGjQJz-V23pO6CPLU\",\"e\":\"AQAB\",\"kid\":\"r\",\"use\":\"sig\",\"alg\":\""
	"RS256\"}]}";
static const char other_keys[] = "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":"
				 "\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}";

/* {"iss":"https://a","aud":"p","sub":"ann","exp":253402300799}, and of bob. */
static const char ann[] =
	"eyJhbGciOiJSUzI1NiIsImtpZCI6InIifQ.eyJpc3MiOiJodHRwczovL2EiLCJhdWQiOiJwIiwic3ViI"
	"joiYW5uIiwiZXhwIjoyNTM0MDIzMDA3OTl9.KwoHI9fuehXW3HeZh-o8AR8ZvqKC6W763_yL_hBh7xs6"
	"UlyssL5Q0dhlEcXLQemnClXK5Gxu8NmnXf6R2XGEEeSjeMgKWTU1xG7zgDk0DcQoKZLkv13Ia-JGtstA"
	"wowK3p4MMcvI2XqRtygvTnvNyouRhQhO2IBnhNtnY46eq44Wi7W6O86Tg-HhLnAah9MFpbichAd7fsyR"
	"BbuvxCNXTx1LHQ1bu21sa81zyAtvYHVN8BZ_QzeA_29newOkUDPOceUiUGUOiJPPTKpmJwf6_sBaqiL4"
	"KudznBB12X90pe0ligja_zMAWbZRIud-gt3KN1dA_s2mfBnxHlBRDD1JKA";
static const char bob[] =
	"eyJhbGciOiJSUzI1NiIsImtpZCI6InIifQ.eyJpc3MiOiJodHRwczovL2EiLCJhdWQiOiJwIiwic3ViI"
	"joiYm9iIiwiZXhwIjoyNTM0MDIzMDA3OTl9.NSjnmtL873QnxD78DtRLW0V5jelfuSuCJ18vM0kdS3i-"
	"LYqGYW1tjddPGJzChLfNUzMpT2qMgT3ntqOf9hgaminjfKF7R2Y8fghg8v5-1Ya7imPuzZb0yvAdOyoN"
	"Q5tnpB0drIIKRjJKryBQifnWpWGhBitGXBolh5oFmh6dGKDd8gj6z7kifB7vv5_Phhey-qYmVqOdgoLf"
	"WBELhgC5K1H2m1MFA77YhgZM0ylFJ_Dlrgzu4B6lsk_tB1Sz5zjlgMrZwYbf1KVkoGvA_48A8A6J7qfD"
	"TTWKRsebXZ3SIcdF0mO64HBTD2zlu50Ct0RsESBHbxZYgm8924exKDyp8g";

/* --- parts --- */

static void parts_are_read_strictly(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *text;
		bool        good;
	} cases[] = {
		{ "eyJhbGciOiJFUzI1NiJ9.e30.AA", true },
		{ "eyJhbGciOiJFUzI1NiJ9.e30.", true },     /* no signature is a wrong one */
		{ "eyJhbGciOiJFUzI1NiJ9.e30.AB", false },  /* a bit that nobody reads */
		{ "eyJhbGciOiJFUzI1NiJ9.e30.A", false },
		{ "eyJhbGciOiJFUzI1NiJ9.e30.AA=", false },
		{ "eyJhbGciOiJFUzI1NiJ9.e30.A A", false },
		{ "eyJhbGciOiJFUzI1NiJ9.e30", false },
		{ "eyJhbGciOiJFUzI1NiJ9.e30.AA.", false },
		{ "eyJhbGciOiJFUzI1NiJ9..AA", false },
		{ ".e30.AA", false },
		{ "..", false },
		{ ".", false },
		{ "", false },
		{ "eyJhbGciOiJub25lIn0.e30.", false },       /* none */
		{ "eyJhbGciOiJIUzI1NiJ9.e30.AA", false },    /* HS256 */
		{ "eyJhbGciOiJFUzI1NiJ9.W10.AA", false },    /* claims: [] */
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena a;
		struct jwt   t;

		arena_init(&a, 64 * KIB);
		if (jwt_read(str_of(cases[i].text), &a, &t) != cases[i].good)
			fail_msg("%s", cases[i].text);
		jwt_finish(&t);
		arena_finish(&a);
	}
}

/* --- signatures --- */

static struct str bytes_of(const char *text, struct arena *a)
{
	struct str ret;

	assert_true(jwt_unbase64(str_of(text), a, &ret));
	return ret;
}

static void examples_of_the_standards_are_good(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		enum jwt_alg alg;
		const char  *a, *b, *said, *signature;
	} cases[] = {
		{ JWT_ES256, "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
		  "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
		  "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
		  "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
		  "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q" },
		{ JWT_EDDSA, "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "",
		  "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
		  "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena a;

		arena_init(&a, 64 * KIB);
		struct signature_key *k = signature_key_make(cases[i].alg, bytes_of(cases[i].a, &a),
							     bytes_of(cases[i].b, &a));
		struct str            sig = bytes_of(cases[i].signature, &a);
		struct str            said = str_of(cases[i].said);

		assert_non_null(k);
		assert_true(signature_is(k, said, sig));
		assert_false(signature_is(k, (struct str){ said.p, said.n - 1 }, sig));
		for (size_t n = 0; n < sig.n; n++)
			assert_false(signature_is(k, said, (struct str){ sig.p, n }));
		signature_key_destroy(k);
		arena_finish(&a);
	}
}

/* --- sets over time --- */

static struct jwks_set *set_of(const char *text)
{
	struct jwks_set *s = NULL;
	struct err       e;

	assert_int_equal(jwks_set_read(str_of(text), &s, &e), ERR_OK);
	return s;
}

static void weak_keys_are_left_out(void **state)
{
	(void)state;
	struct jwks_set *s = NULL;
	struct err       e;

	assert_int_equal(jwks_set_read(str_of(weak), &s, &e), ERR_OK);
	assert_null(jwks_set_mark(s, 0));
	jwks_set_release(s);
	assert_int_equal(jwks_set_read(STR("{\"keys\":{}}"), &s, &e), ERR_INVALID_VALUE);
	assert_int_equal(jwks_set_read(STR("x"), &s, &e), ERR_INVALID_VALUE);
}

static void keys_are_fetched_in_time_and_kept_for_a_day(void **state)
{
	(void)state;
	const int64_t    second = 1000000, day = 24 * 3600 * second;
	struct jwks     *k = jwks_create("here", NULL);
	struct jwks     *same = jwks_create("here", NULL);
	struct jwks_set *s;
	int64_t          now = 5 * second;

	assert_ptr_equal(k, same);
	jwks_release(same);
	assert_null(jwks_now(k, now));
	assert_true(jwks_due(k, now));
	assert_false(jwks_due(k, now + 100 * second)); /* it is being fetched */
	jwks_fetched(k, NULL, now);
	assert_false(jwks_due(k, now + second));
	now += 2 * second;
	assert_true(jwks_due(k, now));
	jwks_fetched(k, set_of(keys), now);
	assert_false(jwks_due(k, now + 599 * second));
	jwks_miss(k);
	assert_false(jwks_due(k, now + 29 * second));
	assert_true(jwks_due(k, now + 30 * second));
	jwks_fetched(k, NULL, now + 30 * second);
	assert_false(jwks_due(k, now + 599 * second)); /* the missed key was asked for */
	assert_true(jwks_due(k, now + 600 * second));
	jwks_fetched(k, NULL, now + 600 * second);
	s = jwks_now(k, now + day - 1);
	assert_non_null(s);
	jwks_set_release(s);
	assert_null(jwks_now(k, now + day));
	jwks_release(k);
}

/* --- whose they are --- */

static struct tokens *tokens_with(const char *text, const struct token_group_of *groups)
{
	char           path[] = "/tmp/parley-keys-XXXXXX";
	int            fd = mkstemp(path);
	struct tokens *t = NULL;
	struct err     e;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	assert_int_equal(
		tokens_create(&(struct token_options){ .issuer = "https://a",
						       .audience = "p",
						       .jwks = path,
						       .owner = "sub",
						       .scopes_default = SCOPE_CHAT,
						       .groups_claim = groups ? "sub" : NULL,
						       .groups = groups,
						       .group_count = groups ? 1 : 0,
						       .groups_only = groups != NULL,
						       .each_nano = 7 },
			      1, &t, &e),
		ERR_OK);
	unlink(path);
	return t;
}

static struct tokens *tokens_of(const char *text)
{
	return tokens_with(text, NULL);
}

static enum errc check(struct tokens *t, const char *text, struct caller *ret)
{
	unsigned char sha256[HASH_BYTES];
	struct err    e;

	hash_sha256(text, strlen(text), sha256);
	return tokens_check(t, str_of(text), sha256, &base, 1764000000000, ret, &e);
}

static void a_token_has_an_owner_that_its_name_tells(void **state)
{
	(void)state;
	struct tokens *t = tokens_of(keys);
	struct caller  by[3];

	assert_int_equal(check(t, ann, &by[0]), ERR_OK);
	assert_int_equal(check(t, ann, &by[1]), ERR_OK); /* by its digest */
	assert_int_equal(check(t, bob, &by[2]), ERR_OK);
	assert_int_equal(by[0].who->owner, by[1].who->owner);
	assert_int_not_equal(by[0].who->owner, by[2].who->owner);
	assert_true(by[0].who->owner > 0 && by[0].scopes == SCOPE_CHAT);
	assert_int_equal(by[0].who->allowance.budget_nano, 7);
	for (size_t i = 0; i < 3; i++) {
		char name[32];

		snprintf(name, sizeof name, "j%s", by[i].who->id + 4);
		struct identity *named = tokens_named(t, str_of(name), &base);
		assert_non_null(named);
		assert_string_equal(named->id, by[i].who->id);
		assert_int_equal(named->owner, by[i].who->owner);
		identity_release(named);
		name[1]++; /* of another entry */
		assert_null(tokens_named(t, str_of(name), &base));
		identity_release(by[i].who);
	}
	assert_null(tokens_named(t, STR("0123456789abcdef"), &base));
	tokens_release(t);
}

static void a_token_of_another_key_is_refused(void **state)
{
	(void)state;
	struct tokens *t = tokens_of(other_keys);
	struct caller  by;

	assert_int_equal(check(t, ann, &by), ERR_INVALID_TOKEN);
	tokens_release(t);
}

static void a_session_is_of_the_issuer_and_its_key(void **state)
{
	(void)state;
	struct tokens *t = tokens_of(keys), *others = tokens_of(other_keys);
	struct caller  by, again;
	char           text[SESSION_TOKEN_MAX], name[SESSION_TOKEN_KEY];
	struct err     e;

	assert_int_equal(check(t, ann, &by), ERR_OK);
	snprintf(name, sizeof name, "j%s", by.who->id + 4);
	struct session_token s = session_token_begin(name, SCOPES_ALL, false, 1764000000);
	session_token_print(&s, STR("Ann"), base.signing, by.sha256, text);
	assert_int_equal(tokens_session(t, str_of(text), &s, &base, &again, &e), ERR_OK);
	assert_int_equal(again.who->owner, by.who->owner);
	assert_int_equal(again.scopes, SCOPE_CHAT);
	assert_int_equal(again.who->until_ms, s.until_s * 1000);
	assert_int_equal(again.who->proof, by.who->proof);
	assert_true(str_is(again.who->name, "Ann"));
	assert_true(tokens_stand(t, by.who));
	assert_false(tokens_stand(others, by.who));
	identity_release(again.who);
	assert_int_equal(tokens_session(others, str_of(text), &s, &base, &again, &e),
			 ERR_INVALID_SESSION);
	text[strlen(text) - 1] ^= 1;
	assert_int_equal(tokens_session(t, str_of(text), &s, &base, &again, &e),
			 ERR_INVALID_SESSION);
	identity_release(by.who);
	tokens_release(t);
	tokens_release(others);
}

/* A session, a ticket and a run that goes on say the group; it is looked up each time, and must be in the table. */
static void a_claim_gives_a_group(void **state)
{
	(void)state;
	static const struct token_group_of ours = { "ann", "grp_aaaaaaaa" },
					   others = { "ann", "grp_bbbbbbbb" };
	struct tokens *t = tokens_with(keys, &ours), *changed = tokens_with(keys, &others);
	struct caller  by, again;
	char           name[TICKET_WHO], text[SESSION_TOKEN_MAX];
	struct err     e;

	assert_int_equal(check(t, bob, &by), ERR_INSUFFICIENT_SCOPE);
	assert_int_equal(check(t, ann, &by), ERR_OK);
	assert_string_equal(by.who->group->id, "grp_aaaaaaaa");
	assert_int_equal(by.who->group->number, -7);
	assert_int_equal(by.who->model_count, 1);
	assert_int_equal(by.who->allowance.budget_nano, 7);

	ticket_who(by.who, name);
	struct session_token s = session_token_begin(name, SCOPES_ALL, false, 1764000000);
	assert_string_equal(s.key, name);
	session_token_print(&s, STR("Ann"), base.signing, by.sha256, text);
	assert_int_equal(tokens_session(t, str_of(text), &s, &base, &again, &e), ERR_OK);
	assert_string_equal(again.who->group->id, "grp_aaaaaaaa");
	assert_int_equal(again.who->owner, by.who->owner);
	identity_release(again.who);
	assert_int_equal(tokens_session(changed, str_of(text), &s, &base, &again, &e),
			 ERR_INVALID_SESSION);

	struct identity *named = tokens_named(t, str_of(name), &base);
	assert_non_null(named);
	assert_string_equal(named->group->id, "grp_aaaaaaaa");
	assert_string_equal(named->id, by.who->id);
	identity_release(named);
	assert_null(tokens_named(changed, str_of(name), &base));
	name[0] = 'j'; /* in no group */
	assert_null(tokens_named(t, (struct str){ name, 16 }, &base));
	name[0] = 'g';
	has_group = false;
	assert_int_equal(check(t, ann, &again), ERR_INSUFFICIENT_SCOPE);
	assert_null(tokens_named(t, str_of(name), &base));
	assert_int_equal(tokens_session(t, str_of(text), &s, &base, &again, &e),
			 ERR_INVALID_SESSION);
	has_group = true;
	identity_release(by.who);
	tokens_release(t);
	tokens_release(changed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_read_strictly),
		cmocka_unit_test(examples_of_the_standards_are_good),
		cmocka_unit_test(weak_keys_are_left_out),
		cmocka_unit_test(keys_are_fetched_in_time_and_kept_for_a_day),
		cmocka_unit_test(a_token_has_an_owner_that_its_name_tells),
		cmocka_unit_test(a_token_of_another_key_is_refused),
		cmocka_unit_test(a_session_is_of_the_issuer_and_its_key),
		cmocka_unit_test(a_claim_gives_a_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
