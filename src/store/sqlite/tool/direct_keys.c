/* Work on keys by another process than the one that serves, on a connection of its own. */
#include "store/store.h"

#include "store/sqlite/api_key_write.h"
#include "store/sqlite/lock.h"
#include "store/sqlite/migrate.h"

#include <stdlib.h>
#include <unistd.h>

static int work(sqlite3 *db, struct api_key_writes *keys, struct api_key_write *write,
                struct api_keys_read *read)
{
	struct err *e = write ? &write->job.err : &read->job.err;
	int         rc = db_exec(db, write ? "BEGIN IMMEDIATE" : "BEGIN");

	*e = (struct err){ .code = ERR_OK };
	if (rc == SQLITE_OK)
		rc = write ? api_key_write_run(keys, write) : api_key_rows_list(&keys->rows, read);
	api_key_rows_reset(&keys->rows);
	if (rc == SQLITE_OK && e->code == ERR_OK)
		return db_exec(db, "COMMIT");
	db_rollback(db);
	return rc;
}

enum errc store_api_keys(const struct store_options *o, struct api_key_write *write,
                         struct api_keys_read *read, struct err *e)
{
	struct api_key_writes keys = { 0 };
	sqlite3              *db = NULL;
	char                 *path = NULL;
	int                   lock = -1;
	int                   applied = 0;
	struct err            held;

	/* Only a new key is a reason to make one. */
	if ((!write || write->change != API_KEY_CREATE) && access(o->path, F_OK) != 0) {
		err_set(e, ERR_STORAGE, "", "can't read the database %s: there is none", o->path);
		return err_blame(e, FAULT_MISSING);
	}

	int       lane;
	bool      ours = lock_take(o->path, &path, &lock, &held) == ERR_OK && !lock_drains(path, &lane);
	enum errc rc = db_open(ours ? path : o->path, DB_WRITE, o->busy_ms, &db, e);
	if (rc == ERR_OK)
		rc = migrate_run(db, o->path, migrations, ours && o->migrate, &applied, e);
	if (rc == ERR_OK)
		rc = api_key_writes_prepare(&keys, db, e);
	if (rc == ERR_OK) {
		const struct err *told = write ? &write->job.err : &read->job.err;
		int               code = work(db, &keys, write, read);

		if (code != SQLITE_OK) {
			rc = db_fail(db, code, o->path, "change the keys of", e);
		} else if (told->code != ERR_OK) {
			*e = *told;
			rc = told->code;
		}
	}
	api_key_writes_finish(&keys);
	if (ours && db)
		(void)sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	db_close(db);
	if (lock >= 0)
		close(lock);
	free(path);
	return rc;
}
