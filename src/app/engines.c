/* The list of storage engines, the bucket beside a database, and what its faults are as exit statuses. */
#include "app/app.h"
#include "app/internal.h"
#include "base/base.h"
#include "base/log.h"
#include "config/config.h"
#include "store/sqlite/engine.h"
#include "upstream/bucket.h"

#include <sysexits.h>

#ifdef PARLEY_POSTGRES
#include "store/postgres/engine.h"
#endif

static const struct store_engine *const engines[] = {
#ifdef PARLEY_POSTGRES
	&postgres_engine,
#endif
	&sqlite_engine, /* the last engine takes every remaining name */
};

const struct store_engine *engine_for(const char *database)
{
	for (size_t i = 0; i < ARRAY_LEN(engines); i++)
		if (engines[i]->takes(database))
			return engines[i];
	return engines[ARRAY_LEN(engines) - 1];
}

const char *engine_password(void)
{
	return config_secret_env("PARLEY_DATABASE_PASSWORD");
}

/* --- app_bucket: The bucket's keys have the names that they have everywhere. */

enum errc app_bucket_create(const struct config *c, struct bucket **ret, struct err *e)
{
	struct bucket_options o = {
		.url = c->files_s3,
		.region = c->files_s3_region,
		.ca_file = c->files_s3_ca[0] ? c->files_s3_ca : NULL,
		.key_id = config_secret_env("AWS_ACCESS_KEY_ID"),
		.secret = config_secret_env("AWS_SECRET_ACCESS_KEY"),
		.token = config_secret_env("AWS_SESSION_TOKEN"),
	};

	*ret = NULL;
	if (!c->files_s3[0])
		return ERR_OK;
	if (config_check_bucket(c, e) != ERR_OK)
		return e->code;
	if (bucket_url_is_plain(c->files_s3))
		log_note(LOG_WARN, "bucket",
			 "files_s3 is http: what is sent to the bucket can be read on the network");
	return bucket_create(&o, ret, e);
}

/* --- exit_status: The faults of a database as exit statuses (sysexits), as parley(8) lists them. */

int exit_status_of_store(const struct err *e)
{
	switch (e->fault) {
	case FAULT_DATA:
	case FAULT_OLDER: return EX_DATAERR;
	case FAULT_MISSING: return EX_NOINPUT;
	case FAULT_NO_PLACE: return EX_CANTCREAT;
	case FAULT_DISK: return EX_IOERR;
	case FAULT_BUSY: return EX_TEMPFAIL;
	case FAULT_NONE: break;
	}
	return EX_OSERR;
}
