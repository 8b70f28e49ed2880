/* config/config_check: checks what no single value shows: addresses, keys for addresses beyond
 * loopback, a default model that exists, providers that can be made. */
#pragma once

#include "config/config.h"

/* config_check: serves: a process that serves needs more than every command does. */
enum errc config_check(const struct config *c, bool serves, struct err *e) MUST_USE;
/* config_check_database: the option names a path, or a kind of database that there is. */
enum errc config_check_database(const char *name, struct err *e) MUST_USE;
/* config_check_bucket: what a process needs that uses the bucket, if the options name one: its
 * keys. */
enum errc config_check_bucket(const struct config *c, struct err *e) MUST_USE;
