/* config_secret: keys from environment variables, files and systemd credentials.
 *
 * A variable is wiped and unset once read, and its value kept for the life of the process, so that
 * a later load finds it again.  Values never appear in messages.  Threads: one at a time. */
#pragma once

#include "base/err.h"

struct config_place;

enum config_secret_kind { CONFIG_SECRET_ENV, CONFIG_SECRET_FILE, CONFIG_SECRET_CREDENTIAL };

/* config_secret_read: *ret is owned; free it by config_secret_free.  name: the variable, the file's
 * path, or the credential's name.  Errors: INVALID_VALUE. */
enum errc config_secret_read(enum config_secret_kind kind, const char *name,
			     const struct config_place *at, char **ret, struct err *e) MUST_USE;
/* config_secret_env: the value of a variable, wiped from the environment; NULL: not set, or empty.
 * Borrowed until config_secret_forget or the next change of the same variable. */
const char *config_secret_env(const char *name);
/* config_secret_free: wipes first.  NULL is fine. */
void config_secret_free(char *secret);
/* config_secret_forget: wipes all that was kept; at the end of a process. */
void config_secret_forget(void);
