/* http/internal: the structs of server, connection and request, and the functions that the files
 * of http/ share. Not for other folders. */
#pragma once

#include "base/arena.h"
#include "base/identity.h"
#include "base/id.h"
#include "base/list.h"
#include "http/head.h"
#include "http/request.h"
#include "msg/call_note.h"
#include "http/route.h"
#include "http/server.h"
#include "json/input.h"

#include <microhttpd.h>

enum { HELD_US = 50 * 1000 }; /* for which a request is held; request_hold */

struct lingerer;
struct stream;

/* Why a connection is open; the reaper's deadlines follow from it. */
enum connection_phase {
	CONNECTION_IDLE, /* no request line yet */
	CONNECTION_HEAD, /* request line in, head not complete */
	CONNECTION_BODY, /* head in, body not complete */
	CONNECTION_BUSY, /* ours: the answer is being made or sent */
};

/* One TCP connection; the socket context of libmicrohttpd's. */
struct connection {
	struct watch          watch; /* for the client's leaving, and for room to write a stream */
	struct server        *server;
	struct list_link      link;    /* in the server's list of connections */
	struct request       *request; /* the current one, or NULL */
	enum connection_phase phase;
	int64_t               since_us; /* start of the phase */
	bool                  left;     /* the client closed its side */
	bool                  linger;   /* refused and answered, and may still send; http/linger */
	bool                  seated;   /* counts in max_connections; http/crowd */
	bool             surplus; /* above max_connections: gets a 503, and is closed; http/crowd */
	struct list_link idle;    /* in the list of connections that may be closed for others */
	/* http/linger's: the time and the number of bytes at which its measurement began */
	int64_t  slow_us;
	uint64_t slow_bytes;
};

/*
 *   HEAD --> BODY --> WORKING --> REPLIED --> (completed)
 *    |        |          |-----> STREAMING -> (completed)
 *    |        |          +-----> GONE ------> (completed)
 *    +--------+--> REPLIED  (refusals)
 */
enum request_phase {
	REQUEST_HEAD,      /* created by the request line */
	REQUEST_BODY,      /* body is being read */
	REQUEST_WORKING,   /* the handler works on it */
	REQUEST_REPLIED,   /* it has a response, which is queued now or at the next resume */
	REQUEST_STREAMING, /* http/stream sends the answer */
	REQUEST_GONE,      /* the client left */
	REQUEST_PHASE__COUNT
};

struct upload_sink;

/* The state of a body that comes in pieces (http/body). */
struct request_upload {
	const struct upload_sink *sink; /* NULL: there is none, or it is not called any more */
	void                     *arg;
	bool                      waiting; /* suspended until the sink has room */
	size_t                    stretch; /* bytes since the body's time began anew */
};

struct reply_line {
	struct reply_line *next;
	const char        *name; /* literal or in the arena */
	const char        *value;
};

struct request {
	struct request_view    view;
	struct server         *server;
	struct connection     *connection;
	struct MHD_Connection *mhd;
	enum request_phase     phase;
	bool                   suspended; /* in libmicrohttpd's sense */
	bool                   held;      /* waits, and is not suspended (yet) */
	bool                   resuming;  /* in the server's list to_resume */
	bool            body_dropped;     /* above the limit: read to its end, answered with 413 */
	unsigned        held_runs;        /* runs of the library since it is held */
	bool            early;            /* answered before the body was read */
	int64_t         held_us;          /* since when it is held */
	struct err     *refusal; /* in the arena; why it is not served; NULL: not refused */
	struct id       unmade;  /* the id of a call that was refused before it became a run */
	size_t          dropped;
	struct request *next_resume;

	struct str            raw_target;
	struct str            query;
	bool                  http10;
	bool                  close; /* after this answer */
	const struct route   *route;
	struct str            params[ROUTE_PARAMS];
	struct input         *input; /* owned until request_input_take */
	struct request_upload upload;
	struct arena          arena;

	struct reply_line *headers;
	/* Lines that no answer may lack, so they need no memory: id, Cache-Control,
	 * Content-Type. */
	struct reply_line    id_lines[2], type_lines[2];
	struct MHD_Response *response; /* owned, until queued */
	int                  status;
	size_t               bytes_out;
	struct stream       *stream; /* owned by http/stream */

	void (*left)(void *arg);
	void *left_arg;

	struct call_note note; /* its spans are in the arena */
};

/* The state of http/crowd for a server's connections. */
struct crowd {
	struct list_link link;   /* in the list of all servers */
	struct list_head idle;   /* connections, the longest idle first */
	_Atomic int64_t  spare;  /* idle connections that nobody has claimed; briefly below 0 */
	_Atomic unsigned asked;  /* claims of other servers that this one must still satisfy */
	struct task      task;   /* posted when asked is no longer 0 */
	uint64_t         opened; /* connections so far; crowd_look compares */
	uint64_t         opened_before;
	bool             waits; /* clients waited at the last crowd_look */
};

