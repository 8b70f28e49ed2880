/* The arithmetic of prices.  A rate is at most 1e17, tokens are 1e9, and a factor is 5e10: their product, a dozen
 * times over, has room in 128 bits. */
#include "msg/price.h"

#include <string.h>

#define MILLION 1000000
#define MINUTE  ((int64_t)60000)
#define DAY     ((int64_t)1440)

__extension__ typedef unsigned __int128 wide;

const char *const price_rate_name[] = {
	[PRICE_INPUT] = "input",
	[PRICE_OUTPUT] = "output",
	[PRICE_CACHED] = "cached",
	[PRICE_CACHE_WRITE] = "cache_write",
	[PRICE_CACHE_WRITE_1H] = "cache_write_1h",
	[PRICE_REASONING] = "reasoning",
	[PRICE_AUDIO_IN] = "audio_in",
	[PRICE_AUDIO_OUT] = "audio_out",
	[PRICE_IMAGE] = "image",
	[PRICE_CALL] = "call",
};

const char *price_source_word(enum price_source source)
{
	switch (source) {
	case PRICE_OWN: return "own";
	case PRICE_FILE: return "file";
	case PRICE_TABLE: return "table";
	case PRICE_NOWHERE: break;
	}
	return "none";
}

static int64_t price_larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t price_smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t price_tokens(int64_t n)
{
	return price_smaller(price_larger(n, 0), PRICE_TOKENS);
}

static int64_t price_some(int64_t n, int64_t all)
{
	return price_smaller(price_tokens(n), all);
}

/* --- rates that are not set --- */

void price_unset(int64_t rates[PRICE__RATES])
{
	for (size_t i = 0; i < PRICE__RATES; i++)
		rates[i] = PRICE_UNSET;
}

/* price_default: what a rate is if it is not set.  What stays for an hour costs twice its input: Anthropic's
 * factor. */
static int64_t price_default(const int64_t *rates, size_t i, bool hourless)
{
	switch ((enum price_rate)i) {
	case PRICE_CACHED:
	case PRICE_CACHE_WRITE:
	case PRICE_AUDIO_IN: return rates[PRICE_INPUT];
	case PRICE_CACHE_WRITE_1H:
		return hourless ? rates[PRICE_CACHE_WRITE]
				: price_smaller(2 * rates[PRICE_INPUT], MONEY_MOST);
	case PRICE_REASONING:
	case PRICE_AUDIO_OUT: return rates[PRICE_OUTPUT];
	case PRICE_INPUT:
	case PRICE_OUTPUT:
	case PRICE_IMAGE:
	case PRICE_CALL:
	case PRICE__RATES: break;
	}
	return 0;
}

static void fill_rates(int64_t *rates, bool hourless)
{
	for (size_t i = 0; i < PRICE__RATES; i++)
		if (rates[i] < 0)
			rates[i] = price_default(rates, i, hourless);
}

void price_fill(struct price *p)
{
	fill_rates(p->rates, p->hourless);
}

/* --- hours --- */

/* digits_at: the number that begins at *s, and ends before a character; -1: none. */
static int64_t digits_at(struct str *s, char end)
{
	int64_t v = 0;
	size_t  i = 0;

	for (; i < s->n && i < 2 && s->p[i] >= '0' && s->p[i] <= '9'; i++)
		v = v * 10 + (s->p[i] - '0');
	if (i == 0 || (end && (i == s->n || s->p[i] != end)) || (!end && i < s->n))
		return -1;
	i += end != '\0';
	*s = (struct str){ s->p + i, s->n - i };
	return v;
}

bool price_hours(struct str text, uint16_t *ret_from, uint16_t *ret_to)
{
	int64_t at[4];
	char    ends[] = { ':', '-', ':', '\0' };

	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		at[i] = digits_at(&text, ends[i]);
	if (at[0] < 0 || at[0] > 23 || at[1] < 0 || at[1] > 59 || at[2] < 0 || at[2] > 24 ||
	    at[3] < 0 || at[3] > 59 || (at[2] == 24 && at[3] > 0))
		return false;
	*ret_from = (uint16_t)(at[0] * 60 + at[1]);
	*ret_to = (uint16_t)(at[2] % 24 * 60 + at[3]);
	return true;
}

/* --- the rates of a call --- */

static void lay_over(int64_t *rates, const struct price_layer *l)
{
	for (size_t i = 0; l && i < PRICE__RATES; i++)
		if (l->rates[i] >= 0)
			rates[i] = l->rates[i];
}

