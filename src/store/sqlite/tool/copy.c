/* One side of a copy: the rows of an SQLite database. */
#include "store/copy.h"

#include "base/limits.h"
#include "store/blob.h"
#include "store/sqlite/engine.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/migrate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 4 * MIB, PART_SHIFT = 20 };

struct copy {
	struct store_copy base;
	char             *path; /* owned */
	int               lock; /* owned */
	struct conn       conn; /* owned */
	bool              into;
	size_t            table; /* st's table */
	sqlite3_stmt     *st;    /* owned */
	bool              over;  /* st has no further row */
	/* The event log: bytes that were written, the run of the last piece, and its parts. */
	int64_t written;
	int64_t run;
	int64_t parts[2];
};

static const char sql_part[] = "INSERT INTO event (run, first, last, data, id, part, head) "
			       "VALUES (?, ?, ?, ?, ?, ?, ?)";
static const char sql_parts[] = "UPDATE run SET events_from = ?, events_to = ? WHERE id = ?";
static const char sql_size[] = "UPDATE event_size SET written = ?, removed = 0";

static struct copy *tool_copy_of(struct store_copy *c)
{
	return container_of(c, struct copy, base);
}

static enum errc tool_copy_told(struct copy *c, int rc, struct err *e)
{
	return rc == SQLITE_OK ? ERR_OK
			       : db_fail(c->conn.db, rc, c->path, c->into ? "write to" : "read", e);
}

/* tool_copy_prepare: the statement for a table, if it is another one than before. */
static int tool_copy_prepare(struct copy *c, size_t table)
{
	const struct copy_table *t = &copy_tables[table];
	char                     sql[1024];
	int                      n;

	if (c->st && c->table == table)
		return SQLITE_OK;
	(void)sqlite3_finalize(TAKE(c->st));
	c->table = table;
	c->over = false;
	if (c->into) {
		n = snprintf(sql, sizeof sql, "INSERT INTO %s (%s) VALUES (", t->name, t->columns);
		for (size_t i = 0; i < copy_columns(t); i++)
			n += snprintf(sql + n, sizeof sql - (size_t)n, i > 0 ? ",?" : "?");
		n += snprintf(sql + n, sizeof sql - (size_t)n, ") %s", t->tail);
	} else {
		/* Pieces of a run follow each other in the order of their writing. */
		n = snprintf(sql, sizeof sql, "SELECT %s FROM %s ORDER BY %s", t->columns, t->name,
			     table == COPY_EVENT ? "id" : t->order);
	}
	CHECK(n > 0 && (size_t)n < sizeof sql);
	return sqlite3_prepare_v2(c->conn.db, sql, -1, &c->st, NULL);
}

/* --- reading --- */

static bool tool_copy_row(struct copy *c, struct copy_rows *rows)
{
	const struct copy_table *t = &copy_tables[rows->table];
	struct copy_value       *v = rows->values[rows->count];

	for (int i = 0; i < (int)copy_columns(t); i++) {
		v[i] = (struct copy_value){ .null = sqlite3_column_type(c->st, i) == SQLITE_NULL };
		if (v[i].null)
			continue;
		if (t->types[i] == 'n') {
			v[i].number = db_int(c->st, i);
			continue;
		}
		v[i].bytes = arena_str(&rows->arena, db_blob(c->st, i));
		if (!v[i].bytes.p)
			return false;
	}
	rows->count++;
	return true;
}

static enum errc tool_copy_read(struct store_copy *base, struct copy_rows *rows, struct err *e)
{
	struct copy *c = tool_copy_of(base);
	int          rc = tool_copy_prepare(c, rows->table);

	arena_finish(&rows->arena);
	arena_init(&rows->arena, LIMIT_ARENA);
	rows->count = 0;
	while (rc == SQLITE_OK && !c->over && rows->count < COPY_ROWS &&
	       rows->arena.used < READ_BYTES) {
		rc = sqlite3_step(c->st);
		c->over = rc == SQLITE_DONE;
		if (rc == SQLITE_ROW && !tool_copy_row(c, rows))
			return err_set(e, ERR_STORAGE, "", "out of memory");
		rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
	}
	return tool_copy_told(c, rc, e);
}

/* --- writing --- */

static void tool_copy_bind(struct db_bind *b, char type, const struct copy_value *v)
{
	if (v->null)
		db_bind_null(b);
	else if (type == 'n')
		db_bind_int(b, v->number);
	else if (type == 'b')
		db_bind_blob(b, v->bytes);
	else
		db_bind_text(b, v->bytes);
}

/* tool_copy_parts: tells a run where its log is. */
static int tool_copy_parts(struct copy *c)
{
	struct db_bind b = conn_bind(&c->conn, sql_parts);

	if (c->run == 0)
		return SQLITE_OK;
	db_bind_int(&b, c->parts[0]);
	db_bind_int(&b, c->parts[1]);
	db_bind_int(&b, c->run);
	return db_bind_run(&b);
}

