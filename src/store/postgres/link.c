/* Connections in pipeline mode. */
#include "store/postgres/link.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "store/sql/cell.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	NAME = 32,
	ASKED_FIRST = 16, /* then the statements are planned anew, and after twice as many again */
};

/* Settings for a session, or for one transaction (local).  Arrays would be planned anew at each use without
 * force_generic_plan. */
#define SETTINGS(local)                                                           \
	"set_config('plan_cache_mode', 'force_generic_plan', " local "), "        \
	"set_config('statement_timeout', $1, " local "), "                        \
	"set_config('lock_timeout', $2, " local "), "                             \
	"set_config('idle_in_transaction_session_timeout', '5s', " local          \
	"), CASE WHEN $3 = 1 THEN set_config('synchronous_commit', 'off', " local \
	") WHEN current_setting('synchronous_commit') = 'off' "                   \
	"THEN set_config('synchronous_commit', 'on', " local ") END, "            \
	"set_config('search_path', 'public', " local ")"

/* Nothing stays in the session of a pooler, which is one whose process the client's side of the connection does
 * not know.  The server looks for a gateway that is silent: the transaction of one that was parted from it would
 * hold its locks for hours, because no timeout of the server ends the wait for the rest of a pipeline. */
/* clang-format off */
static const char sql_set_up[] =
	"SELECT pooled::int::bigint, "
	SETTINGS("pooled") ", "
	"set_config('tcp_keepalives_idle', '5', pooled), "
	"set_config('tcp_keepalives_interval', '2', pooled), "
	"set_config('tcp_keepalives_count', '3', pooled), "
	"set_config('tcp_user_timeout', '10s', pooled) "
	"FROM (SELECT pg_backend_pid() <> $4 AS pooled) p";
static const char sql_local[] = "SELECT " SETTINGS("true");
/* clang-format on */

void link_init(struct link *l, const struct link_target *target, const struct link_how *how)
{
	*l = (struct link){ .target = target, .how = *how };
}

static void forget_expected(struct link *l)
{
	link_clear(l);
	memset(l->places, 0, sizeof l->places);
	l->place_count = 0;
	l->expected_count = l->expected_at = 0;
	l->asked = 0;
	l->unsent = l->failed = l->pooled = l->local = false;
}

void link_finish(struct link *l)
{
	forget_expected(l);
	if (l->conn)
		pq.PQfinish(l->conn);
	l->conn = NULL;
	l->state = LINK_DOWN;
	param_finish(&l->args);
	param_finish(&l->settings);
}

void link_drop(struct link *l, const struct fault *why, int64_t now_us)
{
	l->fault = *why;
	forget_expected(l);
	if (l->conn)
		pq.PQfinish(l->conn);
	l->conn = NULL;
	l->state = LINK_DOWN;
	if (l->down_us == 0)
		l->down_us = now_us;
}

static void link_lost(struct link *l, int64_t now_us)
{
	struct fault f = fault_lost(l->conn ? pq.PQerrorMessage(l->conn) : "out of memory");

	/* The server's last message before it closed the connection says why. */
	if (l->fault.kind != FAULT_PG_NONE) {
		f = l->fault;
		f.kind = FAULT_PG_LOST;
	}
	link_drop(l, &f, now_us);
}

/* --- statements --- */

static struct link_place *link_place_of(struct link *l, const char *sql)
{
	size_t at = ((uintptr_t)sql * 0x9e3779b97f4a7c15u) >> 55;

	_Static_assert(LINK_PLACES == 1 << (64 - 55), "the upper bits are a place");
	while (l->places[at].sql && l->places[at].sql != sql)
		at = (at + 1) % LINK_PLACES;
	return &l->places[at];
}

static void expect_result(struct link *l, enum link_expect what, const char *sql)
{
	CHECK(l->expected_count < LINK_EXPECTED);
	l->expected[l->expected_count].what = what;
	l->expected[l->expected_count++].sql = sql;
}

static void statement_name(char ret[NAME], const struct link_place *p)
{
	snprintf(ret, NAME, "p%016llx_%u", (unsigned long long)p->hash, p->number);
}

static bool link_prepare(struct link *l, const char *sql, const struct param *a, char name[NAME])
{
	struct link_place *p = link_place_of(l, sql);

	if (!p->sql) {
		CHECK(l->place_count < LINK_PLACES / 2);
		*p = (struct link_place){ .sql = sql, .hash = mix_str(MIX_BEGIN, str_of(sql)) };
		l->place_count++;
	}
	if (p->number > 0) {
		statement_name(name, p);
		return true;
	}
	/* A statement whose preparation failed gets a new name, because the old one may exist. */
	p->number = ++l->made;
	l->asked = 0;
	statement_name(name, p);
	expect_result(l, LINK_PREPARED, sql);
	return pq.PQsendPrepare(l->conn, name, sql, a ? a->count : 0, a ? a->types : NULL) == 1;
}