/* layer_now: whether the time is in the layer's hours.  Those that end on the next day belong to the day on which
 * they begin.  The first of January 1970 was a Thursday. */
static bool layer_now(const struct price_layer *l, int64_t at_ms)
{
	int64_t minute = at_ms / MINUTE % DAY;
	int64_t day = (at_ms / MINUTE / DAY + 3) % 7;
	int64_t to = l->to > l->from ? l->to : l->to + DAY;

	if ((l->days & (1 << day)) && minute >= l->from && minute < to)
		return true;
	return (l->days & (1 << ((day + 6) % 7))) && minute + DAY < to;
}

/* layer_of: the layer of a class, and of the highest tier below the prompt; above the base: only a tier's. */
static const struct price_layer *layer_of(const struct price_rules *rules, enum usage_class class,
					  int64_t                   prompt)
{
	const struct price_layer *best = NULL;

	for (size_t i = 0; i < rules->count; i++) {
		const struct price_layer *l = &rules->layers[i];

		if (!l->days && l->class == class && l->above > 0 && l->above < prompt &&
		    (!best || l->above > best->above))
			best = l;
	}
	return best;
}

/* class_rates: lays the rates of a class over the others; false: it has none. */
static bool class_rates(const struct price_rules *rules, enum usage_class class, int64_t prompt,
			int64_t *rates)
{
	bool any = false;

	for (size_t i = 0; class != CLASS_UNTOLD && i < rules->count; i++) {
		const struct price_layer *l = &rules->layers[i];

		if (l->class != class)
			continue;
		any = true;
		if (l->above == 0)
			lay_over(rates, l);
	}
	if (any)
		lay_over(rates, layer_of(rules, class, prompt));
	return any;
}

/* rates_of: the rates of a call.  Result: the factor of its class. */
static int64_t rates_of(const struct price *p, const struct usage *u, int64_t at_ms, int64_t *rates)
{
	const struct price_rules *rules = p->rules;
	int64_t                   prompt = price_tokens(u->in);
	enum usage_class class =
		u->class < CLASS__COUNT ? (enum usage_class)u->class : CLASS_UNTOLD;
	int64_t factor = rules->factor[class];

	memcpy(rates, rules->base, sizeof rules->base);
	for (size_t i = 0; i < rules->count; i++)
		if (rules->layers[i].days && layer_now(&rules->layers[i], at_ms)) {
			lay_over(rates, &rules->layers[i]);
			break;
		}
	lay_over(rates, layer_of(rules, CLASS_UNTOLD, prompt));
	if (class_rates(rules, class, prompt, rates) || factor == 0)
		factor = MONEY_ONE;
	fill_rates(rates, p->hourless);
	return factor;
}

int64_t price_tier(const struct price *p, int64_t prompt)
{
	const struct price_layer *l =
		p->rules ? layer_of(p->rules, CLASS_UNTOLD, price_tokens(prompt)) : NULL;

	return l ? l->above : 0;
}

/* --- costs --- */

/* price_sum: the sum over parts of tokens and their price, and of what is paid beside, times the factor. */
static int64_t price_sum(const int64_t parts[][2], size_t count, wide beside, int64_t factor)
{
	wide v = beside * MILLION;
	wide by = MILLION;

	for (size_t i = 0; i < count; i++)
		v += (wide)(uint64_t)parts[i][0] * (uint64_t)parts[i][1];
	if (factor != MONEY_ONE) {
		v *= (uint64_t)factor;
		by *= MONEY_ONE;
	}
	v = (v + by - 1) / by;
	return v > (wide)MONEY_MOST ? MONEY_MOST : (int64_t)v;
}

static int64_t cost_at(const int64_t *rates, const struct usage *u, int64_t factor)
{
	int64_t in = price_tokens(u->in);
	int64_t out = price_tokens(u->out);
	int64_t read = price_some(u->cached_read, in);
	int64_t written = price_some(u->cached_write, in - read);
	int64_t hour = price_some(u->cached_hour, written);
	int64_t heard = price_some(u->audio_in, in - read - written);
	int64_t thought = price_some(u->reasoning, out);
	int64_t said = price_some(u->audio_out, out - thought);
	int64_t drawn = rates[PRICE_IMAGE] > 0 ? price_some(u->image_out, out - thought - said) : 0;
	int64_t images = price_some(u->images, PRICE_IMAGES);

	return price_sum(
		(const int64_t[][2]){ { in - read - written - heard, rates[PRICE_INPUT] },
				      { read, rates[PRICE_CACHED] },
				      { written - hour, rates[PRICE_CACHE_WRITE] },
				      { hour, rates[PRICE_CACHE_WRITE_1H] },
				      { heard, rates[PRICE_AUDIO_IN] },
				      { out - thought - said - drawn, rates[PRICE_OUTPUT] },
				      { thought, rates[PRICE_REASONING] },
				      { said, rates[PRICE_AUDIO_OUT] } },
		8,
		(wide)(uint64_t)images * (uint64_t)rates[PRICE_IMAGE] + (uint64_t)rates[PRICE_CALL],
		factor);
}

