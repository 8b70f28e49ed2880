/* Models and providers by name, and what a configuration of them may hold. */
#include "provider/choice.h"

#include "provider/balance.h"
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

/* A call without a session. */
static const struct affinity nobody_s;

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
	{ "Claude on Bedrock",
	  { .name = "b", .dialect = "anthropic", .hosting = "bedrock", .base_url = "https://h" }, true },
	{ "Claude on Vertex AI",
	  { .name = "v", .dialect = "anthropic", .hosting = "vertex",
	    .base_url = "https://h/v1/projects/p/locations/l" }, true },
	{ "Vertex AI without a project",
	  { .name = "v", .dialect = "anthropic", .hosting = "vertex", .base_url = "https://h/v1" }, false },
	{ "Converse", { .name = "c", .dialect = "bedrock", .base_url = "https://h" }, true },
	{ "a place that serves the dialect as it is",
	  { .name = "g", .dialect = "gemini", .hosting = "vertex", .base_url = "https://h" }, false },
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
		struct choice_block block = { 0 };

		assert_true(choice_make(m, STR("m"), 0, &nobody_s, 0, &t, &block));
		got[t.index]++;
		choice_done(&t);
	}
	assert_int_equal(got[0], 30);
	assert_int_equal(got[1], 10);
	assert_int_equal(got[2], 10);

	/* What was tried, and what is ill, is left out. */
	struct choice_block block = { 0 };
	health_tell(&(struct health_target){ "a", STR("m"), &dead }, HEALTH_REFUSED, 0, false, 0);
	assert_true(choice_untried(m, STR("m"), 0, 0));
	assert_true(choice_make(m, STR("m"), 0, &nobody_s, 0, &t, &block));
	assert_string_equal(t.provider->name, "b");
	assert_true(str_is(t.upstream_model, "other"));
	assert_false(choice_untried(m, STR("m"), 2, 0));
	assert_false(choice_make(m, STR("m"), 2, &nobody_s, 0, &t, &block));
	assert_true(block.dead && !block.open && !block.cooling);
	health_reset();
}

/* --- affinity --- */

enum { SESSIONS = 10000 };

/* Three targets with the weights 3, 1 and 1; the first entry has two keys. */
static struct registry *affinity_create(const struct model **ret)
{
	static const struct target_options list[] = {
		{ .provider = "a", .weight = 3 },
		{ .provider = "b", .weight = 1 },
		{ .provider = "c", .weight = 1 },
	};
	static const char *const          names[] = { "f" };
	static const struct model_options rows[] = {
		{ .name = "m",
		  .targets = list,
		  .target_count = 3,
		  .fallback = names,
		  .fallback_count = 1 },
		{ .name = "f", .provider = "d" },
	};
	static const struct provider_options entries[] = {
		{ .name = "a", .dialect = "echo", .place = 1 },
		{ .name = "a", .dialect = "echo", .place = 2 },
		{ .name = "b", .dialect = "echo" },
		{ .name = "c", .dialect = "echo" },
		{ .name = "d", .dialect = "echo" },
	};
	struct provider *made[ARRAY_LEN(entries)];
	struct registry *r = NULL;
	struct target    t;
	struct err       e;

	health_reset();
	for (size_t i = 0; i < ARRAY_LEN(entries); i++)
		assert_int_equal(provider_create(&entries[i], &made[i], &e), ERR_OK);
	assert_int_equal(registry_create_take(made, ARRAY_LEN(entries), rows, 2, NULL, &r, &e),
			 ERR_OK);
	assert_int_equal(registry_find(r, STR("m"), &t, &e), ERR_OK);
	*ret = t.model;
	return r;
}

static struct target target_for(const struct model *m, struct affinity by, uint32_t tried)
{
	struct choice_block block = { 0 };
	struct target       t;

	assert_true(choice_make(m, STR("m"), tried, &by, 0, &t, &block));
	choice_done(&t);
	return t;
}

static struct affinity session(uint64_t i)
{
	return (struct affinity){ .session = i * UINT64_C(0x9e3779b97f4a7c15) | 1 };
}

/* near: within three in a hundred of the whole. */
static bool near(size_t n, size_t want)
{
	return n + SESSIONS * 3 / 100 >= want && n <= want + SESSIONS * 3 / 100;
}

static void sessions_are_shared_by_weight(void **state)
{
	const struct model *m;
	OWNED(registry) r = affinity_create(&m);
	size_t got[4] = { 0 };

	(void)state;
	(void)r;
	for (uint64_t i = 0; i < SESSIONS; i++)
		got[target_for(m, session(i), 0).index]++;
	/* the two keys share the weight of their entry */
	assert_true(near(got[0], SESSIONS * 3 / 10) && near(got[1], SESSIONS * 3 / 10));
	assert_true(near(got[2], SESSIONS / 5) && near(got[3], SESSIONS / 5));
}

