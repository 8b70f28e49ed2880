/* config/config_table: reads the tables of the file (providers, models, api_keys), and adds the
 * built-in echo provider, PARLEY_UPSTREAM_URL and PARLEY_API_KEY. */
#pragma once

#include "config/config.h"

struct config_node;

/* config_table_names: the tables' keys, for hints; ended by NULL. */
extern const char *const config_table_names[];

/* config_table_load: root is the file's, NULL when there is none. */
enum errc config_table_load(struct config *c, const struct config_node *root,
			    struct err *e) MUST_USE;
