/* upstream/bucket: objects in a bucket of an S3-compatible server: put, get and remove, each one request, which
 * libcurl signs (AWS Signature Version 4).
 *
 * The caller names an object, with letters, digits, '-', '_' and '.'; its SHA-256 is known before, and is signed
 * with the request of a put.  A server that can't be reached, that breaks an answer off, or that answers 429
 * or 5xx, is asked up to three times; one that lets a deadline pass is asked once.  Deadlines, each of all tries
 * together: LIMIT_BUCKET_… of base/limits.h.  A request of a job that is unwanted (loop/work.h) ends within
 * about a second.  An error is STORAGE; its text has the status and the server's own word for the refusal, such
 * as AccessDenied, and never the address, a key or a signature.
 * Threads: all functions wait for the network, so none is for loops; any thread, several at once. */
#pragma once

#include "base/err.h"
#include "base/hash.h"

struct bucket;

struct bucket_options {
	const char *url;     /* https://BUCKET.HOST/PREFIX or https://HOST/BUCKET/PREFIX */
	const char *region;  /* "": bucket_url_region's */
	const char *ca_file; /* the authorities of its certificate; NULL: the system's */
	const char *key_id;
	const char *secret;
	const char *token; /* token of temporary keys; NULL: none */
};

/* bucket_create: copies the options; *ret is owned.  Errors: INVALID_VALUE, OVERLOADED, INTERNAL. */
enum errc bucket_create(const struct bucket_options *o, struct bucket **ret,
			struct err *e) MUST_USE;
/* bucket_destroy: no request may run any more; wipes the keys. */
void bucket_destroy(struct bucket *b);
OWNABLE(bucket);

/* bucket_put: the file's bytes, from its beginning on; bytes: how many they are. */
enum errc bucket_put(struct bucket *b, const char *name, const unsigned char sha256[HASH_BYTES],
		     int fd, int64_t bytes, struct err *e) MUST_USE;
/* bucket_get: writes the object to the file, whose earlier content goes; an object of another length or
 * another SHA-256 is an error.  FAULT_MISSING: there is no such object. */
enum errc bucket_get(struct bucket *b, const char *name, const unsigned char sha256[HASH_BYTES],
		     int fd, int64_t bytes, struct err *e) MUST_USE;
/* bucket_remove: an object that does not exist (NoSuchKey) is no error; a bucket that does not is one. */
enum errc bucket_remove(struct bucket *b, const char *name, struct err *e) MUST_USE;
/* bucket_stop: ends the requests under way, and refuses later ones. */
void bucket_stop(struct bucket *b);

/* --- bucket_url: the address of a bucket, by its form.  Pure. */

/* bucket_url_check: whether the address and the region can be used.  Errors: INVALID_VALUE, at "url" or "region". */
enum errc bucket_url_check(const char *url, const char *region, struct err *e) MUST_USE;
enum errc bucket_url_check_region(const char *region, struct err *e) MUST_USE;
/* bucket_url_is_plain: whether what is sent there can be read on a network: http to another machine. */
bool bucket_url_is_plain(const char *url);
/* bucket_url_region: the one in a host name of Amazon's, else us-east-1. */
enum { BUCKET_URL_REGION = 33 };
void bucket_url_region(const char *url, char ret[BUCKET_URL_REGION]);
/* bucket_url_word: whether the text has letters, digits and the signs of `more` alone. */
bool bucket_url_word(const char *text, const char *more);
