/* Reads a list of prices.  What it does not know there, it leaves out; what it knows has to be right. */
#include "provider/price_file.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct price_file_row {
	struct str   name;
	struct str   after; /* the part of the name after its first slash; empty: it has none */
	struct price price;
};

struct price_file {
	atomic_int              refs;
	char                   *path;
	const char             *form;
	int64_t                 date_s;
	struct arena            memory;
	struct price_file_row  *rows; /* in the arena, by their names */
	struct price_file_row **ends; /* rows with a slash, by what comes after it */
	size_t                  count, room, end_count;
};

static const struct json_limits price_file_limits = { .depth = 16,
						      .tokens = LIMIT_PRICES_TOKENS,
						      .unique = 6 };

struct price_file *price_file_hold(const struct price_file *f)
{
	struct price_file *held = (struct price_file *)(uintptr_t)f;

	atomic_fetch_add(&held->refs, 1);
	return held;
}

void price_file_release(struct price_file *f)
{
	if (!f || atomic_fetch_sub(&f->refs, 1) > 1)
		return;
	arena_finish(&f->memory);
	free(f->path);
	free(f);
}

/* --- an entry --- */

/* An entry on its way. */
struct entry {
	const struct json_doc *doc;
	struct buf             name;
	struct price_rules     rules;
	struct price_layer     layers[PRICE_LAYERS];
};

static enum errc price_file_bad(const struct entry *x, struct str key, const char *what,
				struct err *e)
{
	struct str name = buf_view(&x->name);

	if (name.n > 120)
		name.n = 120;
	if (key.n > 80)
		key.n = 80;
	return err_set(e, ERR_INVALID_VALUE, NULL, "%.*s: %.*s %s", STR_ARG(name), STR_ARG(key),
		       what);
}

/* entry_layer: the rates of a tier or class; NULL: there are too many. */
static int64_t *entry_layer(struct entry *x, enum usage_class class, int64_t above)
{
	struct price_rules *rules = &x->rules;

	if (class == CLASS_UNTOLD && above == 0)
		return rules->base;
	for (size_t i = 0; i < rules->count; i++)
		if (!x->layers[i].days && x->layers[i].class == class &&
		    x->layers[i].above == above)
			return x->layers[i].rates;
	if (rules->count == PRICE_LAYERS)
		return NULL;
	struct price_layer *l = &x->layers[rules->count++];
	*l = (struct price_layer){ .class = class, .above = above };
	price_unset(l->rates);
	return l->rates;
}

/* entry_rate: reads a price, which is for 10 to the power of -tens of a million tokens, or for one. */
static enum errc entry_rate(struct entry *x, json_at key, int tens, int64_t *ret, struct err *e)
{
	json_at v = json_value(key);

	if (json_is_kind(x->doc, v, JSON_NULL))
		return ERR_OK;
	if (!json_is_kind(x->doc, v, JSON_NUMBER))
		return price_file_bad(x, json_inner(x->doc, key), "is no number", e);
	if (!money_number(json_raw(x->doc, v), tens, ret))
		return price_file_bad(x, json_inner(x->doc, key), "is no price from 0 to 100000000",
				      e);
	return ERR_OK;
}

static struct str name_after(struct str name)
{
	const char *slash = memchr(name.p, '/', name.n);
	size_t      n = slash ? (size_t)(slash - name.p) + 1 : name.n;

	return (struct str){ name.p + n, name.n - n };
}

static bool entry_room(struct price_file *f)
{
	if (f->count < f->room)
		return true;
	size_t                 room = f->room > 0 ? 2 * f->room : 1024;
	struct price_file_row *rows = arena_alloc(&f->memory, room * sizeof *rows);

	if (!rows)
		return false;
	if (f->count > 0)
		memcpy(rows, f->rows, f->count * sizeof *rows);
	f->rows = rows;
	f->room = room;
	return true;
}

/* entry_add: adds the entry, if it has the prices that a model needs. */
static enum errc entry_add(struct price_file *f, const struct entry *x, struct err *e)
{
	const int64_t      *base = x->rules.base;
	bool                plain = x->rules.count == 0;
	struct price_rules *rules = NULL;
	struct price_layer *layers = NULL;

