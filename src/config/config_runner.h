/* config/config_runner: the table `runner`: what `parley runner` reads; the gateway does not. */
#pragma once

#include "config/config.h"
#include "config/config_node.h"

/* config_runner_read: fills c->runner with defaults, then from the map (NULL: none).  Errors: INVALID_VALUE. */
enum errc config_runner_read(struct config *c, const struct config_node *map,
			     struct err *e) MUST_USE;
/* config_runner_print: the table as YAML, if the file has it. */
bool config_runner_print(const struct config *c, struct buf *out) MUST_USE;
