/* Models and providers by name, and what a configuration of them may hold. */
#include "provider/registry.h"

#include "provider/provider.h"
#include "provider/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct provider *make(const char *name)
{
	struct provider_options o = { .name = name, .dialect = "echo" };
	struct provider        *p = NULL;
	struct err              e;

	assert_int_equal(provider_create(&o, &p, &e), ERR_OK);
	return p;
}

static enum errc registry_of(const struct model_options *models, size_t count,
			     const char *default_model, struct registry **ret, struct err *e)
{
	struct provider *providers[] = { make("a"), make("b") };

	return registry_create_take(providers, 2, models, count, default_model, ret, e);
}

/* clang-format off */
#define MODEL(n, p, u) { .name = (n), .provider = (p), .upstream_model = (u) }
/* clang-format on */

static const struct model_options models[] = {
	MODEL("echo", "a", NULL),          MODEL("small", "b", "tiny-chat"),
	MODEL("local/*", "b", NULL),       MODEL("local/big/*", "a", NULL),
	MODEL("local/big/one", "b", NULL), MODEL("fixed/*", "b", "always"),
};

static const struct {
	const char *why;
	const char *asked;
	const char *provider; /* NULL: not found */
	const char *upstream;
	const char *label;
} lookups[] = {
	{ "by name", "echo", "a", "echo", "echo" },
	{ "the default", "", "b", "tiny-chat", "small" },
	{ "under another name", "small", "b", "tiny-chat", "small" },
	{ "what the star stands for", "local/x/y", "b", "x/y", "local/*" },
	{ "the longest star", "local/big/x", "a", "x", "local/big/*" },
	{ "an exact name beats a star", "local/big/one", "b", "local/big/one", "local/big/one" },
	{ "a star with one name behind it", "fixed/x", "b", "always", "fixed/*" },
	{ "a star stands for something", "fixed/", NULL, NULL, NULL },
	{ "the star itself is a name like others", "local/*", "b", "*", "local/*" },
	{ "names are case-sensitive", "Echo", NULL, NULL, NULL },
	{ "no such name", "gpt", NULL, NULL, NULL },
	{ "a name in front", "ech", NULL, NULL, NULL },
};

static void names_lead_to_providers(void **state)
{
	OWNED(registry) r = NULL;
	struct err e;

	(void)state;
	assert_int_equal(registry_of(models, ARRAY_LEN(models), "small", &r, &e), ERR_OK);
	for (size_t i = 0; i < ARRAY_LEN(lookups); i++) {
		struct target t = { 0 };
		enum errc     rc = registry_find(r, str_of(lookups[i].asked), &t, &e);

		if ((rc == ERR_OK) != (lookups[i].provider != NULL))
			fail_msg("%s: code %d", lookups[i].why, (int)rc);
		if (rc != ERR_OK) {
			assert_int_equal(rc, ERR_MODEL_NOT_FOUND);
			assert_non_null(strstr(e.text, "echo, small, local/*"));
			continue;
		}
		assert_string_equal(t.provider->name, lookups[i].provider);
		if (!str_is(t.upstream_model, lookups[i].upstream) ||
		    !str_is(t.label, lookups[i].label))
			fail_msg("%s: %.*s, %.*s", lookups[i].why, STR_ARG(t.upstream_model),
				 STR_ARG(t.label));
	}
}

static void models_are_listed_in_order(void **state)
{
	OWNED(registry) r = NULL;
	struct err e;
	struct str name, provider;

	(void)state;
	assert_int_equal(registry_of(models, ARRAY_LEN(models), NULL, &r, &e), ERR_OK);
	for (size_t i = 0; i < ARRAY_LEN(models); i++) {
		assert_true(registry_model(r, i, &name, &provider));
		assert_true(str_is(name, models[i].name));
		assert_true(str_is(provider, models[i].provider));
	}
	assert_false(registry_model(r, ARRAY_LEN(models), &name, &provider));

	struct target t;
	assert_int_equal(registry_find(r, STR_NONE, &t, &e), ERR_MISSING_PARAMETER);
}

static void a_star_alone_is_every_name(void **state)
{
	static const struct model_options all[] = { MODEL("*", "a", NULL) };
	OWNED(registry) r = NULL;
	struct err    e;
	struct target t;

	(void)state;
	assert_int_equal(registry_of(all, 1, "some/model", &r, &e), ERR_OK);
	assert_int_equal(registry_find(r, STR("x/y:z"), &t, &e), ERR_OK);
	assert_true(str_is(t.upstream_model, "x/y:z"));
	assert_true(str_is(t.label, "*"));
	assert_int_equal(registry_find(r, STR_NONE, &t, &e), ERR_OK);
	assert_true(str_is(t.upstream_model, "some/model"));
}