static void a_target_that_goes_moves_its_own_sessions_only(void **state)
{
	const struct model *m;
	OWNED(registry) r = affinity_create(&m);
	size_t moved = 0;

	(void)state;
	(void)r;
	for (uint64_t i = 0; i < SESSIONS; i++) {
		struct target before = target_for(m, session(i), 0);
		struct target after = target_for(m, session(i), 1u << 2);

		if (before.index == 2)
			moved++;
		else
			assert_int_equal(after.index, before.index);
		assert_int_not_equal(after.index, 2);
		assert_int_equal(
			choice_affinity(m, &after, &(struct affinity){ session(i).session, 0 }),
			before.index == 2 ? AFFINITY_MOVED : AFFINITY_KEPT);
	}
	assert_true(near(moved, SESSIONS / 5));
}

/* The choice must be the same at each gateway, whatever was asked there before, and in each later version. */
static void all_gateways_agree(void **state)
{
	static const size_t want[] = { 0, 2, 2, 3, 3, 1, 0, 3, 2, 0 };
	const struct model *m, *n;
	OWNED(registry) r = affinity_create(&m);
	OWNED(registry) other = affinity_create(&n);

	(void)state;
	(void)r;
	(void)other;
	for (uint64_t i = 0; i < 100; i++)
		(void)target_for(n, session(i + 1000), 0);
	for (uint64_t i = 0; i < SESSIONS; i++)
		assert_int_equal(target_for(m, session(i), 0).index,
				 target_for(n, session(i), 0).index);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(target_for(m, session(i), 0).index, want[i]);
}

static void the_last_good_target_goes_first(void **state)
{
	const struct model *m;
	OWNED(registry) r = affinity_create(&m);
	struct choice_block block = { 0 };
	struct target       t;
	struct str          name;
	uint32_t            others;

	(void)state;
	(void)r;
	for (uint64_t i = 0; i < 100; i++) {
		struct affinity by = session(i);

		t = target_for(m, session(i + 1), 0);
		by.last = registry_mark(&t);
		t = target_for(m, by, 0);
		assert_true(registry_mark(&t) == by.last);
		assert_null(registry_marked(m, by.last, &name, &others));
	}
	/* a fallback's */
	const struct model *f = registry_fallback(m, 0, &name);
	assert_true(choice_make(f, name, 0, &nobody_s, 0, &t, &block));
	assert_ptr_equal(registry_marked(m, registry_mark(&t), &name, &others), f);
	assert_true(str_is(name, "f") && others == ~1u);
	assert_int_equal(choice_affinity(m, &t, &(struct affinity){ 1, registry_mark(&t) }),
			 AFFINITY_KEPT);
	assert_null(registry_marked(m, 12, &name, &others));
	/* a session that has moved to a fallback is not where it belongs */
	assert_int_equal(choice_affinity(m, &t, &(struct affinity){ 1, 0 }), AFFINITY_MOVED);
	assert_int_equal(choice_affinity(m, &t, &(struct affinity){ 0, 0 }), AFFINITY_NONE);
}

/* One target with so many keys, and another target. */
static struct registry *pool_create(unsigned keys, const struct model **ret)
{
	static const struct target_options list[] = {
		{ .provider = "p", .weight = 1 },
		{ .provider = "q", .weight = 1 },
	};
	static const struct model_options row = { .name = "m", .targets = list, .target_count = 2 };
	struct provider                  *made[8];
	struct registry                  *r = NULL;
	struct target                     t;
	struct err                        e;
	size_t                            n = 0;

	for (unsigned k = 1; k <= keys; k++) {
		struct provider_options o = { .name = "p",
					      .dialect = "echo",
					      .place = keys > 1 ? k : 0 };
		assert_int_equal(provider_create(&o, &made[n++], &e), ERR_OK);
	}
	assert_int_equal(
		provider_create(&(struct provider_options){ .name = "q", .dialect = "echo" },
				&made[n++], &e),
		ERR_OK);
	assert_int_equal(registry_create_take(made, n, &row, 1, NULL, &r, &e), ERR_OK);
	assert_int_equal(registry_find(r, STR("m"), &t, &e), ERR_OK);
	*ret = t.model;
	return r;
}

