/* Reads the price of a model, and the file with prices. */
#include "config/internal.h"

#include "base/limits.h"
#include "config/config.h"
#include "provider/price_file.h"

#include <string.h>

/* A price on its way. */
struct price_draft {
	struct price       *price;
	struct price_rules *rules;
	struct price_layer *layers; /* room for all tiers and hours */
};

/* A tier, or hours. */
struct layer_draft {
	struct price_layer *layer;
	int64_t             above;
	bool                tier, timed; /* it is a tier; it has its hours */
};

static const char *const price_day_names[] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };

/* --- one price --- */

enum { PRICE_OF_TOKENS = PRICE_IMAGE }; /* how many rates are for tokens; they come first */

/* read_rate: *ret_known: whether the key names one of the first `count` rates. */
static enum errc price_read_rate(struct config *c, const struct config_node *n, size_t count,
				 int64_t *rates, bool *ret_known, struct err *e)
{
	*ret_known = false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(price_rate_name[i], n->key) != 0)
			continue;
		*ret_known = true;
		enum errc rc = config_row_value(c, n, e);
		if (rc != ERR_OK || money_read(n->text, &rates[i]))
			return rc;
		return config_row_fail(c, n,
				       i < PRICE_OF_TOKENS
					       ? "must be a price for a million tokens, as 0.15: "
						 "digits, and up to nine after a point"
					       : "must be a price for one, as 0.15: digits, and up "
						 "to nine after a point",
				       e);
	}
	return ERR_OK;
}

/* rate_keys: the names of rates, and then others: *ret has room for all. */
static size_t rate_keys(size_t rates, const char *const *others, size_t count, const char **ret)
{
	for (size_t i = 0; i < rates; i++)
		ret[i] = price_rate_name[i];
	for (size_t i = 0; i < count; i++)
		ret[rates + i] = others[i];
	return rates + count;
}

/* --- tiers and hours --- */

static enum errc read_days(struct config *c, const struct config_node *list, uint8_t *ret,
			   struct err *e)
{
	enum errc rc = config_row_kind(c, list, CONFIG_SEQUENCE, e);

	*ret = 0;
	for (const struct config_node *n = rc == ERR_OK ? list->first : NULL; n; n = n->next) {
		bool known = false;

		rc = config_row_value(c, n, e);
		if (rc != ERR_OK)
			return rc;
		for (size_t i = 0; i < ARRAY_LEN(price_day_names); i++)
			if (str_is(n->text, price_day_names[i])) {
				*ret |= (uint8_t)(1 << i);
				known = true;
			}
		if (!known)
			return config_row_fail(c, n,
					       "is no day: mon, tue, wed, thu, fri, sat or sun", e);
	}
	if (rc == ERR_OK && *ret == 0)
		return config_row_fail(c, list, "has to name a day; leave it out for all", e);
	return rc;
}

static enum errc read_layer_member(struct config *c, const struct config_node *n, void *row,
				   struct err *e)
{
	static const struct config_rule tokens = { CONFIG_INT, 1, PRICE_TOKENS, "" };
	static const char *const tier_keys[] = { "above" }, *const hour_keys[] = { "utc", "days" };
	struct layer_draft *d = row;
	struct config_place at = config_memory_node(c, n);
	const char         *keys[PRICE__RATES + 2];
	bool                known;
	enum errc           rc = price_read_rate(c, n, PRICE_OF_TOKENS, d->layer->rates, &known, e);

	if (rc != ERR_OK || known)
		return rc;
	if (!d->tier && strcmp(n->key, "days") == 0)
		return read_days(c, n, &d->layer->days, e);
	if (!d->tier && strcmp(n->key, "utc") == 0) {
		rc = config_row_value(c, n, e);
		d->timed = true;
		if (rc == ERR_OK && !price_hours(n->text, &d->layer->from, &d->layer->to))
			return config_row_fail(c, n, "must be hours in UTC, as \"16:30-00:30\"", e);
		return rc;
	}
	if (d->tier && strcmp(n->key, "above") == 0) {
		rc = config_row_value(c, n, e);
		return rc == ERR_OK ? config_value_read(&tokens, n->text, NULL, &at, &d->above, e)
				    : rc;
	}
	size_t count = d->tier ? rate_keys(PRICE_OF_TOKENS, tier_keys, ARRAY_LEN(tier_keys), keys)
			       : rate_keys(PRICE_OF_TOKENS, hour_keys, ARRAY_LEN(hour_keys), keys);
	return config_row_unknown(c, n, keys, count, e);
}

static enum errc check_layer(struct config *c, const struct config_node *map,
			     const struct price_draft *p, const struct layer_draft *d,
			     struct err *e)
{
	bool any = false;

