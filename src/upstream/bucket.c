/* Requests to a bucket.  Idle handles are kept, with their sessions of TLS 1.3, but no
 * connections: libcurl would take what came after an answer for the next one (loop/transfer.h),
 * and a put must not be told that it was stored by the answer to another. */
#include "upstream/bucket.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "loop/work.h"
#include "upstream/internal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	IDLE_HANDLES = 8,
	TRIES = 3,
	PAUSE_MS = 100, /* before the second try; four times as long before the third */
	REFUSAL = 4096, /* bytes of a refusal that are looked at */
	WORD = 64,
	URL = 2048,
	TOLD_AGAIN_US = 60 * 1000 * 1000,
};

/* SHA-256 of nothing: what requests without a body sign. */
static const char empty_sha256[] =
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

struct bucket {
	char               *url;     /* owned, like all texts; without a slash at its end */
	char               *ca_file; /* NULL: the system's */
	char               *key_id;
	char               *secret;
	char               *token; /* a header line; NULL: none */
	char                signing[96];
	atomic_bool         stopped;
	atomic_int_fast64_t told_us; /* when a failure was logged */
	pthread_mutex_t     lock;
	CURL               *idle[IDLE_HANDLES]; /* owned; the first idle_count */
	unsigned            idle_count;
};

enum bucket_kind { BUCKET_PUT, BUCKET_GET, BUCKET_REMOVE };

struct bucket_call {
	struct bucket       *bucket;
	enum bucket_kind     kind;
	const char          *name;
	const unsigned char *sha256;
	int                  fd;
	int64_t              bytes; /* size of the object */
	int64_t              until_us;
	/* One try: */
	CURL            *easy;
	int64_t          at;  /* bytes sent, or written to the file */
	struct hash_sum *sum; /* owned; of a get */
	bool             disk_failed, too_long;
	size_t           refused; /* bytes of a refusal */
	char             refusal[REFUSAL + 1];
	CURLcode         code;
	long             status;
};

/* --- a bucket --- */

