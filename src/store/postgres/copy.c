/* One side of a copy: the rows of a PostgreSQL database, in one transaction. */
#include "store/postgres/engine.h"

#include "store/postgres/contents.h"
#include "store/postgres/link.h"
#include "store/postgres/migrate.h"

#include <stdio.h>
#include <stdlib.h>

enum { SQL = 2048, USES = 2 };

struct copy {
	struct store_copy   base;
	struct link_target *target;   /* owned */
	struct contents    *contents; /* owned; what base.blobs has */
	struct link         link;
	bool                linked;
	bool                into;
	/* The link knows statements by their addresses: those of each table, [1]: its cursor. */
	char sql[COPY_TABLES][USES][SQL];
};

/* Reads show one moment.  Writes see the contents of files, which another connection writes. */
static const char sql_read[] = "BEGIN ISOLATION LEVEL REPEATABLE READ";
static const char sql_write[] = "BEGIN";
/* Gateways that start meanwhile fail at the lock.  The moment that is read begins with the first query, and a
 * pooler's settings are one: the lock comes before. */
static const char        sql_wait[] = "SET LOCAL lock_timeout = '5s'";
static const char        sql_lock[] = "LOCK TABLE public.gateway IN SHARE ROW EXCLUSIVE MODE";
static const char *const begin[] = {
	"SET LOCAL statement_timeout = 0",
	"SET LOCAL idle_in_transaction_session_timeout = 0",
};
static const char sql_gateways[] =
	"SELECT count(*) FROM gateway WHERE dead = 0 AND lease_until > now()";
static const char sql_live[] = "SELECT count(*) FROM run WHERE status < 2";
/* The index of searches is made by the first gateway. */
static const char *const finish[] = {
	"INSERT INTO search_queue (seq, kind, id) SELECT id, 1, id FROM run",
	"INSERT INTO search_queue (seq, kind, id) SELECT id, 2, id FROM message "
	"WHERE run BETWEEN -1 AND 0",
	"INSERT INTO search_queue (seq, kind, id) SELECT id, 6, id FROM conversation "
	"WHERE title IS NOT NULL",
	"UPDATE content SET used = 1 WHERE EXISTS (SELECT 1 FROM file f WHERE f.sha256 = "
	"content.sha256)",
	"COMMIT",
};

static struct copy *pg_copy_of(struct store_copy *c)
{
	return container_of(c, struct copy, base);
}

static enum errc pg_copy_ask(struct copy *c, const char *sql, struct err *e)
{
	return direct_ask(&c->link, sql, c->into ? "write to" : "read", e);
}

/* pg_copy_do: asks statements without parameters. */
static enum errc pg_copy_do(struct copy *c, const char *const *sql, size_t n, struct err *e)
{
	enum errc rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < n; i++) {
		param_clear(&c->link.args);
		rc = pg_copy_ask(c, sql[i], e);
	}
	return rc;
}

/* --- reading --- */

static enum errc pg_copy_open_cursor(struct copy *c, size_t table, struct err *e)
{
	const struct copy_table *t = &copy_tables[table];

	if (c->sql[table][0][0])
		return ERR_OK;
	snprintf(c->sql[table][1], SQL,
		 "DECLARE c%zu NO SCROLL CURSOR FOR SELECT %s FROM %s ORDER BY %s", table,
		 t->columns, t->name, t->order);
	snprintf(c->sql[table][0], SQL, "FETCH %d FROM c%zu", COPY_ROWS, table);
	param_clear(&c->link.args);
	return pg_copy_ask(c, c->sql[table][1], e);
}

static struct copy_value pg_copy_value(struct row r, int column, char type)
{
	struct copy_value v = { .null = cell_null(r, column) };

	if (!v.null && type == 'n')
		v.number = cell_int(r, column);
	else if (!v.null)
		v.bytes = cell_str(r, column);
	return v;
}

static enum errc pg_copy_read(struct store_copy *base, struct copy_rows *rows, struct err *e)
{
	struct copy             *c = pg_copy_of(base);
	const struct copy_table *t = &copy_tables[rows->table];

	rows->count = 0;
	if (pg_copy_open_cursor(c, rows->table, e) != ERR_OK)
		return e->code;
	param_clear(&c->link.args);
	if (pg_copy_ask(c, c->sql[rows->table][0], e) != ERR_OK)
		return e->code;
	for (int i = 0; i < direct_rows(&c->link) && i < COPY_ROWS; i++, rows->count++)
		for (int k = 0; k < (int)copy_columns(t); k++)
			rows->values[i][k] = pg_copy_value(direct_row(&c->link, i), k, t->types[k]);
	return ERR_OK;
}

/* --- writing --- */

static enum param_type pg_copy_type(char type)
{
	return type == 'n' ? PARAM_INT : type == 't' ? PARAM_TEXT : PARAM_BYTES;
}

static void pg_copy_param(struct param *a, enum param_type type, const struct copy_value *v)
{
	if (v->null) {
		param_null(a, type);
		return;
	}
	switch (type) {
	case PARAM_INT: param_int(a, v->number); break;
	case PARAM_TEXT: param_text(a, v->bytes); break;
	case PARAM_BYTES:
	case PARAM_RAW: param_bytes(a, v->bytes); break;
	case PARAM_TYPES: break;
	}
}

