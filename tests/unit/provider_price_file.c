/* Lists of prices: LiteLLM's form, that of models.dev, and what is wrong with others. */
#include "base/limits.h"
#include "provider/price_file.h"
#include "provider/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];

static void write_bytes(const char *text, size_t n)
{
	FILE *f;

	snprintf(path, sizeof path, "/tmp/parley-prices-%ld.json", (long)getpid());
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static struct price_file *read_text(const char *text)
{
	struct price_file *f = NULL;
	struct err         e;

	write_bytes(text, strlen(text));
	if (price_file_read(path, &f, &e) != ERR_OK)
		fail_msg("%s", e.text);
	unlink(path);
	return f;
}

static int64_t cost(const struct price_file *f, const char *provider, const char *model,
		    struct usage u, int64_t at_ms)
{
	struct price p = price_file_find(f, str_of(provider), str_of(model));

	assert_true(p.known && p.source == PRICE_FILE);
	price_fill(&p);
	return price_cost(&p, &u, at_ms);
}

static bool knows(const struct price_file *f, const char *provider, const char *model)
{
	return price_file_find(f, str_of(provider), str_of(model)).known;
}

/* As LiteLLM 1.110.2 has them, with some members. */
static const char litellm[] =
	"{\"sample_spec\":{\"input_cost_per_token\":\"words\"},"
	"\"fallback_generalizations\":{\"rules\":[]},"
	"\"gpt-6-astra\":{\"litellm_provider\":\"openai\",\"mode\":\"chat\",\"input_cost_per_token\":1e-05,"
	"\"output_cost_per_token\":5e-05,\"cache_read_input_token_cost\":1e-06,"
	"\"cache_creation_input_token_cost\":1.25e-05,\"cache_creation_input_token_cost_above_12hr\":2.5e-05,"
	"\"input_cost_per_token_above_272k_tokens\":2e-05,\"output_cost_per_token_above_272k_tokens\":7.5e-05,"
	"\"cache_read_input_token_cost_above_272k_tokens\":2e-06,"
	"\"cache_creation_input_token_cost_above_12hr_above_272k_tokens\":5e-05,"
	"\"input_cost_per_token_priority\":2e-05,\"output_cost_per_token_priority\":1e-04,"
	"\"input_cost_per_token_above_272k_tokens_priority\":4e-05,"
	"\"output_cost_per_token_above_272k_tokens_priority\":1.5e-04,"
	"\"input_cost_per_token_flex\":5e-06,\"output_cost_per_token_flex\":2.5e-05,"
	"\"input_cost_per_token_batches\":5e-06,\"output_cost_per_token_batches\":2.5e-05,"
	"\"input_cost_per_token_balanced\":1,\"search_context_cost_per_query\":{\"x\":0.01},"
	"\"supports_vision\":true},"
	"\"claude-opus-5-5\":{\"input_cost_per_token\":4e-06,\"output_cost_per_token\":2e-05,"
	"\"cache_creation_input_token_cost\":5e-06,\"cache_creation_input_token_cost_above_1hr\":8e-06,"
	"\"provider_specific_entry\":{\"us\":1.1,\"fast\":2.0}},"
	"\"gemini/pic\":{\"input_cost_per_token\":3e-07,\"output_cost_per_token\":2.5e-06,"
	"\"input_cost_per_audio_token\":1e-06,\"output_cost_per_reasoning_token\":3e-06,"
	"\"output_cost_per_image\":0.039,\"input_cost_per_request\":0.001,\"cache_read_input_token_cost\":null},"
	"\"deepseek/deepseek-flash\":{\"input_cost_per_token\":3e-07,\"output_cost_per_token\":1.2e-06,"
	"\"off_peak_pricing\":{\"input_cost_per_token\":1.5e-07,\"output_cost_per_token\":6e-07,\"windows\":["
	"{\"hours_utc\":[\"00:00-01:00\",\"04:00-06:00\",\"10:00-00:00\"],\"weekdays\":[1,2,3,4,5]},"
	"{\"hours_utc\":\"00:00-00:00\",\"weekdays\":[6,7]}]}},"
	"\"night\":{\"input_cost_per_token\":2e-06,\"output_cost_per_token\":2e-06,"
	"\"off_peak_pricing\":{\"hours_utc\":\"16:30-00:30\",\"input_cost_per_token\":1e-06}},"
	"\"embed\":{\"mode\":\"embedding\",\"input_cost_per_token\":2e-08},"
	"\"azure/both\":{\"input_cost_per_token\":1e-06,\"output_cost_per_token\":1e-06},"
	"\"openai/both\":{\"input_cost_per_token\":2e-06,\"output_cost_per_token\":2e-06},"
	"\"tts\":{\"input_cost_per_character\":1e-06}}";

static void litellm_s_prices_are_read(void **state)
{
	enum { THURSDAY_17 = 17 * 3600000, MILLION = 1000000 };
	const struct usage one = { .in = 1000, .out = 100 };
	struct price_file *f = read_text(litellm);
	struct usage       u;

	(void)state;
	/* 1000 x 10 + 100 x 50 */
	assert_int_equal(cost(f, "p", "gpt-6-astra", one, 0), 15 * MILLION);
	/* 1000 x 20 + 100 x 100 */
	u = one;
	u.class = CLASS_PRIORITY;
	assert_int_equal(cost(f, "p", "gpt-6-astra", u, 0), 30 * MILLION);
	/* 1000 x 5 + 100 x 25 */
	u.class = CLASS_BATCH;
	assert_int_equal(cost(f, "p", "gpt-6-astra", u, 0), 7500000);
	/* 200000 x 20 + 100000 x 2 + 100 x 75, and by priority 200000 x 40 + 100000 x 2 + 100 x 150 */
	u = (struct usage){ .in = 300000, .cached_read = 100000, .out = 100 };
	assert_int_equal(cost(f, "p", "gpt-6-astra", u, 0), 4207500000);
	u.class = CLASS_PRIORITY;
	assert_int_equal(cost(f, "p", "gpt-6-astra", u, 0), 8215000000);
	/* 1000 x 25 */
	u = (struct usage){ .in = 1000, .cached_write = 1000, .cached_hour = 1000 };
	assert_int_equal(cost(f, "p", "gpt-6-astra", u, 0), 25 * MILLION);
	/* 1000 x 8 */
	assert_int_equal(cost(f, "p", "claude-opus-5-5", u, 0), 8 * MILLION);
	/* (1000 x 4 + 100 x 20) x 2 */
	u = one;
	u.class = CLASS_FAST;
	assert_int_equal(cost(f, "p", "claude-opus-5-5", u, 0), 12 * MILLION);
	/* 900 x 0.3 + 100 x 1 + 50 x 3 + 0.039 + 0.001 */
	u = (struct usage){ .in = 1000,
			    .audio_in = 100,
			    .out = 1340,
			    .reasoning = 50,
			    .image_out = 1290,
			    .images = 1 };
	assert_int_equal(cost(f, "gemini", "pic", u, 0), 270000 + 100000 + 150000 + 40 * MILLION);
	/* 1970-01-01 was a Thursday: two o'clock, and five */
	assert_int_equal(cost(f, "p", "deepseek-flash", one, 2 * 3600000), 300000 + 120000);
	assert_int_equal(cost(f, "p", "deepseek-flash", one, 5 * 3600000), 150000 + 60000);
	assert_int_equal(cost(f, "p", "night", one, THURSDAY_17), 1000000 + 200000);
	assert_int_equal(cost(f, "p", "night", one, 0), 1000000 + 200000);
	assert_int_equal(cost(f, "p", "night", one, 3600000), 2000000 + 200000);
	assert_int_equal(cost(f, "p", "embed", (struct usage){ .in = 1000 }, 0), 20000);
	struct price_file_about a = price_file_look(f);
	assert_string_equal(a.form, "litellm");
	assert_int_equal(a.count, 8);
	assert_true(a.date_s > 1700000000);
	price_file_release(f);
}

static void a_name_leads_to_one_price(void **state)
{
	struct price_file *f = read_text(litellm);

	(void)state;
	assert_true(knows(f, "openai", "gpt-6-astra"));
	assert_true(knows(f, "x", "pic") && knows(f, "x", "gemini/pic"));
	assert_false(knows(f, "x", "both")); /* two providers have it */
	assert_int_equal(cost(f, "azure", "both", (struct usage){ .in = 1 }, 0), 1000);
	assert_int_equal(cost(f, "openai", "both", (struct usage){ .in = 1 }, 0), 2000);
	assert_false(knows(f, "x", "tts"));
	assert_false(knows(f, "x", "sample_spec"));
	assert_false(knows(f, "x", "") || knows(f, "", "") || knows(f, "gemini", "pi"));
	char long_name[2 * LIMIT_PRICES_NAME];
	memset(long_name, 'a', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	assert_false(knows(f, "x", long_name));
	price_file_release(price_file_hold(f));
	assert_true(knows(f, "openai", "gpt-6-astra"));
	price_file_release(f);
	price_file_release(NULL);
}

static const char models_dev[] =
	"{\"openai\":{\"id\":\"openai\",\"npm\":\"x\",\"models\":{"
	"\"gpt-6-astra\":{\"id\":\"gpt-6-astra\",\"limit\":{\"context\":1},\"cost\":{\"input\":10,\"output\":50,"
	"\"cache_read\":1,\"cache_write\":12.5,\"reasoning\":60,\"input_audio\":20,\"output_audio\":80,"
	"\"tiers\":[{\"input\":20,\"output\":75,\"tier\":{\"type\":\"context\",\"size\":272000}},"
	"{\"input\":99,\"output\":99,\"tier\":{\"type\":\"moon\"}},"
	"{\"input\":40,\"output\":80,\"tier\":{\"size\":500000}}],"
	"\"context_over_200k\":{\"input\":20,\"output\":75}}},"
	"\"free\":{\"cost\":{\"input\":0,\"output\":0}},"
	"\"none\":{\"id\":\"none\"},\"half\":{\"cost\":{\"input\":1}}}},"
	"\"google\":{\"models\":{\"old\":{\"cost\":{\"input\":1,\"output\":2,"
	"\"context_over_200k\":{\"input\":2,\"output\":3}}}}},"
	"\"empty\":{\"models\":{}}}";

static void models_dev_s_prices_are_read(void **state)
{
	struct price_file *f = read_text(models_dev);

	(void)state;
	assert_string_equal(price_file_look(f).form, "models.dev");
	assert_int_equal(price_file_look(f).count, 3);
	/* 250001 x 10: the tier beats the older member */
	assert_int_equal(cost(f, "x", "gpt-6-astra", (struct usage){ .in = 250001 }, 0),
			 2500010000);
	assert_int_equal(cost(f, "x", "gpt-6-astra", (struct usage){ .in = 272001 }, 0),
			 5440020000);
	assert_int_equal(cost(f, "x", "openai/gpt-6-astra", (struct usage){ .in = 500001 }, 0),
			 20000040000);
	/* 10 x 20 + 10 x 60 + 10 x 80 */
	assert_int_equal(cost(f, "x", "gpt-6-astra",
			      (struct usage){ .in = 10,
					      .audio_in = 10,
					      .out = 20,
					      .reasoning = 10,
					      .audio_out = 10 },
			      0),
			 1600000);
	assert_int_equal(cost(f, "google", "old", (struct usage){ .in = 200001 }, 0), 400002000);
	assert_int_equal(cost(f, "google", "old", (struct usage){ .in = 200000 }, 0), 200000000);
	assert_int_equal(cost(f, "openai", "free", (struct usage){ .in = 200000 }, 0), 0);
	assert_false(knows(f, "openai", "none") || knows(f, "openai", "half"));
	price_file_release(f);
}

static void refuses(const char *text, size_t n, const char *why)
{
	struct price_file *f = NULL;
	struct err         e = { 0 };

	write_bytes(text, n);
	enum errc rc = price_file_read(path, &f, &e);
	unlink(path);
	if (rc == ERR_OK)
		fail_msg("read: %s", text);
	assert_null(f);
	if (!strstr(e.text, why) && !strstr(e.path, why))
		fail_msg("%s (%s), not %s", e.text, e.path, why);
}

static void what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "is empty" },
		{ "{", "byte 1" },
		{ "[]", "is no JSON object" },
		{ "{}", "has no prices" },
		{ "{\"a\":{\"input\":1}}", "has no prices" },
		{ "{\"a\":1}", "a: the entry is no object" },
		{ "{\"a\":{\"input_cost_per_token\":\"1e-6\",\"output_cost_per_token\":1}}",
		  "a: input_cost_per_token is no number" },
		{ "{\"a\":{\"input_cost_per_token\":-1e-6,\"output_cost_per_token\":1}}",
		  "a: input_cost_per_token is no price" },
		{ "{\"a\":{\"input_cost_per_token\":1e30,\"output_cost_per_token\":1}}",
		  "a: input_cost_per_token is no price" },
		{ "{\"a\":{\"input_cost_per_token_above_200k_tokens\":true}}",
		  "a: input_cost_per_token_above_200k_tokens is no number" },
		{ "{\"a\":{\"input_cost_per_token\":0,\"input_cost_per_token\":1}}",
		  "input_cost_per_token" },
		{ "{\"a\":{},\"a\":{}}", "a" },
		{ "{\"a\":{\"input_cost_per_token\":0,\"output_cost_per_token\":0,"
		  "\"off_peak_pricing\":{\"hours_utc\":\"1-2\"}}}",
		  "a: off_peak_pricing has hours" },
		{ "{\"a\":{\"off_peak_pricing\":{\"hours_utc\":\"01:00-02:00\",\"weekdays\":[8]}}}",
		  "a: off_peak_pricing has a weekday" },
		{ "{\"a\":{\"provider_specific_entry\":{\"fast\":51}}}", "a: fast is no factor" },
		{ "{\"p\":{\"models\":{\"m\":[]}}}", "p/m: the model is no object" },
		{ "{\"p\":{\"models\":{}},\"q\":{}}", "q: the provider has no models" },
		{ "{\"p\":{\"models\":{\"m\":{\"cost\":3}}}}", "p/m: cost is no object" },
		{ "{\"p\":{\"models\":{\"m\":{\"cost\":{\"input\":\"1\",\"output\":1}}}}}",
		  "p/m: input is no number" },
		{ "{\"p\":{\"models\":{\"m\":{\"cost\":{\"input\":1,\"output\":1,\"tiers\":[1]}}}}}",
		  "p/m: tiers has an element without its tier" },
		{ "{\"p\":{\"models\":{\"m\":{\"cost\":{\"input\":1,\"output\":1,\"tiers\":[{\"tier\":{}}]}}}}}",
		  "p/m: tiers has a tier without its size" },
		{ "{\"p\":{\"models\":{\"m\":{},\"m\":{}}}}", "m" },
		{ "{\"p\":{\"models\":{\"a\":{\"cost\":{\"input\":1,\"output\":1}},"
		  "\"\\u0061\":{\"cost\":{\"input\":1,\"output\":1}}}}}",
		  "" },
		{ "{\"x\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":"
		  "{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}}}}}}}}}}}}}}",
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		refuses(cases[i].text, strlen(cases[i].text), cases[i].why);
}

static void a_file_has_its_limits(void **state)
{
	struct price_file *f = NULL;
	struct err         e;
	char              *text = malloc(LIMIT_PRICES_FILE + 16);
	size_t             n;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', LIMIT_PRICES_FILE + 16);
	refuses(text, LIMIT_PRICES_FILE + 1, "larger than 16 MiB");
	/* more values than are read */
	n = (size_t)snprintf(text, 32, "{\"a\":[0");
	while (n < 5 * (size_t)LIMIT_PRICES_TOKENS) {
		memcpy(text + n, ",0", 2);
		n += 2;
	}
	memcpy(text + n, "]}", 2);
	refuses(text, n + 2, "");
	/* more tiers than a price has */
	n = (size_t)snprintf(text, 32, "{\"a\":{\"x\":0");
	for (int i = 1; i <= PRICE_LAYERS + 1; i++)
		n += (size_t)snprintf(text + n, 80, ",\"input_cost_per_token_above_%dk_tokens\":1",
				      i);
	memcpy(text + n, "}}", 2);
	refuses(text, n + 2, "is one tier too many");
	/* a name that has no room */
	n = (size_t)snprintf(text, 8, "{\"");
	memset(text + n, 'a', LIMIT_PRICES_NAME + 1);
	n += LIMIT_PRICES_NAME + 1;
	n += (size_t)snprintf(text + n, 16, "\":{}}");
	refuses(text, n, "");
	free(text);
	assert_int_equal(price_file_read("/nowhere/at/all", &f, &e), ERR_INVALID_VALUE);
	assert_non_null(strstr(e.text, "cannot be opened"));
	assert_int_equal(price_file_read("/tmp", &f, &e), ERR_INVALID_VALUE);
	assert_non_null(strstr(e.text, "is no file"));
}

/* What a model's entry says comes before the file, and the file before the table. */
static void the_file_beats_the_table(void **state)
{
	static const struct price own = {
		.known = true, .source = PRICE_OWN, .input = 5, .output = 10, .cached = PRICE_UNSET
	};
	static const struct price told = { .reported = true, .source = PRICE_OWN };
	struct price_file        *f = read_text(
		       "{\"gpt-4o\":{\"input_cost_per_token\":7e-06,\"output_cost_per_token\":9e-06}}");
	const struct model_options models[] = {
		{ .name = "a",
		  .provider = "p",
		  .upstream_model = "gpt-4o",
		  .price = own,
		  .prices = f },
		{ .name = "b", .provider = "p", .upstream_model = "gpt-4o", .prices = f },
		{ .name = "c", .provider = "p", .upstream_model = "gpt-4.1", .prices = f },
		{ .name = "d",
		  .provider = "p",
		  .upstream_model = "gpt-4.1",
		  .prices = f,
		  .no_table = true },
		{ .name = "e/*", .provider = "p", .prices = f, .price = told },
	};
	static const struct {
		const char       *name;
		enum price_source source;
		int64_t           input;
		bool              reported;
	} cases[] = {
		{ "a", PRICE_OWN, 5, false },
		{ "b", PRICE_FILE, 7 * MONEY_ONE, false },
		{ "c", PRICE_TABLE, 2 * MONEY_ONE, false },
		{ "d", PRICE_NOWHERE, 0, false },
		{ "e/gpt-4o", PRICE_FILE, 7 * MONEY_ONE, true },
		{ "e/none", PRICE_NOWHERE, 0, true },
	};
	struct provider_options echo = { .name = "p", .dialect = "echo" };
	struct provider        *p;
	struct registry        *r = NULL;
	struct err              e;

	(void)state;
	assert_int_equal(provider_create(&echo, &p, &e), ERR_OK);
	assert_int_equal(registry_create_take(&p, 1, models, ARRAY_LEN(models), NULL, &r, &e),
			 ERR_OK);
	price_file_release(f); /* the registry holds it */
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct target t;

		assert_int_equal(registry_find(r, str_of(cases[i].name), &t, &e), ERR_OK);
		struct price price = registry_price(&t);
		assert_int_equal(price.known, cases[i].source != PRICE_NOWHERE);
		assert_int_equal(price.reported, cases[i].reported);
		if (price.known) {
			assert_int_equal(price.source, cases[i].source);
			assert_int_equal(price.input, cases[i].input);
			if (price.source != PRICE_TABLE)
				assert_int_equal(price.cached, cases[i].input); /* none was set */
		}
	}
	assert_ptr_equal(registry_prices(r), f);
	registry_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(litellm_s_prices_are_read),
		cmocka_unit_test(a_name_leads_to_one_price),
		cmocka_unit_test(models_dev_s_prices_are_read),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(a_file_has_its_limits),
		cmocka_unit_test(the_file_beats_the_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