static int tool_copy_event(struct copy *c, const struct copy_value *v)
{
	int64_t part = 1 + (c->written >> PART_SHIFT);
	bool    head = c->run != v[0].number;
	int     rc = head ? tool_copy_parts(c) : SQLITE_OK;

	if (head)
		c->parts[0] = part;
	c->parts[1] = part;
	c->run = v[0].number;
	struct db_bind b = conn_bind(&c->conn, sql_part);
	for (int i = 0; i < 3; i++)
		db_bind_int(&b, v[i].number);
	db_bind_blob(&b, v[3].bytes);
	db_bind_int(&b, c->written + 1);
	db_bind_int(&b, part);
	db_bind_int(&b, head);
	c->written += (int64_t)v[3].bytes.n;
	return rc == SQLITE_OK ? db_bind_run(&b) : rc;
}

static enum errc tool_copy_write(struct store_copy *base, const struct copy_rows *rows,
				 struct err *e)
{
	struct copy             *c = tool_copy_of(base);
	const struct copy_table *t = &copy_tables[rows->table];
	int                      rc = tool_copy_prepare(c, rows->table);

	for (size_t i = 0; rc == SQLITE_OK && i < rows->count; i++) {
		if (rows->table == COPY_EVENT) {
			rc = tool_copy_event(c, rows->values[i]);
			continue;
		}
		struct db_bind b = db_bind(c->st);
		for (size_t k = 0; k < copy_columns(t); k++)
			tool_copy_bind(&b, t->types[k], &rows->values[i][k]);
		rc = db_bind_run(&b);
	}
	return tool_copy_told(c, rc, e);
}

static enum errc tool_copy_commit(struct store_copy *base, struct err *e)
{
	struct copy *c = tool_copy_of(base);
	int          rc = tool_copy_parts(c);

	(void)sqlite3_finalize(TAKE(c->st));
	if (rc == SQLITE_OK) {
		struct db_bind b = conn_bind(&c->conn, sql_size);

		db_bind_int(&b, c->written);
		rc = db_bind_run(&b);
	}
	if (rc == SQLITE_OK)
		rc = conn_commit(&c->conn);
	if (rc == SQLITE_OK)
		(void)sqlite3_wal_checkpoint_v2(c->conn.db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
						NULL);
	return tool_copy_told(c, rc, e);
}

/* --- the beginning and the end --- */

static void tool_copy_destroy(struct store_copy *base)
{
	struct copy *c = tool_copy_of(base);

	(void)sqlite3_finalize(c->st);
	if (c->conn.db) {
		conn_reset(&c->conn);
		conn_rollback(&c->conn);
	}
	conn_close(&c->conn);
	blobs_destroy(c->base.blobs);
	if (c->lock >= 0)
		close(c->lock);
	free(c->path);
	free(c);
}

static const struct store_copy_ops ops = { tool_copy_read, tool_copy_write, tool_copy_commit,
					   tool_copy_destroy };

/* tool_copy_empty: only an empty database is copied to. */
static enum errc tool_copy_empty(struct copy *c, struct err *e)
{
	for (size_t i = 0; i < COPY_TABLES - 1; i++) {
		char          sql[128];
		sqlite3_stmt *st = NULL;

		snprintf(sql, sizeof sql, "SELECT 1 FROM %s LIMIT 1", copy_tables[i].name);
		int rc = sqlite3_prepare_v2(c->conn.db, sql, -1, &st, NULL);
		if (rc == SQLITE_OK)
			rc = sqlite3_step(st);
		(void)sqlite3_finalize(st);
		if (rc == SQLITE_DONE)
			continue;
		if (rc != SQLITE_ROW)
			return tool_copy_told(c, rc, e);
		err_set(e, ERR_STORAGE, "",
			"the database %s is not empty (%s); a copy needs an empty one", c->path,
			copy_tables[i].name);
		return err_blame(e, FAULT_DATA);
	}
	return ERR_OK;
}

static enum errc tool_copy_open(struct copy *c, const struct store_options *o, struct err *e)
{
	int lane;
	int applied = 0;

	if (!c->into && access(o->path, R_OK) != 0) {
		err_set(e, ERR_STORAGE, "", "can't read the database %s: %s", o->path,
			errno == ENOENT ? "there is none" : "it may not be read");
		return err_blame(e, FAULT_MISSING);
	}
	if (lock_take(o->path, &c->path, &c->lock, e) != ERR_OK)
		return e->code;
	if (lock_drains(c->path, &lane)) {
		err_set(e, ERR_STORAGE, "", "the database %s is in use: a gateway ends its answers",
			o->path);
		return err_blame(e, FAULT_BUSY);
	}
	if (conn_open(&c->conn, c->path, DB_WRITE, o->busy_ms, e) != ERR_OK ||
	    migrate_run(c->conn.db, o->path, migrations, true, &applied, e) != ERR_OK ||
	    blobs_open(c->path, &c->base.blobs, e) != ERR_OK ||
	    (c->into && tool_copy_empty(c, e) != ERR_OK))
		return e->code;
	return tool_copy_told(c, c->into ? conn_begin_write(&c->conn) : conn_begin(&c->conn), e);
}

enum errc sqlite_copy(const struct store_options *o, bool into, struct store_copy **ret,
		      struct err *e)
{
	struct copy *c = calloc(1, sizeof *c);

	if (!c)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	c->base.ops = &ops;
	c->lock = -1;
	c->into = into;
	if (tool_copy_open(c, o, e) != ERR_OK) {
		tool_copy_destroy(&c->base);
		return e->code;
	}
	*ret = &c->base;
	return ERR_OK;
}
