/* link: a connection to the server, in pipeline mode and never blocking (but for the look-up of a host's
 * name).  All statements up to a link_send travel together, and are one transaction unless they begin one
 * themselves.
 *
 *   DOWN --link_connect--> CONNECTING --> SETTING_UP --> IDLE --link_send--> BUSY --> IDLE
 *     ^                        |              |                               |
 *     +------------------------+--------------+------- l->fault ---------------+
 *
 * A statement's text is its name: it is a constant, prepared at its first use on the connection.  The server plans
 * it then, and again once autovacuum has analyzed a table.  In a new database, the tables are so small at its first
 * use that the server would read all runs for each turn that ends; within the minute until autovacuum comes, these
 * may be many.  So all statements are planned anew when the connection has had twice as many of them, counted from the
 * last one that was new.
 *
 * A pooler such as PgBouncer may give each transaction another session of the server.  So with one the
 * settings come before each transaction and last as long, because a setting of a session would meet
 * other clients: without synchronous_commit, their turns would not be durable.  The name that the server knows
 * a prepared statement by has a hash of the text, so that a name which another link has made in that session
 * means the same.  Once a session did not know a name, statements are sent without names. */
#pragma once

#include "base/err.h"
#include "store/engine.h"
#include "store/sql/cell.h"
#include "store/sql/param.h"

#include <libpq-fe.h>

/* pq: libpq, which is loaded when a PostgreSQL database is opened, so that a gateway without one pays
 * nothing for it and needs no such library. */

/* The functions that the engine uses. */
/* clang-format off */
#define PQ_FUNCTIONS(X) \
	X(PQbackendPID) X(PQclear) X(PQcmdTuples) X(PQconninfoFree) X(PQconninfoParse) X(PQconnectPoll) \
	X(PQconnectStartParams) X(PQconsumeInput) X(PQenterPipelineMode) X(PQerrorMessage) \
	X(PQexitPipelineMode) X(PQsendQuery) X(PQfinish) X(PQflush) X(PQfreemem) \
	X(PQgetisnull) X(PQgetlength) X(PQgetResult) X(PQgetvalue) X(PQhost) \
	X(PQisBusy) X(PQnfields) X(PQntuples) X(PQpipelineSync) X(PQport) X(PQresultErrorField) \
	X(PQresultStatus) X(PQsendPrepare) X(PQsendQueryParams) X(PQsendQueryPrepared) \
	X(PQserverVersion) X(PQsetnonblocking) X(PQsetNoticeProcessor) X(PQsocket) X(PQstatus) \
	X(PQtransactionStatus)
/* clang-format on */

struct pq {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define X(name) __typeof__(name) *name;
	PQ_FUNCTIONS(X)
#undef X
};

/* The loaded functions; all of them, once pq_load has succeeded. */
extern struct pq pq;

/* pq_load: loads the library; any thread, again and again.  Errors: STORAGE. */
enum errc pq_load(struct err *e) MUST_USE;

/* pq_row: a row of a result, whose numbers are binary. */
struct row pq_row(PGresult *r, int at);

/* fault: what a failure of a connection or a statement means. */
enum fault_kind {
	FAULT_PG_NONE,
	FAULT_PG_LOST, /* the connection; whether a commit took place is not known */
	FAULT_PG_AGAIN, /* a deadlock, a lock held too long, a server that restarts: another try may work */
	FAULT_PG_DATA,  /* the data of one job caused it */
	FAULT_PG_SERVER /* the server refuses writes: a full disk, no rights, read-only */
};

struct fault {
	enum fault_kind kind;
	char            state[6];  /* SQLSTATE; "": none */
	char            text[160]; /* for the operator: no parameters, no password */
	const char     *reason;    /* for anybody; static */
};

/* fault_of_result: of a result that is an error.  fault_lost: of a connection that broke; text NULL: no
 * answer came in time. */
struct fault fault_of_result(const PGresult *r);
struct fault fault_lost(const char *text);
/* fault_is_name: the session has no prepared statement of that name, or has one already: another session than
 * before, of a pooler. */
bool fault_is_name(const struct fault *f);
/* fault_is_deadlock: two transactions waited for each other, and the server has ended this one. */
bool fault_is_deadlock(const struct fault *f);
/* fault_refuse: fills e with a text for the client. */
enum errc fault_refuse(const struct fault *f, struct err *e);

enum {
	LINK_PLACES = 512,
	LINK_RESULTS = 24,
	LINK_EXPECTED = 64,
	LINK_CONNECT_US = 3 * 1000 * 1000,
	LINK_STATEMENT_MS = 10 * 1000, /* how long most statements may take */
};

enum link_state { LINK_DOWN, LINK_CONNECTING, LINK_SETTING_UP, LINK_IDLE, LINK_BUSY };

/* The kinds of expected answers. */
enum link_expect { LINK_PREPARED, LINK_CONTROL, LINK_RESULT, LINK_SYNC };