/* link_queue: false: no memory, or a lost connection. */
static bool link_queue(struct link *l, const char *sql, const struct param *a, bool named)
{
	const char *values[PARAM_MAX];
	int         formats[PARAM_MAX];
	char        name[NAME];
	int         count = a ? a->count : 0;
	const int  *lengths = a ? a->lengths : NULL;

	if (a && a->failed)
		return false;
	for (int i = 0; i < count; i++) {
		values[i] = a->lengths[i] < 0 ? NULL : a->data.data + a->at[i];
		formats[i] = 1;
	}
	if (!named)
		return pq.PQsendQueryParams(l->conn, sql, count, a ? a->types : NULL, values,
					    lengths, formats, 1) == 1;
	return link_prepare(l, sql, a, name) &&
	       pq.PQsendQueryPrepared(l->conn, name, count, values, lengths, formats, 1) == 1;
}

/* link_named: whether statements are prepared.  A pooler's session may have the name of the first one from another
 * link. */
static bool link_named(const struct link *l)
{
	return !l->how.once && l->state != LINK_SETTING_UP && !link_target_unnamed(l->target);
}

static void queue_statement(struct link *l, const char *sql, const struct param *a,
			    enum link_expect what)
{
	/* The end of a transaction may not fail because of its name. */
	bool named = a && link_named(l);

	if (l->failed || l->state == LINK_DOWN)
		return;
	l->failed = !link_queue(l, sql, a, named);
	if (!l->failed)
		expect_result(l, what, sql);
}

void link_control(struct link *l, const char *sql)
{
	queue_statement(l, sql, NULL, LINK_CONTROL);
}

void link_ask(struct link *l, const char *sql)
{
	l->asked++;
	if (link_named(l) && l->asked >= ASKED_FIRST && (l->asked & (l->asked - 1)) == 0)
		link_control(l, "DISCARD PLANS");
	if (l->pooled && !l->local) {
		queue_statement(l, sql_local, &l->settings, LINK_CONTROL);
		l->local = true;
	}
	queue_statement(l, sql, &l->args, LINK_RESULT);
	param_clear(&l->args);
}

void link_clear(struct link *l)
{
	for (size_t i = 0; i < l->result_count; i++)
		if (l->results[i])
			pq.PQclear(l->results[i]);
	l->result_count = 0;
	l->fault.kind = FAULT_PG_NONE;
}

static void link_flush(struct link *l, int64_t now_us)
{
	int left = pq.PQflush(l->conn);

	if (left < 0)
		link_lost(l, now_us);
	else
		l->unsent = left > 0;
}

void link_send(struct link *l, int64_t now_us, int64_t timeout_us)
{
	if (l->state == LINK_DOWN)
		return;
	if (l->failed || pq.PQpipelineSync(l->conn) != 1) {
		link_lost(l, now_us);
		return;
	}
	expect_result(l, LINK_SYNC, NULL);
	if (l->state == LINK_IDLE)
		l->state = LINK_BUSY;
	l->deadline_us = now_us + timeout_us;
	link_flush(l, now_us);
}

/* --- answers --- */

/* An answer of a statement, or the synchronisation after them; NULL: the end of a statement's answers. */
static void link_take(struct link *l, PGresult *r)
{
	enum link_expect what = l->expected[l->expected_at].what;
	ExecStatusType   status;

	if (!r) {
		l->expected_at++;
		return;
	}
	status = pq.PQresultStatus(r);
	if (status == PGRES_PIPELINE_SYNC) {
		CHECK(what == LINK_SYNC);
		l->expected_at++;
		pq.PQclear(r);
		return;
	}
	bool fine = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
	if (status == PGRES_FATAL_ERROR && l->fault.kind == FAULT_PG_NONE) {
		l->fault = fault_of_result(r);
		if (fault_is_name(&l->fault))
			link_target_forgets(l->target);
	}
	if (what == LINK_PREPARED) {
		struct link_place *p = link_place_of(l, l->expected[l->expected_at].sql);

		p->sure = fine;
		if (!fine)
			p->number = 0;
	}
	if (what == LINK_RESULT && fine && l->result_count < LINK_RESULTS)
		l->results[l->result_count++] = r;
	else
		pq.PQclear(r);
}

