/* The table of prices and limits, and the look-up by a model's name or dated version. */
#include "provider/price_table.h"

#include <pthread.h>
#include <string.h>

#define HALF "0.5"
/* Rows say with these on what their prices depend. */
#define PLAIN        .above = 0
#define BATCH        .batch = HALF
#define FLEX         .flex = HALF, .batch = HALF
#define PRIORITY(p)  .priority = (p), .batch = HALF
#define SERVED(p)    .flex = HALF, .priority = (p), .batch = HALF
#define FAST(f)      .fast = (f)
#define ULTRAFAST(f) .ultrafast = (f)
/* The input of longer prompts, cached or not, costs so many times as much, and their output. */
#define LONG(tokens, in, out) .above = (tokens), .long_in = (in), .long_out = (out)
#define KEPT(p)               .kept = (p) /* written to the cache for half a day */
#define HEARS(p)              .audio_in = (p)
#define AUDIO(in, out)        .audio_in = (in), .audio_out = (out)
#define OFF_PEAK              .off_peak = true

static const struct price_row {
	struct str          name;
	const char         *input, *cached, *cache_write, *output;
	struct table_limits limits;
	struct price_plan {
		int64_t     above;
		const char *long_in, *long_out;
		const char *flex, *priority, *batch, *fast, *ultrafast; /* factors */
		const char *kept, *audio_in, *audio_out;
		bool        off_peak; /* DeepSeek's: half the price */
	} plan;
} rows[] = {
#define X(name, input, cached, cache_write, output, context, most, thinks, ...)    \
	{ { name, sizeof(name) - 1 }, input,          cached, cache_write, output, \
	  { context, most, thinks },  { __VA_ARGS__ } },
#include "provider/price_table.def"
#undef X
};

/* DeepSeek's hours of half the price, from 2026-08 on (api-docs.deepseek.com/quick_start/pricing): all but 01:00 to
 * 04:00 and 06:00 to 10:00 UTC from Monday to Friday. */
enum { WEEK = 0x1f, WEEKEND = 0x60 };
static const struct {
	uint8_t  days;
	uint16_t from, to; /* hours */
} off_peak[] = { { WEEK, 0, 1 }, { WEEK, 4, 6 }, { WEEK, 10, 0 }, { WEEKEND, 0, 0 } };

enum { VERSION_MOST = 16 }; /* bytes of a version; none has so many */
enum { TABLE_LAYERS = ARRAY_LEN(off_peak) };

/* The rows as numbers. */
static struct table_price {
	struct price       price;
	struct price_rules rules;
	struct price_layer layers[TABLE_LAYERS];
} table[ARRAY_LEN(rows)];

/* is_version: whether the end of a name ("-2024-08-06", "-20250929", "-latest") names a version of
 * the same model. */
static bool is_version(struct str s)
{
	size_t digits = 0;

	if (s.n == 0 || str_is(s, "-latest"))
		return true;
	if (s.p[0] != '-' && s.p[0] != '@')
		return false;
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] != '-' && (s.p[i] < '0' || s.p[i] > '9'))
			return false;
		digits += s.p[i] != '-';
	}
	return digits == 8;
}

/* --- making the table --- */

static int64_t price_table_money(const char *text, int64_t otherwise)
{
	int64_t v = otherwise;

	CHECK(!text || !text[0] || money_read(str_of(text), &v));
	return v;
}

static int64_t price_times(int64_t rate, int64_t factor)
{
	return rate / (MONEY_ONE / 1000) * factor / 1000 +
	       rate % (MONEY_ONE / 1000) * factor / MONEY_ONE;
}

static void add_long(struct table_price *t, const struct price_plan *plan)
{
	struct price_layer *l = &t->layers[t->rules.count++];
	const int64_t      *base = t->rules.base;
	int64_t             in = price_table_money(plan->long_in, MONEY_ONE);
	int64_t             out = price_table_money(plan->long_out, MONEY_ONE);

	l->above = plan->above;
	price_unset(l->rates);
	for (size_t i = 0; i < PRICE__RATES; i++)
		if (base[i] >= 0)
			l->rates[i] = price_times(base[i], i == PRICE_OUTPUT ? out : in);
}

