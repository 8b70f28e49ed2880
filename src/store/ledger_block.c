/* Packs rows of the ledger, and unpacks them. */
#include "store/ledger_block.h"

#include "base/buf.h"

#include <string.h>

enum { BLOCK_VERSION = 1, NUMBER_MOST = 10, TEXT_MOST = 64 };

enum row_flag {
	ROW_STORED = 1,
	ROW_STREAM = 2,
	ROW_COSTS = 4,
	ROW_KNOWN = 8,
	ROW_ESTIMATED = 16,
	ROW_FIRST = 32,
	ROW_ASKED = 64, /* the model as asked has another name than the configured one */
	ROW_MORE = 128, /* a byte of enum row_more follows */
};

enum row_more {
	ROW_KEY = 1, /* the provider has several keys */
	ROW_CACHE = 2,
	ROW_GROUP = 4,
};

const char *call_outcome_name(enum call_outcome o)
{
	static const char *const names[CALL_OUTCOME__COUNT] = {
		[CALL_COMPLETED] = "completed", [CALL_FAILED] = "failed",
		[CALL_CANCELLED] = "cancelled", [CALL_CLIENT_LEFT] = "client_left",
		[CALL_REFUSED] = "refused",
	};

	CHECK((unsigned)o < CALL_OUTCOME__COUNT);
	return names[o];
}

int call_outcome_find(struct str name)
{
	for (int i = 0; i < CALL_OUTCOME__COUNT; i++)
		if (str_is(name, call_outcome_name((enum call_outcome)i)))
			return i;
	return -1;
}

/* --- bits --- */

enum {
	BIT_UNSTORED = CALL_OUTCOME__COUNT,
	BIT_ERRORS, /* errors have bits of their own, because few blocks have any */
	BIT_WORDS = BIT_ERRORS + 16,
	BITS = 63, /* so that no number is negative */
};

static int64_t bit_of(uint32_t h)
{
	return (int64_t)1 << (BIT_WORDS + h % (BITS - BIT_WORDS));
}

/* Bits are stored, so this hash stays as it is (FNV-1a of 32 bits, folded). */
int64_t ledger_bit(enum ledger_word word, struct str text)
{
	uint32_t h = (2166136261u ^ (uint32_t)word) * 16777619u;

	for (size_t i = 0; i < text.n; i++)
		h = (h ^ (unsigned char)text.p[i]) * 16777619u;
	h ^= h >> 15;
	return word == LEDGER_WORD_ERROR ? (int64_t)1 << (BIT_ERRORS + h % (BIT_WORDS - BIT_ERRORS))
					 : bit_of(h);
}

int64_t ledger_bit_owner(int64_t owner)
{
	uint64_t h = (uint64_t)owner * 0x9e3779b97f4a7c15u;

	return bit_of((uint32_t)(h >> 33));
}

int64_t ledger_bit_outcome(enum call_outcome o)
{
	return (int64_t)1 << o;
}

int64_t ledger_bit_unstored(void)
{
	return (int64_t)1 << BIT_UNSTORED;
}

int64_t ledger_bits_names(const struct ledger_hour *h)
{
	return ledger_bit(LEDGER_WORD_KEY, str_of(h->key)) |
	       ledger_bit(LEDGER_WORD_MODEL, str_of(h->model)) |
	       ledger_bit(LEDGER_WORD_PROVIDER, str_of(h->provider));
}

int64_t ledger_bits(const struct call_row *c)
{
	int64_t bits = ledger_bit_outcome(c->outcome) | ledger_bit_owner(c->owner);

	if (!c->stored)
		bits |= ledger_bit_unstored();
	if (c->error.n > 0)
		bits |= ledger_bit(LEDGER_WORD_ERROR, c->error);
	if (c->group.n > 0)
		bits |= ledger_bit(LEDGER_WORD_GROUP, c->group);
	if (!str_eq(c->model, c->label))
		bits |= ledger_bit(LEDGER_WORD_MODEL, c->model);
	return bits;
}

/* --- packing --- */

static size_t pack_number(char *out, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (char)(v | 0x80);
	out[n++] = (char)v;
	return n;
}

static size_t pack_amount(char *out, int64_t v)
{
	return pack_number(out, v < 0 ? 0 : (uint64_t)v);
}

static size_t pack_text(char *out, struct str s, size_t most)
{
	size_t len = s.n < most ? s.n : most;
	size_t n = pack_number(out, len);

	if (len > 0)
		memcpy(out + n, s.p, len);
	return n + len;
}

static size_t pack_usage(char *out, const struct usage *u)
{
	size_t n = pack_amount(out, u->in);

	n += pack_amount(out + n, u->out);
	n += pack_amount(out + n, u->cached_read);
	n += pack_amount(out + n, u->cached_write);
	return n + pack_amount(out + n, u->reasoning);
}

static unsigned more_of(const struct call_row *c)
{
	return (c->provider_key > 0 ? ROW_KEY : 0u) |
	       (c->cache == CALL_CACHE_NONE ? 0u : ROW_CACHE) | (c->group.n > 0 ? ROW_GROUP : 0u);
}