	if (base[PRICE_INPUT] < 0 || base[PRICE_OUTPUT] < 0)
		return ERR_OK;
	for (size_t i = 0; i < CLASS__COUNT; i++)
		plain = plain && x->rules.factor[i] == 0;
	if (!plain) {
		rules = arena_alloc(&f->memory, sizeof *rules);
		layers = arena_alloc(&f->memory, (x->rules.count + 1) * sizeof *layers);
	}
	struct str name = arena_str(&f->memory, buf_view(&x->name));
	if ((!plain && (!rules || !layers)) || !name.p || !entry_room(f))
		return err_set(e, ERR_INVALID_VALUE, NULL, "more prices than %d MiB hold",
			       (int)(LIMIT_PRICES_MEMORY / MIB));
	struct price_file_row *row = &f->rows[f->count++];
	*row = (struct price_file_row){ .name = name, .after = name_after(name) };
	row->price = (struct price){ .known = true, .source = PRICE_FILE, .rules = rules };
	memcpy(row->price.rates, base, sizeof row->price.rates);
	if (plain)
		return ERR_OK;
	memcpy(layers, x->layers, x->rules.count * sizeof *layers);
	*rules = x->rules;
	rules->layers = layers;
	return ERR_OK;
}

/* entry_begin: named by one key, or by two with a slash between them. */
static bool entry_begin(struct entry *x, const struct json_doc *doc, json_at provider,
			json_at model)
{
	x->doc = doc;
	x->rules = (struct price_rules){ .count = 0 };
	price_unset(x->rules.base);
	buf_clear(&x->name);
	return (provider == JSON_ABSENT ||
		(json_unescape(json_inner(doc, provider), &x->name) && buf_text(&x->name, "/"))) &&
	       json_unescape(json_inner(doc, model), &x->name);
}

/* --- LiteLLM's form: an object with an entry for each name, and members of the entry for each price of a token --- */

static const struct {
	const char     *key;
	enum price_rate rate;
	int             tens;
} litellm_keys[] = {
	{ "input_cost_per_token", PRICE_INPUT, 6 },
	{ "output_cost_per_token", PRICE_OUTPUT, 6 },
	{ "cache_read_input_token_cost", PRICE_CACHED, 6 },
	{ "cache_creation_input_token_cost", PRICE_CACHE_WRITE, 6 },
	{ "cache_creation_input_token_cost_above_1hr", PRICE_CACHE_WRITE_1H, 6 },
	{ "cache_creation_input_token_cost_above_12hr", PRICE_CACHE_WRITE_1H, 6 },
	{ "output_cost_per_reasoning_token", PRICE_REASONING, 6 },
	{ "input_cost_per_audio_token", PRICE_AUDIO_IN, 6 },
	{ "output_cost_per_audio_token", PRICE_AUDIO_OUT, 6 },
	{ "output_cost_per_image", PRICE_IMAGE, 0 },
	{ "input_cost_per_request", PRICE_CALL, 0 },
};
static const struct {
	const char *end;
	enum usage_class class;
} litellm_classes[] = {
	{ "_priority", CLASS_PRIORITY },
	{ "_flex", CLASS_FLEX },
	{ "_batches", CLASS_BATCH },
	{ "_ultrafast", CLASS_ULTRAFAST },
};

static bool cut_end(struct str *s, const char *end)
{
	size_t n = strlen(end);

	if (s->n < n || memcmp(s->p + s->n - n, end, n) != 0)
		return false;
	s->n -= n;
	return true;
}

/* cut_above: takes "_above_272k_tokens" off; *ret: the tokens. */
static void cut_above(struct str *s, int64_t *ret)
{
	struct str cut = *s;
	int64_t    v = 0, unit = 1000;

	if (!cut_end(&cut, "k_tokens"))
		return;
	for (; cut.n > 0 && cut.p[cut.n - 1] >= '0' && cut.p[cut.n - 1] <= '9'; cut.n--) {
		if (unit > PRICE_TOKENS)
			return;
		v += (cut.p[cut.n - 1] - '0') * unit;
		unit *= 10;
	}
	if (v > 0 && cut_end(&cut, "_above_")) {
		*s = cut;
		*ret = v;
	}
}

static enum errc litellm_price(struct entry *x, json_at key, struct err *e)
{
	struct str name = json_inner(x->doc, key);
	enum usage_class class = CLASS_UNTOLD;
	int64_t above = 0;

