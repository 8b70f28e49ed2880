/* Appends pieces of the logs of live runs.
 *
 * Events may be sent again, if their commit seemed to fail, also as a part of a longer piece; whoever reads
 * the log drops what came before.
 *
 * Events of a run that is not this gateway's any more are dropped. */
#include "store/common/event_cut.h"
#include "store/events.h"
#include "store/postgres/batch.h"
#include "store/postgres/logged.h"
#include "store/postgres/postgres.h"
#include "store/postgres/turn_end.h"

#include <stdlib.h>

static bool pieces_put(struct pieces *p, struct events_piece row)
{
	if (p->count == p->cap) {
		size_t               cap = p->cap ? 2 * p->cap : 64;
		struct events_piece *grown = realloc(p->all, cap * sizeof *grown);

		if (!grown)
			return false;
		p->all = grown;
		p->cap = cap;
	}
	p->all[p->count++] = row;
	return true;
}

bool pieces_add(struct pieces *p, struct events_piece piece)
{
	while (piece.data.n > 0)
		if (!pieces_put(p, event_cut_row(&piece)))
			return false;
	return true;
}

void pieces_finish(struct pieces *p)
{
	free(p->all);
	*p = (struct pieces){ 0 };
}

void pieces_args(const struct pieces *p, struct param *a, bool secrets)
{
	PARAM_EACH(a, PARAM_INT, i, p->count, param_int(a, p->all[i].run.key));
	if (secrets)
		PARAM_EACH(a, PARAM_INT, i, p->count, param_secret(a, p->all[i].run.secret));
	PARAM_EACH(a, PARAM_INT, i, p->count, param_int(a, (int64_t)p->all[i].first));
	PARAM_EACH(a, PARAM_INT, i, p->count, param_int(a, (int64_t)p->all[i].last));
	PARAM_EACH(a, PARAM_BYTES, i, p->count, param_bytes(a, p->all[i].data));
}

#define ALIVE "EXISTS (SELECT 1 FROM gateway g WHERE g.id = $1 AND g.dead = 0)"

#define PIECES                                                                                     \
	"SELECT p.run, p.first, p.last, p.data FROM "                                              \
	"unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[]) "             \
	"AS p(run, secret, first, last, data) JOIN run r ON r.id = p.run AND r.secret = p.secret " \
	"AND r.status < 2 AND r.gateway = $1 WHERE " ALIVE
#define ADD " ON CONFLICT DO NOTHING RETURNING run, last"

static const char sql_add[] = "INSERT INTO event (run, first, last, data) " PIECES ADD;
/* A later try finds what the first one has added. */
static const char sql_add_again[] =
	"WITH p AS MATERIALIZED (" PIECES "), added AS (INSERT INTO event (run, first, last, data) "
	"SELECT run, first, last, data FROM p" ADD ") SELECT run, last FROM added UNION ALL "
	"SELECT e.run, e.last FROM event e JOIN p ON p.run = e.run AND p.last = e.last";
static const char sql_news[] =
	"UPDATE run r SET attempts = n.attempts, first_token_ms = n.first_token_ms, "
	"provider = coalesce(n.provider, r.provider), bill_dropped = CASE WHEN n.told = 1 THEN "
	"ARRAY[n.tokens_in, n.tokens_out, n.cached, n.reasoning, n.nano, n.asked, n.estimated, n.taken] END, "
	"attempt_log = coalesce(n.attempt_log, r.attempt_log), "
	"executions = coalesce(n.executions, r.executions) "
	"FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], "
	"$7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], "
	"$13::bigint[], $14::bigint[], $15::text[], $16::text[], $17::bigint[]) AS n(run, secret, attempts, first_token_ms, provider, "
	"told, tokens_in, tokens_out, cached, reasoning, nano, asked, estimated, attempt_log, executions, taken) "
	"WHERE r.id = n.run AND r.secret = n.secret AND r.status < 2 AND r.gateway = $1";

/* A row that was sent again is not inserted again, so the runs are looked at. */
static const char sql_why[] = "SELECT r.id FROM run r WHERE r.id = ANY($2::bigint[]) "
			      "AND r.status < 2 AND r.gateway = $1 AND " ALIVE;

static size_t append_things(struct store_job *job, void (*add)(void *arg, int64_t thing), void *arg)
{
	struct events_append *j = container_of(job, struct events_append, job);
	size_t                bytes = 0;

	for (size_t i = 0; i < j->entry_count; i++) {
		add(arg, j->entries[i].piece.run.key);
		bytes += j->entries[i].piece.data.n + 256;
	}
	return bytes;
}