static void a_model_takes_what_its_provider_can_and_its_row_allows(void **state)
{
	static const struct model_options rows[] = {
		{ .name = "all", .provider = "a", .images = true, .audio = true, .pdf = true },
		{ .name = "seeing", .provider = "a", .images = true },
		{ .name = "hearing", .provider = "a", .audio = true },
		{ .name = "far/*", .provider = "far", .images = true, .audio = true, .pdf = true },
		{ .name = "deep", .provider = "a", .reasons = true, .no_sampling = true },
	};
	static const struct {
		const char *name;
		unsigned    takes;
	} want[] = {
		{ "all", PROVIDER_FILES | PROVIDER_EMBED | PROVIDER_SAMPLING },
		{ "seeing", PROVIDER_IMAGES | PROVIDER_EMBED | PROVIDER_SAMPLING },
		{ "hearing", PROVIDER_AUDIO | PROVIDER_EMBED | PROVIDER_SAMPLING },
		{ "far/x", PROVIDER_IMAGES | PROVIDER_AUDIO | PROVIDER_SAMPLING },
		{ "deep", PROVIDER_EMBED | PROVIDER_REASONS },
	};
	struct provider *far = NULL;
	struct err       e;
	OWNED(registry) r = NULL;

	(void)state;
	assert_int_equal(
		provider_create(&(struct provider_options){ .name = "far",
							    .dialect = "lmc",
							    .base_url = "http://127.0.0.1:9/v1" },
				&far, &e),
		ERR_OK);
	struct provider *providers[] = { make("a"), far };
	assert_int_equal(registry_create_take(providers, 2, rows, ARRAY_LEN(rows), NULL, &r, &e),
			 ERR_OK);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		struct target t;

		assert_int_equal(registry_find(r, str_of(want[i].name), &t, &e), ERR_OK);
		assert_int_equal(t.takes, want[i].takes);
	}
}

static void what_cannot_work_is_refused(void **state)
{
	static const struct {
		const char          *why;
		struct model_options models[2];
		const char          *by_default;
	} bad[] = {
		{ "an unknown provider", { MODEL("m", "c", NULL) }, NULL },
		{ "no provider", { MODEL("m", NULL, NULL) }, NULL },
		{ "an empty name", { MODEL("", "a", NULL) }, NULL },
		{ "a star inside", { MODEL("a*b", "a", NULL) }, NULL },
		{ "two stars", { MODEL("a**", "a", NULL) }, NULL },
		{ "a control character", { MODEL("a\nb", "a", NULL) }, NULL },
		{ "a name twice", { MODEL("m", "a", NULL), MODEL("m", "b", NULL) }, NULL },
		{ "an empty upstream name", { MODEL("m", "a", "") }, NULL },
		{ "a star upstream", { MODEL("m/*", "a", "x/*") }, NULL },
		{ "a line break upstream", { MODEL("m", "a", "x\r\ny") }, NULL },
		{ "an unknown default", { MODEL("m", "a", NULL) }, "n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct registry *r = NULL;
		struct err       e;
		size_t           n = bad[i].models[1].name ? 2 : 1;
		enum errc        rc = registry_of(bad[i].models, n, bad[i].by_default, &r, &e);

		if (rc != ERR_INVALID_VALUE)
			fail_msg("%s: code %d", bad[i].why, (int)rc);
		assert_null(r);
	}
	struct provider *twice[] = { make("a"), make("a") };
	struct registry *r = NULL;
	struct err       e;
	assert_int_equal(registry_create_take(twice, 2, NULL, 0, NULL, &r, &e), ERR_INVALID_VALUE);
}

static void a_long_list_of_models_is_cut_between_names(void **state)
{
	static char          names[100][32];
	struct model_options many[100];
	OWNED(registry) r = NULL;
	struct err    e;
	struct target t;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		snprintf(names[i], sizeof names[i], "model-number-%zu", i);
		many[i] = (struct model_options)MODEL(names[i], "a", NULL);
	}
	assert_int_equal(registry_of(many, 100, NULL, &r, &e), ERR_OK);
	assert_int_equal(registry_find(r, STR("h\xC3\xA4"), &t, &e), ERR_MODEL_NOT_FOUND);
	assert_non_null(strstr(e.text, "model-number-1, model-number-2"));
	assert_non_null(strstr(e.text, "/v1/models"));
	assert_true(strlen(e.text) < sizeof e.text - 1);
}

