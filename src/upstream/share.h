/* upstream/share: what all calls to a target have in common across threads: looked-up names and TLS
 * sessions, so that each connection but the first resumes.  Connections stay with their thread:
 * libcurl cannot share them.  Internal to upstream/. */
#pragma once

#include "base/base.h"

#include <curl/curl.h>

struct share;

/* share_create: owned; NULL: no memory. */
struct share *share_create(void);
/* share_destroy: after the last handle that was given it. */
void    share_destroy(struct share *s);
CURLSH *share_handle(const struct share *s);
