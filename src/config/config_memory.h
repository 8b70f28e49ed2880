/* config/config_memory: the memory of a loaded configuration, and the sources of its values; for
 * the files of config/ only. */
#pragma once

#include "base/arena.h"
#include "config/config.h"
#include "config/config_option.h"
#include "config/config_place.h"

struct config_secret_link {
	struct config_secret_link *next;
	char                      *value; /* owned; wiped when it goes */
};

/* What is wrong with the values so far; the reading goes on behind each. */
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

/* config_memory_create: an empty configuration, owned, for config_destroy; NULL: no memory. */
struct config *config_memory_create(void) MUST_USE;
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
