/* upstream/share: the data that all calls to a target share across threads: name look-ups and
 * TLS sessions, so that each connection after the first resumes a session. Connections stay with
 * their thread, because libcurl can't share them. Internal to upstream/. */
#pragma once

#include "base/base.h"

#include <curl/curl.h>

struct share;

/* share_create: owned; NULL: no memory. */
struct share *share_create(void);
/* share_destroy: frees the share; all handles that had it must be gone. */
void    share_destroy(struct share *s);
CURLSH *share_handle(const struct share *s);