static void models_that_one_may_not_see_are_not_there(void **state)
{
	static const struct model_options four[] = {
		MODEL("small", "a", NULL),
		MODEL("large", "a", NULL),
		MODEL("x/*", "a", NULL),
		MODEL("y/*", "a", NULL),
	};
	struct str       seen[] = { STR("large"), STR("x/*") };
	struct identity *who =
		identity_create(&(struct identity_options){ .models = seen, .model_count = 2 });
	OWNED(registry) r = NULL;
	struct err    e;
	struct target t;

	(void)state;
	assert_non_null(who);
	assert_int_equal(registry_of(four, 4, "small", &r, &e), ERR_OK);
	assert_int_equal(registry_find_for(r, STR("large"), who, &t, &e), ERR_OK);
	assert_int_equal(registry_find_for(r, STR("x/1"), who, &t, &e), ERR_OK);
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = { "small", "y/1", "none" };

		assert_int_equal(registry_find_for(r, str_of(names[i]), who, &t, &e),
				 ERR_MODEL_NOT_FOUND);
		assert_non_null(strstr(e.text, "there are large, x/*"));
		assert_null(strstr(e.text, "y/*"));
	}
	/* The default is one of those that it may not see: its name is not told. */
	assert_int_equal(registry_find_for(r, STR_NONE, who, &t, &e), ERR_MODEL_NOT_FOUND);
	assert_null(strstr(e.text, "small"));
	assert_int_equal(registry_find_for(r, STR_NONE, &identity_open, &t, &e), ERR_OK);
	identity_release(who);
}

/* --- creation of providers --- */

/* clang-format off */
static const struct {
	const char             *why;
	struct provider_options o;
	bool                    ok;
} providers[] = {
	{ "echo needs nothing", { .name = "e", .dialect = "echo" }, true },
	{ "a server without a key",
	  { .name = "l", .dialect = "openai", .base_url = "http://127.0.0.1:8000/v1" }, true },
	{ "the whole endpoint as base_url",
	  { .name = "l", .dialect = "openai", .base_url = "https://h/v1/chat/completions" }, true },
	{ "Azure's key and query",
	  { .name = "l", .dialect = "openai", .base_url = "https://h/openai/deployments/d",
	    .key = "k", .key_header = "api-key", .query = "api-version=2024-10-21" }, true },
	{ "no name", { .name = "", .dialect = "echo" }, false },
	{ "a name that is too long",
	  { .name = "0123456789012345678901234567890123456789012345678901234567890123",
	    .dialect = "echo" }, false },
	{ "no dialect", { .name = "x" }, false },
	{ "an unknown dialect", { .name = "x", .dialect = "cobol" }, false },
	{ "no URL", { .name = "x", .dialect = "openai" }, false },
	{ "a query in the URL", { .name = "x", .dialect = "openai", .base_url = "http://h/?a" }, false },
	{ "a path for a URL", { .name = "x", .dialect = "openai", .base_url = "/v1" }, false },
	{ "a line break in the key",
	  { .name = "x", .dialect = "openai", .base_url = "http://h", .key = "k\r\nX: y" }, false },
	{ "an empty key", { .name = "x", .dialect = "openai", .base_url = "http://h", .key = "" }, false },
	{ "a line break in the key's header",
	  { .name = "x", .dialect = "openai", .base_url = "http://h", .key = "k",
	    .key_header = "a\nb" }, false },
	{ "a line break in the query",
	  { .name = "x", .dialect = "openai", .base_url = "http://h", .query = "a=\nb" }, false },
	{ "a header of HTTP's own",
	  { .name = "x", .dialect = "openai", .base_url = "http://h",
	    .headers = (const struct provider_header[]){ { "Content-Length", "1", false } },
	    .header_count = 1 }, false },
	{ "an unknown name for max_tokens",
	  { .name = "x", .dialect = "openai", .base_url = "http://h", .max_tokens_field = "n" }, false },
	{ "a negative delay", { .name = "x", .dialect = "echo", .delay_us = -1 }, false },
	{ "a reply that is no UTF-8", { .name = "x", .dialect = "echo", .reply = "\xFF" }, false },
};
/* clang-format on */

static void providers_are_checked_when_they_are_made(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(providers); i++) {
		struct provider *p = NULL;
		struct err       e = { 0 };
		enum errc        rc = provider_create(&providers[i].o, &p, &e);

		if (rc != (providers[i].ok ? ERR_OK : ERR_INVALID_VALUE))
			fail_msg("%s: code %d, %s", providers[i].why, (int)rc, e.text);
		if (p)
			assert_string_equal(p->name, providers[i].o.name);
		assert_null(strstr(e.text, "k\r"));
		provider_destroy(p);
	}
	provider_destroy(NULL);
}