struct link_target;

/* How a link is used. */
struct link_how {
	bool    relaxed;      /* commits do not wait for the server's disk */
	bool    once;         /* few statements are asked twice, so none is prepared */
	int64_t lock_ms;      /* how long a statement waits for a lock */
	int64_t statement_ms; /* how long a statement takes at most */
};

/* Laid open so that it can be embedded.  Used by one thread. */
struct link {
	const struct link_target *target; /* borrowed */
	struct link_how           how;
	enum link_state           state;
	PGconn                   *conn;        /* owned */
	int64_t                   deadline_us; /* the end of CONNECTING, SETTING_UP, BUSY */
	bool                      pooled;      /* a pooler is between */
	bool                      local;       /* its settings hold for what is asked next */
	int64_t                   down_us; /* since when there is no connection; 0: there is one */
	PostgresPollingStatusType polling;
	bool                      unsent; /* bytes that the socket has not taken */
	bool         failed; /* a statement could not be queued: no memory, or a lost connection */
	struct fault fault;  /* result of the last attempt to connect, or of the last link_send */
	unsigned     made;   /* numbers the names of prepared statements */
	uint64_t     asked;  /* how many statements there were since the last one was prepared */
	struct link_place {
		const char *sql;
		uint64_t    hash; /* hash of the text */
		unsigned    number;
		bool        sure; /* the server has confirmed it */
	} places[LINK_PLACES];
	size_t place_count;
	struct {
		enum link_expect what;
		const char      *sql;
	} expected[LINK_EXPECTED];
	size_t       expected_count, expected_at;
	PGresult    *results[LINK_RESULTS]; /* owned; of the statements of the last link_send */
	size_t       result_count;
	struct param args;     /* for the callers' use: those of the next statement */
	struct param settings; /* the settings of a transaction, with a pooler */
};

/* link_target_create: reads a URI or another connection string of libpq.  *ret is owned.  password: NULL:
 * none but the string's.  Errors: STORAGE: no such string; it has a password. */
enum errc link_target_create(const char *database, const char *password, struct link_target **ret,
			     struct err *e) MUST_USE;
void      link_target_destroy(struct link_target *t);
/* link_target_name: the database for messages: without user and password. */
const char *link_target_name(const struct link_target *t);
/* link_target_worked: of several hosts, the one of this connection is the first to be asked next time. */
void link_target_worked(const struct link_target *t, const PGconn *conn);
/* link_target_unnamed: whether sessions forget the names of statements.  link_target_forgets: notes that. */
bool link_target_unnamed(const struct link_target *t);
void link_target_forgets(const struct link_target *t);

void link_init(struct link *l, const struct link_target *target, const struct link_how *how);
void link_finish(struct link *l);

/* link_connect: begins to connect.  link_drop: closes the connection. */
void link_connect(struct link *l, int64_t now_us);
void link_drop(struct link *l, const struct fault *why, int64_t now_us);

/* link_ask: queues a statement with l->args, whose result will be in results; link_control: one without
 * parameters whose result nobody needs, which may begin or end a transaction, and whose text need not be a
 * constant.  link_send: sends what was queued. */
void link_ask(struct link *l, const char *sql);
void link_control(struct link *l, const char *sql);
void link_send(struct link *l, int64_t now_us, int64_t timeout_us);
/* link_clear: forgets the results. */
void link_clear(struct link *l);

/* link_move: after the socket is ready, or a deadline may be over: moves bytes and changes the state. */
void link_move(struct link *l, int64_t now_us);
/* link_wants: POLLIN, POLLOUT: what to wait for; *ret_fd -1: nothing. */
short link_wants(const struct link *l, int *ret_fd);
/* link_script: runs statements without parameters as one transaction with settings of its own, for callers
 * that may block; false: l->fault says why not. */
bool link_script(struct link *l, const char *sql) MUST_USE;
/* link_await: for callers that may block: moves until the link is IDLE or DOWN; true: IDLE, and no
 * statement failed. */
bool link_await(struct link *l) MUST_USE;

/* direct: statements for callers that may block, before the store's thread runs and beside it. */

/* direct_connect: a link of its own; l must be finished (link_finish) even if this fails.  Errors: STORAGE
 * with a text for the operator and its fault. */
enum errc direct_connect(struct link *l, const struct link_target *target, int64_t lock_ms,
			 struct err *e) MUST_USE;
/* direct_ask: sends a statement with l->args; its rows are in l->results[0].  doing: for the text of an
 * error: can't DOING the database NAME. */
enum errc  direct_ask(struct link *l, const char *sql, const char *doing, struct err *e) MUST_USE;
int        direct_rows(const struct link *l);
struct row direct_row(const struct link *l, int at);
enum errc  direct_fail(const struct link *l, const char *doing, struct err *e);
