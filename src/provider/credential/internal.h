/* Internals that the files of this room share: the settings of an entry, and one refresh.
 *
 * credential_setup.c    settings, from the options and the environment
 * credential_refresh.c  one refresh: files and requests, with their limits
 * aws.c aws_profile.c aws_sts.c aws_metadata.c    where keys of AWS come from
 * google.c google_token.c rs256.c                 where tokens of Google come from
 * credential.c          the keys over time
 * credential_keeper.c   begins refreshes
 * credential_lines.c    the lines of a request */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "json/scan.h"
#include "loop/work.h"
#include "provider/credential.h"

#include <stdatomic.h>
#include <sys/stat.h>

/* --- settings: immutable. */

/* Variables of the environment that say where keys are.  Keys themselves come from the configuration. */
#define CREDENTIAL_VARIABLES(X)                   \
	X(HOME)                                   \
	X(SSL_CERT_FILE)                          \
	X(AWS_REGION)                             \
	X(AWS_DEFAULT_REGION)                     \
	X(AWS_PROFILE)                            \
	X(AWS_CONFIG_FILE)                        \
	X(AWS_SHARED_CREDENTIALS_FILE)            \
	X(AWS_ROLE_ARN)                           \
	X(AWS_ROLE_SESSION_NAME)                  \
	X(AWS_WEB_IDENTITY_TOKEN_FILE)            \
	X(AWS_CONTAINER_CREDENTIALS_RELATIVE_URI) \
	X(AWS_CONTAINER_CREDENTIALS_FULL_URI)     \
	X(AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE) \
	X(AWS_ENDPOINT_URL)                       \
	X(AWS_ENDPOINT_URL_STS)                   \
	X(AWS_IGNORE_CONFIGURED_ENDPOINT_URLS)    \
	X(AWS_EC2_METADATA_DISABLED)              \
	X(AWS_EC2_METADATA_SERVICE_ENDPOINT)      \
	X(AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE) \
	X(GOOGLE_APPLICATION_CREDENTIALS)         \
	X(GOOGLE_CLOUD_QUOTA_PROJECT)             \
	X(CLOUDSDK_CONFIG)                        \
	X(GCE_METADATA_HOST)

enum credential_variable {
#define X(name) ENV_##name,
	CREDENTIAL_VARIABLES(X)
#undef X
		ENV__COUNT
};

struct refresh;

/* A source of keys: a row of a kind. */
struct credential_source {
	const char *name; /* in `from` */
	/* there: whether `auto` takes it; then its error is the end. */
	bool (*there)(struct refresh *r);
	enum errc (*get)(struct refresh *r, struct err *e);
};

struct credential_kind {
	const char *name;
	const struct credential_source
		*sources; /* in the order of `auto`; the last has the name NULL */
	/* check: the options beside `from`.  Errors: INVALID_VALUE. */
	enum errc (*check)(const struct credential_options *o, struct err *e);
	/* after: what follows every source, such as a role; NULL: nothing. */
	enum errc (*after)(struct refresh *r, struct err *e);
};

extern const struct credential_kind credential_aws;
extern const struct credential_kind credential_google;

struct credential_setup {
	struct arena                    arena; /* memory of all that follows */
	const struct credential_kind   *kind;
	const struct credential_source *source;            /* NULL: auto */
	struct credential_options       o;                 /* region and service are resolved */
	const char                     *env[ENV__COUNT];   /* NULL: not set, or empty */
	unsigned char                   print[HASH_BYTES]; /* a digest of all */
};

/* setup_check: what the options alone show.  setup_make: looks at this machine's files, too.  ret is to be finished either
 * way.  Errors: INVALID_VALUE, OVERLOADED. */
enum errc setup_check(const struct credential_options *o, struct credential_setup *ret,
		      struct err *e) MUST_USE;
enum errc setup_make(const struct credential_options *o, struct credential_setup *ret,
		     struct err *e) MUST_USE;
void      setup_finish(struct credential_setup *s);
/* setup_text: text in the arena, made as printf does; NULL: no memory. */
const char *setup_text(struct arena *a, const char *fmt, ...) PRINTF(2, 3);

/* --- keys: immutable, counted; wiped when they go. */

struct credential_keys {
	atomic_uint refs;
	char       *id, *secret; /* owned; AWS's; NULL: Google's */
	char       *token;   /* owned; AWS's session token (NULL: none), or Google's access token */
	char       *project; /* owned; whose quota Google counts; NULL: the token's own */
	int64_t     expires_s; /* wall clock; 0: never */
	char        source[96];
};

/* --- refresh: one; its thread may wait. */

enum { REFRESH_FILES = 4, REFRESH_SECRETS = 64 };

/* A file that was read, as it was. */
struct refresh_file {
	const char *path; /* in the arena of the refresh, or of the setup */
	int64_t     mtime_ns, size;
};