/* bucket_key_ok: a key goes into a header. */
static bool bucket_key_ok(const char *key)
{
	return key[0] && strlen(key) <= LIMIT_SECRET &&
	       bucket_url_word(key, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
}

static bool bucket_copy(struct bucket *b, const struct bucket_options *o)
{
	size_t n = strlen(o->url);

	while (n > 0 && o->url[n - 1] == '/')
		n--;
	b->url = strndup(o->url, n);
	b->ca_file = o->ca_file ? strdup(o->ca_file) : NULL;
	b->key_id = strdup(o->key_id);
	b->secret = strdup(o->secret);
	if (o->token && asprintf(&b->token, "x-amz-security-token: %s", o->token) < 0)
		b->token = NULL;
	return b->url && b->key_id && b->secret && (b->token || !o->token) &&
	       (b->ca_file || !o->ca_file);
}

enum errc bucket_create(const struct bucket_options *o, struct bucket **ret, struct err *e)
{
	char region[BUCKET_URL_REGION];

	if (bucket_url_check(o->url, o->region, e) != ERR_OK)
		return e->code;
	if (!bucket_key_ok(o->key_id) || !bucket_key_ok(o->secret) ||
	    (o->token && !bucket_key_ok(o->token)))
		return err_set(e, ERR_INVALID_VALUE, "keys",
			       "a bucket's key must not be empty nor have spaces or control "
			       "characters");
	if (!failure_init())
		return err_set(e, ERR_INTERNAL, NULL, "libcurl could not be started");
	OWNED(bucket) b = calloc(1, sizeof *b);
	if (!b)
		return err_no_memory(e);
	pthread_mutex_init(&b->lock, NULL);
	atomic_init(&b->told_us, -TOLD_AGAIN_US);
	bucket_url_region(o->url, region);
	snprintf(b->signing, sizeof b->signing, "aws:amz:%s:s3", o->region[0] ? o->region : region);
	if (!bucket_copy(b, o))
		return err_no_memory(e);
	*ret = TAKE(b);
	return ERR_OK;
}

static void bucket_wipe(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void bucket_destroy(struct bucket *b)
{
	if (!b)
		return;
	while (b->idle_count > 0)
		curl_easy_cleanup(b->idle[--b->idle_count]);
	pthread_mutex_destroy(&b->lock);
	bucket_wipe(b->key_id);
	bucket_wipe(b->secret);
	bucket_wipe(b->token);
	free(b->ca_file);
	free(b->url);
	free(b);
}

void bucket_stop(struct bucket *b)
{
	atomic_store(&b->stopped, true);
}

static CURL *bucket_take(struct bucket *b)
{
	pthread_mutex_lock(&b->lock);
	CURL *easy = b->idle_count > 0 ? b->idle[--b->idle_count] : NULL;
	pthread_mutex_unlock(&b->lock);
	return easy ? easy : curl_easy_init();
}

static void bucket_give(struct bucket *b, CURL *easy)
{
	curl_easy_reset(easy); /* a session of TLS 1.3 stays */
	pthread_mutex_lock(&b->lock);
	if (b->idle_count < IDLE_HANDLES)
		b->idle[b->idle_count++] = TAKE(easy);
	pthread_mutex_unlock(&b->lock);
	curl_easy_cleanup(easy);
}

/* --- bytes --- */

static size_t bucket_on_read(char *to, size_t size, size_t count, void *arg)
{
	struct bucket_call *c = arg;
	ssize_t             n;

	do
		n = pread(c->fd, to, size * count, (off_t)c->at);
	while (n < 0 && errno == EINTR);
	if (n < 0 || (n == 0 && c->at < c->bytes)) {
		c->disk_failed = true;
		return CURL_READFUNC_ABORT;
	}
	c->at += n;
	return (size_t)n;
}

/* A connection that the server had closed is replaced, and all bytes are sent again. */
static int bucket_on_seek(void *arg, curl_off_t offset, int origin)
{
	struct bucket_call *c = arg;

	if (origin != SEEK_SET)
		return CURL_SEEKFUNC_CANTSEEK;
	c->at = offset;
	return CURL_SEEKFUNC_OK;
}

static bool bucket_write(struct bucket_call *c, const char *bytes, size_t n)
{
	c->too_long = (int64_t)n > c->bytes - c->at;
	if (c->too_long)
		return false;
	hash_sum_add(c->sum, bytes, n);
	while (n > 0) {
		ssize_t done = pwrite(c->fd, bytes, n, (off_t)c->at);

		if (done < 0 && errno == EINTR)
			continue;
		c->disk_failed = done <= 0;
		if (c->disk_failed)
			return false;
		c->at += done;
		bytes += done;
		n -= (size_t)done;
	}
	return true;
}

static size_t bucket_on_write(char *bytes, size_t size, size_t count, void *arg)
{
	struct bucket_call *c = arg;
	size_t              n = size * count;
	size_t              room = REFUSAL - c->refused;

	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &c->status);
	if (c->kind == BUCKET_GET && c->status == 200)
		return bucket_write(c, bytes, n) ? n : 0;
	memcpy(c->refusal + c->refused, bytes, n < room ? n : room);
	c->refused += n < room ? n : room;
	return n <= room ? n : 0; /* enough was read */
}

/* bucket_is_over: nobody waits for the answer any more. */
static bool bucket_is_over(const struct bucket_call *c)
{
	return atomic_load(&c->bucket->stopped) || work_now_is_unwanted();
}

/* libcurl asks at least once a second. */
static int bucket_on_progress(void *arg, curl_off_t down, curl_off_t down_now, curl_off_t up,
			      curl_off_t up_now)
{
	const struct bucket_call *c = arg;

	(void)down, (void)down_now, (void)up, (void)up_now;
	return bucket_is_over(c);
}

/* --- a request --- */

static bool bucket_headers(const struct bucket_call *c, struct curl_slist **ret)
{
	char               hex[HASH_HEX + 1];
	char               line[HASH_HEX + 32];
	struct curl_slist *longer;

	if (c->kind == BUCKET_PUT)
		hash_hex(c->sha256, HASH_BYTES, hex);
	/* Without this line, libcurl would have to read the body twice, and signs a put wrongly. */
	snprintf(line, sizeof line, "x-amz-content-sha256: %s",
		 c->kind == BUCKET_PUT ? hex : empty_sha256);
	*ret = curl_slist_append(NULL, line);
	if (!*ret || !c->bucket->token)
		return *ret;
	longer = curl_slist_append(*ret, c->bucket->token);
	if (longer)
		*ret = longer;
	return longer;
}

/* bucket_left_ms: of the time for all tries; at most 0: none. */
static long bucket_left_ms(const struct bucket_call *c)
{
	return (long)((c->until_us - clock_mono_us()) / 1000);
}

#define SET(option, value) bad |= (unsigned)curl_easy_setopt(h, CURLOPT_##option, value)

static bool bucket_set_kind(struct bucket_call *c)
{
	unsigned bad = 0;
	CURL    *h = c->easy;

	switch (c->kind) {
	case BUCKET_PUT:
		SET(UPLOAD, 1L);
		SET(INFILESIZE_LARGE, (curl_off_t)c->bytes);
		SET(READFUNCTION, bucket_on_read);
		SET(READDATA, c);
		SET(SEEKFUNCTION, bucket_on_seek);
		SET(SEEKDATA, c);
		SET(UPLOAD_BUFFERSIZE, 256L * KIB);
		break;
	case BUCKET_GET:
		SET(HTTPGET, 1L);
		SET(BUFFERSIZE, 256L * KIB);
		break;
	case BUCKET_REMOVE: SET(CUSTOMREQUEST, "DELETE"); break;
	}
	long left = bucket_left_ms(c);
	SET(TIMEOUT_MS, left > 0 ? left : 1L); /* 0: libcurl waits for ever */
	return bad == 0;
}

static bool bucket_set(struct bucket_call *c, const char *url, struct curl_slist *headers)
{
	unsigned bad = 0;
	CURL    *h = c->easy;

	SET(URL, url);
	SET(NOSIGNAL, 1L);
	SET(PROTOCOLS_STR, "http,https");
	SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(FORBID_REUSE, 1L);
	SET(FOLLOWLOCATION, 0L);
	SET(NETRC, (long)CURL_NETRC_IGNORED);
	SET(PROXY, ""); /* whatever the environment says */
	if (c->bucket->ca_file)
		SET(CAINFO, c->bucket->ca_file);
	SET(TCP_KEEPALIVE, 1L);
	SET(CONNECTTIMEOUT_MS, LIMIT_BUCKET_CONNECT_MS);
	SET(LOW_SPEED_LIMIT, LIMIT_BUCKET_STALL_BYTES);
	SET(LOW_SPEED_TIME, LIMIT_BUCKET_STALL_S);
	SET(AWS_SIGV4, c->bucket->signing);
	SET(USERNAME, c->bucket->key_id);
	SET(PASSWORD, c->bucket->secret);
	SET(HTTPHEADER, headers);
	SET(WRITEFUNCTION, bucket_on_write);
	SET(WRITEDATA, c);
	SET(NOPROGRESS, 0L);
	SET(XFERINFOFUNCTION, bucket_on_progress);
	SET(XFERINFODATA, c);
	return bad == 0 && bucket_set_kind(c);
}
#undef SET

/* bucket_begin: what was read or written by an earlier try does not count. */
static bool bucket_begin(struct bucket_call *c)
{
	c->at = 0;
	c->refused = 0;
	c->status = 0;
	c->code = CURLE_OK;
	c->disk_failed = c->too_long = false;
	if (c->kind != BUCKET_GET)
		return true;
	hash_sum_destroy(c->sum);
	c->sum = hash_sum_begin();
	c->disk_failed = ftruncate(c->fd, 0) != 0;
	return c->sum;
}

/* bucket_perform: one try; false: no memory. */
static bool bucket_perform(struct bucket_call *c)
{
	char               url[URL];
	struct curl_slist *headers = NULL;

	snprintf(url, sizeof url, "%s/%s", c->bucket->url, c->name);
	c->easy = bucket_take(c->bucket);
	bool ok = bucket_begin(c) && c->easy && bucket_headers(c, &headers) &&
		  bucket_set(c, url, headers);
	if (ok && !c->disk_failed) {
		c->code = curl_easy_perform(c->easy);
		curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &c->status);
	}
	if (c->easy)
		bucket_give(c->bucket, TAKE(c->easy));
	curl_slist_free_all(headers);
	return ok;
}