bool price_told(const struct price *p, const struct usage *u)
{
	return p->reported && u->billed;
}

int64_t price_cost(const struct price *p, const struct usage *u, int64_t at_ms)
{
	int64_t rates[PRICE__RATES];

	if (price_told(p, u))
		return price_smaller(price_larger(u->bill, 0), MONEY_MOST);
	if (!p->known)
		return 0;
	if (!p->rules)
		return cost_at(p->rates, u, MONEY_ONE);
	int64_t factor = rates_of(p, u, at_ms, rates);
	return cost_at(rates, u, factor);
}

/* --- the most that may be --- */

/* class_may: whether a class may serve a call.  Who asks for one gets it, or the standard; who asks for none may
 * get any but a batch's, by the settings of the provider's account. */
static bool class_may(enum usage_class class, enum usage_class asked)
{
	if (class == CLASS_UNTOLD || class == CLASS_STANDARD || class == asked)
		return true;
	return asked == CLASS_UNTOLD && class != CLASS_BATCH;
}

static int64_t times_up(int64_t rate, int64_t factor)
{
	return (int64_t)(((wide)(uint64_t)rate * (uint64_t)factor + MONEY_ONE - 1) / MONEY_ONE);
}

struct price price_dearest(const struct price *p, int64_t prompt, enum usage_class asked)
{
	const struct price_rules *rules = p->rules;
	struct price              most = *p;
	int64_t                   factor = MONEY_ONE;

	most.rules = NULL;
	if (!rules)
		return most;
	memcpy(most.rates, rules->base, sizeof rules->base);
	for (size_t i = 0; i < rules->count; i++) {
		const struct price_layer *l = &rules->layers[i];

		if (l->above >= price_larger(prompt, 1) || !class_may(l->class, asked))
			continue;
		for (size_t k = 0; k < PRICE__RATES; k++)
			most.rates[k] = price_larger(most.rates[k], l->rates[k]);
	}
	for (size_t k = 0; k < PRICE__RATES; k++)
		if (rules->base[k] < 0)
			most.rates[k] = price_larger(most.rates[k],
						     price_default(most.rates, k, p->hourless));
	for (size_t c = 0; c < CLASS__COUNT; c++)
		if (class_may((enum usage_class)c, asked))
			factor = price_larger(factor, rules->factor[c]);
	for (size_t k = 0; factor != MONEY_ONE && k < PRICE__RATES; k++)
		most.rates[k] = times_up(most.rates[k], factor);
	return most;
}

static int64_t price_out(const struct price *p)
{
	return price_larger(price_larger(p->output, p->reasoning), p->audio_out);
}

int64_t price_most(const struct price *p, int64_t in, int64_t out, int64_t answers)
{
	wide beside = 0;

	if (!p->known)
		return 0;
	if (answers > 0)
		beside = (wide)(uint64_t)p->image * PRICE_IMAGES * (uint64_t)answers +
			 (uint64_t)p->call;
	return price_sum(
		(const int64_t[][2]){
			{ price_tokens(in),
			  price_larger(price_larger(price_larger(p->input, p->cached), p->audio_in),
				       price_larger(p->cache_write, p->cache_write_1h)) },
			{ price_tokens(out), price_out(p) } },
		2, beside, MONEY_ONE);
}

int64_t price_tokens_for(const struct price *p, int64_t nano)
{
	int64_t each = price_out(p);

	if (nano <= 0)
		return 0;
	wide n = each > 0 ? (wide)(uint64_t)nano * MILLION / (uint64_t)each : PRICE_TOKENS;
	return n > (wide)PRICE_TOKENS ? PRICE_TOKENS : (int64_t)n;
}

void price_dearer(struct price *a, const struct price *b)
{
	for (size_t i = 0; i < PRICE__RATES; i++)
		a->rates[i] = price_larger(a->rates[i], b->rates[i]);
}
