/* config_file: a YAML file as a small tree of strings with line numbers; types come later, so that
 * no value changes its meaning by how it looks.  Anchors, aliases, tags, duplicate keys, and more
 * than one document are refused. */
#pragma once

#include "base/arena.h"
#include "base/err.h"

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

/* config_file_read: the root is always a map; an empty file is an empty map.
 * Errors: NOT_FOUND (no such file, or it cannot be read), INVALID_VALUE, INTERNAL (memory). */
enum errc config_file_read(const char *path, struct arena *a, struct config_node **ret,
			   struct err *e) MUST_USE;

/* config_file_find: the member of a map, or NULL. */
const struct config_node *config_file_find(const struct config_node *map, const char *key);