static void set_up_over(struct link *l, int64_t now_us)
{
	if (l->fault.kind != FAULT_PG_NONE) {
		struct fault f = l->fault;

		link_drop(l, &f, now_us);
		return;
	}
	l->pooled = cell_int(pq_row(l->results[0], 0), 0) != 0;
	link_clear(l);
	link_target_worked(l->target, l->conn);
	l->down_us = 0;
	l->state = LINK_IDLE;
}

static void receive_results(struct link *l, int64_t now_us)
{
	if (pq.PQconsumeInput(l->conn) != 1) {
		link_lost(l, now_us);
		return;
	}
	if (l->unsent)
		link_flush(l, now_us);
	while (l->conn && l->expected_at < l->expected_count && !pq.PQisBusy(l->conn))
		link_take(l, pq.PQgetResult(l->conn));
	if (!l->conn)
		return;
	if (pq.PQstatus(l->conn) == CONNECTION_BAD) {
		link_lost(l, now_us);
		return;
	}
	if (l->expected_at < l->expected_count)
		return;
	l->expected_count = l->expected_at = 0;
	/* Settings last as long as a transaction that goes on. */
	l->local = l->local && pq.PQtransactionStatus(l->conn) == PQTRANS_INTRANS;
	if (l->state == LINK_SETTING_UP)
		set_up_over(l, now_us);
	else if (l->state == LINK_BUSY)
		l->state = LINK_IDLE;
}

/* --- connecting --- */