/* --- what came of it --- */

static bool bucket_is_refused(const struct bucket_call *c)
{
	return c->status >= 300;
}

static bool bucket_is_lost(const struct bucket_call *c)
{
	return c->code != CURLE_OK && !bucket_is_refused(c) && !c->too_long && !c->disk_failed;
}

static bool bucket_may_try_again(const struct bucket_call *c)
{
	if (bucket_is_over(c) || bucket_left_ms(c) <= 0)
		return false;
	return bucket_is_refused(c) ? c->status == 429 || c->status >= 500
				    : bucket_is_lost(c) && c->code != CURLE_OPERATION_TIMEDOUT &&
					      c->code != CURLE_PEER_FAILED_VERIFICATION;
}

/* bucket_word: " NoSuchKey" of <Error><Code>NoSuchKey</Code>…, or "". */
static void bucket_word(struct bucket_call *c, char ret[WORD])
{
	c->refusal[c->refused] = '\0';
	const char *code = strstr(c->refusal, "<Code>");
	size_t      n = code ? strcspn(code + 6, "<") : 0;

	ret[0] = '\0';
	if (n == 0 || n >= WORD - 1)
		return;
	snprintf(ret, WORD, " %.*s", (int)n, code + 6);
	if (!bucket_url_word(ret + 1, ""))
		ret[0] = '\0';
}

