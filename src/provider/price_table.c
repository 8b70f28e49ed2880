/* The table of prices, and the look-up by a model's name or dated version. */
#include "provider/registry.h"

static const struct {
	struct str  name;
	const char *input, *cached, *cache_write, *output;
} rows[] = {
#define X(name, input, cached, cache_write, output) \
	{ { name, sizeof(name) - 1 }, input, cached, cache_write, output },
#include "provider/price_table.def"
#undef X
};

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

static int64_t price_table_money(const char *text, int64_t otherwise)
{
	int64_t v = otherwise;

	CHECK(!text[0] || money_read(str_of(text), &v));
	return v;
}

struct price price_table_find(struct str model)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str name = rows[i].name;

		if (model.n < name.n || model.p[0] != name.p[0] || !str_starts(model, name) ||
		    !is_version((struct str){ model.p + name.n, model.n - name.n }))
			continue;
		int64_t in = price_table_money(rows[i].input, 0);
		int64_t out = price_table_money(rows[i].output, 0);
		return (struct price){
			true,
			in,
			out,
			price_table_money(rows[i].cached, in),
			price_table_money(rows[i].cache_write, in),
			2 * in, /* Anthropic's factor; no other vendor has this price */
			out
		};
	}
	return (struct price){ .known = false };
}
