/* Histograms of durations: eight buckets for each doubling. */
#include "store/ledger.h"

#include "base/buf.h"

enum {
	UNIT_BITS = 6, /* the finest step is 64 microseconds */
	PART_BITS = 3, /* eight parts of a doubling */
	PARTS = 1 << PART_BITS,
};

static unsigned histogram_bucket(int64_t us)
{
	uint64_t v = us > 0 ? (uint64_t)us >> UNIT_BITS : 0;

	if (v < PARTS)
		return (unsigned)v;
	unsigned e = 63u - (unsigned)__builtin_clzll(v) - PART_BITS;
	unsigned i = (e + 1) * PARTS + (unsigned)(v >> e & (PARTS - 1));
	return i < LEDGER_BUCKETS ? i : LEDGER_BUCKETS - 1;
}

/* histogram_middle: of a bucket, in microseconds. */
static int64_t histogram_middle(unsigned i)
{
	if (i < PARTS)
		return ((int64_t)i << UNIT_BITS) + (1 << (UNIT_BITS - 1));
	unsigned e = i / PARTS - 1;
	int64_t  from = (int64_t)(PARTS + i % PARTS) << e;
	return (from << UNIT_BITS) + ((int64_t)1 << e << (UNIT_BITS - 1));
}

void ledger_histogram_add(struct ledger_histogram *h, int64_t us)
{
	uint32_t *n = &h->counts[histogram_bucket(us)];

	*n += *n < UINT32_MAX;
}

void ledger_histogram_merge(struct ledger_histogram *to, const struct ledger_histogram *from)
{
	for (size_t i = 0; i < LEDGER_BUCKETS; i++)
		to->counts[i] = to->counts[i] > UINT32_MAX - from->counts[i]
					? UINT32_MAX
					: to->counts[i] + from->counts[i];
}

/* histogram_number: as in ledger_block.c. */
static size_t histogram_number(char *out, uint32_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (char)(v | 0x80);
	out[n++] = (char)v;
	return n;
}

bool ledger_histogram_put(const struct ledger_histogram *h, struct buf *out)
{
	char     packed[LEDGER_HISTOGRAM_MOST];
	size_t   n = 0;
	uint32_t empty = 0;

	for (unsigned i = 0; i < LEDGER_BUCKETS; i++) {
		if (h->counts[i] == 0) {
			empty++;
			continue;
		}
		n += histogram_number(packed + n, empty);
		n += histogram_number(packed + n, h->counts[i]);
		empty = 0;
	}
	return buf_add(out, packed, n);
}

static bool histogram_take(struct str *rest, uint32_t *ret)
{
	uint64_t v = 0;

	for (unsigned shift = 0; rest->n > 0 && shift < 35; shift += 7) {
		unsigned char c = (unsigned char)*rest->p;

		rest->p++;
		rest->n--;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c & 0x80)
			continue;
		*ret = (uint32_t)v;
		return v <= UINT32_MAX;
	}
	return false;
}

bool ledger_histogram_take(struct ledger_histogram *h, struct str packed)
{
	uint64_t i = 0;

	while (packed.n > 0) {
		uint32_t empty;
		uint32_t n;

		if (!histogram_take(&packed, &empty) || !histogram_take(&packed, &n))
			return false;
		i += empty;
		if (i >= LEDGER_BUCKETS)
			return false;
		h->counts[i] = h->counts[i] > UINT32_MAX - n ? UINT32_MAX : h->counts[i] + n;
		i++;
	}
	return true;
}

/* histogram_need: how many of all calls are so many percent of them. */
static uint64_t histogram_need(uint64_t all, unsigned percent)
{
	return (all * percent + 99) / 100;
}

void ledger_histogram_parts(const struct ledger_histogram *h, size_t n, const unsigned percents[],
			    int64_t *const rets[])
{
	uint64_t all = 0;
	uint64_t seen = 0;
	size_t   part = 0;

	for (unsigned i = 0; i < LEDGER_BUCKETS; i++)
		all += h->counts[i];
	uint64_t need = histogram_need(all, percents[0]);
	for (unsigned i = 0; all > 0 && part < n && i < LEDGER_BUCKETS; i++) {
		seen += h->counts[i];
		for (; part < n && seen >= need; part++) {
			*rets[part] = histogram_middle(i);
			need = part + 1 < n ? histogram_need(all, percents[part + 1]) : 0;
		}
	}
	while (part < n)
		*rets[part++] = -1;
}

int64_t ledger_histogram_part(const struct ledger_histogram *h, unsigned percent)
{
	int64_t part;

	ledger_histogram_parts(h, 1, &percent, (int64_t *[]){ &part });
	return part;
}