	for (size_t i = 0; i < ARRAY_LEN(litellm_classes); i++)
		if (cut_end(&name, litellm_classes[i].end)) {
			class = litellm_classes[i].class;
			break;
		}
	cut_above(&name, &above);
	for (size_t i = 0; i < ARRAY_LEN(litellm_keys); i++) {
		if (!str_is(name, litellm_keys[i].key))
			continue;
		int64_t *rates = entry_layer(x, class, above);
		if (!rates)
			return price_file_bad(x, json_inner(x->doc, key), "is one tier too many",
					      e);
		return entry_rate(x, key, litellm_keys[i].tens, &rates[litellm_keys[i].rate], e);
	}
	return ERR_OK;
}

/* A window of hours, on some days. */
static enum errc add_window(struct entry *x, json_at hours, uint8_t days, const int64_t *rates,
			    struct err *e)
{
	struct price_layer l = { .days = days };

	memcpy(l.rates, rates, sizeof l.rates);
	if (!json_is_kind(x->doc, hours, JSON_STRING) ||
	    !price_hours(json_inner(x->doc, hours), &l.from, &l.to))
		return price_file_bad(x, STR("off_peak_pricing"),
				      "has hours that are no HH:MM-HH:MM", e);
	if (x->rules.count == PRICE_LAYERS)
		return price_file_bad(x, STR("off_peak_pricing"), "has too many windows", e);
	x->layers[x->rules.count++] = l;
	return ERR_OK;
}

static enum errc add_windows(struct entry *x, json_at window, const int64_t *rates, struct err *e)
{
	json_at   hours = json_get_some(x->doc, window, "hours_utc");
	json_at   list = json_get_some(x->doc, window, "weekdays");
	uint8_t   days = 0;
	int64_t   day;
	enum errc rc = ERR_OK;

	if (hours == JSON_ABSENT)
		return ERR_OK;
	if (json_is_kind(x->doc, list, JSON_ARRAY))
		JSON_EACH (i, x->doc, list) {
			if (!json_int(x->doc, i, &day) || day < 1 || day > 7)
				return price_file_bad(x, STR("off_peak_pricing"),
						      "has a weekday that is not from 1 to 7", e);
			days |= (uint8_t)(1 << (day - 1));
		}
	days = list == JSON_ABSENT ? 0x7f : days;
	if (!json_is_kind(x->doc, hours, JSON_ARRAY))
		return add_window(x, hours, days, rates, e);
	JSON_EACH (i, x->doc, hours)
		if (rc == ERR_OK)
			rc = add_window(x, i, days, rates, e);
	return rc;
}

static enum errc litellm_off_peak(struct entry *x, json_at off, struct err *e)
{
	json_at   list = json_get_some(x->doc, off, "windows");
	int64_t   rates[PRICE__RATES];
	enum errc rc = ERR_OK;

	price_unset(rates);
	JSON_EACH_MEMBER (k, x->doc, off)
		for (size_t i = 0; rc == ERR_OK && i < ARRAY_LEN(litellm_keys); i++)
			if (json_is(x->doc, k, litellm_keys[i].key))
				rc = entry_rate(x, k, litellm_keys[i].tens,
						&rates[litellm_keys[i].rate], e);
	if (rc == ERR_OK)
		rc = add_windows(x, off, rates, e);
	if (rc == ERR_OK && json_is_kind(x->doc, list, JSON_ARRAY))
		JSON_EACH (i, x->doc, list)
			if (rc == ERR_OK && json_is_kind(x->doc, i, JSON_OBJECT))
				rc = add_windows(x, i, rates, e);
	return rc;
}

static enum errc litellm_entry(struct price_file *f, struct entry *x, json_at entry, struct err *e)
{
	static const char embedding[] = "embedding";
	json_at           off = json_get_some(x->doc, entry, "off_peak_pricing");
	json_at           own = json_get_some(x->doc, entry, "provider_specific_entry");
	json_at           fast = JSON_ABSENT;
	enum errc         rc = ERR_OK;

