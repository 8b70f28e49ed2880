/* Prints the limits of a caller in the headers of an answer. */
#include "routes/kit/gateway.h"

#include "http/reply.h"

static const char *const names[RATE_WHOSE__COUNT][RATE_POLICY__COUNT] = {
	[RATE_KEY] = { "requests", "tokens", "concurrent" },
	[RATE_ALL] = { "all-requests", "all-tokens", "all-concurrent" },
};

static int64_t limit_seconds(int64_t us)
{
	return (us + 999999) / 1000000;
}

static bool put_policy(struct buf *out, const char *name, const struct rate_left *l)
{
	return buf_fmt(out, "%s\"%s\";q=%lld", out->len > 0 ? ", " : "", name,
		       (long long)l->limit) &&
	       (l->window_us > 0 ? buf_fmt(out, ";w=%lld", (long long)limit_seconds(l->window_us))
				 : buf_text(out, ";qu=\"concurrent-requests\""));
}

static bool put_left(struct buf *out, const char *name, const struct rate_left *l)
{
	return buf_fmt(out, "%s\"%s\";r=%lld", out->len > 0 ? ", " : "", name,
		       (long long)l->left) &&
	       (l->window_us == 0 ||
		buf_fmt(out, ";t=%lld", (long long)limit_seconds(l->reset_us)));
}

/* put_go: prints a duration as Go does, and OpenAI in its headers: 120ms, 1s, 6m0s, 1h0m0s. */
static bool put_go(struct buf *out, int64_t us)
{
	int64_t s = limit_seconds(us);

	if (us < 1000000)
		return buf_fmt(out, "%lldms", (long long)((us + 999) / 1000));
	if (s >= 3600 && !buf_fmt(out, "%lldh", (long long)(s / 3600)))
		return false;
	if (s >= 60 && !buf_fmt(out, "%lldm", (long long)(s / 60 % 60)))
		return false;
	return buf_fmt(out, "%llds", (long long)(s % 60));
}

static void number_header(struct request *r, const char *name, int64_t v)
{
	struct buf text;

	buf_init(&text, 32);
	if (buf_int(&text, v))
		reply_header(r, name, buf_view(&text));
	buf_finish(&text);
}

/* limit_headers_openai: prints the tighter limit, of the key or of all callers, in OpenAI's headers. */
static void limit_headers_openai(struct request *r, const struct rate_view *v,
				 enum rate_policy policy, const char *limit, const char *left,
				 const char *reset)
{
	const struct rate_left *mine = &v->of[RATE_KEY][policy];
	const struct rate_left *all = &v->of[RATE_ALL][policy];
	const struct rate_left *l =
		mine->limit == 0 || (all->limit > 0 && all->left < mine->left) ? all : mine;
	struct buf text;

	if (l->limit == 0)
		return;
	number_header(r, limit, l->limit);
	if (l->left < 0)
		return; /* nobody here has asked in this window */
	number_header(r, left, l->left);
	buf_init(&text, 64);
	if (put_go(&text, l->reset_us))
		reply_header(r, reset, buf_view(&text));
	buf_finish(&text);
}

void limit_headers_put(struct request *r, const struct rate_view *v)
{
	struct buf policy, left;
	bool       ok = true;

	buf_init(&policy, KIB);
	buf_init(&left, KIB);
	for (size_t i = 0; i < RATE_WHOSE__COUNT; i++)
		for (size_t k = 0; k < RATE_POLICY__COUNT; k++) {
			const struct rate_left *l = &v->of[i][k];

			if (l->limit > 0)
				ok = ok && put_policy(&policy, names[i][k], l);
			if (l->limit > 0 && l->left >= 0)
				ok = ok && put_left(&left, names[i][k], l);
		}
	if (ok && policy.len > 0)
		reply_header(r, "RateLimit-Policy", buf_view(&policy));
	if (ok && left.len > 0)
		reply_header(r, "RateLimit", buf_view(&left));
	buf_finish(&policy);
	buf_finish(&left);
	limit_headers_openai(r, v, RATE_REQUESTS, "x-ratelimit-limit-requests",
			     "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests");
	limit_headers_openai(r, v, RATE_TOKENS, "x-ratelimit-limit-tokens",
			     "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens");
}

void limit_headers_look(struct request *r, const struct gateway *g)
{
	struct rate_view view;

	admit_look(&g->now->admit, request_key(r), &view);
	limit_headers_put(r, &view);
}