struct refresh {
	const struct credential_setup *setup;
	bool                           dry; /* asks no host: ends with CANCELLED where it would */
	struct arena                   arena;
	/* The finding, in the arena. */
	const char *id, *secret, *token, *project;
	int64_t     expires_s;
	const char *source;
	const char *via; /* a role on top; NULL: none */
	/* Files that are watched. */
	struct refresh_file files[REFRESH_FILES];
	size_t              file_count;
	/* Texts that must not be repeated: keys, and all that keys are fetched with. */
	struct str secrets[REFRESH_SECRETS];
	size_t     secret_count;
};

void refresh_init(struct refresh *r, const struct credential_setup *s);
void refresh_finish(struct refresh *r);
/* refresh_get: fills r by the setup's source.  Errors: UPSTREAM_AUTH and others; the text tells the operator what to do. */
enum errc refresh_get(struct refresh *r, struct err *e) MUST_USE;

/* refresh_env: NULL: not set. */
static inline const char *refresh_env(const struct refresh *r, enum credential_variable v)
{
	return r->setup->env[v];
}
/* refresh_hide: the text is secret. */
void refresh_hide(struct refresh *r, const char *text);
/* refresh_read: a file's text, NUL-terminated; watched: it is read again when it changes.
 * Errors: INVALID_VALUE. */
enum errc refresh_read(struct refresh *r, const char *path, bool watched, struct str *ret,
		       struct err *e) MUST_USE;
/* refresh_read_line: the same without white space at the ends, for a token that is hidden. */
enum errc refresh_read_line(struct refresh *r, const char *path, const char **ret,
			    struct err *e) MUST_USE;

struct refresh_ask {
	const char *who; /* for the text of an error: "STS" */
	const char *method;
	const char *url;
	const char *lines[6]; /* header lines; NULL: no more */
	struct str  body;
	bool        near; /* a metadata server: no proxy, and a second's patience */
};
/* refresh_fetch: the answer, whatever its status is.  Errors: those of fetch_do, with who; CANCELLED of a dry one. */
enum errc refresh_fetch(struct refresh *r, const struct refresh_ask *ask, long *ret_status,
			struct str *ret, struct err *e) MUST_USE;
/* refresh_fail: the error of a source.  said: the other side's words, or none; its secrets are removed. */
enum errc refresh_fail(const struct refresh *r, struct err *e, struct str said, const char *fmt,
		       ...) PRINTF(4, 5);
/* refresh_member: a string of a JSON object, as a C string; NULL: there is none, or it has a NUL. */
const char *refresh_member(struct refresh *r, const struct json_doc *d, json_at at,
			   const char *name);
/* refresh_time: 2026-11-29T12:00:00Z as seconds; 0: it is something else. */
int64_t refresh_time(const char *text);
/* refresh_encode: the text, percent-encoded for a form or a query.  NULL: no memory. */
const char *refresh_encode(struct refresh *r, const char *text);

/* --- aws */

/* aws_profile_there: whether there is such a profile that says where keys are. */
bool      aws_profile_there(struct refresh *r);
enum errc aws_profile_get(struct refresh *r, struct err *e) MUST_USE;
enum errc aws_env_get(struct refresh *r, struct err *e) MUST_USE;
bool      aws_container_there(struct refresh *r);
enum errc aws_container_get(struct refresh *r, struct err *e) MUST_USE;
bool      aws_imds_there(struct refresh *r);
enum errc aws_imds_get(struct refresh *r, struct err *e) MUST_USE;

struct aws_role {
	const char *arn;
	const char *external_id; /* NULL: none */
	const char *session;     /* NULL: parley */
	const char *region;      /* NULL: the setup's */
};
/* aws_assume: replaces the keys in r by those of the role. */
enum errc aws_assume(struct refresh *r, const struct aws_role *role, struct err *e) MUST_USE;
/* aws_web_identity: the role's keys for a token in a file. */
enum errc aws_web_identity(struct refresh *r, const struct aws_role *role, const char *token_file,
			   struct err *e) MUST_USE;

/* --- google */

/* rs256_assertion: a JSON Web Token of these claims, as google-auth prints it: appended to out.  key: PEM.
 * False: it is no RSA key, or there is no memory. */
struct rs256_claims {
	const char *issuer, *audience, *scope;
	const char *key_id; /* NULL: none */
	int64_t     now_s, lifetime_s;
};
bool rs256_assertion(const struct rs256_claims *c, struct str key, struct buf *out) MUST_USE;
/* rs256_is_key: whether it is a private RSA key. */
bool rs256_is_key(struct str key);

/* google_token_of: a token by what a file of credentials says, an object of d.. */
enum errc google_token_of(struct refresh *r, const struct json_doc *d, json_at at,
			  struct err *e) MUST_USE;
/* google_take: takes an answer of a token endpoint.  who: as in struct refresh_ask. */
enum errc google_take(struct refresh *r, const char *who, long status, struct str body,
		      struct err *e) MUST_USE;
/* google_scope: with its whole address, space-separated if there are several; NULL: no memory. */
const char *google_scope(struct refresh *r);
