/* config/config_check: checks what no single value shows: addresses, keys for addresses beyond
 * loopback, a default model that exists, providers that can be made. */
#pragma once

#include "config/config.h"

enum errc config_check(const struct config *c, struct err *e) MUST_USE;
/* config_check_bucket: what a process needs that uses the bucket, if the options name one: its keys.
 * config_check_serve: what a process that serves needs beside what every command does. */
enum errc config_check_bucket(const struct config *c, struct err *e) MUST_USE;
enum errc config_check_serve(const struct config *c, struct err *e) MUST_USE;
