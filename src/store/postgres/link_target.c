/* Where a database is, as libpq's connection strings say it. */
#include "store/postgres/link.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS = 64, OURS = 12 };

/* The bundle of certificate authorities of most systems; libpq before 16 has no word for "the system's". */
static const char authorities[] = "/etc/ssl/certs/ca-certificates.crt";

struct link_target {
	PQconninfoOption *options; /* owned */
	const char       *keys[WORDS + OURS];
	const char       *values[WORDS + OURS];
	char             *password; /* owned */
	int               hosts;
	struct learnt    *learnt; /* owned */
	char              name[256];
};

/* Findings of earlier connections. */
struct learnt {
	atomic_int  first;   /* the host that was connected last */
	atomic_bool unnamed; /* sessions forget the names of statements */
};

static const char *target_option(const struct link_target *t, const char *key)
{
	for (const PQconninfoOption *o = t->options; o->keyword; o++)
		if (strcmp(o->keyword, key) == 0)
			return o->val && o->val[0] ? o->val : NULL;
	return NULL;
}

/* is_near: whether all hosts are sockets or this machine itself, so that no network is between. */
static bool is_near(const char *hosts)
{
	static const char *const near[] = { "localhost", "127.0.0.1", "::1" };

	for (const char *at = hosts; at; at = strchr(at, ',')) {
		at += *at == ',';
		size_t n = strcspn(at, ",");
		bool   ok = n == 0 || *at == '/' || *at == '@';

		for (size_t i = 0; i < ARRAY_LEN(near); i++)
			ok = ok || str_is((struct str){ at, n }, near[i]);
		if (!ok)
			return false;
	}
	return true;
}

static void put_option(struct link_target *t, size_t *n, const char *key, const char *value)
{
	if (*n < WORDS + OURS - 1) {
		t->keys[*n] = key;
		t->values[*n] = value;
		++*n;
	}
}

static void put_tls(struct link_target *t, size_t *n)
{
	const char *host = target_option(t, "hostaddr") ? target_option(t, "hostaddr")
							: target_option(t, "host");
	const char *mode = target_option(t, "sslmode");

	if (is_near(host))
		return;
	if (!mode)
		put_option(t, n, "sslmode", "verify-full");
	else if (strcmp(mode, "verify-full") != 0)
		log_note(
			LOG_WARN, "database",
			"sslmode=%s does not prove that the database's server is the one that is meant",
			mode);
	if (!target_option(t, "sslrootcert") && access(authorities, R_OK) == 0)
		put_option(t, n, "sslrootcert", authorities);
}

static const char *host_list(const struct link_target *t)
{
	return target_option(t, "host") ? target_option(t, "host") : target_option(t, "hostaddr");
}

/* item_at: where item n of a list begins; NULL: there are fewer. */
static const char *item_at(const char *list, int n)
{
	for (; list && n > 0; n--) {
		list = strchr(list, ',');
		if (list)
			list++;
	}
	return list;
}

static int count_items(const char *list)
{
	int n = 1;

	while (item_at(list, n))
		n++;
	return n;
}

/* rotate_list: the list, with item n as the first one; owned.  A list of one item is for all hosts. */
static char *rotate_list(const char *list, int n)
{
	const char *from = item_at(list, n);
	size_t      size = strlen(list) + 2;
	char       *ret = malloc(size);

	if (ret && (!from || from == list))
		str_copy(ret, size, str_of(list));
	else if (ret)
		snprintf(ret, size, "%s,%.*s", from, (int)(from - list) - 1, list);
	return ret;
}

static void put_all(struct link_target *t)
{
	size_t n = 0;

	for (const PQconninfoOption *o = t->options; o->keyword; o++)
		if (o->val && o->val[0])
			put_option(t, &n, o->keyword, o->val);
	put_tls(t, &n);
	if (t->password)
		put_option(t, &n, "password", t->password);
	put_option(t, &n, "fallback_application_name", "parley");
	put_option(t, &n, "client_encoding", "UTF8");
	if (!target_option(t, "tcp_user_timeout"))
		put_option(t, &n, "tcp_user_timeout", "3000");
	if (!target_option(t, "target_session_attrs"))
		put_option(t, &n, "target_session_attrs", "read-write");
	CHECK(n < WORDS + OURS);
}

static void name_it(struct link_target *t)
{
	const char *host = host_list(t);
	const char *port = target_option(t, "port");
	const char *database = target_option(t, "dbname");

	snprintf(t->name, sizeof t->name, "%s at %s%s%s", database ? database : "(default)",
		 host ? host : "the local socket", port ? ":" : "", port ? port : "");
}