	for (size_t i = 0; i < PRICE__RATES; i++)
		any = any || d->layer->rates[i] >= 0;
	if (d->tier && d->above == 0)
		return config_file_find(map, "above")
			       ? ERR_OK
			       : config_row_fail(c, map, "a tier needs above, as 272000", e);
	if (!d->tier && !d->timed)
		return config_row_fail(c, map, "hours need utc, as \"16:30-00:30\"", e);
	for (size_t i = 0; d->tier && i < p->rules->count; i++)
		if (p->layers[i].above == d->above)
			return config_row_fail(c, map, "a second tier above these tokens", e);
	/* A price that is wrong was told already. */
	return any || c->memory->mistakes.count > 0
		       ? ERR_OK
		       : config_row_fail(c, map, "has no price of its own", e);
}

static enum errc read_layer(struct config *c, const struct config_node *map, bool tier,
			    struct price_draft *p, struct err *e)
{
	static const struct config_row row = { NULL, 0, read_layer_member };
	struct price_layer            *l = &p->layers[p->rules->count];
	struct layer_draft             d = { .layer = l, .tier = tier };

	*l = (struct price_layer){ .days = tier ? 0 : 0x7f };
	price_unset(l->rates);
	enum errc rc = config_row_read(c, map, &row, &d, e);
	if (rc == ERR_OK)
		rc = check_layer(c, map, p, &d, e);
	l->above = d.above;
	p->rules->count++;
	return rc;
}

static enum errc read_layers(struct config *c, const struct config_node *list, bool tier,
			     struct price_draft *p, struct err *e)
{
	enum errc rc = config_row_kind(c, list, CONFIG_SEQUENCE, e);

	if (rc == ERR_OK && list->count > LIMIT_PRICE_TIERS)
		return config_row_fail(c, list, "too many; at most 32", e);
	for (const struct config_node *n = rc == ERR_OK ? list->first : NULL; n && rc == ERR_OK;
	     n = n->next)
		rc = config_memory_note(c, read_layer(c, n, tier, p, e), e);
	return rc;
}

/* --- classes --- */

static enum errc read_factor(struct config *c, const struct config_node *n, void *row,
			     struct err *e)
{
	struct price_rules *rules = row;
	const char         *names[CLASS__COUNT];
	size_t              count = 0;
	enum errc           rc = config_row_value(c, n, e);

	for (int k = CLASS_STANDARD + 1; rc == ERR_OK && k < CLASS__COUNT; k++) {
		names[count++] = usage_class_word((enum usage_class)k);
		if (strcmp(names[count - 1], n->key) != 0)
			continue;
		if (money_read_most(n->text, PRICE_FACTOR, &rules->factor[k]) &&
		    rules->factor[k] > 0)
			return ERR_OK;
		return config_row_fail(c, n, "must be a factor above 0, up to 50, as 0.5", e);
	}
	return rc == ERR_OK ? config_row_unknown(c, n, names, count, e) : rc;
}

/* --- all of it --- */

static enum errc read_price_member(struct config *c, const struct config_node *n, void *row,
				   struct err *e)
{
	static const struct config_row   classes = { NULL, 0, read_factor };
	static const struct config_field reported = { "reported", { CONFIG_BOOL, 0, 0, "" }, 0 };
	static const char *const         others[] = { "tiers", "classes", "hours", "reported" };
	struct price_draft              *p = row;
	const char                      *keys[PRICE__RATES + ARRAY_LEN(others)];
	bool                             known;
	enum errc rc = price_read_rate(c, n, PRICE__RATES, p->price->rates, &known, e);

	if (rc != ERR_OK || known)
		return rc;
	if (strcmp(n->key, "tiers") == 0)
		return read_layers(c, n, true, p, e);
	if (strcmp(n->key, "hours") == 0)
		return read_layers(c, n, false, p, e);
	if (strcmp(n->key, "classes") == 0)
		return config_row_read(c, n, &classes, p->rules, e);
	if (strcmp(n->key, "reported") == 0)
		return config_row_field(c, n, &reported, 1, &p->price->reported, &known, e);
	return config_row_unknown(c, n, keys,
				  rate_keys(PRICE__RATES, others, ARRAY_LEN(others), keys), e);
}

/* price_alone: whether the price says no more than that the provider tells the cost. */
static bool price_alone(const struct config_node *map, const struct price *p)
{
	return p->reported && map->count == 1;
}

static void price_done(struct price_draft *p)
{
	bool any = p->rules->count > 0;

	for (size_t i = 0; i < CLASS__COUNT; i++)
		any = any || p->rules->factor[i] > 0;
	memcpy(p->rules->base, p->price->rates, sizeof p->rules->base);
	p->rules->layers = p->layers;
	p->price->rules = any ? p->rules : NULL;
	p->price->known = true;
}

