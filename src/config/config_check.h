/* config/config_check: checks what no single value shows: addresses, keys for addresses beyond
 * loopback, a default model that exists, providers that can be made. */
#pragma once

#include "config/config.h"

enum errc config_check(const struct config *c, struct err *e) MUST_USE;
