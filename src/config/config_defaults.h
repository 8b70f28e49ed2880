/* config/config_defaults: the map `defaults` of a model. */
#pragma once

#include "config/config.h"
#include "config/config_node.h"

/* config_defaults_read: reads {instruction, config}; what ret points to lives as long as c.
 * Errors: INVALID_VALUE, with the place in the file. */
enum errc config_defaults_read(struct config *c, const struct config_node *map,
			       struct model_defaults *ret, struct err *e) MUST_USE;
