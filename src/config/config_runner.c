/* The keys of `runner`, as a table. */
#include "config/internal.h"

#include "base/limits.h"

#include <stdlib.h>

#define RUNNER_GIB    ((int64_t)1024 * MIB)
#define RUNNER_SECOND ((int64_t)1000000)
#define RUNNER_HOUR   (3600 * RUNNER_SECOND)

#define AT(m)         offsetof(struct runner_options, m)
/* clang-format off */
static const struct runner_field {
	const char        *name;
	const char        *preset;
	struct config_rule rule;
	size_t             offset;
} runner_fields[] = {
	{ "listen",          "",       { CONFIG_STRING, 0, 120, "" },                          AT(listen) },
	{ "peer",            "",       { CONFIG_STRING, 0, 64, "" },                           AT(peer) },
	{ "guard",           "cgroup", { CONFIG_ENUM, 0, 0, "cgroup,rlimit" },                 AT(guard) },
	{ "time",            "60s",    { CONFIG_DURATION, RUNNER_SECOND, RUNNER_HOUR, "" },    AT(time_us) },
	{ "max_time",        "1h",     { CONFIG_DURATION, RUNNER_SECOND, RUNNER_HOUR, "" },    AT(max_time_us) },
	{ "memory",          "512MiB", { CONFIG_SIZE, 64 * MIB, 1024 * RUNNER_GIB, "" },       AT(memory) },
	{ "cpu",             "100",    { CONFIG_INT, 1, 102400, "" },                          AT(cpu) },
	{ "processes",       "64",     { CONFIG_INT, 16, 32768, "" },                          AT(processes) },
	{ "open_files",      "256",    { CONFIG_INT, 64, 65536, "" },                          AT(files) },
	{ "space",           "256MiB", { CONFIG_SIZE, MIB, 1024 * RUNNER_GIB, "" },            AT(space) },
	{ "tmp",             "64MiB",  { CONFIG_SIZE, MIB, 1024 * RUNNER_GIB, "" },            AT(tmp) },
	{ "shm",             "64MiB",  { CONFIG_SIZE, MIB, 1024 * RUNNER_GIB, "" },            AT(shm) },
	{ "max_file",        "256MiB", { CONFIG_SIZE, MIB, 1024 * RUNNER_GIB, "" },            AT(file) },
	{ "output",          "256KiB", { CONFIG_SIZE, 4 * KIB, 4 * MIB, "" },                  AT(output) },
	{ "dropped_output",  "16MiB",  { CONFIG_SIZE, 64 * KIB, RUNNER_GIB, "" },              AT(dropped) },
	{ "sessions",        "16",     { CONFIG_INT, 1, LIMIT_RUNNER_SESSIONS, "" },           AT(sessions) },
	{ "sessions_of_key", "4",      { CONFIG_INT, 1, LIMIT_RUNNER_SESSIONS, "" },           AT(owner_sessions) },
	{ "executions",      "0",      { CONFIG_INT, 0, LIMIT_RUNNER_SESSIONS, "" },           AT(segments) },
	{ "idle",            "20m",    { CONFIG_DURATION, RUNNER_SECOND, 24 * RUNNER_HOUR, "" }, AT(idle_us) },
	{ "life",            "6h",     { CONFIG_DURATION, RUNNER_SECOND, 168 * RUNNER_HOUR, "" }, AT(life_us) },
};
/* clang-format on */
#undef AT

enum { RUNNER_LIST = 32 };

static void *runner_member(struct config *c, const struct runner_field *f)
{
	return (char *)&c->runner + f->offset;
}

static enum errc runner_defaults(struct config *c, struct err *e)
{
	enum errc rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < ARRAY_LEN(runner_fields); i++) {
		const struct runner_field *f = &runner_fields[i];
		struct config_place        at = { CONFIG_FROM_DEFAULT, .name = f->name };

		rc = config_value_read(&f->rule, str_of(f->preset), &c->memory->arena, &at,
				       runner_member(c, f), e);
	}
	return rc;
}

/* A list of names or folders. */
static enum errc runner_list(struct config *c, const struct config_node *n, const char *const **ret,
			     size_t *ret_count, struct err *e)
{
	static const struct config_rule item = { CONFIG_STRING, 1, 256, "" };
	struct config_place             at = config_memory_node(c, n);
	const char                    **items;
	enum errc                       rc = ERR_OK;

	if (n->kind != CONFIG_SEQUENCE || n->count > RUNNER_LIST)
		return config_place_fail(&at, e, "has to be a list of at most %d", RUNNER_LIST);
	items = config_memory_alloc(c, RUNNER_LIST * sizeof *items, e);
	if (!items)
		return ERR_INTERNAL;
	for (const struct config_node *i = n->first; rc == ERR_OK && i; i = i->next) {
		struct config_place place = config_memory_node(c, i);

		if (i->kind != CONFIG_SCALAR)
			return config_place_fail(&place, e, "has to be one value");
		rc = config_value_read(&item, i->text, &c->memory->arena, &place, &items[i->index],
				       e);
	}
	*ret = items;
	*ret_count = n->count;
	return rc;
}

