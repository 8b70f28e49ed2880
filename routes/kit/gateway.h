/* routes/kit/gateway: the objects that the handlers of one loop use. Made by app. */
#pragma once

#include "base/beneath.h"
#include "base/err.h"
#include "base/str.h"
#include "call/door.h"
#include "desk/admit.h"
#include "http/request.h"
#include "http/server.h"
#include "loop/work.h"
#include "msg/usage_tag.h"
#include "provider/registry.h"
#include "run/run.h"
#include "shape/family.h"
#include "store/conversation.h"
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>

struct process;

/* An operator's view of a configuration: JSON, made when the configuration was read. */
struct snapshot_about {
	struct str        file;      /* a string, or null */
	struct str        options;   /* a list */
	struct str        secrets;   /* an object */
	const struct str *providers; /* objects, in the order of registry_provider */
	const struct str *places; /* strings or null, for models in the order of registry_model */
	int64_t           read_s; /* unix time */
};

/* The handlers' part of one configuration; immutable, reference-counted. A run holds the one
 * with which it began, so that a reload takes nothing away from it. */
struct snapshot {
	atomic_int             refs;
	struct snapshot_about  about;
	struct registry       *registry;
	struct tokens         *tokens; /* NULL: no issuer of tokens is configured */
	struct server_settings http;
	struct run_settings    run;
	struct admit_settings  admit;
	char title_model[LIMIT_MODEL + 1]; /* makes titles of conversations; empty: none does */
	struct usage_tag_names usage_tags;
	bool    responses_store;      /* a response is stored if its request does not say */
	bool    drops_hosted;         /* tools that OpenAI runs itself are left out */
	bool    abort_failed_streams; /* the body of a failed stream ends as a broken one */
	char    currency[4];          /* the one of all prices */
	int64_t made_s;               /* unix time, `created` of the models */
	void (*destroy)(struct snapshot *s);
};

static inline struct snapshot *snapshot_hold(struct snapshot *s)
{
	atomic_fetch_add(&s->refs, 1);
	return s;
}

static inline void snapshot_release(void *held)
{
	struct snapshot *s = held;

	if (s && atomic_fetch_sub(&s->refs, 1) == 1)
		s->destroy(s);
}

struct gateway {
	struct loop          *loop;
	struct upstream_pool *upstreams;
	struct run_engine    *runs;
	struct store         *store;
	struct work_pool     *work; /* shared by all loops */
	struct work_pool *
		cpu; /* the same, for what takes no file: long JSON does not wait for disks, nor they for it */
	const struct beneath
			  *image_root; /* where images named by path lie; NULL: none may be named */
	int64_t            max_file;   /* bytes of one uploaded file */
	struct store_keep  keep;
	const char        *computer; /* path of the runner's socket; NULL: no code is executed */
	bool               computer_auto; /* requests may let code run without approvals */
	struct snapshot   *now;           /* held; swapped by a reload on this loop's thread */
	struct door        door;          /* its settings are those of now */
	const atomic_bool *draining;
	size_t             titles;   /* titles that are being made */
	size_t             sign_ins; /* codes of issuers that are being exchanged */
	struct process    *process;  /* shared by all loops */
};

/* gateway_allows: whether a caller may go on reading: a stored key still has the scope, or the gateway is still
 * open. */
bool gateway_allows(const struct gateway *g, const struct identity *who, unsigned scope);

/* gateway_take: g consumes s, the configuration from now on; *ret is the one before. */
static inline struct snapshot *gateway_take(struct gateway *g, struct snapshot *s)
{
	struct snapshot *before = g->now;

	g->now = s;
	g->door.admit = &s->admit;
	g->door.settings = &s->run;
	return before;
}

/* The one list of routes, ended by a row without a name.  Which rows a listener has follows from
 * their column auth. */
extern const struct route routes[];
/* Paths of other APIs and what to use instead, ended by a row without a path. */
extern const struct route_hint route_hints[];
/* Other spellings of paths in `routes`, ended by a row without a path. */
extern const struct route_spelling route_spellings[];
/* routes_family: the family of a request, as struct server_options has it. */
const struct family *routes_family(const struct request *r, const struct route *row);

/* gateway_is_console: whether the console makes this request: with a session or, where there are no keys and so
 * no sessions, from a page of the gateway.  It only decides in which of its owner's lists a conversation is. */
bool gateway_is_console(const struct request *r);

/* --- process: what is known of the serving process besides its configuration, and what became
 * of the last reload.  Made by app.  Threads: process_reloaded and process_look any; the rest is
 * set before a loop runs. */

struct process_reload {
	int64_t at_s; /* unix time; 0: there was none */
	bool    ok;
	char    why[320]; /* it failed */
};

/* An alert that stands. */
struct process_alert {
	const char *type;        /* a constant */
	char        subject[64]; /* a provider's name, a key's id; "": there is none */
	int64_t     at_s;
	int64_t window; /* a budget's, by its beginning, or a provider's state; another one is news */
	char    text[200];
};
enum { PROCESS_ALERTS = 128 };

struct process {
	int64_t               started_s;
	size_t                max_connections;
	struct str            listeners; /* JSON, a list */
	pthread_mutex_t       lock;      /* guards what is below */
	struct process_reload reload;
	struct process_alert  alerts[PROCESS_ALERTS];
	size_t                alert_count;
};

/* process_reloaded: e: NULL: the configuration was taken over. */
void                  process_reloaded(struct process *p, int64_t at_s, const struct err *e);
struct process_reload process_look(struct process *p);
/* process_alert_add: false: it stands already, with this window.  process_alert_remove: false: it does not stand.
 * process_alert_at: the i-th one; false: there are no more.  Any thread. */
bool process_alert_add(struct process *p, const struct process_alert *a);
bool process_alert_remove(struct process *p, const char *type, const char *subject,
			  struct process_alert *ret);
bool process_alert_at(struct process *p, size_t i, struct process_alert *ret);

/* --- title: the title that a model makes for a conversation, with the option title_model (routes/call/title.c). */

/* title_opened: the first turn of a conversation has ended well; who and its tags are borrowed. */
void title_opened(struct gateway *g, struct identity *who, int64_t owner, struct id conversation,
		  struct str tags);

/* --- limit_headers: the headers that tell a caller's limits, for the reply to come. */

/* limit_headers_put: these limits.  limit_headers_look: as they stand now, for an answer without a call. */
void limit_headers_put(struct request *r, const struct rate_view *view);
void limit_headers_look(struct request *r, const struct gateway *g);

/* --- restarts: takes up the runs that were left without an end and may go on (desk/cuts), on one loop
 * (routes/call/run_restart). */

struct restarts;

/* named: the identity of the key with this name (desk/ticket), held; NULL: there is none, or not any more. */
struct restarts_options {
	struct gateway *gateway;
	struct identity *(*named)(void *arg, struct str name);
	void *arg;
};

enum errc restarts_create(const struct restarts_options *o, struct restarts **ret,
			  struct err *e) MUST_USE;
void      restarts_destroy(struct restarts *x); /* NULL is fine */
/* restarts_begin: the loop is about to run.  restarts_stop: it has ended. */
void restarts_begin(struct restarts *x);
void restarts_stop(struct restarts *x);
/* restarts_busy: runs between being taken and going on. */
size_t restarts_busy(const struct restarts *x);
