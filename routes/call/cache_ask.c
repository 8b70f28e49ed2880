/* Reads what a client says of the answer cache. */
#include "routes/call/cache_ask.h"

#include "http/request.h"

#include <strings.h>

enum { SECONDS_MOST = 30 * 24 * 3600 };

static struct str ask_trim(struct str s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* ask_word: takes the next word of a list with commas; false: there is none. */
static bool ask_word(struct str *list, struct str *ret)
{
	while (list->n > 0) {
		const char *comma = memchr(list->p, ',', list->n);
		size_t      n = comma ? (size_t)(comma - list->p) : list->n;

		*ret = ask_trim((struct str){ list->p, n });
		n += comma != NULL;
		*list = (struct str){ list->p + n, list->n - n };
		if (ret->n > 0)
			return true;
	}
	return false;
}

static bool ask_is(struct str word, const char *name)
{
	return word.n == strlen(name) && strncasecmp(word.p, name, word.n) == 0;
}

/* ask_seconds: `NAME=N`, N with or without quotes; more than SECONDS_MOST is SECONDS_MOST. */
static bool ask_seconds(struct str word, const char *name, int64_t *ret_ms)
{
	size_t  n = strlen(name);
	int64_t s = 0;

	if (word.n < n + 2 || strncasecmp(word.p, name, n) != 0 || word.p[n] != '=')
		return false;
	struct str digits = { word.p + n + 1, word.n - n - 1 };
	if (digits.n > 2 && digits.p[0] == '"' && digits.p[digits.n - 1] == '"')
		digits = (struct str){ digits.p + 1, digits.n - 2 };
	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] < '0' || digits.p[i] > '9')
			return false;
		s = s * 10 + (digits.p[i] - '0');
		s = s < SECONDS_MOST ? s : SECONDS_MOST;
	}
	*ret_ms = s * 1000;
	return true;
}

static enum errc ask_own(struct str list, struct cache_ask *ask, struct err *e)
{
	struct str word;

	while (ask_word(&list, &word)) {
		bool known = ask_is(word, "use");

		if (ask_is(word, "refresh"))
			known = ask->fresh = true;
		else if (ask_is(word, "only"))
			known = ask->only = true;
		else if (ask_seconds(word, "ttl", &ask->ttl_ms))
			known = ask->ttl_ms > 0;
		if (!known)
			return err_set(e, ERR_INVALID_VALUE, "x-parley-cache",
				       "must be off, or of use, refresh, only and ttl=SECONDS");
		ask->asked = true;
	}
	return ERR_OK;
}

/* ask_age: an answer is younger than no time at all only if it is new. */
static void ask_age(struct cache_ask *ask, int64_t ms)
{
	ask->fresh = ask->fresh || ms == 0;
	ask->max_age_ms = ms < ask->max_age_ms ? ms : ask->max_age_ms;
}

/* Other words of this header are for caches of HTTP. */
static void ask_control(struct str list, struct cache_ask *ask)
{
	struct str word;
	int64_t    ms;

	while (ask_word(&list, &word)) {
		if (ask_is(word, "no-cache"))
			ask->fresh = true;
		else if (ask_is(word, "no-store"))
			ask->unkept = true;
		else if (ask_is(word, "only-if-cached"))
			ask->only = true;
		else if (ask_seconds(word, "max-age", &ms))
			ask_age(ask, ms);
	}
}

/* The wishes in the lines of both headers, so far. */
struct ask_lines {
	struct cache_ask *ask;
	bool              off;
	struct err       *e;
};

static void ask_own_line(void *arg, struct str line)
{
	struct ask_lines *l = arg;

	if (ask_is(ask_trim(line), "off"))
		l->off = true;
	else if (l->e->code == ERR_OK)
		(void)ask_own(line, l->ask, l->e);
}

static void ask_control_line(void *arg, struct str line)
{
	ask_control(line, ((struct ask_lines *)arg)->ask);
}

enum errc cache_ask_read(const struct request *r, struct cache_ask *ret, struct err *e)
{
	struct ask_lines l = { .ask = ret, .e = e };

	*e = (struct err){ .code = ERR_OK };
	*ret = (struct cache_ask){ .asked = ret->asked || request_view(r)->by.who->caches,
				   .max_age_ms = INT64_MAX };
	request_header_lines(r, "x-parley-cache", ask_own_line, &l);
	if (e->code != ERR_OK)
		return e->code;
	if (l.off)
		*ret = (struct cache_ask){ 0 };
	if (ret->asked)
		request_header_lines(r, "Cache-Control", ask_control_line, &l);
	return ERR_OK;
}
