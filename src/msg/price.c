/* The arithmetic of prices.  A price is at most 1e17 and tokens 1e9, so 128 bits are enough. */
#include "msg/price.h"

#define MILLION 1000000

__extension__ typedef unsigned __int128 wide;

static int64_t price_tokens(int64_t n)
{
	return n < 0 ? 0 : n > PRICE_TOKENS ? PRICE_TOKENS : n;
}

static int64_t price_some(int64_t n, int64_t all)
{
	n = price_tokens(n);
	return n < all ? n : all;
}

/* price_sum: the sum over parts of tokens and their price. */
static int64_t price_sum(const int64_t parts[][2], size_t count)
{
	wide v = 0;

	for (size_t i = 0; i < count; i++)
		v += (wide)(uint64_t)parts[i][0] * (uint64_t)parts[i][1];
	v = (v + MILLION - 1) / MILLION;
	return v > (wide)MONEY_MOST ? MONEY_MOST : (int64_t)v;
}

int64_t price_cost(const struct price *p, const struct usage *u)
{
	if (!p->known)
		return 0;

	int64_t in = price_tokens(u->in);
	int64_t out = price_tokens(u->out);
	int64_t read = price_some(u->cached_read, in);
	int64_t written = price_some(u->cached_write, in - read);
	int64_t hour = price_some(u->cached_hour, written);
	int64_t thought = price_some(u->reasoning, out);

	return price_sum((const int64_t[][2]){ { in - read - written, p->input },
					       { read, p->cached },
					       { written - hour, p->cache_write },
					       { hour, p->cache_write_1h },
					       { out - thought, p->output },
					       { thought, p->reasoning } },
			 6);
}

static int64_t price_larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t price_most(const struct price *p, int64_t in, int64_t out)
{
	if (!p->known)
		return 0;
	return price_sum(
		(const int64_t[][2]){
			{ price_tokens(in),
			  price_larger(price_larger(p->input, p->cached),
				       price_larger(p->cache_write, p->cache_write_1h)) },
			{ price_tokens(out), price_larger(p->output, p->reasoning) } },
		2);
}

void price_dearer(struct price *a, const struct price *b)
{
	a->input = price_larger(a->input, b->input);
	a->output = price_larger(a->output, b->output);
	a->cached = price_larger(a->cached, b->cached);
	a->cache_write = price_larger(a->cache_write, b->cache_write);
	a->cache_write_1h = price_larger(a->cache_write_1h, b->cache_write_1h);
	a->reasoning = price_larger(a->reasoning, b->reasoning);
}