static void a_key_more_moves_nobody_to_or_from_other_entries(void **state)
{
	const struct model *one, *two, *three;
	OWNED(registry) a = pool_create(1, &one);
	OWNED(registry) b = pool_create(2, &two);
	OWNED(registry) c = pool_create(3, &three);
	size_t changed = 0;

	(void)state;
	(void)a;
	(void)b;
	(void)c;
	for (uint64_t i = 0; i < 1000; i++) {
		struct target x = target_for(one, session(i), 0);
		struct target y = target_for(two, session(i), 0);
		struct target z = target_for(three, session(i), 0);

		assert_string_equal(x.provider->name, y.provider->name);
		assert_string_equal(x.provider->name, z.provider->name);
		if (registry_mark(&y) != registry_mark(&z)) {
			assert_string_equal(z.provider->label, "p#3");
			changed++;
		}
	}
	assert_true(changed > 100 && changed < 230); /* a third of the entry's half */
	/* the first key is the one that the entry had */
	struct target x = target_for(one, nobody_s, 2);
	struct target y = target_for(two, nobody_s, 6);
	assert_string_equal(y.provider->label, "p#1");
	assert_true(registry_mark(&x) == registry_mark(&y));
}

static void calls_without_a_session_make_up_for_the_others(void **state)
{
	const struct model *m;
	OWNED(registry) r = affinity_create(&m);
	size_t heavy = target_for(m, session(1), 0).index;
	size_t got[4] = { 0 };

	(void)state;
	(void)r;
	for (int i = 0; i < 20; i++)
		assert_int_equal(target_for(m, session(1), 0).index, heavy);
	for (int i = 0; i < 10; i++)
		got[target_for(m, nobody_s, 0).index]++;
	assert_int_equal(got[heavy], 0);
	/* a thousand calls of one session do not keep the others away for as long */
	for (int i = 0; i < 1000; i++)
		(void)target_for(m, session(1), 0);
	for (int i = 0; i < 1000; i++)
		got[target_for(m, nobody_s, 0).index]++;
	assert_true(got[heavy] > 100);
}

static void a_dead_key_takes_itself_alone_out(void **state)
{
	static const struct health_rules dead = { .dead_us = 1000 };
	const struct model              *m;
	OWNED(registry) r = affinity_create(&m);
	size_t got[4] = { 0 };

	(void)state;
	(void)r;
	health_tell(&(struct health_target){ "a#1", STR("m"), &dead }, HEALTH_REFUSED, 0, false, 0);
	for (uint64_t i = 0; i < 1000; i++)
		got[target_for(m, session(i), 0).index]++;
	assert_true(got[0] == 0 && got[1] > 0 && got[2] > 0 && got[3] > 0);
	health_reset();
}

static void of_equal_targets_the_one_with_fewer_calls_is_next(void **state)
{
	struct balance_row rows[] = { { 1, 0, 2 }, { 1, 0, 1 }, { 1, 0, 3 } };

	(void)state;
	assert_int_equal(balance_pick(rows, 3, 7, 3), 1);
	assert_int_equal(balance_pick(rows, 3, 7, 3), 0);
	assert_int_equal(balance_pick(rows, 3, 7, 3), 2);
	assert_int_equal(balance_pick(rows, 3, 4, 3), 2);
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
	struct err          e;
	struct target       t;
	struct str          name;
	struct choice_block block = { 0 };

	(void)state;
	assert_int_equal(registry_of(rows, 3, NULL, &r, &e), ERR_OK);
	assert_int_equal(registry_find(r, STR("n"), &t, &e), ERR_OK);
	const struct model *m = registry_fallback(t.model, 0, &name);
	assert_true(m && str_is(name, "local/x"));
	assert_true(choice_make(m, name, 0, &nobody_s, 0, &t, &block));
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
		cmocka_unit_test(sessions_are_shared_by_weight),
		cmocka_unit_test(a_target_that_goes_moves_its_own_sessions_only),
		cmocka_unit_test(all_gateways_agree),
		cmocka_unit_test(the_last_good_target_goes_first),
		cmocka_unit_test(a_key_more_moves_nobody_to_or_from_other_entries),
		cmocka_unit_test(calls_without_a_session_make_up_for_the_others),
		cmocka_unit_test(a_dead_key_takes_itself_alone_out),
		cmocka_unit_test(of_equal_targets_the_one_with_fewer_calls_is_next),
		cmocka_unit_test(fallbacks_lead_to_models),
		cmocka_unit_test(what_cannot_work_is_refused),
		cmocka_unit_test(a_long_list_of_models_is_cut_between_names),
		cmocka_unit_test(providers_are_checked_when_they_are_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
