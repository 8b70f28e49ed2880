/* upstream/bucket_url: the address of a bucket, by its form.  Pure. */
#pragma once

#include "base/err.h"

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
