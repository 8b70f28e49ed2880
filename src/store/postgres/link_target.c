/* Where a database is, as libpq's connection strings say it. */
#include "store/postgres/link.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"

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
	char              name[256];
};

static const char *option(const struct link_target *t, const char *key)
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

static void put(struct link_target *t, size_t *n, const char *key, const char *value)
{
	if (*n < WORDS + OURS - 1) {
		t->keys[*n] = key;
		t->values[*n] = value;
		++*n;
	}
}

static void put_tls(struct link_target *t, size_t *n)
{
	const char *host = option(t, "hostaddr") ? option(t, "hostaddr") : option(t, "host");
	const char *mode = option(t, "sslmode");

	if (is_near(host))
		return;
	if (!mode)
		put(t, n, "sslmode", "verify-full");
	else if (strcmp(mode, "verify-full") != 0)
		log_note(
			LOG_WARN, "database",
			"sslmode=%s does not prove that the database's server is the one that is meant",
			mode);
	if (!option(t, "sslrootcert") && access(authorities, R_OK) == 0)
		put(t, n, "sslrootcert", authorities);
}

static void put_all(struct link_target *t)
{
	size_t n = 0;

	for (const PQconninfoOption *o = t->options; o->keyword; o++)
		if (o->val && o->val[0])
			put(t, &n, o->keyword, o->val);
	put_tls(t, &n);
	if (t->password)
		put(t, &n, "password", t->password);
	put(t, &n, "fallback_application_name", "parley");
	put(t, &n, "client_encoding", "UTF8");
	if (!option(t, "tcp_user_timeout"))
		put(t, &n, "tcp_user_timeout", "3000");
	if (!option(t, "target_session_attrs"))
		put(t, &n, "target_session_attrs", "read-write");
	CHECK(n < WORDS + OURS);
}

static void name_it(struct link_target *t)
{
	const char *host = option(t, "host") ? option(t, "host") : option(t, "hostaddr");
	const char *port = option(t, "port");
	const char *database = option(t, "dbname");

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
	t->options = pq.PQconninfoParse(database, &why);
	if (!t->options) {
		/* The message may repeat the string, and with it a password. */
		pq.PQfreemem(why);
		link_target_destroy(t);
		err_set(e, ERR_STORAGE, "",
			"the option database is not a connection string that libpq understands");
		return err_blame(e, FAULT_NO_PLACE);
	}
	if (option(t, "password")) {
		link_target_destroy(t);
		err_set(e, ERR_STORAGE, "",
			"the option database may not contain a password: set PARLEY_DATABASE_PASSWORD, "
			"or name a file with passfile=");
		return err_blame(e, FAULT_NO_PLACE);
	}
	t->password = password && password[0] ? strdup(password) : NULL;
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
	free(t);
}

const char *link_target_name(const struct link_target *t)
{
	return t->name;
}

void link_connect(struct link *l, int64_t now_us)
{
	const struct link_target *t = l->target;

	link_clear(l);
	l->conn = pq.PQconnectStartParams(t->keys, t->values, 0);
	l->state = LINK_CONNECTING;
	l->polling = PGRES_POLLING_WRITING;
	l->deadline_us = now_us + LINK_CONNECT_US;
	if (l->conn && pq.PQstatus(l->conn) != CONNECTION_BAD)
		return;
	struct fault f = fault_lost(l->conn ? pq.PQerrorMessage(l->conn) : "out of memory");
	link_drop(l, &f, now_us);
}