static void add_off_peak(struct table_price *t)
{
	for (size_t k = 0; k < ARRAY_LEN(off_peak); k++) {
		struct price_layer *l = &t->layers[t->rules.count++];

		l->days = off_peak[k].days;
		l->from = (uint16_t)(off_peak[k].from * 60);
		l->to = (uint16_t)(off_peak[k].to * 60);
		for (size_t i = 0; i < PRICE__RATES; i++)
			l->rates[i] = t->rules.base[i] < 0 ? PRICE_UNSET : t->rules.base[i] / 2;
	}
}

static void make_row(struct table_price *t, const struct price_row *row)
{
	const struct price_plan *plan = &row->plan;
	int64_t                 *base = t->rules.base;
	int64_t                 *factor = t->rules.factor;

	price_unset(base);
	base[PRICE_INPUT] = price_table_money(row->input, 0);
	base[PRICE_OUTPUT] = price_table_money(row->output, 0);
	base[PRICE_CACHED] = price_table_money(row->cached, PRICE_UNSET);
	base[PRICE_CACHE_WRITE] = price_table_money(row->cache_write, PRICE_UNSET);
	base[PRICE_CACHE_WRITE_1H] = price_table_money(plan->kept, PRICE_UNSET);
	base[PRICE_AUDIO_IN] = price_table_money(plan->audio_in, PRICE_UNSET);
	base[PRICE_AUDIO_OUT] = price_table_money(plan->audio_out, PRICE_UNSET);
	factor[CLASS_FLEX] = price_table_money(plan->flex, 0);
	factor[CLASS_PRIORITY] = price_table_money(plan->priority, 0);
	factor[CLASS_BATCH] = price_table_money(plan->batch, 0);
	factor[CLASS_FAST] = price_table_money(plan->fast, 0);
	factor[CLASS_ULTRAFAST] = price_table_money(plan->ultrafast, 0);
	t->rules.layers = t->layers;
	if (plan->above > 0)
		add_long(t, plan);
	if (plan->off_peak)
		add_off_peak(t);
	t->price = (struct price){ .known = true, .source = PRICE_TABLE, .rules = &t->rules };
	for (size_t i = 0; i < PRICE__RATES; i++)
		t->price.rates[i] = base[i];
	for (size_t c = 0; c < CLASS__COUNT; c++)
		if (factor[c] > 0 || t->rules.count > 0)
			return;
	t->price.rules = NULL;
}

static void make_table(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		make_row(&table[i], &rows[i]);
}

/* --- looking up --- */

/* price_table_row: ARRAY_LEN(rows): the table does not have the model. */
static size_t price_table_row(struct str model)
{
	static const char first[] = "cdgot"; /* letters of the rows' names */
	size_t            i = 0;

	if (model.n == 0 || !memchr(first, model.p[0], sizeof first - 1))
		return ARRAY_LEN(rows);
	for (; i < ARRAY_LEN(rows); i++) {
		struct str name = rows[i].name;
		size_t     more = model.n - name.n; /* or, of a shorter name, a huge number */

		if (more < VERSION_MOST && model.p[0] == name.p[0] && str_starts(model, name) &&
		    is_version((struct str){ model.p + name.n, more }))
			break;
	}
	return i;
}

struct price price_table_find(struct str model)
{
	static pthread_once_t made = PTHREAD_ONCE_INIT;
	size_t                i = price_table_row(model);

	if (i == ARRAY_LEN(rows))
		return (struct price){ .known = false };
	CHECK(pthread_once(&made, make_table) == 0);
	return table[i].price;
}

struct table_limits price_table_limits(struct str model)
{
	size_t i = price_table_row(model);

	return i < ARRAY_LEN(rows) ? rows[i].limits : (struct table_limits){ 0 };
}