#define EACH_NEWS(type, add)                                                         \
	do {                                                                         \
		param_begin(a, PARAM_##type);                                        \
		for (size_t i = 0; i < g->count; i++) {                              \
			const struct events_append *j =                              \
				container_of(g->jobs[i], struct events_append, job); \
                                                                                     \
			for (size_t k = 0; k < j->entry_count; k++) {                \
				const struct run_news *n = j->entries[k].news;       \
                                                                                     \
				if (n)                                               \
					(add);                                       \
			}                                                            \
		}                                                                    \
		param_end(a);                                                        \
	} while (0)

static void append_nano(struct param *a, const struct run_news *n)
{
	if (n->priced)
		param_int(a, n->nano);
	else
		param_null(a, PARAM_INT);
}

static bool append_some(const struct run_news *n)
{
	return n->used.known || n->used.estimated || !n->asked || n->taken;
}

static void append_news(struct work *w, const struct group *g)
{
	struct param *a = work_param(w);

	param_int(a, w->db->gateway);
	EACH_NEWS(INT, param_int(a, n->run.key));
	EACH_NEWS(INT, param_secret(a, n->run.secret));
	EACH_NEWS(INT, param_int(a, n->attempts));
	EACH_NEWS(INT, param_int(a, n->first_token_ms));
	EACH_NEWS(TEXT, param_maybe(a, n->provider));
	EACH_NEWS(INT, param_int(a, append_some(n)));
	EACH_NEWS(INT, param_int(a, n->used.in));
	EACH_NEWS(INT, param_int(a, n->used.out));
	EACH_NEWS(INT, param_int(a, n->used.cached_read));
	EACH_NEWS(INT, param_int(a, n->used.reasoning));
	EACH_NEWS(INT, append_nano(a, n));
	EACH_NEWS(INT, param_int(a, n->asked));
	EACH_NEWS(INT, param_int(a, n->used.estimated));
	EACH_NEWS(TEXT, param_maybe(a, n->attempt_log));
	EACH_NEWS(TEXT, param_maybe(a, n->executions));
	EACH_NEWS(INT, param_int(a, n->taken));
	work_ask(w, sql_news);
}

static bool append_collect(const struct group *g, struct pieces *ret, bool *ret_news)
{
	bool ok = true;

	for (size_t i = 0; i < g->count; i++) {
		struct events_append *j = container_of(g->jobs[i], struct events_append, job);

		for (size_t k = 0; ok && k < j->entry_count; k++) {
			j->entries[k].refused = false;
			*ret_news |= j->entries[k].news != NULL;
			ok = pieces_add(ret, j->entries[k].piece);
		}
	}
	return ok;
}

/* The news are asked before the events: they lock the run, so that the reaper, which locks it as well,
 * finds these events too, or they find the run ended. */
static size_t append_ask(struct work *w, const struct group *g)
{
	struct pieces p = { 0 };
	bool          news = false;
	bool          ok = append_collect(g, &p, &news);

	if (news)
		append_news(w, g);
	if (ok && p.count == 0) { /* none of the entries is looked for among the answers */
		pieces_finish(&p);
		return news;
	}
	struct param *a = work_param(w);
	param_int(a, w->db->gateway);
	pieces_args(&p, a, true);
	pieces_finish(&p);
	a->failed = a->failed || !ok;
	if (w->link->how.relaxed)
		logged_sends(w);
	work_ask(w, w->tries > 0 ? sql_add_again : sql_add);
	return news ? 2 : 1;
}

/* --- what was dropped --- */

static struct events_append *append_job(const struct group *g, size_t i)
{
	return container_of(g->jobs[i], struct events_append, job);
}

static bool append_told(const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; k < append_job(g, i)->entry_count; k++)
			if (append_job(g, i)->entries[k].news)
				return true;
	return false;
}

/* append_lacks: whether an entry that is to be synced has no row in the n-th result; refuse: it is marked. */
static bool append_lacks(const struct work *w, const struct group *g, size_t n, bool refuse)
{
	bool lacks = false;

	for (size_t i = 0; i < g->count; i++) {
		struct events_append *j = append_job(g, i);

		for (size_t k = 0; j->sync && k < j->entry_count; k++) {
			struct events_entry *entry = &j->entries[k];

			if (entry->piece.data.n == 0 || group_has(w, n, entry->piece.run.key))
				continue;
			lacks = true;
			entry->refused |= refuse;
		}
	}
	return lacks;
}

static bool append_any(const struct group *g)
{
	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; k < append_job(g, i)->entry_count; k++)
			if (append_job(g, i)->entries[k].piece.data.n > 0)
				return true;
	return false;
}

static bool append_judge(struct work *w, const struct group *g)
{
	if (w->link->how.relaxed && append_any(g))
		logged_stored(w, g->at + append_told(g));
	return append_lacks(w, g, g->at + append_told(g), false);
}

static void append_why(struct work *w, const struct group *g)
{
	struct param *a = work_param(w);

	param_int(a, w->db->gateway);
	param_begin(a, PARAM_INT);
	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; k < append_job(g, i)->entry_count; k++)
			param_int(a, append_job(g, i)->entries[k].piece.run.key);
	param_end(a);
	work_ask(w, sql_why);
}

static void append_explain(struct work *w, const struct group *g)
{
	(void)append_lacks(w, g, g->at, true);
}

const struct gathered gathered_events_append = {
	.things = append_things,
	.ask = append_ask,
	.judge = append_judge,
	.why = append_why,
	.explain = append_explain,
};
