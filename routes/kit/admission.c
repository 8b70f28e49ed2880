/* Estimates the tokens of a call for its limits, and prints the limits in the headers. */
#include "routes/kit/admission.h"

#include "base/limits.h"
#include "http/reply.h"

enum { MEDIA_BYTES = 4 * KIB, MEDIA_LOOK = 256, TOKEN_BYTES = 4 };

/* --- the estimate --- */

/* is_blank_free: whether a string may be base64: a text has white space among so many characters. */
static bool is_blank_free(struct str s)
{
	for (size_t i = 0; i < MEDIA_LOOK; i++)
		if (s.p[i] <= ' ' || s.p[i] > '~' || s.p[i] == '\\')
			return false;
	return true;
}

static bool is_type(const struct json_doc *d, json_at object, const char *a, const char *b)
{
	return json_get_is(d, object, "type", a) || json_get_is(d, object, "type", b);
}

/* is_media: whether the member is where an image, audio or a file has its data, in the words of one of
 * the families: {image_url: {url}}, {image_url}, {file: {file_data}}, {input_audio: {data, format}},
 * {source: {type: base64, media_type, data}}, {type: image, format, content}, {result}.  What looks
 * alike in a text is one. */
static bool is_media(const struct json_doc *d, json_at object, json_at key)
{
	struct str value = json_inner(d, json_value(key));

	if (str_starts(value, STR("data:text/")))
		return false;
	if (json_is(d, key, "url") || json_is(d, key, "image_url"))
		return str_starts(value, STR("data:"));
	if (!is_blank_free(value))
		return false;
	if (json_is(d, key, "data"))
		return is_type(d, object, "base64", "base64") ||
		       json_get(d, object, "format") != JSON_ABSENT;
	if (json_is(d, key, "content"))
		return is_type(d, object, "image", "audio");
	return json_is(d, key, "file_data") ||
	       (json_is(d, key, "result") &&
		is_type(d, object, "image_generation_call", "image_generation_call"));
}

int64_t admission_prompt_tokens(const struct input *in)
{
	const struct json_doc *d = &in->doc;
	size_t                 bytes = in->body.len;
	int64_t                media = 0;

	for (json_at i = 0; bytes >= MEDIA_BYTES && i < d->count; i++) {
		if (d->tok[i].kind != JSON_OBJECT || json_raw(d, i).n < MEDIA_BYTES)
			continue;
		JSON_EACH_MEMBER (k, d, i) {
			json_at v = json_value(k);

			if (d->tok[v].kind != JSON_STRING || d->tok[v].len <= MEDIA_BYTES + 2 ||
			    !is_media(d, i, k))
				continue;
			bytes -= json_inner(d, v).n;
			media += LIMIT_MEDIA_TOKENS;
		}
	}
	return (int64_t)((bytes + TOKEN_BYTES - 1) / TOKEN_BYTES) + media;
}

/* admission_number: reads digits; a number above the largest window is cut to it. */
static int64_t admission_number(struct str text)
{
	int64_t v = 0;

	for (size_t i = 0; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++)
		if (v <= LIMIT_RATE_COUNT)
			v = v * 10 + (text.p[i] - '0');
	return v;
}

static void admission_estimate(const struct call_request *rq, struct admit_ask *ask)
{
	ask->tokens = admission_prompt_tokens(rq->input);
	if (rq->what.prompt.embed)
		return;
	ask->open = rq->what.prompt.max_tokens.n == 0;
	ask->tokens +=
		ask->open ? LIMIT_GUESSED_TOKENS : admission_number(rq->what.prompt.max_tokens);
}

/* --- the headers --- */

static const char *const names[RATE_WHOSE__COUNT][RATE_POLICY__COUNT] = {
	[RATE_KEY] = { "requests", "tokens", "concurrent" },
	[RATE_ALL] = { "all-requests", "all-tokens", "all-concurrent" },
};

static int64_t admission_seconds(int64_t us)
{
	return (us + 999999) / 1000000;
}

static bool put_policy(struct buf *out, const char *name, const struct rate_left *l)
{
	return buf_fmt(out, "%s\"%s\";q=%lld", out->len > 0 ? ", " : "", name,
		       (long long)l->limit) &&
	       (l->window_us > 0
			? buf_fmt(out, ";w=%lld", (long long)admission_seconds(l->window_us))
			: buf_text(out, ";qu=\"concurrent-requests\""));
}

static bool put_left(struct buf *out, const char *name, const struct rate_left *l)
{
	return buf_fmt(out, "%s\"%s\";r=%lld", out->len > 0 ? ", " : "", name,
		       (long long)l->left) &&
	       (l->window_us == 0 ||
		buf_fmt(out, ";t=%lld", (long long)admission_seconds(l->reset_us)));
}

/* put_go: prints a duration as Go does, and OpenAI in its headers: 120ms, 1s, 6m0s, 1h0m0s. */
static bool put_go(struct buf *out, int64_t us)
{
	int64_t s = admission_seconds(us);

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

/* admission_openai: prints the tighter limit, of the key or of all callers, in OpenAI's headers. */
static void admission_openai(struct request *r, const struct rate_view *v, enum rate_policy policy,
			     const char *limit, const char *left, const char *reset)
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

void admission_tell(struct request *r, const struct rate_view *v)
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
	admission_openai(r, v, RATE_REQUESTS, "x-ratelimit-limit-requests",
			 "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests");
	admission_openai(r, v, RATE_TOKENS, "x-ratelimit-limit-tokens",
			 "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens");
}

/* --- the gate --- */

enum admit_answer admission_enter(struct request *r, const struct gateway *g,
				  const struct call_request *rq, struct admit_wait *w,
				  struct err *e)
{
	const struct admit_settings *now = &g->now->admit;
	struct admit_ask             ask = {
			    .now = now,
			    .who = request_key(r),
			    .bytes = rq->input->body.len + rq->input->doc.count * sizeof *rq->input->doc.tok,
			    .loop = g->loop,
	};
	struct rate_view view;

	if (admit_counts_tokens(now, ask.who))
		admission_estimate(rq, &ask);
	enum admit_answer rc = admit_enter(&ask, w, &view, e);
	admission_tell(r, &view);
	return rc;
}

void admission_show(struct request *r, const struct gateway *g)
{
	struct rate_view view;

	admit_look(&g->now->admit, request_key(r), &view);
	admission_tell(r, &view);
}
