/* Facts of the process, under a lock; and the paths that clients of other APIs may try. */
#include "routes/kit/gateway.h"

#include "base/api_key.h"
#include "base/clock.h"
#include "base/metric.h"
#include "http/reply.h"
#include "store/key_ring.h"
#include "token/tokens.h"

/* group_stands: whether the group of a token's holder is there still; a key's can't be deleted. */
static bool group_stands(struct key_ring *ring, const struct identity *who)
{
	struct str       id;
	bool             member = who->group && api_key_group(str_of(who->group->id), &id);
	struct identity *group = member ? key_ring_group(ring, id) : NULL;
	bool             stands = !member || group;

	identity_release(group);
	return stands;
}

bool gateway_allows(const struct gateway *g, const struct identity *who, unsigned scope)
{
	struct key_ring *ring = g->store->ring;
	struct str       id;

	if (!who->id[0])
		return !key_ring_any(ring);
	if (who->number == 0 || !api_key_id(str_of(who->id), &id))
		return group_stands(ring, who) &&
		       (who->until_ms == 0 || clock_wall_ms() < who->until_ms) &&
		       (who->proof == 0 || (g->now->tokens && tokens_stand(g->now->tokens, who)));

	struct identity *now = key_ring_named(ring, id, clock_wall_ms());
	bool             ok = now && (now->scopes & scope);

	identity_release(now);
	return ok;
}

void process_reloaded(struct process *p, int64_t at_s, const struct err *e)
{
	struct process_reload now = { .at_s = at_s, .ok = !e };

	if (e)
		str_copy(now.why, sizeof now.why, str_of(e->text));
	pthread_mutex_lock(&p->lock);
	p->reload = now;
	pthread_mutex_unlock(&p->lock);
}

struct process_reload process_look(struct process *p)
{
	pthread_mutex_lock(&p->lock);
	struct process_reload r = p->reload;
	pthread_mutex_unlock(&p->lock);
	return r;
}

static struct process_alert *alert_find_locked(struct process *p, const char *type,
					       const char *subject)
{
	for (size_t i = 0; i < p->alert_count; i++)
		if (strcmp(p->alerts[i].type, type) == 0 &&
		    strcmp(p->alerts[i].subject, subject) == 0)
			return &p->alerts[i];
	return NULL;
}

bool process_alert_add(struct process *p, const struct process_alert *a)
{
	pthread_mutex_lock(&p->lock);
	struct process_alert *at = alert_find_locked(p, a->type, a->subject);
	bool                  fresh = !at || at->window != a->window;

	if (!at && p->alert_count < PROCESS_ALERTS) {
		at = &p->alerts[p->alert_count++];
		metric_add(METRIC_ALERTS, (const char *[]){ a->type, "", "" }, 1);
	}
	if (at && fresh)
		*at = *a;
	pthread_mutex_unlock(&p->lock);
	return at && fresh;
}

bool process_alert_remove(struct process *p, const char *type, const char *subject,
			  struct process_alert *ret)
{
	pthread_mutex_lock(&p->lock);
	struct process_alert *at = alert_find_locked(p, type, subject);

	if (at) {
		*ret = *at;
		*at = p->alerts[--p->alert_count];
		metric_add(METRIC_ALERTS, (const char *[]){ type, "", "" }, -1);
	}
	pthread_mutex_unlock(&p->lock);
	return at != NULL;
}

bool process_alert_at(struct process *p, size_t i, struct process_alert *ret)
{
	pthread_mutex_lock(&p->lock);
	bool there = i < p->alert_count;

	if (there)
		*ret = p->alerts[i];
	pthread_mutex_unlock(&p->lock);
	return there;
}

/* --- hints: Paths of other APIs that clients may try, and the routes to use instead; and paths that mean the
 * same as one of ours. */

#define COMPLETIONS "use POST /v1/chat/completions"
#define NO_SUCH     "this gateway has no "