static void ignore_notice(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

static void link_put_settings(const struct link *l, struct param *a)
{
	char ms[2][24];

	snprintf(ms[0], sizeof ms[0], "%lldms", (long long)l->how.statement_ms);
	snprintf(ms[1], sizeof ms[1], "%lldms", (long long)l->how.lock_ms);
	param_clear(a);
	param_text(a, str_of(ms[0]));
	param_text(a, str_of(ms[1]));
	param_int(a, l->how.relaxed);
}

static void link_set_up(struct link *l, int64_t now_us)
{
	if (pq.PQserverVersion(l->conn) < 150000) {
		struct fault f = fault_lost("the server is older than PostgreSQL 15");

		f.kind = FAULT_PG_SERVER;
		str_copy(f.state, sizeof f.state, STR("0A000"));
		link_drop(l, &f, now_us);
		return;
	}
	if (pq.PQsetnonblocking(l->conn, 1) != 0 || pq.PQenterPipelineMode(l->conn) != 1) {
		link_lost(l, now_us);
		return;
	}
	(void)pq.PQsetNoticeProcessor(l->conn, ignore_notice, NULL);
	l->state = LINK_SETTING_UP;
	link_put_settings(l, &l->settings);
	link_put_settings(l, &l->args);
	param_int(&l->args, pq.PQbackendPID(l->conn));
	link_ask(l, sql_set_up);
	link_send(l, now_us, LINK_CONNECT_US);
}

static void connect_on(struct link *l, int64_t now_us)
{
	l->polling = pq.PQconnectPoll(l->conn);
	if (l->polling == PGRES_POLLING_FAILED)
		link_lost(l, now_us);
	else if (l->polling == PGRES_POLLING_OK)
		link_set_up(l, now_us);
}

void link_move(struct link *l, int64_t now_us)
{
	switch (l->state) {
	case LINK_DOWN: return;
	case LINK_CONNECTING: connect_on(l, now_us); break;
	case LINK_SETTING_UP:
	case LINK_IDLE: /* also learns that the server has closed it */
	case LINK_BUSY: receive_results(l, now_us); break;
	}
	if (l->state != LINK_DOWN && l->state != LINK_IDLE && now_us >= l->deadline_us) {
		struct fault f = fault_lost(NULL);

		link_drop(l, &f, now_us);
	}
}

short link_wants(const struct link *l, int *ret_fd)
{
	*ret_fd = l->conn ? pq.PQsocket(l->conn) : -1;
	switch (l->state) {
	case LINK_DOWN: *ret_fd = -1; return 0;
	case LINK_CONNECTING: return l->polling == PGRES_POLLING_WRITING ? POLLOUT : POLLIN;
	case LINK_SETTING_UP:
	case LINK_IDLE:
	case LINK_BUSY: break;
	}
	return (short)(l->unsent ? POLLIN | POLLOUT : POLLIN);
}

bool link_await(struct link *l)
{
	while (l->state != LINK_IDLE && l->state != LINK_DOWN) {
		int64_t       left = (l->deadline_us - clock_mono_us()) / 1000 + 1;
		struct pollfd p;

		p.events = link_wants(l, &p.fd);
		(void)poll(&p, 1, left > 0 ? (int)left : 0);
		link_move(l, clock_mono_us());
	}
	return l->state == LINK_IDLE && l->fault.kind == FAULT_PG_NONE;
}

bool link_script(struct link *l, const char *sql)
{
	PGresult *r;

	link_clear(l);
	/* A pipeline takes single statements only. */
	if (pq.PQexitPipelineMode(l->conn) != 1 || pq.PQsendQuery(l->conn, sql) != 1) {
		link_lost(l, clock_mono_us());
		return false;
	}
	for (;;) {
		struct pollfd p = { .fd = pq.PQsocket(l->conn), .events = POLLIN };
		int           left = pq.PQflush(l->conn);

		if (left > 0)
			p.events |= POLLOUT;
		if (left < 0 || pq.PQconsumeInput(l->conn) != 1) {
			link_lost(l, clock_mono_us());
			return false;
		}
		if (left > 0 || pq.PQisBusy(l->conn)) {
			(void)poll(&p, 1, 1000);
			continue;
		}
		r = pq.PQgetResult(l->conn);
		if (!r)
			break;
		if (pq.PQresultStatus(r) == PGRES_FATAL_ERROR && l->fault.kind == FAULT_PG_NONE)
			l->fault = fault_of_result(r);
		pq.PQclear(r);
	}
	l->local = pq.PQtransactionStatus(l->conn) == PQTRANS_INTRANS;
	if (pq.PQenterPipelineMode(l->conn) != 1)
		link_lost(l, clock_mono_us());
	return l->fault.kind == FAULT_PG_NONE;
}

enum { DIRECT_US = 60 * 1000 * 1000 };

/* libpq gives no code for a refused connection, only the server's or its own words. */
static enum err_fault fault_of_text(const char *text)
{
	static const struct {
		const char    *part;
		enum err_fault fault;
	} parts[] = {
		{ "does not exist", FAULT_MISSING }, { "authentication", FAULT_MISSING },
		{ "password", FAULT_MISSING },       { "pg_hba", FAULT_MISSING },
		{ "not permitted", FAULT_MISSING },  { "permission denied", FAULT_MISSING },
		{ "certificate", FAULT_MISSING },    { "SSL", FAULT_MISSING },
	};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (strstr(text, parts[i].part))
			return parts[i].fault;
	return FAULT_BUSY;
}

static enum err_fault direct_fault_of(const struct fault *f)
{
	if (strcmp(f->state, "0A000") == 0)
		return FAULT_DATA; /* too old */
	if (strcmp(f->state, "53100") == 0)
		return FAULT_DISK;
	if (f->kind == FAULT_PG_DATA ||
	    (f->state[0] && f->kind == FAULT_PG_SERVER && strcmp(f->state, "42501") != 0))
		return FAULT_DATA;
	return fault_of_text(f->text);
}

enum errc direct_fail(const struct link *l, const char *doing, struct err *e)
{
	err_set(e, ERR_STORAGE, "", "can't %s the database %s: %s", doing,
		link_target_name(l->target), l->fault.text);
	return err_blame(e, direct_fault_of(&l->fault));
}

/* direct_try: a pooler of single statements refuses a transaction that goes on after an answer. */
static enum errc direct_try(struct link *l, struct err *e)
{
	static const char *const steps[] = { "BEGIN", "COMMIT" };
	bool                     ok = true;

	for (size_t i = 0; ok && i < ARRAY_LEN(steps); i++) {
		link_control(l, steps[i]);
		link_send(l, clock_mono_us(), DIRECT_US);
		ok = link_await(l);
	}
	if (ok)
		return ERR_OK;
	direct_fail(l, "use", e);
	return strstr(l->fault.text, "statement pooling") ? err_blame(e, FAULT_NO_PLACE) : e->code;
}

enum errc direct_connect(struct link *l, const struct link_target *target, int64_t lock_ms,
			 struct err *e)
{
	link_init(l, target,
		  &(struct link_how){
			  .once = true, .lock_ms = lock_ms, .statement_ms = LINK_STATEMENT_MS });
	link_connect(l, clock_mono_us());
	if (!link_await(l))
		return direct_fail(l, "connect to", e);
	return l->pooled ? direct_try(l, e) : ERR_OK;
}

enum errc direct_ask(struct link *l, const char *sql, const char *doing, struct err *e)
{
	link_clear(l);
	link_ask(l, sql);
	link_send(l, clock_mono_us(), DIRECT_US);
	return link_await(l) ? ERR_OK : direct_fail(l, doing, e);
}

int direct_rows(const struct link *l)
{
	return pq.PQntuples(l->results[0]);
}

struct row direct_row(const struct link *l, int at)
{
	return pq_row(l->results[0], at);
}
