/* config_file: a YAML file as a small tree of strings with line numbers; types come later, so that
 * no value changes its meaning by how it looks.  Anchors, aliases, tags, duplicate keys, and more
 * than one document are refused. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "config/config_node.h"

/* config_file_read: the root is always a map; an empty file is an empty map.
 * Errors: NOT_FOUND (no such file, or it cannot be read), INVALID_VALUE, INTERNAL (memory). */
enum errc config_file_read(const char *path, struct arena *a, struct config_node **ret,
			   struct err *e) MUST_USE;

/* config_file_find: the member of a map, or NULL. */
const struct config_node *config_file_find(const struct config_node *map, const char *key);
