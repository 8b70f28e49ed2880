/* Bytes in a ring under a lock that is held for copies only. */
#include "base/log_ring.h"

#include <pthread.h>
#include <string.h>

static struct {
	pthread_mutex_t lock;
	uint64_t        total; /* bytes that were ever put */
	char            bytes[LIMIT_LOG_RING];
} ring = { .lock = PTHREAD_MUTEX_INITIALIZER };

void log_ring_put(const char *p, size_t n)
{
	uint64_t lost = n > LIMIT_LOG_RING ? n - LIMIT_LOG_RING : 0;

	pthread_mutex_lock(&ring.lock);
	ring.total += lost;
	p += lost;
	n -= (size_t)lost;
	while (n > 0) {
		size_t at = (size_t)(ring.total % LIMIT_LOG_RING);
		size_t piece = n < LIMIT_LOG_RING - at ? n : LIMIT_LOG_RING - at;

		memcpy(ring.bytes + at, p, piece);
		ring.total += piece;
		p += piece;
		n -= piece;
	}
	pthread_mutex_unlock(&ring.lock);
}

static void ring_copy_locked(uint64_t from, char *ret, size_t n)
{
	size_t at = (size_t)(from % LIMIT_LOG_RING);
	size_t piece = n < LIMIT_LOG_RING - at ? n : LIMIT_LOG_RING - at;

	memcpy(ret, ring.bytes + at, piece);
	memcpy(ret + piece, ring.bytes, n - piece);
}

size_t log_ring_take(uint64_t from, char *ret, size_t max, uint64_t *ret_at)
{
	size_t skip = 0;

	pthread_mutex_lock(&ring.lock);
	uint64_t oldest = ring.total > LIMIT_LOG_RING ? ring.total - LIMIT_LOG_RING : 0;
	uint64_t begin = from > ring.total || from < oldest ? oldest : from;

	if (ring.total - begin > max)
		begin = ring.total - max;
	size_t n = (size_t)(ring.total - begin);
	ring_copy_locked(begin, ret, n);
	pthread_mutex_unlock(&ring.lock);

	/* In the middle of a line, the next one is the first. */
	if (begin != from && begin > 0) {
		const char *end = n > 0 ? memchr(ret, '\n', n) : NULL;

		skip = end ? (size_t)(end + 1 - ret) : n;
		memmove(ret, ret + skip, n - skip);
	}
	*ret_at = begin + skip;
	return n - skip;
}

uint64_t log_ring_end(void)
{
	pthread_mutex_lock(&ring.lock);
	uint64_t total = ring.total;
	pthread_mutex_unlock(&ring.lock);
	return total;
}

/* --- a line --- */

static const char *const names[] = { "error", "warn", "info", "debug" };

const char *log_level_name(enum log_level level)
{
	return names[level];
}

bool log_level_find(struct str name, enum log_level *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(name, names[i])) {
			*ret = (enum log_level)i;
			return true;
		}
	return false;
}

/* line_word: cuts what stands before `end` off the front of *rest; false: it has no such end. */
static bool line_word(struct str *rest, char end, struct str *ret)
{
	const char *at = rest->n > 0 ? memchr(rest->p, end, rest->n) : NULL;

	if (!at)
		return false;
	*ret = (struct str){ rest->p, (size_t)(at - rest->p) };
	*rest = (struct str){ at + 1, rest->n - ret->n - 1 };
	return true;
}

static bool line_skip(struct str *rest, const char *text)
{
	size_t n = strlen(text);

	if (rest->n < n || memcmp(rest->p, text, n) != 0)
		return false;
	*rest = (struct str){ rest->p + n, rest->n - n };
	return true;
}

/* line_member: the value of a member whose values need neither escape nor quotes; in quotes, the marks before it
 * would be escaped. */
static struct str line_member(struct str rest, const char *before, char end)
{
	size_t      n = strlen(before);
	const char *at = rest.n > 0 ? memmem(rest.p, rest.n, before, n) : NULL;
	struct str  ret = STR_NONE;

	if (!at)
		return STR_NONE;
	rest = (struct str){ at + n, rest.n - (size_t)(at + n - rest.p) };
	return line_word(&rest, end, &ret) ? ret : rest;
}

bool log_line_read(struct str line, struct log_seen *ret)
{
	struct str level;
	struct str rest = line;

	*ret = (struct log_seen){ .request_id = STR_NONE };
	if (line_skip(&rest, "{\"ts\":\"")) {
		ret->request_id = line_member(rest, ",\"request_id\":\"", '"');
		return line_word(&rest, '"', &ret->ts) && line_skip(&rest, ",\"level\":\"") &&
		       line_word(&rest, '"', &level) && log_level_find(level, &ret->level) &&
		       line_skip(&rest, ",\"event\":\"") && line_word(&rest, '"', &ret->event);
	}
	ret->request_id = line_member(rest, " request_id=", ' ');
	if (!line_word(&rest, ' ', &ret->ts) || !line_word(&rest, ' ', &level) ||
	    !log_level_find(level, &ret->level))
		return false;
	if (!line_word(&rest, ' ', &ret->event))
		ret->event = rest;
	return true;
}