	JSON_EACH_MEMBER (k, x->doc, entry) {
		rc = litellm_price(x, k, e);
		if (rc != ERR_OK)
			return rc;
	}
	if (json_is_kind(x->doc, off, JSON_OBJECT))
		rc = litellm_off_peak(x, off, e);
	if (json_is_kind(x->doc, own, JSON_OBJECT))
		fast = json_get_some(x->doc, own, "fast");
	if (rc == ERR_OK && json_is_kind(x->doc, fast, JSON_NUMBER) &&
	    (!money_number(json_raw(x->doc, fast), 0, &x->rules.factor[CLASS_FAST]) ||
	     x->rules.factor[CLASS_FAST] > PRICE_FACTOR))
		rc = price_file_bad(x, STR("fast"), "is no factor from 0 to 50", e);
	if (json_get_is(x->doc, entry, "mode", embedding) && x->rules.base[PRICE_OUTPUT] < 0)
		x->rules.base[PRICE_OUTPUT] = 0;
	return rc == ERR_OK ? entry_add(f, x, e) : rc;
}

static enum errc litellm_read(struct price_file *f, struct entry *x, const struct json_doc *doc,
			      struct err *e)
{
	enum errc rc = ERR_OK;

	f->form = "litellm";
	JSON_EACH_MEMBER (k, doc, 0) {
		if (json_is(doc, k, "sample_spec") || json_is(doc, k, "fallback_generalizations"))
			continue;
		if (!entry_begin(x, doc, JSON_ABSENT, k))
			return err_no_memory(e);
		if (json_kind(doc, json_value(k)) != JSON_OBJECT)
			return price_file_bad(x, STR("the entry"), "is no object", e);
		rc = litellm_entry(f, x, json_value(k), e);
		if (rc != ERR_OK)
			return rc;
	}
	return rc;
}

/* --- models.dev's form: an object of providers, with an object of models in each --- */

static const struct {
	const char     *key;
	enum price_rate rate;
} dev_keys[] = {
	{ "input", PRICE_INPUT },
	{ "output", PRICE_OUTPUT },
	{ "cache_read", PRICE_CACHED },
	{ "cache_write", PRICE_CACHE_WRITE },
	{ "reasoning", PRICE_REASONING },
	{ "input_audio", PRICE_AUDIO_IN },
	{ "output_audio", PRICE_AUDIO_OUT },
	{ "request", PRICE_CALL },
};

static enum errc dev_rates(struct entry *x, json_at cost, int64_t *rates, struct err *e)
{
	enum errc rc = ERR_OK;

	if (!rates)
		return price_file_bad(x, STR("tiers"), "are too many", e);
	JSON_EACH_MEMBER (k, x->doc, cost)
		for (size_t i = 0; rc == ERR_OK && i < ARRAY_LEN(dev_keys); i++)
			if (json_is(x->doc, k, dev_keys[i].key))
				rc = entry_rate(x, k, 0, &rates[dev_keys[i].rate], e);
	return rc;
}

/* dev_tier: a tier of another kind than the prompt's is left out. */
static enum errc dev_tier(struct entry *x, json_at tier, struct err *e)
{
	json_at kind = json_is_kind(x->doc, tier, JSON_OBJECT) ? json_get_some(x->doc, tier, "tier")
							       : JSON_ABSENT;
	int64_t size = 0;

	if (!json_is_kind(x->doc, kind, JSON_OBJECT))
		return price_file_bad(x, STR("tiers"), "has an element without its tier", e);
	if (json_get_some(x->doc, kind, "type") != JSON_ABSENT &&
	    !json_get_is(x->doc, kind, "type", "context"))
		return ERR_OK;
	if (!json_int(x->doc, json_get(x->doc, kind, "size"), &size) || size < 1 ||
	    size > PRICE_TOKENS)
		return price_file_bad(x, STR("tiers"), "has a tier without its size", e);
	return dev_rates(x, tier, entry_layer(x, CLASS_UNTOLD, size), e);
}

static enum errc dev_entry(struct price_file *f, struct entry *x, json_at model, struct err *e)
{
	json_at   cost = json_get_some(x->doc, model, "cost");
	enum errc rc = ERR_OK;

