/* config/internal: what the files of this room share: reading a configuration, with its places and memory. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "config/config.h"
#include "config/config_option.h"

#include <stdbool.h>

/* --- config_node: a value in the configuration file, its place, and the node that contains
 * it. */

enum config_kind { CONFIG_SCALAR, CONFIG_SEQUENCE, CONFIG_MAP };

/* Borrowed from the arena. */
struct config_node {
	enum config_kind    kind;
	int                 line; /* from 1 */
	struct str          text; /* a scalar's: NUL-terminated, no control bytes but \t and \n */
	bool                quoted;
	const char         *key;   /* in a map; NULL in a sequence and at the root */
	size_t              index; /* position among its siblings */
	size_t              count; /* number of children */
	struct config_node *up;    /* NULL at the root */
	struct config_node *first;
	struct config_node *next;
};

/* --- config_file: a YAML file as a small tree of strings with line numbers; types come later, so that
 * no value changes its meaning by how it looks.  Anchors, aliases, tags, duplicate keys, and more
 * than one document are refused. */

/* config_file_read: the root is always a map; an empty file is an empty map.
 * Errors: NOT_FOUND (no such file, or it cannot be read), INVALID_VALUE, INTERNAL (memory). */
enum errc config_file_read(const char *path, struct arena *a, struct config_node **ret,
			   struct err *e) MUST_USE;

/* config_file_find: the member of a map, or NULL. */
const struct config_node *config_file_find(const struct config_node *map, const char *key);

/* --- config_memory: the memory of a loaded configuration, and the sources of its values; for
 * the files of config/ only. */

struct config_secret_link {
	struct config_secret_link *next;
	char                      *value; /* owned; wiped when it goes */
};

/* Mistakes in the values so far; the reading goes on after each. */
struct config_mistakes {
	size_t      count;
	struct err  first;
	struct buf *all; /* borrowed; a line for each; NULL: only the first one is wanted */
	bool rows_lost;  /* a provider or model is nameless, so what names one can't be checked */
};

struct config_memory {
	struct arena               arena;
	struct config_secret_link *secrets; /* newest first */
	const char                *file;    /* NULL: none */
	/* by option; the node of those from the file, else NULL */
	enum config_source        source[CONFIG_OPTION__COUNT];
	const struct config_node *node[CONFIG_OPTION__COUNT];
	/* by provider and model; NULL: built in, or from PARLEY_UPSTREAM_URL */
	const struct config_node **provider_node;
	const struct config_node **model_node;
	bool                      *provider_wrong; /* it has mistakes already */
	struct config_mistakes     mistakes;
	bool                       needs_secrets;
};

/* config_memory_alloc: zeroed, lives as long as the config; NULL with e set (INTERNAL). */
void *config_memory_alloc(struct config *c, size_t n, struct err *e) MUST_USE;
/* config_memory_secret_take: consumes an owned secret; what it returns is borrowed from c. */
enum errc config_memory_secret_take(struct config *c, char *secret, const char **ret,
				    struct err *e) MUST_USE;
/* config_memory_note: keeps what is wrong with a value and returns OK, so that the next one is read;
 * returns other errors. */
enum errc config_memory_note(const struct config *c, enum errc rc, struct err *e) MUST_USE;
/* config_memory_place: of the i-th option. */
struct config_place config_memory_place(const struct config *c, enum config_option_id i);
/* config_memory_node: of a node of the file. */
struct config_place config_memory_node(const struct config *c, const struct config_node *node);

/* --- config_row: reads a map whose keys are a list of fields.  Errors: INVALID_VALUE, with the place in the file. */

/* A key of a row, and where its value goes. */
struct config_field {
	const char        *name;
	struct config_rule rule;
	size_t             offset;
};

enum { CONFIG_ROW_FIELDS = 16 }; /* at most, in a row without other keys */

struct config_row {
	const struct config_field *fields;
	size_t                     count;
	/* special: reads a key that is none of the fields, for instance one whose value is a list, or says that there is
	 * no such key; NULL: there are none but the fields. */
	enum errc (*special)(struct config *c, const struct config_node *n, void *row,
			     struct err *e);
};

/* config_row_read: reads the map into row. */
enum errc config_row_read(struct config *c, const struct config_node *map,
			  const struct config_row *t, void *row, struct err *e) MUST_USE;
/* config_row_field: reads n into row if its key is one of the fields; *ret_known says whether it is. */
enum errc config_row_field(struct config *c, const struct config_node *n,
			   const struct config_field *fields, size_t count, void *row,
			   bool *ret_known, struct err *e) MUST_USE;
/* config_row_kind, config_row_value: n has to be of this kind, and to have a value. */
enum errc config_row_kind(const struct config *c, const struct config_node *n,
			  enum config_kind kind, struct err *e) MUST_USE;
enum errc config_row_value(const struct config *c, const struct config_node *n,
			   struct err *e) MUST_USE;
/* config_row_fail: what is wrong with n.  config_row_unknown: its key is none of these. */
enum errc config_row_fail(const struct config *c, const struct config_node *n, const char *what,
			  struct err *e);
enum errc config_row_unknown(const struct config *c, const struct config_node *n,
			     const char *const *keys, size_t count, struct err *e);

/* --- config_table: reads the tables of the file (providers, models, api_keys), and adds the
 * built-in echo provider, PARLEY_UPSTREAM_URL and PARLEY_API_KEY. */

/* config_table_names: the tables' keys, for hints; ended by NULL. */
extern const char *const config_table_names[];

/* config_table_load: root is the file's, NULL when there is none. */
enum errc config_table_load(struct config *c, const struct config_node *root,
			    struct err *e) MUST_USE;

/* --- config_defaults: the map `defaults` of a model. */

/* config_defaults_read: reads {instruction, config}; what ret points to lives as long as c.
 * Errors: INVALID_VALUE, with the place in the file. */
enum errc config_defaults_read(struct config *c, const struct config_node *map,
			       struct model_defaults *ret, struct err *e) MUST_USE;

/* --- config_runner: the table `runner`: what `parley runner` reads; the gateway does not. */

/* config_runner_read: fills c->runner with defaults, then from the map (NULL: none).  Errors: INVALID_VALUE. */
enum errc config_runner_read(struct config *c, const struct config_node *map,
			     struct err *e) MUST_USE;
/* config_runner_print: the table as YAML, if the file has it. */
bool config_runner_print(const struct config *c, struct buf *out) MUST_USE;
