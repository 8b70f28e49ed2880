/* The bucket's keys have the names that they have everywhere. */
#include "app/internal.h"

#include "base/log.h"
#include "config/config.h"
#include "upstream/bucket.h"

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