static unsigned flags_of(const struct call_row *c)
{
	return (c->stored ? ROW_STORED : 0u) | (c->stream ? ROW_STREAM : 0u) |
	       (c->costs ? ROW_COSTS : 0u) | (c->usage.known ? ROW_KNOWN : 0u) |
	       (c->usage.estimated ? ROW_ESTIMATED : 0u) | (c->first_us > 0 ? ROW_FIRST : 0u) |
	       (str_eq(c->model, c->label) ? 0u : ROW_ASKED) | (more_of(c) ? ROW_MORE : 0u);
}

/* pack_cache: what the cache has done, and whose answer was given, or zeros. */
static size_t pack_cache(char *out, const struct call_row *c)
{
	out[0] = (char)c->cache;
	memcpy(out + 1, &c->cached_from.key, sizeof c->cached_from.key);
	memcpy(out + 1 + sizeof c->cached_from.key, &c->cached_from.secret,
	       sizeof c->cached_from.secret);
	return 1 + sizeof c->cached_from.key + sizeof c->cached_from.secret;
}

static size_t pack_more(char *out, const struct call_row *c)
{
	unsigned more = more_of(c);
	size_t   n = 1;

	out[0] = (char)more;
	if (more & ROW_KEY)
		n += pack_number(out + n, c->provider_key);
	if (more & ROW_CACHE)
		n += pack_cache(out + n, c);
	if (more & ROW_GROUP)
		n += pack_text(out + n, c->group, IDENTITY_ID_MAX);
	return n;
}

size_t ledger_row_put(const struct call_row *c, char out[LEDGER_ROW_MOST])
{
	unsigned flags = flags_of(c);
	int64_t  late = c->created_ms - id_key_ms(c->id.key);
	size_t   n = 0;

	out[n++] = (char)((unsigned)c->outcome | (unsigned)c->status << 4);
	out[n++] = (char)flags;
	n += pack_amount(out + n, c->http);
	/* A refusal's id is made at its end. */
	n += pack_number(out + n, late < 0 ? (uint64_t)-late << 1 | 1 : (uint64_t)late << 1);
	n += pack_amount(out + n, c->duration_us);
	n += pack_amount(out + n, c->attempts);
	n += pack_amount(out + n, c->weight);
	n += pack_text(out + n, c->family, TEXT_MOST);
	n += pack_text(out + n, c->error, TEXT_MOST);
	n += pack_text(out + n, c->finish_reason, TEXT_MOST);
	if (flags & ROW_FIRST)
		n += pack_amount(out + n, c->first_us);
	if (flags & (ROW_KNOWN | ROW_ESTIMATED))
		n += pack_usage(out + n, &c->usage);
	if (flags & ROW_COSTS)
		n += pack_amount(out + n, c->cost_nano);
	if (flags & ROW_ASKED)
		n += pack_text(out + n, c->model, LIMIT_MODEL);
	if (flags & ROW_MORE)
		n += pack_more(out + n, c);
	return n;
}

bool ledger_row_head(struct buf *out, struct id id, int64_t owner, uint32_t place)
{
	char   head[3 * sizeof(int64_t) + NUMBER_MOST];
	size_t n = 3 * sizeof(int64_t);

	memcpy(head, &id.key, sizeof id.key);
	memcpy(head + sizeof id.key, &id.secret, sizeof id.secret);
	memcpy(head + 2 * sizeof(int64_t), &owner, sizeof owner);
	n += pack_number(head + n, place);
	return buf_add(out, head, n);
}

static bool put_text(struct buf *out, const char *text)
{
	char   number[NUMBER_MOST];
	size_t n = strlen(text);

	return buf_add(out, number, pack_number(number, n)) && buf_add(out, text, n);
}

bool ledger_names_put(struct buf *out, const struct ledger_hour *h)
{
	return put_text(out, h->key) && put_text(out, h->model) && put_text(out, h->provider);
}

bool ledger_block_put(struct buf *out, struct str names, struct str rows)
{
	char   head[1 + NUMBER_MOST] = { BLOCK_VERSION };
	size_t n = 1 + pack_number(head + 1, names.n);

	return buf_add(out, head, n) && buf_str(out, names) && buf_str(out, rows);
}

/* --- unpacking --- */

static uint64_t unpack_number(struct ledger_walk *w, struct str *rest)
{
	uint64_t v = 0;

	for (unsigned shift = 0; rest->n > 0 && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)*rest->p;

		rest->p++;
		rest->n--;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	w->damaged = true;
	return 0;
}

static int64_t unpack_amount(struct ledger_walk *w)
{
	uint64_t v = unpack_number(w, &w->rest);

	w->damaged |= v > INT64_MAX;
	return (int64_t)(v & INT64_MAX);
}

static struct str unpack_text(struct ledger_walk *w, struct str *rest)
{
	uint64_t   n = unpack_number(w, rest);
	struct str s = { rest->p, (size_t)n };

	if (n > rest->n) {
		w->damaged = true;
		return STR_NONE;
	}
	rest->p += n;
	rest->n -= (size_t)n;
	return s;
}