/* clang-format off */
const struct route_hint route_hints[] = {
	/* OpenAI's. */
	{ "/responses/*", "use POST /v1/responses: the base URL ends in /v1" },
	{ "/v1/responses/compact", NO_SUCH "/v1/responses/compact; nothing is left out of a conversation" },
	{ "/v1/engines/*", "engines are models now; " COMPLETIONS ", or GET /v1/models" },
	{ "/v1/edits", "edits are not spoken here; " COMPLETIONS },
	{ "/v1/assistants/*", "assistants are not spoken here; use POST /v1/chat with an instruction" },
	{ "/v1/threads/*", "threads are conversations here; use POST /v1/conversations and POST /v1/chat" },
	{ "/v1/batches/*", NO_SUCH "batches; use POST /v1/chat with \"background\": true" },
	{ "/v1/audio/*", NO_SUCH "speech; a message may have audio parts: " COMPLETIONS },
	{ "/v1/images/*", NO_SUCH "images API; models that make images answer POST /v1/chat/completions" },
	{ "/v1/moderations", NO_SUCH "moderations" },
	{ "/v1/realtime/*", NO_SUCH "realtime API; use POST /v1/chat with \"stream\": true" },
	{ "/v1/uploads/*", NO_SUCH "uploads in parts; use POST /v1/files" },
	{ "/v1/vector_stores/*", NO_SUCH "vector stores; there are POST /v1/embeddings and GET /v1/search" },
	{ "/v1/fine_tuning/*", NO_SUCH "fine-tuning" },
	{ "/v1/organization/*", "usage is read at GET /v1/usage, keys are managed on the admin listener" },
	/* Azure's. */
	{ "/openai/deployments/*", "a deployment has chat/completions, completions and embeddings" },
	{ "/openai/*", "the base URL of this API ends in /v1, without /openai" },
	/* Anthropic's. */
	{ "/v1/messages/batches/*", NO_SUCH "batches" },
	{ "/v1/complete", "completions of a prompt are not spoken here; " COMPLETIONS },
	/* Gemini's. */
	{ "/v1beta/*", "of Gemini's API there are models, and their generateContent, streamGenerateContent, countTokens, embedContent and batchEmbedContents" },
	/* Rebyte's. */
	{ "/api/sdk/p/{project}/knowledge/*", NO_SUCH "knowledge; there are POST /v1/embeddings and GET /v1/search" },
	{ "/api/sdk/*", "agents are run at POST /api/sdk/p/{project}/a/{agent}/r" },
	/* Ollama's. */
	{ "/api/*", "of Ollama's API there are chat, generate, embed, embeddings, tags, show, ps and version" },
	/* What is looked for by hand. */
	{ "/v1/health", "use GET /healthz" },
	{ "/health", "use GET /healthz" },
	{ "/docs/*", "GET /openapi.yaml describes this API" },
	{ "/admin/*", "keys are managed on the admin listener, below /v1/admin" },
	{ "/v1/admin/*", "this path is served on the admin listener, and on loopback addresses without a proxy" },
	{ "/console/*", "the console is at /console/, where it is served" },
	{ "/metrics", "metrics are served on the admin listener, and on loopback addresses" },
	{ 0 },
};
/* clang-format on */

/* Azure's: a deployment is a model.  Source: Azure's API reference, "Azure OpenAI in Foundry Models
 * REST API". */
const struct route_spelling route_spellings[] = {
	{ "/openai/deployments/{model}/chat/completions", "/v1/chat/completions", false },
	{ "/openai/deployments/{model}/completions", "/v1/completions", false },
	{ "/openai/deployments/{model}/embeddings", "/v1/embeddings", false },
	{ "/openai/models/*", "/v1/models", false },
	{ "/openai/responses/*", "/v1/responses", false },
	{ "/openai/v1/*", "/v1", false },
	/* Gemini's, and its base URL for OpenAI's clients. */
	{ "/v1beta/models/*", "/v1/models", false },
	{ "/v1beta/openai/*", "/v1", false },
	/* Some of its clients take a name with a slash for a path below the base URL (@ai-sdk/google 2 and later). */
	{ "/v1beta/*", "/v1/models", true },
	{ 0 },
};

bool gateway_is_console(const struct request *r)
{
	const struct request_view *v = request_view(r);

	return !id_none(v->by.session.id) || (v->by.who == &identity_open && v->head.origin.n > 0 &&
					      head_is_same_origin(&v->head));
}

/* --- limit_headers: Prints the limits of a caller in the headers of an answer. */

static const char *const names[RATE_WHOSE__COUNT][RATE_POLICY__COUNT] = {
	[RATE_KEY] = { "requests", "tokens", "concurrent" },
	[RATE_GROUP] = { "group-requests", "group-tokens", "group-concurrent" },
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

/* limit_headers_openai: prints the tightest limit, of the key, its group or all callers, in OpenAI's headers. */
static void limit_headers_openai(struct request *r, const struct rate_view *v,
				 enum rate_policy policy, const char *limit, const char *left,
				 const char *reset)
{
	const struct rate_left *l = &v->of[RATE_KEY][policy];
	struct buf              text;

	for (size_t i = RATE_GROUP; i < RATE_WHOSE__COUNT; i++) {
		const struct rate_left *other = &v->of[i][policy];

		if (l->limit == 0 || (other->limit > 0 && other->left < l->left))
			l = other;
	}

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

	admit_look(&g->now->admit, request_view(r)->by.who, &view);
	limit_headers_put(r, &view);
}
