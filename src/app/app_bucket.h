/* app_bucket: the bucket that the options name. */
#pragma once

#include "base/err.h"
#include "config/config.h"

struct bucket;

/* app_bucket_create: *ret is owned; NULL: the options name none.  The keys come from the environment.
 * Errors: INVALID_VALUE, OVERLOADED, INTERNAL. */
enum errc app_bucket_create(const struct config *c, struct bucket **ret, struct err *e) MUST_USE;
