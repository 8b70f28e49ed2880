/* config/config_node: a value in the configuration file, its place, and the node that contains
 * it. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

enum config_kind { CONFIG_SCALAR, CONFIG_SEQUENCE, CONFIG_MAP };

/* Borrowed from the arena. */
struct config_node {
	enum config_kind    kind;
	int                 line; /* from 1 */
	struct str          text; /* of a scalar: NUL-terminated, no control bytes but \t and \n */
	bool                quoted;
	const char         *key;   /* in a map; NULL in a sequence and at the root */
	size_t              index; /* position among its siblings */
	size_t              count; /* of children */
	struct config_node *up;    /* NULL at the root */
	struct config_node *first;
	struct config_node *next;
};