static void targets_are_chosen_by_weight_among_the_healthy(void **state)
{
	static const struct target_options list[] = {
		{ "a", NULL, 3 },
		{ "b", "other", 1 },
		{ "a", "third", 1 },
	};
	static const struct model_options rows[] = {
		{
			.name = "m",
			.targets = list,
			.target_count = 3,
		},
	};
	static const struct health_rules dead = { .dead_us = 1000 };
	OWNED(registry) r = NULL;
	struct err    e;
	struct target t;
	size_t        got[3] = { 0 };

	(void)state;
	health_reset();
	assert_int_equal(registry_of(rows, 1, NULL, &r, &e), ERR_OK);
	assert_int_equal(registry_find(r, STR("m"), &t, &e), ERR_OK);
	const struct model *m = t.model;
	assert_true(registry_several(m));
	for (int i = 0; i < 50; i++) {
		struct registry_block block = { 0 };

		assert_true(registry_choose(m, STR("m"), 0, 0, &t, &block));
		got[t.index]++;
		registry_done(&t);
	}
	assert_int_equal(got[0], 30);
	assert_int_equal(got[1], 10);
	assert_int_equal(got[2], 10);

	/* What was tried, and what is ill, is left out. */
	struct registry_block block = { 0 };
	health_tell(&(struct health_target){ "a", STR("m"), &dead }, HEALTH_REFUSED, 0, false, 0);
	assert_true(registry_untried(m, STR("m"), 0, 0));
	assert_true(registry_choose(m, STR("m"), 0, 0, &t, &block));
	assert_string_equal(t.provider->name, "b");
	assert_true(str_is(t.upstream_model, "other"));
	assert_false(registry_untried(m, STR("m"), 2, 0));
	assert_false(registry_choose(m, STR("m"), 2, 0, &t, &block));
	assert_true(block.dead && !block.open && !block.cooling);
	health_reset();
}

static void of_equal_targets_the_one_with_fewer_calls_is_next(void **state)
{
	struct balance_row rows[] = { { 1, 0, 2 }, { 1, 0, 1 }, { 1, 0, 3 } };

	(void)state;
	assert_int_equal(balance_pick(rows, 3, 7), 1);
	assert_int_equal(balance_pick(rows, 3, 7), 0);
	assert_int_equal(balance_pick(rows, 3, 7), 2);
	assert_int_equal(balance_pick(rows, 3, 4), 2);
}

static void fallbacks_lead_to_models(void **state)
{
	static const char *const          names[] = { "local/x", "m" };
	static const struct model_options rows[] = {
		{ .name = "m", .provider = "a" },
		{ .name = "n", .provider = "a", .fallback = names, .fallback_count = 2 },
		MODEL("local/*", "b", NULL),
	};
	static const char *const          own[] = { "m" };
	static const char *const          nobody[] = { "x" };
	static const struct model_options wrong[][1] = {
		{ { .name = "m", .provider = "a", .fallback = own, .fallback_count = 1 } },
		{ { .name = "m", .provider = "a", .fallback = nobody, .fallback_count = 1 } },
	};
	OWNED(registry) r = NULL;
	struct err            e;
	struct target         t;
	struct str            name;
	struct registry_block block = { 0 };

	(void)state;
	assert_int_equal(registry_of(rows, 3, NULL, &r, &e), ERR_OK);
	assert_int_equal(registry_find(r, STR("n"), &t, &e), ERR_OK);
	const struct model *m = registry_fallback(t.model, 0, &name);
	assert_true(m && str_is(name, "local/x"));
	assert_true(registry_choose(m, name, 0, 0, &t, &block));
	assert_true(str_is(t.upstream_model, "x"));
	assert_int_equal(registry_find(r, STR("n"), &t, &e), ERR_OK);
	assert_non_null(registry_fallback(t.model, 1, &name));
	assert_null(registry_fallback(t.model, 2, &name));
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct registry *none = NULL;

		assert_int_equal(registry_of(wrong[i], 1, NULL, &none, &e), ERR_INVALID_VALUE);
		assert_null(none);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lead_to_providers),
		cmocka_unit_test(models_that_one_may_not_see_are_not_there),
		cmocka_unit_test(models_are_listed_in_order),
		cmocka_unit_test(a_star_alone_is_every_name),
		cmocka_unit_test(a_model_takes_what_its_provider_can_and_its_row_allows),
		cmocka_unit_test(targets_are_chosen_by_weight_among_the_healthy),
		cmocka_unit_test(of_equal_targets_the_one_with_fewer_calls_is_next),
		cmocka_unit_test(fallbacks_lead_to_models),
		cmocka_unit_test(what_cannot_work_is_refused),
		cmocka_unit_test(a_long_list_of_models_is_cut_between_names),
		cmocka_unit_test(providers_are_checked_when_they_are_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
