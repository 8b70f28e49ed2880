/* Migrations: numbered, checksummed, applied in order under a lock, each recorded. */
#include "store/postgres/migrate.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/limits.h"
#include "store/postgres/link.h"
#include "store/postgres/lease.h"

enum { MIGRATE_TRIES = 10 };

/* "Prly": a lock among all gateways of a database. */
#define LOCK "SELECT pg_advisory_xact_lock(1349676153)"

static const char sql_look[] =
	"SELECT (SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
	"ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')), "
	"(to_regclass('public.schema_migration') IS NOT NULL)::int::bigint, "
	"(current_setting('server_encoding') = 'UTF8')::int::bigint, "
	"(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
static const char sql_applied[] =
	"SELECT number, name, sha256 FROM schema_migration ORDER BY number";

static const char begin[] =
	"BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'; "
	"SET LOCAL search_path = public; " LOCK;
static const char create_record[] =
	"CREATE TABLE schema_migration (number bigint PRIMARY KEY, name text NOT NULL, "
	"sha256 text NOT NULL, applied_ms bigint NOT NULL)";

static enum errc migrate_wrong(struct err *e, enum err_fault fault, const struct link *l,
			       const char *text, struct str name)
{
	err_set(e, ERR_STORAGE, "", "the database %s %s%s%.*s", link_target_name(l->target), text,
		name.n > 0 ? " " : "", STR_ARG(name));
	return err_blame(e, fault);
}

static enum errc pg_migrate_compare(struct link *l, int *ret_count, struct err *e)
{
	const struct postgres_migration *known = postgres_migrations;

	if (direct_ask(l, sql_applied, "read the migrations of", e) != ERR_OK)
		return e->code;
	for (int i = 0; i < direct_rows(l); i++) {
		struct row r = direct_row(l, i);

		if (!known[i].name)
			return migrate_wrong(
				e, FAULT_DATA, l,
				"was made by a newer version of parley: it has migration",
				cell_str(r, 1));
		if (cell_int(r, 0) != i + 1 || !str_is(cell_str(r, 1), known[i].name) ||
		    !str_is(cell_str(r, 2), known[i].sha256))
			return migrate_wrong(e, FAULT_DATA, l, "has another migration",
					     cell_str(r, 1));
	}
	*ret_count = direct_rows(l);
	return ERR_OK;
}

/* migrate_look: *ret_count: applied migrations; *ret_new: there are no tables at all. */
static enum errc migrate_look(struct link *l, int *ret_count, bool *ret_new, struct err *e)
{
	param_clear(&l->args);
	if (direct_ask(l, sql_look, "read", e) != ERR_OK)
		return e->code;
	struct row r = direct_row(l, 0);
	int64_t    tables = cell_int(r, 0);
	int64_t    off_ms = cell_int(r, 3) - clock_wall_ms();
	bool       ours = cell_int(r, 1) != 0;

	if (!cell_int(r, 2))
		return migrate_wrong(e, FAULT_DATA, l, "must have the encoding UTF8", STR(""));
	if (off_ms > LEASE_OFF_MS || off_ms < -LEASE_OFF_MS) {
		err_set(e, ERR_STORAGE, "",
			"the clock of the database's server is %lld ms off; ids are times, so both must "
			"agree",
			(long long)off_ms);
		return err_blame(e, FAULT_BUSY);
	}
	if (tables > 0 && !ours)
		return migrate_wrong(e, FAULT_DATA, l, "belongs to another program", STR(""));
	*ret_count = 0;
	*ret_new = !ours;
	return ours ? pg_migrate_compare(l, ret_count, e) : ERR_OK;
}

static bool migrate_put(struct buf *out, int number, const struct postgres_migration *m)
{
	return buf_text(out, ";\n") && buf_text(out, m->sql) &&
	       buf_fmt(out,
		       "\n;INSERT INTO schema_migration (number, name, sha256, applied_ms) VALUES "
		       "(%d, '%s', '%s', %lld)",
		       number, m->name, m->sha256, (long long)clock_wall_ms());
}

static enum errc migrate_once(struct link *l, int *ret_applied, struct err *e)
{
	struct buf script;
	int        count = 0;
	bool       fresh = false;
	int        i;

	if (!link_script(l, begin))
		return direct_fail(l, "migrate", e);
	/* Another gateway may have done it while this one waited. */
	if (migrate_look(l, &count, &fresh, e) != ERR_OK)
		return e->code;
	if (!fresh && postgres_migrations[count].name)
		log_note(LOG_INFO, "migrate",
			 "migrations of the database begin, the first one is %s; a large database "
			 "takes minutes",
			 postgres_migrations[count].name);
	buf_init(&script, 4 * MIB);
	bool ok = buf_text(&script, fresh ? create_record : "SELECT 1");
	for (i = count; ok && postgres_migrations[i].name; i++)
		ok = migrate_put(&script, i + 1, &postgres_migrations[i]);
	ok = ok && buf_add(&script, "; COMMIT", sizeof "; COMMIT");
	if (!ok)
		err_no_memory(e);
	else if (!link_script(l, script.data))
		direct_fail(l, "migrate", e);
	else
		*ret_applied = i - count;
	ok = ok && l->fault.kind == FAULT_PG_NONE;
	buf_finish(&script);
	return ok ? ERR_OK : e->code;
}

/* A migration changes tables that gateways use: one of their transactions and the migration may wait for each
 * other, and the server ends either. */
static enum errc migrate_apply(struct link *l, int *ret_applied, struct err *e)
{
	enum errc rc = migrate_once(l, ret_applied, e);

	for (int i = 1; rc != ERR_OK && fault_is_deadlock(&l->fault) && i < MIGRATE_TRIES; i++)
		if (link_script(l, "ROLLBACK"))
			rc = migrate_once(l, ret_applied, e);
	return rc;
}

enum errc migrate_postgres(struct link *l, bool apply, int *ret_applied, struct err *e)
{
	int  count = 0;
	bool fresh = false;

	*ret_applied = 0;
	if (migrate_look(l, &count, &fresh, e) != ERR_OK)
		return e->code;
	if (!postgres_migrations[count].name)
		return ERR_OK;
	if (!apply)
		return migrate_wrong(e, FAULT_OLDER, l,
				     "lacks a migration: run \"parley migrate\":",
				     str_of(postgres_migrations[count].name));
	return migrate_apply(l, ret_applied, e);
}
