/* What calls cost, by hand from the providers' published prices: each row has its sum in dollars. */
#include "provider/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Where prices were read, and when. */
#define SOL     "developers.openai.com/api/docs/models/gpt-6.2-sol, 2026-11-18"
#define OPENAI  "developers.openai.com/api/docs/pricing, 2026-06-04"
#define AUDIO   "developers.openai.com/api/docs/models/gpt-audio, 2026-11"
#define LITELLM "LiteLLM 1.110.2, 2026-11"
#define CLAUDE  "platform.claude.com/docs/en/about-claude/pricing, 2026-11"
#define CLAUDE5 "docs.anthropic.com/en/docs/about-claude/pricing, 2025-08"
#define GEMINI  "ai.google.dev/gemini-api/docs/pricing, 2026-10-07"
#define XAI     "docs.x.ai/developers/models/grok-4.20-0309, 2026-11"
#define SEEK    "api-docs.deepseek.com/quick_start/pricing, 2026-10-17"
#define OTHER   "the provider's own cost"

/* 2026-11-23 was a Monday. */
#define MONDAY        ((int64_t)1795392000000)
#define HOUR_MS       ((int64_t)3600000)
#define AT(day, hour) .at_ms = MONDAY + ((day)*24 + (hour)) * HOUR_MS

static const struct price picture = {
	.known = true,
	.input = 300000000,
	.output = 2500000000,
	.cached = 30000000,
	.cache_write = 300000000,
	.cache_write_1h = 300000000,
	.reasoning = 2500000000,
	.audio_in = MONEY_ONE,
	.audio_out = 2500000000,
	.image = 39000000,
};
static const struct price told = {
	.known = true, .reported = true, .input = MONEY_ONE, .output = MONEY_ONE
};
static const struct price only_told = { .reported = true };
static const struct price fee = {
	.known = true,
	.input = MONEY_ONE,
	.output = MONEY_ONE,
	.reasoning = MONEY_ONE,
	.call = 5000000,
};