static void unpack_bytes(struct ledger_walk *w, void *ret, size_t n)
{
	memset(ret, 0, n);
	if (w->rest.n < n) {
		w->damaged = true;
		return;
	}
	memcpy(ret, w->rest.p, n);
	w->rest.p += n;
	w->rest.n -= n;
}

static void unpack_names(struct ledger_walk *w, struct call_row *ret)
{
	uint64_t   place = unpack_number(w, &w->rest);
	struct str names = w->names;

	if (place > names.n) {
		w->damaged = true;
		return;
	}
	names.p += place;
	names.n -= (size_t)place;
	ret->key = unpack_text(w, &names);
	ret->label = unpack_text(w, &names);
	ret->provider = unpack_text(w, &names);
	ret->model = ret->label;
}

static void unpack_usage(struct ledger_walk *w, unsigned flags, struct usage *ret)
{
	*ret = (struct usage){ .known = flags & ROW_KNOWN, .estimated = flags & ROW_ESTIMATED };
	if (!ret->known && !ret->estimated)
		return;
	ret->in = unpack_amount(w);
	ret->out = unpack_amount(w);
	ret->cached_read = unpack_amount(w);
	ret->cached_write = unpack_amount(w);
	ret->reasoning = unpack_amount(w);
}

static void unpack_ends(struct ledger_walk *w, struct call_row *ret)
{
	unsigned char ends = 0;

	unpack_bytes(w, &ends, 1);
	ret->outcome = (enum call_outcome)(ends & 0xf);
	ret->status = (enum run_status)(ends >> 4);
	if (ret->outcome >= CALL_OUTCOME__COUNT || ret->status >= RUN_STATUS__COUNT) {
		w->damaged = true;
		ret->outcome = CALL_COMPLETED;
		ret->status = RUN_COMPLETED;
	}
}

static void unpack_cache(struct ledger_walk *w, struct call_row *ret)
{
	unsigned char cache = 0;

	unpack_bytes(w, &cache, 1);
	unpack_bytes(w, &ret->cached_from.key, sizeof ret->cached_from.key);
	unpack_bytes(w, &ret->cached_from.secret, sizeof ret->cached_from.secret);
	w->damaged |= cache >= CALL_CACHE__COUNT;
	ret->cache = w->damaged ? CALL_CACHE_NONE : (enum call_cache)cache;
}

static void unpack_more(struct ledger_walk *w, struct call_row *ret)
{
	unsigned char more;

	unpack_bytes(w, &more, sizeof more);
	if (more & ROW_KEY)
		ret->provider_key = (unsigned)unpack_amount(w);
	if (more & ROW_CACHE)
		unpack_cache(w, ret);
	if (more & ROW_GROUP)
		ret->group = unpack_text(w, &w->rest);
}

static void unpack_rest(struct ledger_walk *w, unsigned flags, struct call_row *ret)
{
	ret->http = (int)unpack_amount(w);
	uint64_t late = unpack_number(w, &w->rest);
	/* A delay beyond all times would overflow the sum. */
	w->damaged |= late > INT64_MAX;
	late &= INT64_MAX;
	ret->created_ms =
		id_key_ms(ret->id.key) + (late & 1 ? -(int64_t)(late >> 1) : (int64_t)(late >> 1));
	ret->duration_us = unpack_amount(w);
	ret->attempts = unpack_amount(w);
	ret->weight = unpack_amount(w);
	ret->family = unpack_text(w, &w->rest);
	ret->error = unpack_text(w, &w->rest);
	ret->finish_reason = unpack_text(w, &w->rest);
	ret->first_us = flags & ROW_FIRST ? unpack_amount(w) : 0;
	unpack_usage(w, flags, &ret->usage);
	ret->costs = flags & ROW_COSTS;
	ret->cost_nano = ret->costs ? unpack_amount(w) : 0;
	if (flags & ROW_ASKED)
		ret->model = unpack_text(w, &w->rest);
	if (flags & ROW_MORE)
		unpack_more(w, ret);
	ret->stored = flags & ROW_STORED;
	ret->stream = flags & ROW_STREAM;
}

bool ledger_walk_begin(struct ledger_walk *w, struct str data)
{
	*w = (struct ledger_walk){ .rest = data };
	unsigned char version = 0;

	unpack_bytes(w, &version, 1);
	w->names = unpack_text(w, &w->rest);
	return !w->damaged && version == BLOCK_VERSION;
}

bool ledger_walk_next(struct ledger_walk *w, struct call_row *ret)
{
	unsigned char flags = 0;

	if (w->rest.n == 0 || w->damaged)
		return false;
	*ret = (struct call_row){ 0 };
	unpack_bytes(w, &ret->id.key, sizeof ret->id.key);
	unpack_bytes(w, &ret->id.secret, sizeof ret->id.secret);
	unpack_bytes(w, &ret->owner, sizeof ret->owner);
	unpack_names(w, ret);
	unpack_ends(w, ret);
	unpack_bytes(w, &flags, 1);
	unpack_rest(w, flags, ret);
	return !w->damaged;
}
