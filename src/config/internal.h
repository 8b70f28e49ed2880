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

/* config_file_bytes: appends the file's bytes to out.  Errors: NOT_FOUND (no such file, or it cannot be read),
 * INVALID_VALUE (too large). */
enum errc config_file_bytes(const char *path, struct buf *out, struct err *e) MUST_USE;
/* config_file_parse: the tree of the bytes; the root is always a map; an empty file is an empty map.  path: for errors.  deepest: how many
 * levels there may be, up to LIMIT_IMPORT_DEPTH.
 * Errors: INVALID_VALUE, INTERNAL (memory). */
enum errc config_file_parse(const char *path, struct str bytes, size_t deepest, struct arena *a,
			    struct config_node **ret, struct err *e) MUST_USE;

/* config_file_find: the member of a map, or NULL. */
const struct config_node *config_file_find(const struct config_node *map, const char *key);

/* --- config_memory: the memory of a loaded configuration, and the sources of its values; for
 * the files of config/ only. */

/* A file with a secret. */
struct config_secret_file {
	struct config_secret_file *next;
	const char                *path;
	uint64_t                   mark; /* the file as it was before it was read */
};

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
	struct config_secret_file *files;   /* newest first */
	const char                *file;    /* NULL: none */
	struct buf         text;   /* its bytes, for a load that reads the secrets alone again */
	struct price_file *prices; /* held; NULL: none */
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

/* config_memory_create: an empty configuration, owned, for config_destroy; NULL: no memory. */
struct config *config_memory_create(void) MUST_USE;
/* config_memory_alloc: zeroed, lives as long as the config; NULL with e set (INTERNAL). */
void *config_memory_alloc(struct config *c, size_t n, struct err *e) MUST_USE;
/* config_memory_secret_take: consumes an owned secret; what it returns is borrowed from c. */
enum errc config_memory_secret_take(struct config *c, char *secret, const char **ret,
				    struct err *e) MUST_USE;
/* config_memory_secret_file: notes that a secret is in this file.  Errors: INTERNAL. */
enum errc config_memory_secret_file(struct config *c, const char *path, struct err *e) MUST_USE;
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
/* config_row_names: the names in a list, as many as it has; *ret is borrowed from c. */
enum errc config_row_names(struct config *c, const struct config_node *list,
			   const char *const **ret, struct err *e) MUST_USE;
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

/* --- config_price: the price of a model, and the file of the option prices.
 *
 * config_price_read: what ret points to lives as long as c.  config_price_load: reads the file.  config_price_put:
 * prints a price as a line of the configuration.  Errors: INVALID_VALUE, with the place in the file. */
enum errc config_price_read(struct config *c, const struct config_node *map, struct price *ret,
			    struct err *e) MUST_USE;
enum errc config_price_load(struct config *c, struct err *e) MUST_USE;
bool      config_price_put(struct buf *out, const struct price *p) MUST_USE;

/* config_table_secret: the value that a key of the file names; borrowed from c. */
enum errc config_table_secret(struct config *c, enum config_secret_kind kind,
			      const struct config_node *n, const char **ret,
			      struct err *e) MUST_USE;

/* --- config_auth: the map `auth` of a provider.  *ret stays as it is where the entry has a key of its own; else it lives
 * as long as c.  Errors: INVALID_VALUE, with the place in the file.  config_auth_print: as a line; NULL: nothing. */
enum errc config_auth_read(struct config *c, const struct config_node *map,
			   const struct credential_options **ret, struct err *e) MUST_USE;
bool      config_auth_print(const struct credential_options *o, struct buf *out) MUST_USE;

/* --- config_hook: the table `hooks`. */

/* config_hooks_read: fills c->hooks from the list (NULL: none), after providers and models.  Errors: INVALID_VALUE. */
enum errc config_hooks_read(struct config *c, const struct config_node *table,
			    struct err *e) MUST_USE;
/* config_hooks_print: the table as YAML, if there are hooks. */
bool config_hooks_print(const struct config *c, struct buf *out) MUST_USE;
/* config_put_quoted, config_put_int: a text in double quotes; a number as `show` prints it. */
bool config_put_quoted(struct buf *out, const char *text) MUST_USE;
bool config_put_int(struct buf *out, int64_t v, void (*show)(int64_t, char[32])) MUST_USE;

/* --- config_tokens: the table `tokens`.
 *
 * config_tokens_read: fills c->tokens from the list (NULL: none).  Errors: INVALID_VALUE.  config_tokens_print: the table
 * as YAML, if there are issuers. */
enum errc config_tokens_read(struct config *c, const struct config_node *table,
			     struct err *e) MUST_USE;
bool      config_tokens_print(const struct config *c, struct buf *out) MUST_USE;

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
