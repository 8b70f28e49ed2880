/* The memory of a loaded configuration. */
#include "config/internal.h"

#include "base/limits.h"
#include "config/config.h"

#include <stdlib.h>

void *config_memory_alloc(struct config *c, size_t n, struct err *e)
{
	void *p = arena_alloc(&c->memory->arena, n > 0 ? n : 1);

	if (!p)
		err_set(e, ERR_INTERNAL, NULL, "out of memory for the configuration");
	return p;
}

enum errc config_memory_secret_take(struct config *c, char *secret, const char **ret, struct err *e)
{
	struct config_secret_link *link = malloc(sizeof *link);

	if (!link) {
		config_secret_free(secret);
		return err_set(e, ERR_INTERNAL, NULL, "out of memory");
	}
	*link = (struct config_secret_link){ .next = c->memory->secrets, .value = secret };
	c->memory->secrets = link;
	*ret = secret;
	return ERR_OK;
}

enum errc config_memory_note(const struct config *c, enum errc rc, struct err *e)
{
	struct config_mistakes *m = &c->memory->mistakes;

	if (rc != ERR_INVALID_VALUE && rc != ERR_NOT_SUPPORTED_YET)
		return rc;
	if (m->all && !buf_fmt(m->all, "%s\n", e->text))
		return rc; /* enough of them */
	if (m->count++ == 0)
		m->first = *e;
	return ERR_OK;
}

struct config_place config_memory_node(const struct config *c, const struct config_node *node)
{
	return (struct config_place){ .source = CONFIG_FROM_FILE,
				      .file = c->memory->file,
				      .node = node };
}

struct config_place config_memory_place(const struct config *c, enum config_option_id i)
{
	return (struct config_place){ .source = c->memory->source[i],
				      .file = c->memory->file,
				      .node = c->memory->node[i],
				      .name = config_options[i].name };
}

void config_destroy(struct config *c)
{
	if (!c)
		return;
	while (c->memory && c->memory->secrets) {
		struct config_secret_link *link = c->memory->secrets;

		c->memory->secrets = link->next;
		config_secret_free(link->value);
		free(link);
	}
	if (c->memory)
		arena_finish(&c->memory->arena);
	free(c->memory);
	free(c);
}

struct config *config_memory_create(void)
{
	struct config *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->memory = calloc(1, sizeof *c->memory);
	if (!c->memory) {
		free(c);
		return NULL;
	}
	arena_init(&c->memory->arena, LIMIT_CONFIG_MEMORY);
	return c;
}