static enum errc runner_unknown(const struct config_place *at, const char *key, struct err *e)
{
	const char *names[ARRAY_LEN(runner_fields) + 2] = { "languages", "mounts" };

	for (size_t i = 0; i < ARRAY_LEN(runner_fields); i++)
		names[i + 2] = runner_fields[i].name;

	const char *near = config_value_nearest(str_of(key), names, ARRAY_LEN(names));
	return near ? config_place_fail(at, e, "unknown key; did you mean %s?", near)
		    : config_place_fail(at, e,
					"unknown key; the manual page lists those of runner");
}

static enum errc runner_key(struct config *c, const struct config_node *n, struct err *e)
{
	struct config_place at = config_memory_node(c, n);

	if (strcmp(n->key, "languages") == 0)
		return runner_list(c, n, &c->runner.languages, &c->runner.language_count, e);
	if (strcmp(n->key, "mounts") == 0)
		return runner_list(c, n, &c->runner.mounts, &c->runner.mount_count, e);
	for (size_t i = 0; i < ARRAY_LEN(runner_fields); i++) {
		const struct runner_field *f = &runner_fields[i];

		if (strcmp(n->key, f->name) != 0)
			continue;
		if (n->kind != CONFIG_SCALAR || (n->text.n == 0 && !n->quoted))
			return config_place_fail(&at, e, "has to be one value");
		return config_value_read(&f->rule, n->text, &c->memory->arena, &at,
					 runner_member(c, f), e);
	}
	return runner_unknown(&at, n->key, e);
}

enum errc config_runner_read(struct config *c, const struct config_node *map, struct err *e)
{
	enum errc rc = runner_defaults(c, e);

	if (rc != ERR_OK || !map)
		return rc;
	c->runner_said = true;
	if (map->kind != CONFIG_MAP) {
		struct config_place at = config_memory_node(c, map);

		return config_place_fail(&at, e, "has to be a map: \"key: value\" lines");
	}
	for (const struct config_node *n = map->first; rc == ERR_OK && n; n = n->next)
		rc = config_memory_note(c, runner_key(c, n, e), e);
	return rc;
}

static bool runner_put_value(struct buf *out, const struct runner_field *f, const void *value)
{
	char text[32];

	switch (f->rule.type) {
	case CONFIG_ENUM:
		return buf_str(out, config_value_name(f->rule.names, *(const int *)value));
	case CONFIG_SIZE: config_value_show_size(*(const int64_t *)value, text); break;
	case CONFIG_DURATION: config_value_show_duration(*(const int64_t *)value, text); break;
	case CONFIG_INT: return buf_int(out, *(const int64_t *)value);
	case CONFIG_STRING:
	case CONFIG_TEXT:
	case CONFIG_CHOICE: return buf_json_string(out, str_of(*(const char *const *)value));
	case CONFIG_LIST:
	case CONFIG_BOOL: return true;
	}
	return buf_text(out, text);
}

static bool runner_put_list(struct buf *out, const char *name, const char *const *items,
			    size_t count)
{
	bool ok = buf_fmt(out, "  %s: [", name);

	for (size_t i = 0; ok && i < count; i++)
		ok = buf_text(out, i > 0 ? ", " : "") && buf_json_string(out, str_of(items[i]));
	return ok && buf_text(out, "]\n");
}

bool config_runner_print(const struct config *c, struct buf *out)
{
	bool ok = !c->runner_said || buf_text(out, "runner:\n");

	if (!c->runner_said)
		return true;
	for (size_t i = 0; ok && i < ARRAY_LEN(runner_fields); i++)
		ok = buf_fmt(out, "  %s: ", runner_fields[i].name) &&
		     runner_put_value(out, &runner_fields[i],
				      (const char *)&c->runner + runner_fields[i].offset) &&
		     buf_text(out, "\n");
	return ok &&
	       (c->runner.language_count == 0 ||
		runner_put_list(out, "languages", c->runner.languages, c->runner.language_count)) &&
	       (c->runner.mount_count == 0 ||
		runner_put_list(out, "mounts", c->runner.mounts, c->runner.mount_count));
}