struct server {
	struct loop                 *loop;
	struct MHD_Daemon           *daemon;
	struct watch                 watch; /* watches the daemon's own epoll descriptor */
	const struct server_options *options;
	void                        *app;
	struct list_head             connections;
	struct crowd                 crowd;
	struct timer                 reaper;
	struct timer                 resume_tick;
	struct list_head             lingerers;
	struct request              *to_resume;
	int64_t                      resumed_us; /* the last batch */
	size_t                       suspended;
	size_t                       held;
	int64_t                      held_until_us; /* the library's next run for their sake */
	size_t                       busy;          /* requests alive */
	bool                         need_run;
	bool                         complained; /* the library, in its last run */
	bool                         resting;    /* the library gets no events: server.c */
	bool                         quiesced;
	bool leaving; /* quiesced, and another process serves: connections close after an answer */
	bool tls;
	bool on_unix;   /* browsers can't reach the socket, so Host names are not checked */
	int  listen_fd; /* owned after quiesce; otherwise -1 */
};

/* request.c */
/* request_routes: the routes that the request may get. */
struct route_list request_routes(const struct request *r);
struct request   *request_create(struct server *s, struct MHD_Connection *mhd, const char *target);
void              request_destroy(struct request *r);
/* request_dropped: the connection ended without on_completed, and the library has freed everything
 * that it kept for the request. */
void request_dropped(struct request *r);
void request_move(struct request *r, enum request_phase to);
void request_client_left(struct request *r);
/* request_refuse: notes the error of a request that is not served; the error is sent when the
 * body is in. */
void request_refuse(struct request *r, const struct err *e);
/* request_resume: lets libmicrohttpd continue with the connection, now or at the next tick. */
void request_resume(struct request *r);
/* request_suspend: makes libmicrohttpd leave the connection alone until request_resume. Only from
 * within the library's callbacks. */
void request_suspend(struct request *r);
/* request_hold: as request_suspend, for what may take less time than suspending is worth. Until
 * request_resume, each callback of the library begins with request_held, and does nothing more if
 * that is true. */
void request_hold(struct request *r);
bool request_held(struct request *r);
/* request_cut_off: the library ends the connection of a request that may still be worked on. */
void request_cut_off(struct request *r);

/* gate.c: everything that is decided before a handler runs. */
/* gate_head: from the head: route, host, key, size; sets refusal or route. */
void gate_head(struct request *r);
/* gate_body: from the body: type, JSON.  False: replied, or a worker scans it and the handler is
 * called later. */
bool gate_body(struct request *r);

/* crowd.c: which connections may stay when there are too many. */
/* crowd_join, crowd_part: a server's birth and death, while no loop runs. */
void crowd_join(struct server *s);
void crowd_part(struct server *s);
void crowd_enter(struct connection *c);
void crowd_idle(struct connection *c); /* it waits for a request */
void crowd_busy(struct connection *c); /* it has one */
void crowd_leave(struct connection *c);
/* crowd_silent: called from time to time; a new connection that sends nothing counts as idle
 * too. */
void crowd_silent(struct connection *c, int64_t now_us);
/* crowd_look: called from time to time. If clients wait and none was accepted since the last
 * look, there are no descriptors, and libmicrohttpd tries again only when it has closed one. */
void crowd_look(struct server *s);
/* connection_cut: shuts the socket down; libmicrohttpd sees its end and cleans up as for any
 * other connection. */
void connection_cut(struct connection *c, const char *reason);

/* linger.c: finds clients that keep a connection busy with almost nothing, and reads and throws away what refused
 * clients still send. */
/* slow_ends: the reason why a connection must be closed now; NULL: it may stay. */
const char *slow_ends(struct connection *c, int64_t now_us);
/* linger_begin: starts to read from fd, whose answer has been sent. The descriptor stays the
 * caller's, who may close it. */
void linger_begin(struct server *s, int fd);
void linger_stop(struct server *s);

/* body.c */
void upload_begin(
	struct request *r); /* the head is in: asks the handler; leads to a sink or a refusal */
enum MHD_Result upload_body(struct request *r, const char *bytes, size_t *n);
void            upload_whole(struct request *r);
void upload_cut(struct request *r); /* the request ends; if there is a sink, it is told */

/* reply.c */
/* reply_complete: adds r's headers to the response and returns it.  NULL: a header could not be
 * added, and the response is destroyed, because an answer without the header would be another
 * answer. */
struct MHD_Response *reply_complete(struct request *r, struct MHD_Response *response);
/* reply_go: sends and consumes a complete response; NULL (no memory) closes the connection
 * instead. */
void            reply_go(struct request *r, int status, struct MHD_Response *response);
bool            reply_origin_allowed(const struct request *r); /* by `cors_origins` */
void            reply_common_headers(struct request *r);       /* request id, CORS, security */
enum MHD_Result reply_queue(struct request *r);

/* stream.c: events of the descriptor and of the client. */
void stream_writable(struct stream *s);
void stream_reader_left(struct stream *s);
void stream_completed(struct stream *s); /* libmicrohttpd is done with the connection */

extern struct server_counters {
	_Atomic uint64_t connections;
	_Atomic uint64_t in_flight;
	_Atomic uint64_t streams;
} server_counters;