enum errc config_price_read(struct config *c, const struct config_node *map, struct price *ret,
			    struct err *e)
{
	static const struct config_row price = { NULL, 0, read_price_member };
	struct price_draft             p = {
			    .price = ret,
			    .rules = config_memory_alloc(c, sizeof *p.rules, e),
			    .layers = config_memory_alloc(c, 2 * LIMIT_PRICE_TIERS * sizeof *p.layers, e),
	};

	if (!p.rules || !p.layers)
		return ERR_INTERNAL;
	*ret = (struct price){ .source = PRICE_OWN };
	price_unset(ret->rates);
	enum errc rc = config_row_read(c, map, &price, &p, e);
	if (rc != ERR_OK || price_alone(map, ret))
		return rc;
	if (ret->input < 0 || ret->output < 0) {
		const char *key = ret->input < 0 ? "input" : "output";

		rc = config_file_find(map, key)
			     ? ERR_OK
			     : config_row_fail(c, map, "a price needs input and output", e);
	}
	price_done(&p);
	return rc;
}

/* --- printing --- */

static bool price_put_rates(struct buf *out, const int64_t *rates, bool *first)
{
	char text[MONEY_TEXT];

	for (size_t i = 0; i < PRICE__RATES; i++) {
		if (rates[i] < 0)
			continue;
		if (!buf_fmt(out, "%s%s: %s", *first ? "" : ", ", price_rate_name[i],
			     money_print(rates[i], text)))
			return false;
		*first = false;
	}
	return true;
}

static bool put_days(struct buf *out, uint8_t days)
{
	bool ok = true, first = true;

	if (days == 0x7f)
		return true;
	ok = buf_text(out, ", days: [");
	for (size_t i = 0; ok && i < ARRAY_LEN(price_day_names); i++)
		if (days & (1 << i)) {
			ok = buf_fmt(out, "%s%s", first ? "" : ", ", price_day_names[i]);
			first = false;
		}
	return ok && buf_text(out, "]");
}

/* put_layers: the tiers, or the hours. */
static bool put_layers(struct buf *out, const struct price_rules *rules, bool tiers)
{
	bool ok = true, any = false;

	for (size_t i = 0; ok && i < rules->count; i++) {
		const struct price_layer *l = &rules->layers[i];
		bool                      first = false;

		if (tiers != (l->days == 0))
			continue;
		ok = buf_text(out, any ? ", {" : tiers ? ", tiers: [{" : ", hours: [{");
		any = true;
		if (tiers)
			ok = ok && buf_fmt(out, "above: %lld", (long long)l->above);
		else
			ok = ok &&
			     buf_fmt(out, "utc: \"%02d:%02d-%02d:%02d\"", l->from / 60,
				     l->from % 60, l->to / 60, l->to % 60) &&
			     put_days(out, l->days);
		ok = ok && price_put_rates(out, l->rates, &first) && buf_text(out, "}");
	}
	return ok && (!any || buf_text(out, "]"));
}

static bool put_classes(struct buf *out, const struct price_rules *rules)
{
	char text[MONEY_TEXT];
	bool ok = true, any = false;

	for (size_t i = 0; ok && i < CLASS__COUNT; i++) {
		if (rules->factor[i] == 0)
			continue;
		ok = buf_fmt(out, "%s%s: %s", any ? ", " : ", classes: {",
			     usage_class_word((enum usage_class)i),
			     money_print(rules->factor[i], text));
		any = true;
	}
	return ok && (!any || buf_text(out, "}"));
}

bool config_price_put(struct buf *out, const struct price *p)
{
	bool first = true;

	if (!p->known)
		return !p->reported || buf_text(out, "    price: {reported: true}\n");
	return buf_text(out, "    price: {") && price_put_rates(out, p->rates, &first) &&
	       (!p->rules || (put_layers(out, p->rules, true) && put_classes(out, p->rules) &&
			      put_layers(out, p->rules, false))) &&
	       (!p->reported || buf_text(out, ", reported: true")) && buf_text(out, "}\n");
}

/* --- the file --- */

enum errc config_price_load(struct config *c, struct err *e)
{
	struct config_place at = config_memory_place(c, CONFIG_OPTION_prices);

	if (!c->prices[0] || price_file_read(c->prices, &c->memory->prices, e) == ERR_OK)
		return ERR_OK;
	struct err why = *e;
	return config_place_fail(&at, e, "%s: %s%s%s", c->prices, why.path, why.path[0] ? ": " : "",
				 why.text);
}