/* clang-format off */
static const struct {
	const char         *source;
	const char         *model; /* in the table; NULL: own */
	const struct price *own;
	struct usage        u;
	int64_t             at_ms;
	const char         *sum;
} examples[] = {
	/* 10000 x 2 + 1000 x 10 */
	{ SOL, "gpt-6.2-sol", .u = { .in = 10000, .out = 1000 }, .sum = "0.03" },
	/* 2000 x 2 + 8000 x 0.1 + 1000 x 10 */
	{ SOL, "gpt-6.2-sol", .u = { .in = 10000, .cached_read = 8000, .out = 1000 }, .sum = "0.0148" },
	/* 4000 x 2 + 6000 x 2.5 + 500 x 10 */
	{ SOL, "gpt-6.2-sol", .u = { .in = 10000, .cached_write = 6000, .out = 500 }, .sum = "0.028" },
	/* 4000 x 2 + 6000 x 5 + 500 x 10: kept for twelve hours */
	{ SOL, "gpt-6.2-sol", .u = { .in = 10000, .cached_write = 6000, .cached_hour = 6000, .out = 500 },
	  .sum = "0.043" },
	/* 272000 x 2 + 1000 x 10: the last prompt that is short */
	{ SOL, "gpt-6.2-sol", .u = { .in = 272000, .out = 1000 }, .sum = "0.554" },
	/* 272001 x 4 + 1000 x 15: all of it is long */
	{ SOL, "gpt-6.2-sol", .u = { .in = 272001, .out = 1000 }, .sum = "1.103004" },
	/* 100000 x 4 + 200000 x 0.2 + 2000 x 15: what was read from the cache counts for the tier */
	{ SOL, "gpt-6.2-sol", .u = { .in = 300000, .cached_read = 200000, .out = 2000 }, .sum = "0.47" },
	/* 72000 x 4 + 228000 x 5 + 2000 x 15: and what was written to it */
	{ SOL, "gpt-6.2-sol", .u = { .in = 300000, .cached_write = 228000, .out = 2000 }, .sum = "1.458" },
	/* (10000 x 2 + 1000 x 10) x 2 */
	{ SOL, "gpt-6.2-sol", .u = { .in = 10000, .out = 1000, .class = CLASS_PRIORITY }, .sum = "0.06" },
	/* (272001 x 4 + 1000 x 15) x 2 */
	{ SOL, "gpt-6.2-sol", .u = { .in = 272001, .out = 1000, .class = CLASS_PRIORITY }, .sum = "2.206008" },
	/* (10000 x 2 + 1000 x 10) / 2 */
	{ SOL, "gpt-6.2-sol", .u = { .in = 10000, .out = 1000, .class = CLASS_BATCH }, .sum = "0.015" },
	/* (10000 x 2 + 1000 x 10) x 3 */
	{ SOL, "gpt-6.2-sol", .u = { .in = 10000, .out = 1000, .class = CLASS_ULTRAFAST }, .sum = "0.09" },
	/* (2000 x 2 + 8000 x 0.1 + 1000 x 10) / 2 */
	{ LITELLM, "gpt-6.1-sol", .u = { .in = 10000, .cached_read = 8000, .out = 1000, .class = CLASS_FLEX },
	  .sum = "0.0074" },
	/* 10000 x 2 + 1000 x 10: a class without a factor */
	{ SOL, "gpt-6.2-sol", .u = { .in = 10000, .out = 1000, .class = CLASS_SCALE }, .sum = "0.03" },
	/* 3000 x 12.5 + 1000 x 1.25 + 800 x 75: the page's own prices of the class */
	{ OPENAI, "gpt-5.5", .u = { .in = 4000, .cached_read = 1000, .out = 800, .class = CLASS_PRIORITY },
	  .sum = "0.09875" },
	/* 1000 x 5 + 100 x 30 */
	{ OPENAI, "gpt-5.4", .u = { .in = 1000, .out = 100, .class = CLASS_PRIORITY }, .sum = "0.008" },
	/* 1000 x 4.25 + 1000 x 2.125 + 100 x 17 */
	{ LITELLM, "gpt-4o", .u = { .in = 2000, .cached_read = 1000, .out = 100, .class = CLASS_PRIORITY },
	  .sum = "0.008075" },
	/* 500 x 2 + 3000 x 8, of which 2500 are reasoning */
	{ LITELLM, "o3", .u = { .in = 500, .out = 3000, .reasoning = 2500 }, .sum = "0.025" },
	/* 1 x 0.15 + 1 x 0.6 */
	{ LITELLM, "gpt-4o-mini", .u = { .in = 1, .out = 1 }, .sum = "0.00000075" },
	/* 1 x 0.02: a fiftieth of a millionth */
	{ LITELLM, "text-embedding-3-small", .u = { .in = 1 }, .sum = "0.00000002" },
	/* 1234567 x 0.02 */
	{ LITELLM, "text-embedding-3-small", .u = { .in = 1234567 }, .sum = "0.02469134" },
	/* 400 x 2.5 + 600 x 32 + 100 x 10 + 400 x 64 */
	{ AUDIO, "gpt-audio", .u = { .in = 1000, .audio_in = 600, .out = 500, .audio_out = 400 }, .sum = "0.0468" },
	/* 100 x 10 + 50 x 20 */
	{ LITELLM, "gpt-audio-mini", .u = { .in = 100, .audio_in = 100, .out = 50, .audio_out = 50 }, .sum = "0.002" },
	/* 1000 x 5 + 20000 x 0.5 + 4000 x 6.25 + 2000 x 25 */
	{ CLAUDE, "claude-opus-4-8", .u = { .in = 25000, .cached_read = 20000, .cached_write = 4000, .out = 2000 },
	  .sum = "0.09" },
	/* 1000 x 5 + 20000 x 0.5 + 4000 x 10 + 2000 x 25: kept for an hour */
	{ CLAUDE, "claude-opus-4-8",
	  .u = { .in = 25000, .cached_read = 20000, .cached_write = 4000, .cached_hour = 4000, .out = 2000 },
	  .sum = "0.105" },
	/* 1000 x 5 + 20000 x 0.5 + 3000 x 6.25 + 1000 x 10 + 2000 x 25 */
	{ CLAUDE, "claude-opus-4-8",
	  .u = { .in = 25000, .cached_read = 20000, .cached_write = 4000, .cached_hour = 1000, .out = 2000 },
	  .sum = "0.09375" },
	/* (1000 x 4 + 1000 x 20) x 2 */
	{ CLAUDE, "claude-opus-5-5", .u = { .in = 1000, .out = 1000, .class = CLASS_FAST }, .sum = "0.048" },
	/* (10000 x 3 + 2000 x 15) / 2 */
	{ CLAUDE, "claude-sonnet-4-5", .u = { .in = 10000, .out = 2000, .class = CLASS_BATCH }, .sum = "0.03" },
	/* 100000 x 0.1 + 1000 x 0.5 */
	{ CLAUDE, "claude-haiku-5-5", .u = { .in = 100000, .out = 1000 }, .sum = "0.0105" },
	/* 40000 x 0.5 + 50001 x 0.05 + 10000 x 0.625 + 1000 x 2.5 */
	{ CLAUDE, "claude-haiku-5-5",
	  .u = { .in = 100001, .cached_read = 50001, .cached_write = 10000, .out = 1000 }, .sum = "0.03125005" },
	/* 10000 x 10 + 990000 x 0.25 + 100 x 50 */
	{ CLAUDE, "claude-fable-5-1", .u = { .in = 1000000, .cached_read = 990000, .out = 100 }, .sum = "0.3525" },
	/* 1000 x 30 + 10 x 75 */
	{ CLAUDE5, "claude-opus-4-1", .u = { .in = 1000, .cached_write = 1000, .cached_hour = 1000, .out = 10 },
	  .sum = "0.03075" },
	/* 200000 x 1.25 + 1000 x 10 */
	{ GEMINI, "gemini-2.5-pro", .u = { .in = 200000, .out = 1000 }, .sum = "0.26" },
	/* 200001 x 2.5 + 1000 x 15 */
	{ GEMINI, "gemini-2.5-pro", .u = { .in = 200001, .out = 1000 }, .sum = "0.5150025" },
	/* 1000 x 0.3 + 4000 x 1 + 100 x 2.5 */
	{ GEMINI, "gemini-2.5-flash", .u = { .in = 5000, .audio_in = 4000, .out = 100 }, .sum = "0.00455" },
	/* (10000 x 0.3 + 1000 x 2.5) x 1.8 */
	{ GEMINI, "gemini-2.5-flash", .u = { .in = 10000, .out = 1000, .class = CLASS_PRIORITY }, .sum = "0.0099" },
	/* 100 x 0.3 + 100 x 2.5 + 0.039: the picture's 1290 tokens cost nothing more */
	{ GEMINI, .own = &picture, .u = { .in = 100, .out = 1390, .image_out = 1290, .images = 1 }, .sum = "0.03928" },
	/* 100 x 0.3 + 2 x 0.039 */
	{ GEMINI, .own = &picture, .u = { .in = 100, .out = 2580, .image_out = 2580, .images = 2 }, .sum = "0.07803" },
	/* 199999 x 1.25 + 100 x 2.5 */
	{ XAI, "grok-4.20", .u = { .in = 199999, .out = 100 }, .sum = "0.25024875" },
	/* 200000 x 2.5 + 100 x 5 */
	{ XAI, "grok-4.20", .u = { .in = 200000, .out = 100 }, .sum = "0.5005" },
	/* 100000 x 0.3 + 900000 x 0.006 + 1000 x 1.2: two o'clock on a Monday */
	{ SEEK, "deepseek-flash", .u = { .in = 1000000, .cached_read = 900000, .out = 1000 }, AT(0, 2), .sum = "0.0366" },
	/* half of it: at five, at four, at ten, at midnight, and on Saturday at two */
	{ SEEK, "deepseek-flash", .u = { .in = 1000000, .cached_read = 900000, .out = 1000 }, AT(0, 5), .sum = "0.0183" },
	{ SEEK, "deepseek-flash", .u = { .in = 1000000, .cached_read = 900000, .out = 1000 }, AT(0, 4), .sum = "0.0183" },
	{ SEEK, "deepseek-flash", .u = { .in = 1000000, .cached_read = 900000, .out = 1000 }, AT(0, 10), .sum = "0.0183" },
	{ SEEK, "deepseek-flash", .u = { .in = 1000000, .cached_read = 900000, .out = 1000 }, AT(0, 0), .sum = "0.0183" },
	{ SEEK, "deepseek-flash", .u = { .in = 1000000, .cached_read = 900000, .out = 1000 }, AT(5, 2), .sum = "0.0183" },
	/* 1000 x 1.32 + 10 x 3.96: at one, when the peak begins */
	{ SEEK, "deepseek-v4-pro", .u = { .in = 1000, .out = 10 }, AT(4, 1), .sum = "0.0013596" },
	/* what the provider says, whatever its tokens cost; and its tokens where it says nothing */
	{ OTHER, .own = &told, .u = { .in = 100, .out = 100, .billed = true, .bill = 3775600 }, .sum = "0.0037756" },
	{ OTHER, .own = &told, .u = { .in = 100, .out = 100, .billed = true }, .sum = "0" },
	{ OTHER, .own = &told, .u = { .in = 100, .out = 100 }, .sum = "0.0002" },
	{ OTHER, .own = &only_told, .u = { .in = 100, .out = 100, .billed = true, .bill = 140000 }, .sum = "0.00014" },
	/* 100 x 1 + 200 x 1 + 0.005: a fee for each call */
	{ "docs.perplexity.ai/getting-started/pricing, 2025", .own = &fee, .u = { .in = 100, .out = 200 }, .sum = "0.0053" },
};
/* clang-format on */