static enum errc bucket_refused(struct bucket_call *c, struct err *e)
{
	char word[WORD];

	bucket_word(c, word);
	err_set(e, ERR_STORAGE, "", "the bucket of uploaded files refused a request: %ld%s",
		c->status, word);
	return c->status == 404 && strcmp(word, " NoSuchKey") == 0 ? err_blame(e, FAULT_MISSING)
								   : e->code;
}

static enum errc bucket_lost(const struct bucket_call *c, struct err *e)
{
	const char *words = c->code == CURLE_OPERATION_TIMEDOUT ? "no answer came in time"
								: curl_easy_strerror(c->code);

	err_set(e, ERR_STORAGE, "", "the bucket of uploaded files can't be reached: %s", words);
	return err_blame(e, FAULT_BUSY);
}

/* bucket_sound: a get has brought what was put. */
static bool bucket_sound(struct bucket_call *c)
{
	unsigned char sha256[HASH_BYTES];

	if (c->too_long || c->at != c->bytes)
		return false;
	hash_sum_end(c->sum, sha256);
	return memcmp(sha256, c->sha256, HASH_BYTES) == 0;
}

static enum errc bucket_outcome(struct bucket_call *c, struct err *e)
{
	if (c->disk_failed)
		return err_set(e, ERR_STORAGE, "",
			       "a temporary file for the content of a file "
			       "can't be used");
	if (bucket_is_refused(c))
		return bucket_refused(c, e);
	if (bucket_is_lost(c))
		return bucket_lost(c, e);
	if (c->kind == BUCKET_GET && !bucket_sound(c))
		return err_set(e, ERR_STORAGE, "",
			       "the file's content in the bucket is not the one that was stored");
	return ERR_OK;
}

static enum errc bucket_do(struct bucket_call *c, struct err *e)
{
	enum errc rc = ERR_OK;
	long      ms = c->kind == BUCKET_REMOVE ? LIMIT_BUCKET_REMOVE_MS : LIMIT_BUCKET_MS;

	c->until_us = clock_mono_us() + ms * (int64_t)1000;
	for (int tries = 1;; tries++) {
		if (!bucket_perform(c)) {
			rc = err_no_memory(e);
			break;
		}
		if (tries == TRIES || !bucket_may_try_again(c)) {
			rc = bucket_outcome(c, e);
			break;
		}
		(void)poll(NULL, 0, tries == 1 ? PAUSE_MS : 4 * PAUSE_MS);
	}
	hash_sum_destroy(c->sum);
	return rc;
}

/* bucket_tell: clients get the reason with their errors, and the operator gets it once a minute. */
static void bucket_tell(struct bucket_call *c, const struct err *e)
{
	int64_t      now_us = clock_mono_us();
	int_fast64_t told_us = atomic_load(&c->bucket->told_us);

	if (!bucket_is_over(c) && now_us - told_us >= TOLD_AGAIN_US &&
	    atomic_compare_exchange_strong(&c->bucket->told_us, &told_us, now_us))
		log_note(LOG_WARN, "bucket", "%s", e->text);
}

/* bucket_move: a put or a get. */
static enum errc bucket_move(struct bucket *b, enum bucket_kind kind, const char *name,
			     const unsigned char *sha256, int fd, int64_t bytes, struct err *e)
{
	struct bucket_call c = {
		.bucket = b, .kind = kind, .name = name, .sha256 = sha256, .fd = fd, .bytes = bytes
	};

	enum errc rc = bucket_do(&c, e);
	if (rc != ERR_OK)
		bucket_tell(&c, e);
	return rc;
}

enum errc bucket_put(struct bucket *b, const char *name, const unsigned char sha256[HASH_BYTES],
		     int fd, int64_t bytes, struct err *e)
{
	return bucket_move(b, BUCKET_PUT, name, sha256, fd, bytes, e);
}

enum errc bucket_get(struct bucket *b, const char *name, const unsigned char sha256[HASH_BYTES],
		     int fd, int64_t bytes, struct err *e)
{
	return bucket_move(b, BUCKET_GET, name, sha256, fd, bytes, e);
}

enum errc bucket_remove(struct bucket *b, const char *name, struct err *e)
{
	struct bucket_call c = { .bucket = b, .kind = BUCKET_REMOVE, .name = name };

	if (bucket_do(&c, e) != ERR_OK && e->fault != FAULT_MISSING)
		return e->code;
	return ERR_OK;
}
