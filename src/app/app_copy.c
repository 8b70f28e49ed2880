/* A database that a gateway has left in the middle gets its runs' ends first, as at a start. */
#include "app/app.h"

#include "app/internal.h"
#include "base/clock.h"
#include "config/config.h"
#include "run/assemble.h"
#include "store/copy.h"
#include "store/engine.h"
#include "upstream/bucket.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>

static struct store_options app_copy_options(const char *database)
{
	return (struct store_options){
		.path = database,
		.password = engine_password(),
		.readers = 1,
		.busy_ms = 5000,
		.migrate = true,
		.assemble = assemble_answer,
	};
}

static int app_copy_fail(const struct err *e)
{
	fprintf(stderr, "parley: %s\n", e->text);
	return exit_status_of_store(e);
}

/* app_copy_end_runs: a source that is missing is not created. */
static enum errc app_copy_end_runs(const struct store_options *o, struct err *e)
{
	struct store *s = NULL;
	struct stat   is;

	if (!strstr(o->path, "://") && stat(o->path, &is) != 0) {
		err_set(e, ERR_STORAGE, "", "can't read the database %s: there is none", o->path);
		return err_blame(e, FAULT_MISSING);
	}
	if (engine_for(o->path)->open(o, &s, e) != ERR_OK)
		return e->code;
	store_destroy(s);
	return ERR_OK;
}

static enum errc app_copy_all(struct store_options *source, struct store_options *target,
			      struct copy_told *told, struct err *e)
{
	struct store_copy *in = NULL;
	struct store_copy *out = NULL;

	if (engine_for(source->path)->copy(source, false, &in, e) == ERR_OK &&
	    engine_for(target->path)->copy(target, true, &out, e) == ERR_OK)
		(void)!copy_all(in, out, told, e);
	copy_destroy(out);
	copy_destroy(in);
	return e->code;
}

int app_copy(const struct config *c, const char *from, const char *to)
{
	struct store_options source = app_copy_options(from);
	struct store_options target = app_copy_options(to);
	OWNED(bucket) bucket = NULL;
	struct copy_told told = { 0 };
	struct err       e = { .code = ERR_OK };
	int64_t          began = clock_mono_us();

	if (config_check_database(from, &e) != ERR_OK || config_check_database(to, &e) != ERR_OK) {
		(void)app_copy_fail(&e);
		return EX_USAGE;
	}
	/* An SQLite database has no contents in a bucket. */
	if ((strstr(from, "://") || strstr(to, "://")) &&
	    app_bucket_create(c, &bucket, &e) != ERR_OK) {
		(void)app_copy_fail(&e);
		return EX_CONFIG;
	}
	if (app_copy_end_runs(&source, &e) == ERR_OK) {
		source.bucket = target.bucket = bucket;
		target.bucket_write = c->files_s3_write;
		(void)app_copy_all(&source, &target, &told, &e);
	}
	if (e.code != ERR_OK)
		return app_copy_fail(&e);
	if (told.missing > 0)
		fprintf(stderr,
			"parley: the contents of %lld uploaded files are missing in the source, "
			"and so in the copy\n",
			(long long)told.missing);
	return printf("%lld conversations, %lld messages, %lld runs, %lld files, %lld keys, %.1f s\n",
		      (long long)told.conversations, (long long)told.messages, (long long)told.runs,
		      (long long)told.files, (long long)told.keys,
		      (double)(clock_mono_us() - began) / 1e6) < 0
		       ? EX_IOERR
		       : EX_OK;
}