	if (!json_is_kind(x->doc, cost, JSON_OBJECT))
		return cost == JSON_ABSENT ? ERR_OK
					   : price_file_bad(x, STR("cost"), "is no object", e);
	json_at tiers = json_get_some(x->doc, cost, "tiers");
	json_at over = json_get_some(x->doc, cost, "context_over_200k");
	rc = dev_rates(x, cost, x->rules.base, e);
	if (rc == ERR_OK && json_is_kind(x->doc, tiers, JSON_ARRAY)) {
		JSON_EACH (i, x->doc, tiers)
			if (rc == ERR_OK)
				rc = dev_tier(x, i, e);
	} else if (rc == ERR_OK && json_is_kind(x->doc, over, JSON_OBJECT)) {
		rc = dev_rates(x, over, entry_layer(x, CLASS_UNTOLD, 200000), e);
	}
	return rc == ERR_OK ? entry_add(f, x, e) : rc;
}

static enum errc dev_read(struct price_file *f, struct entry *x, const struct json_doc *doc,
			  struct err *e)
{
	f->form = "models.dev";
	JSON_EACH_MEMBER (p, doc, 0) {
		json_at models = json_is_kind(doc, json_value(p), JSON_OBJECT)
					 ? json_get_some(doc, json_value(p), "models")
					 : JSON_ABSENT;

		if (!entry_begin(x, doc, JSON_ABSENT, p))
			return err_no_memory(e);
		if (!json_is_kind(doc, models, JSON_OBJECT))
			return price_file_bad(x, STR("the provider"), "has no models", e);
		JSON_EACH_MEMBER (k, doc, models) {
			enum errc rc = ERR_OK;

			if (!entry_begin(x, doc, p, k))
				return err_no_memory(e);
			if (json_kind(doc, json_value(k)) != JSON_OBJECT)
				rc = price_file_bad(x, STR("the model"), "is no object", e);
			else
				rc = dev_entry(f, x, json_value(k), e);
			if (rc != ERR_OK)
				return rc;
		}
	}
	return ERR_OK;
}

/* --- the file --- */

static bool has_models(const struct json_doc *doc)
{
	JSON_EACH_MEMBER (k, doc, 0)
		if (json_is_kind(doc, json_value(k), JSON_OBJECT))
			return json_is_kind(doc, json_get_some(doc, json_value(k), "models"),
					    JSON_OBJECT);
	return false;
}