enum errc link_target_create(const char *database, const char *password, struct link_target **ret,
			     struct err *e)
{
	char               *why = NULL;
	struct link_target *t = calloc(1, sizeof *t);

	if (!t)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	t->learnt = calloc(1, sizeof *t->learnt);
	if (!t->learnt) {
		link_target_destroy(t);
		return err_set(e, ERR_STORAGE, "", "out of memory");
	}
	t->options = pq.PQconninfoParse(database, &why);
	if (!t->options) {
		/* The message may repeat the string, and with it a password. */
		pq.PQfreemem(why);
		link_target_destroy(t);
		err_set(e, ERR_STORAGE, "",
			"the option database is not a connection string that libpq understands");
		return err_blame(e, FAULT_NO_PLACE);
	}
	if (target_option(t, "password")) {
		link_target_destroy(t);
		err_set(e, ERR_STORAGE, "",
			"the option database may not contain a password: set PARLEY_DATABASE_PASSWORD, "
			"or name a file with passfile=");
		return err_blame(e, FAULT_NO_PLACE);
	}
	t->password = password && password[0] ? strdup(password) : NULL;
	t->hosts = count_items(host_list(t));
	put_all(t);
	name_it(t);
	*ret = t;
	return ERR_OK;
}

void link_target_destroy(struct link_target *t)
{
	if (!t)
		return;
	if (t->options)
		pq.PQconninfoFree(t->options);
	if (t->password)
		explicit_bzero(t->password, strlen(t->password));
	free(t->password);
	free(t->learnt);
	free(t);
}

const char *link_target_name(const struct link_target *t)
{
	return t->name;
}

/* A host that is silent is asked last: each connection would wait for it. */
void link_target_worked(const struct link_target *t, const PGconn *conn)
{
	const char *ports = target_option(t, "port");

	for (int n = 0; t->hosts > 1 && n < t->hosts; n++) {
		const char *host = item_at(host_list(t), n);
		const char *port = ports && item_at(ports, n) ? item_at(ports, n) : ports;

		if (str_is((struct str){ host, strcspn(host, ",") }, pq.PQhost(conn)) &&
		    (!port || str_is((struct str){ port, strcspn(port, ",") }, pq.PQport(conn)))) {
			atomic_store(&t->learnt->first, n);
			return;
		}
	}
}

bool link_target_unnamed(const struct link_target *t)
{
	return atomic_load_explicit(&t->learnt->unnamed, memory_order_relaxed);
}

void link_target_forgets(const struct link_target *t)
{
	if (!atomic_exchange(&t->learnt->unnamed, true))
		log_note(
			LOG_INFO, "database",
			"a pooler gives each transaction another session, so the server plans each "
			"statement anew");
}

static bool is_list(const char *key)
{
	return strcmp(key, "host") == 0 || strcmp(key, "hostaddr") == 0 || strcmp(key, "port") == 0;
}

/* target_start: NULL: no memory. */
static PGconn *target_start(const struct link_target *t)
{
	const char *values[WORDS + OURS];
	char       *lists[3] = { 0 };
	size_t      count = 0;
	PGconn     *ret = NULL;
	bool        ok = true;

	memcpy(values, t->values, sizeof values);
	for (int i = 0; ok && t->keys[i]; i++)
		if (is_list(t->keys[i]) && count < ARRAY_LEN(lists)) {
			lists[count] = rotate_list(t->values[i], atomic_load(&t->learnt->first));
			values[i] = lists[count];
			ok = lists[count++] != NULL;
		}
	if (ok)
		ret = pq.PQconnectStartParams(t->keys, values, 0);
	for (size_t i = 0; i < count; i++)
		free(lists[i]);
	return ret;
}

void link_connect(struct link *l, int64_t now_us)
{
	const struct link_target *t = l->target;

	link_clear(l);
	l->conn = target_start(t);
	l->state = LINK_CONNECTING;
	l->polling = PGRES_POLLING_WRITING;
	/* tcp_user_timeout ends the wait for a host that is silent; the next one needs time, too. */
	l->deadline_us = now_us + t->hosts * (int64_t)LINK_CONNECT_US;
	if (l->conn && pq.PQstatus(l->conn) != CONNECTION_BAD)
		return;
	struct fault f = fault_lost(l->conn ? pq.PQerrorMessage(l->conn) : "out of memory");
	link_drop(l, &f, now_us);
}