static struct price price_of(size_t i)
{
	struct price p =
		examples[i].own ? *examples[i].own : price_table_find(str_of(examples[i].model));

	assert_true(p.known || p.reported);
	p.hourless = !examples[i].model || !str_starts(str_of(examples[i].model), STR("claude"));
	price_fill(&p);
	return p;
}

static void a_call_costs_its_published_price(void **state)
{
	char text[MONEY_TEXT];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
		struct price p = price_of(i);

		money_print(price_cost(&p, &examples[i].u, examples[i].at_ms), text);
		if (strcmp(text, examples[i].sum) != 0)
			fail_msg("%zu %s: %s, not %s (%s)", i,
				 examples[i].model ? examples[i].model : "own", text,
				 examples[i].sum, examples[i].source);
	}
}

/* What was reserved for the call is enough, whatever class and hour it has had. */
static void what_is_reserved_pays_for_it(void **state)
{
	static const enum usage_class asked[] = { CLASS_UNTOLD, CLASS_STANDARD };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
		const struct usage *u = &examples[i].u;
		struct price        p = price_of(i);

		if (u->billed)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(asked); k++) {
			enum usage_class class = u->class ? (enum usage_class)u->class : asked[k];
			struct price most = price_dearest(&p, u->in, class);

			assert_null(most.rules);
			if (price_most(&most, u->in, u->out, 1) <
			    price_cost(&p, u, examples[i].at_ms))
				fail_msg("%zu", i);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_costs_its_published_price),
		cmocka_unit_test(what_is_reserved_pays_for_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
