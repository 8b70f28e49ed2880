/* Time-ordered, unguessable ids. */
#include "base/id.h"

#include "base/base.h"
#include "base/clock.h"

#include <endian.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* A key has 43 bits of milliseconds, which last until 2248, the lane, and 11 bits that make the keys
 * of one process in one millisecond different: two million a second, after which the next
 * millisecond is used ahead of time. */
enum { LANE_BITS = 9, SEQUENCE_BITS = 11, MS_SHIFT = LANE_BITS + SEQUENCE_BITS };
_Static_assert(ID_LANES == 1 << LANE_BITS, "all lanes fit into their bits");

static _Atomic int64_t last_key;
static _Atomic int64_t lane;

uint64_t id_random(void)
{
	/* getrandom is a system call, so 64 words are taken at a time; each is used once and
	 * wiped. */
	static _Thread_local uint64_t pool[64];
	static _Thread_local size_t   left;

	if (left == 0) {
		char  *at = (char *)pool;
		size_t need = sizeof pool;

		while (need > 0) {
			ssize_t n = getrandom(at, need, 0);

			CHECK(n > 0);
			at += n;
			need -= (size_t)n;
		}
		left = ARRAY_LEN(pool);
	}
	left--;

	uint64_t v = pool[left];
	pool[left] = 0;
	return v;
}

int id_key_lane(int64_t key)
{
	return (int)(key >> SEQUENCE_BITS & (ID_LANES - 1));
}

void id_lane(int n)
{
	CHECK(n >= 0 && n < ID_LANES);
	atomic_store(&lane, n);
}

/* in_lane: the smallest key from this one on that belongs to this process. */
static int64_t in_lane(int64_t key, int64_t ours)
{
	int64_t has = (key >> SEQUENCE_BITS) & (ID_LANES - 1);
	int64_t ms = key >> MS_SHIFT;

	if (has == ours)
		return key;
	/* The lane begins later in this millisecond, or is over in it. */
	return (has < ours ? ms : ms + 1) << MS_SHIFT | ours << SEQUENCE_BITS;
}

int64_t id_key_at(int64_t ms)
{
	const int64_t last_ms = INT64_MAX >> MS_SHIFT;

	return (ms < 0 ? 0 : ms < last_ms ? ms : last_ms) << MS_SHIFT;
}

int64_t id_key_ms(int64_t key)
{
	return key >> MS_SHIFT;
}

struct id id_new(void)
{
	int64_t ours = atomic_load_explicit(&lane, memory_order_relaxed);
	int64_t now = clock_wall_ms() << MS_SHIFT;
	int64_t last = atomic_load_explicit(&last_key, memory_order_relaxed);
	int64_t key;

	do {
		key = in_lane(now > last ? now : last + 1, ours);
	} while (!atomic_compare_exchange_weak(&last_key, &last, key));
	return (struct id){ key, id_random() };
}

void id_floor(int64_t key)
{
	int64_t last = atomic_load(&last_key);

	while (last < key && !atomic_compare_exchange_weak(&last_key, &last, key)) {
	}
}

#define EACH_BYTE(b) (0x0101010101010101ull * (b))

/* hex_of_half: the eight digits of v, the highest one in the highest byte. */
static uint64_t hex_of_half(uint32_t v)
{
	uint64_t x = v;

	/* A byte for each digit. */
	x = (x | x << 16) & 0x0000ffff0000ffffull;
	x = (x | x << 8) & 0x00ff00ff00ff00ffull;
	x = (x | x << 4) & EACH_BYTE(0x0f);
	/* 1 in each byte above 9 */
	uint64_t letters = (x + EACH_BYTE(6)) >> 4 & EACH_BYTE(1);

	return x + EACH_BYTE('0') + letters * ('a' - '9' - 1);
}

static void put_hex(char *at, uint64_t v)
{
	uint64_t text[] = { htobe64(hex_of_half((uint32_t)(v >> 32))),
			    htobe64(hex_of_half((uint32_t)v)) };

	memcpy(at, text, sizeof text);
}

static bool get_hex(const char *at, uint64_t *ret)
{
	uint64_t v = 0;

	for (int i = 0; i < 16; i++) {
		char c = at[i];

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	*ret = v;
	return true;
}

struct str id_text(struct id id, const char *prefix, char ret[ID_MAX])
{
	size_t n = strlen(prefix);

	CHECK(n + ID_BODY < ID_MAX);
	memcpy(ret, prefix, n);
	put_hex(ret + n, (uint64_t)id.key);
	put_hex(ret + n + 16, id.secret);
	ret[n + ID_BODY] = '\0';
	return (struct str){ ret, n + ID_BODY };
}

bool id_parse(struct str text, const char *prefix, struct id *ret)
{
	size_t   n = strlen(prefix);
	uint64_t key;
	uint64_t secret;

	if (text.n != n + ID_BODY || memcmp(text.p, prefix, n) != 0)
		return false;
	if (!get_hex(text.p + n, &key) || !get_hex(text.p + n + 16, &secret))
		return false;
	if (key == 0 || key > INT64_MAX)
		return false;
	*ret = (struct id){ (int64_t)key, secret };
	return true;
}

struct str id_request(char ret[ID_MAX])
{
	memcpy(ret, "req_", 4);
	put_hex(ret + 4, id_random());
	put_hex(ret + 20, id_random());
	ret[36] = '\0';
	return (struct str){ ret, 36 };
}

/* --- file_id: A file's id as text, and back. */

static const char prefix[] = "file-";
enum { PREFIX = sizeof prefix - 1, UUID = 36 };
/* The places of the dashes in a UUID. */
static const unsigned char dashes[] = { 8, 13, 18, 23 };

struct str file_id_text(struct id id, char ret[FILE_ID_MAX])
{
	char hex[ID_MAX];

	id_text(id, "", hex);
	int n = snprintf(ret, FILE_ID_MAX, "%s%.8s-%.4s-%.4s-%.4s-%.12s", prefix, hex, hex + 8,
			 hex + 12, hex + 16, hex + 20);
	return (struct str){ ret, (size_t)n };
}

bool file_id_parse(struct str text, bool bare, struct id *ret)
{
	char   hex[ID_BODY];
	size_t n = 0;
	size_t dash = 0;

	if (text.n == PREFIX + UUID && memcmp(text.p, prefix, PREFIX) == 0)
		text = (struct str){ text.p + PREFIX, UUID };
	else if (!bare || text.n != UUID)
		return false;
	for (size_t i = 0; i < UUID; i++)
		if (dash < sizeof dashes && i == dashes[dash]) {
			dash++;
			if (text.p[i] != '-')
				return false;
		} else {
			hex[n++] = text.p[i];
		}
	return id_parse((struct str){ hex, n }, "", ret);
}