static int str_order(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int    c = n > 0 ? memcmp(a.p, b.p, n) : 0;

	return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

static int by_name(const void *a, const void *b)
{
	return str_order(((const struct price_file_row *)a)->name,
			 ((const struct price_file_row *)b)->name);
}

static int by_end(const void *a, const void *b)
{
	return str_order((*(struct price_file_row *const *)a)->after,
			 (*(struct price_file_row *const *)b)->after);
}

static enum errc order_rows(struct price_file *f, struct err *e)
{
	f->ends = arena_alloc(&f->memory, (f->count + 1) * sizeof *f->ends);
	if (!f->ends)
		return err_no_memory(e);
	if (f->count == 0)
		return err_set(e, ERR_INVALID_VALUE, NULL,
			       "has no prices in LiteLLM's form or in that of models.dev");
	qsort(f->rows, f->count, sizeof *f->rows, by_name);
	for (size_t i = 0; i < f->count; i++)
		if (f->rows[i].after.n > 0)
			f->ends[f->end_count++] = &f->rows[i];
	if (f->end_count > 0)
		qsort(f->ends, f->end_count, sizeof(f->ends[0]), by_end);
	for (size_t i = 1; i < f->count; i++)
		if (str_eq(f->rows[i - 1].name, f->rows[i].name))
			return err_set(e, ERR_INVALID_VALUE, NULL,
				       "the name %.*s stands there twice",
				       STR_ARG(f->rows[i].name));
	return ERR_OK;
}

static enum errc price_file_parse(struct price_file *f, const struct buf *bytes, struct err *e)
{
	struct json_doc doc = { 0 };
	struct entry   *x = calloc(1, sizeof *x);
	enum errc       rc = ERR_OK;

	if (!x)
		return err_no_memory(e);
	if (bytes->len == 0)
		rc = err_set(e, ERR_INVALID_VALUE, NULL, "is empty");
	if (rc == ERR_OK)
		rc = json_scan(&doc, bytes->data, bytes->len, &price_file_limits, e);
	if (rc == ERR_OK && json_kind(&doc, 0) != JSON_OBJECT)
		rc = err_set(e, ERR_INVALID_VALUE, NULL, "is no JSON object");
	if (rc == ERR_OK) {
		buf_init(&x->name, LIMIT_PRICES_NAME);
		rc = has_models(&doc) ? dev_read(f, x, &doc, e) : litellm_read(f, x, &doc, e);
		buf_finish(&x->name);
	}
	json_doc_finish(&doc);
	free(x);
	return rc == ERR_OK ? order_rows(f, e) : rc;
}

static enum errc price_file_slurp(const char *path, struct buf *out, int64_t *ret_date_s,
				  struct err *e)
{
	struct stat st;
	int         fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t     n = -1;
	enum errc   rc = ERR_OK;

	if (fd < 0)
		return err_set(e, ERR_INVALID_VALUE, NULL, "cannot be opened: %s", strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		rc = err_set(e, ERR_INVALID_VALUE, NULL, "is no file");
	else if (st.st_size > LIMIT_PRICES_FILE || !buf_reserve(out, (size_t)st.st_size + 1))
		rc = err_set(e, ERR_INVALID_VALUE, NULL, "is larger than %d MiB",
			     (int)(LIMIT_PRICES_FILE / MIB));
	while (rc == ERR_OK && n != 0) {
		char piece[16 * KIB];

		n = read(fd, piece, sizeof piece);
		if (n < 0 && errno != EINTR)
			rc = err_set(e, ERR_INVALID_VALUE, NULL, "cannot be read: %s",
				     strerror(errno));
		if (n > 0 && !buf_add(out, piece, (size_t)n))
			rc = err_set(e, ERR_INVALID_VALUE, NULL, "is larger than %d MiB",
				     (int)(LIMIT_PRICES_FILE / MIB));
	}
	*ret_date_s = rc == ERR_OK ? (int64_t)st.st_mtime : 0;
	close(fd);
	return rc;
}

enum errc price_file_read(const char *path, struct price_file **ret, struct err *e)
{
	struct price_file *f = calloc(1, sizeof *f);
	struct buf         bytes;

	if (!f)
		return err_no_memory(e);
	atomic_init(&f->refs, 1);
	arena_init(&f->memory, LIMIT_PRICES_MEMORY);
	buf_init(&bytes, LIMIT_PRICES_FILE);
	f->path = strdup(path);
	enum errc rc = f->path ? price_file_slurp(path, &bytes, &f->date_s, e) : err_no_memory(e);
	if (rc == ERR_OK)
		rc = price_file_parse(f, &bytes, e);
	buf_finish(&bytes);
	if (rc == ERR_OK)
		*ret = f;
	else
		price_file_release(f);
	return rc;
}

/* --- looking up --- */

static const struct price_file_row *row_named(const struct price_file *f, struct str name)
{
	struct price_file_row key = { .name = name };

	return bsearch(&key, f->rows, f->count, sizeof *f->rows, by_name);
}

static const struct price_file_row *row_ending(const struct price_file *f, struct str name)
{
	struct price_file_row         key = { .after = name }, *at = &key;
	struct price_file_row *const *found =
		bsearch(&at, f->ends, f->end_count, sizeof(f->ends[0]), by_end);
	size_t i = found ? (size_t)(found - f->ends) : 0;

	if (!found || (i > 0 && by_end(&f->ends[i - 1], found) == 0) ||
	    (i + 1 < f->end_count && by_end(&f->ends[i + 1], found) == 0))
		return NULL;
	return *found;
}

struct price price_file_find(const struct price_file *f, struct str provider, struct str model)
{
	char                         both[LIMIT_PRICES_NAME];
	const struct price_file_row *row = row_named(f, model);

	if (!row && provider.n + model.n < sizeof both) {
		memcpy(both, provider.p, provider.n);
		both[provider.n] = '/';
		memcpy(both + provider.n + 1, model.p, model.n);
		row = row_named(f, (struct str){ both, provider.n + 1 + model.n });
	}
	if (!row && f->end_count > 0)
		row = row_ending(f, model);
	return row ? row->price : (struct price){ .known = false };
}

struct price_file_about price_file_look(const struct price_file *f)
{
	return (struct price_file_about){ f->path, f->form, f->date_s, f->count };
}