/* pg_copy_insert: runs and reservations also name a gateway, and here none. */
static const char *pg_copy_insert(struct copy *c, size_t table)
{
	static const char *const arrays[PARAM_TYPES] = {
		[PARAM_INT] = "bigint[]", [PARAM_TEXT] = "text[]", [PARAM_BYTES] = "bytea[]"
	};
	const struct copy_table *t = &copy_tables[table];
	char                    *sql = c->sql[table][0];
	bool owned = str_is(str_of(t->name), "run") || str_is(str_of(t->name), "reservation");

	if (sql[0])
		return sql;
	int n = snprintf(sql, SQL, "INSERT INTO %s (%s%s) SELECT %s%s FROM unnest(", t->name,
			 t->columns, owned ? ", gateway" : "", t->columns, owned ? ", 0" : "");
	for (size_t i = 0; i < copy_columns(t); i++)
		n += snprintf(sql + n, SQL - (size_t)n, "%s$%zu::%s", i > 0 ? ", " : "", i + 1,
			      arrays[pg_copy_type(t->types[i])]);
	n += snprintf(sql + n, SQL - (size_t)n, ") AS x(%s) %s", t->columns,
		      table == COPY_EVENT ? "ON CONFLICT DO NOTHING" : t->tail);
	CHECK(n > 0 && n < SQL);
	return sql;
}

static enum errc pg_copy_write(struct store_copy *base, const struct copy_rows *rows, struct err *e)
{
	struct copy             *c = pg_copy_of(base);
	const struct copy_table *t = &copy_tables[rows->table];
	struct param            *a = &c->link.args;

	param_clear(a);
	for (size_t k = 0; k < copy_columns(t); k++)
		PARAM_EACH(a, pg_copy_type(t->types[k]), i, rows->count,
			   pg_copy_param(a, pg_copy_type(t->types[k]), &rows->values[i][k]));
	return pg_copy_ask(c, pg_copy_insert(c, rows->table), e);
}

static enum errc pg_copy_commit(struct store_copy *base, struct err *e)
{
	return pg_copy_do(pg_copy_of(base), finish, ARRAY_LEN(finish), e);
}

/* --- the beginning and the end --- */

static void pg_copy_destroy(struct store_copy *base)
{
	struct copy *c = pg_copy_of(base);

	blobs_destroy(c->base.blobs);
	contents_close(c->contents);
	if (c->linked)
		link_finish(&c->link);
	link_target_destroy(c->target);
	free(c);
}

static const struct store_copy_ops ops = { pg_copy_read, pg_copy_write, pg_copy_commit,
					   pg_copy_destroy };

static enum errc pg_copy_refuse(struct copy *c, enum err_fault fault, const char *text,
				const char *what, struct err *e)
{
	err_set(e, ERR_STORAGE, "", "the database %s %s%s", link_target_name(c->target), text,
		what);
	return err_blame(e, fault);
}

static enum errc pg_copy_number(struct copy *c, const char *sql, int64_t *ret, struct err *e)
{
	param_clear(&c->link.args);
	if (pg_copy_ask(c, sql, e) == ERR_OK)
		*ret = direct_rows(&c->link) > 0 ? cell_int(direct_row(&c->link, 0), 0) : 0;
	return e->code;
}

static enum errc pg_copy_unused(struct copy *c, struct err *e)
{
	int64_t n = 0;

	e->code = ERR_OK;
	if (pg_copy_number(c, sql_gateways, &n, e) != ERR_OK)
		return e->code;
	if (n > 0)
		return pg_copy_refuse(c, FAULT_BUSY, "is in use by a gateway",
				      "; one that was killed has its place for 15 seconds", e);
	if (pg_copy_number(c, sql_live, &n, e) != ERR_OK)
		return e->code;
	return n == 0 ? ERR_OK
		      : pg_copy_refuse(c, FAULT_BUSY, "has runs without an end", "; try again", e);
}

static enum errc pg_copy_empty(struct copy *c, struct err *e)
{
	e->code = ERR_OK;
	for (size_t i = 0; i < COPY_TABLES - 1; i++) {
		int64_t n = 0;

		snprintf(c->sql[i][1], SQL, "SELECT 1::bigint FROM %s LIMIT 1",
			 copy_tables[i].name);
		if (pg_copy_number(c, c->sql[i][1], &n, e) != ERR_OK)
			return e->code;
		if (n > 0)
			return pg_copy_refuse(
				c, FAULT_DATA,
				"is not empty; a copy needs an empty one: it has rows of ",
				copy_tables[i].name, e);
	}
	return ERR_OK;
}

static enum errc pg_copy_connect(struct copy *c, const struct store_options *o, struct err *e)
{
	int applied = 0;

	if (pq_load(e) != ERR_OK ||
	    link_target_create(o->path, o->password, &c->target, e) != ERR_OK)
		return e->code;
	c->linked = true;
	if (direct_connect(&c->link, c->target, 5000, e) != ERR_OK ||
	    migrate_postgres(&c->link, true, &applied, e) != ERR_OK ||
	    contents_open(c->target, o, false, &c->contents, &c->base.blobs, e) != ERR_OK)
		return e->code;
	link_control(&c->link, c->into ? sql_write : sql_read);
	link_control(&c->link, sql_wait);
	link_control(&c->link, sql_lock);
	if (pg_copy_do(c, begin, ARRAY_LEN(begin), e) != ERR_OK || pg_copy_unused(c, e) != ERR_OK)
		return e->code;
	return c->into ? pg_copy_empty(c, e) : ERR_OK;
}

enum errc postgres_copy(const struct store_options *o, bool into, struct store_copy **ret,
			struct err *e)
{
	struct copy *c = calloc(1, sizeof *c);

	if (!c)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	c->base.ops = &ops;
	c->into = into;
	if (pg_copy_connect(c, o, e) != ERR_OK) {
		pg_copy_destroy(&c->base);
		return e->code;
	}
	*ret = &c->base;
	return ERR_OK;
}
