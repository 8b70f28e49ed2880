/* http/server: libmicrohttpd, run by an event loop. There is one daemon for each loop and
 * address, with its own SO_REUSEPORT listener. The server turns connections into requests and
 * calls the handlers of the routes.
 *
 * Threads: the loop's own, except http_listen.  The whole mechanism: docs/internals/server.md */
#pragma once

#include "base/err.h"
#include "base/identity.h"
#include "http/peer.h"
#include "http/route.h"
#include "loop/loop.h"
#include "loop/work.h"

struct server;

enum { HTTP_BOUND = 128 }; /* room for an address, or "unix:" and a path */

/* A call that has not become a run. */
struct server_unmade {
	struct id   id;    /* which the answer has told, unless the client left */
	int         http;  /* the answer's status; 0: the client left before */
	int64_t     us;    /* how long the request took */
	const char *code;  /* the error's; NULL: the client left */
	struct str  model; /* the name as asked; empty: not known */
	struct str  label; /* the configured one, likewise */
};

/* The options of all servers of the process; filled by app, and outlive the servers. */
struct server_options {
	struct route_list routes;
	/* Bits as in routes.without: what a request that came through a proxy does not get. */
	unsigned                     without_proxied;
	const struct route_hint     *hints;     /* for paths that are none of them; NULL: none */
	const struct route_spelling *spellings; /* spellings of the routes' paths; NULL: none */
	/* family: in which a request is answered.  row: NULL: its path is none of the routes. */
	const struct family *(*family)(const struct request *r, const struct route *row);
	/* auth: the holder of this key, or of this token, of whatever length. Borrowed key, held identity; called on
	 * the loop's thread. */
	enum errc (*auth)(void *arg, struct str key, struct caller *ret, struct err *e);
	/* ticket: the held identity of the caller whom a ticket lets read the object in the path
	 * (its first parameter); NULL: nobody. */
	struct identity *(*ticket)(void *arg, struct str ticket, struct str object);
	/* unmade: a request on a route with ROUTE_CALL has ended, and its call has not become a run (request_note); NULL:
	 * nobody wants to know. */
	void (*unmade)(void *arg, const struct request *r, const struct server_unmade *u);
	/* settings: the current settings, which a reload may have changed. */
	const struct server_settings *(*settings)(void *arg);
	void  *arg;
	size_t max_body;
	size_t max_upload;      /* bytes of a body that goes through in pieces */
	size_t max_bodies;      /* bytes of all bodies in memory, those of running calls too */
	size_t max_connections; /* shared by all servers but those with SIZE_MAX, which take all */
	struct work_pool *cpu;  /* scans long bodies; all that waits for it counts in max_bodies */
	bool              tls;  /* with http/tls' certificate, but on unix sockets */
};

struct server_settings {
	bool                   open; /* no keys: local Host names only, no authentication */
	int64_t                keep_alive_us; /* silence before a stream's comment */
	const char *const     *cors_origins;  /* "*" or exact origins */
	size_t                 cors_count;
	const struct peer_net *proxies; /* whose word on clients' addresses counts */
	size_t                 proxy_count;
	size_t                 max_body; /* bytes of a JSON body; 0: only options->max_body */
};

/* http_listen: makes a listening socket on "ADDR:PORT" or "[V6]:PORT". With `probe`, the call
 * fails if anybody uses the port (the first socket at the start); without it, the socket joins
 * the others on the port (the other loops). ret_bound has the port that the system chose for
 * port 0. Errors: INVALID_VALUE (the address), OVERLOADED (in use). */
enum errc http_listen(const char *address, bool probe, int *ret_fd, char ret_bound[64],
		      struct err *e) MUST_USE;
/* http_listen_unix: makes a listening unix socket. A socket file to which nobody listens is
 * replaced, any other file is not. Errors as http_listen. */
enum errc http_listen_unix(const char *path, unsigned mode, int *ret_fd, struct err *e) MUST_USE;
/* http_listen_given: prepares an inherited listening socket, and says where it listens and
 * whether only this machine can reach it. Errors: INVALID_VALUE. */
enum errc http_listen_given(int fd, char ret_bound[HTTP_BOUND], bool *ret_local,
			    struct err *e) MUST_USE;
/* http_is_loopback: every address that `address` names is a loopback address. */
bool http_is_loopback(const char *address);

/* http_connections_max: the number of connections that the descriptors of the process allow,
 * limited by what each of `loops` can bear. */
size_t http_connections_max(size_t loops);

/* server_create: starts a server; consumes listen_fd. The handlers get app. */
enum errc server_create(struct loop *l, int listen_fd, const struct server_options *o, void *app,
			struct server **ret, struct err *e) MUST_USE;
/* server_quiesce: refuses new connections, and answers requests on old ones with 503 `draining`.
 * With `leave`, new connections are left to the other process that has the socket, and old ones
 * are closed after their next answer. */
void server_quiesce(struct server *s, bool leave);
/* server_cut: closes all connections, whatever they are doing; their requests end soon. */
void server_cut(struct server *s);
/* server_connected: whether there are connections, idle ones included. */
bool server_connected(const struct server *s);
/* server_busy: the number of requests whose answers have not ended. */
size_t server_busy(const struct server *s);
/* server_destroy: closes idle connections and frees the server. Every request must have ended. */
void server_destroy(struct server *s);
OWNABLE(server);

/* Figures for metrics; any thread. */
struct server_stats {
	uint64_t connections; /* open */
	uint64_t in_flight;   /* requests */
	uint64_t streams;     /* open */
	uint64_t bodies; /* bytes of requests' bodies in memory, with what was read out of them */
};
void server_stats(struct server_stats *ret);
