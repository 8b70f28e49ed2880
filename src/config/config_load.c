/* Loading the configuration: defaults, then the file, then the environment, then flags. */
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "config/config.h"
#include "config/internal.h"
#include "provider/price_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- config_memory: The memory of a loaded configuration. */

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

/* secret_file_mark: a hash of which file this is and when it changed; one that is missing has its own. */
static uint64_t secret_file_mark(const char *path)
{
	struct stat st;
	uint64_t    now[6] = { 0 };

	if (stat(path, &st) == 0) {
		now[0] = st.st_dev;
		now[1] = st.st_ino;
		now[2] = (uint64_t)st.st_size;
		/* A change of the status counts, as when a file is made private after it was swapped. */
		now[3] = (uint64_t)st.st_ctim.tv_sec;
		now[4] = (uint64_t)st.st_ctim.tv_nsec;
		now[5] = (uint64_t)st.st_mtim.tv_nsec;
	}
	return mix_str(MIX_BEGIN, (struct str){ (const char *)now, sizeof now });
}

enum errc config_memory_secret_file(struct config *c, const char *path, struct err *e)
{
	struct config_secret_file *file = config_memory_alloc(c, sizeof *file, e);

	if (!file)
		return e->code;
	*file = (struct config_secret_file){ .next = c->memory->files,
					     .path = arena_str(&c->memory->arena, str_of(path)).p };
	if (!file->path)
		return err_set(e, ERR_INTERNAL, NULL, "out of memory");
	file->mark = secret_file_mark(path);
	c->memory->files = file;
	return ERR_OK;
}

bool config_secrets_changed(const struct config *c, uint64_t *seen)
{
	uint64_t read = MIX_BEGIN, now = MIX_BEGIN;

	for (const struct config_secret_file *f = c->memory->files; f; f = f->next) {
		uint64_t mark = secret_file_mark(f->path);

		read = mix_str(read, (struct str){ (const char *)&f->mark, sizeof f->mark });
		now = mix_str(now, (struct str){ (const char *)&mark, sizeof mark });
	}
	if (now == read || now == *seen)
		return false;
	*seen = now;
	return true;
}

bool config_has_secret_files(const struct config *c)
{
	return c->memory->files;
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
	if (c->memory) {
		price_file_release(c->memory->prices);
		buf_finish(&c->memory->text);
		arena_finish(&c->memory->arena);
	}
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
	buf_init(&c->memory->text, LIMIT_CONFIG_FILE);
	return c;
}

/* --- config_home: Finds the configuration that was installed with this program. */

/* home_prefix: PREFIX of the program PREFIX/sbin/parley; false: it was not installed. */
static bool home_prefix(char ret[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 1);

	if (n <= 0)
		return false;
	ret[n] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(ret, '/');

		if (!slash || (i == 1 && strcmp(slash, "/sbin") != 0 && strcmp(slash, "/bin") != 0))
			return false;
		*slash = '\0';
	}
	return true;
}

/* The installed configuration is the second choice: whoever names a database, or has one here, means
 * that one. */
static bool home_is_wanted(const struct config_given *given)
{
	static const char *const variables[] = { "PARLEY_CONFIG", "PARLEY_DATABASE" };

	for (size_t i = 0; i < given->flag_count; i++)
		if (strcmp(given->flags[i].name, "database") == 0)
			return false;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return false;
	}
	return !given->file && access("parley.db", F_OK) != 0;
}

const char *config_home(const struct config_given *given, char ret_path[PATH_MAX])
{
	char        prefix[PATH_MAX];
	struct stat st;

	if (!home_is_wanted(given) || !home_prefix(prefix))
		return NULL;
	/* packaging/install_files.cmake.in chooses the same place */
	int n = snprintf(ret_path, PATH_MAX, "%s/etc/parley/parley.yaml",
			 strcmp(prefix, "/usr") == 0 ? "" : prefix);
	if (n <= 0 || n >= PATH_MAX)
		return NULL;
	/* One that is there and can't be read is an error of the load, and no reason to do without. */
	return lstat(ret_path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR) ? ret_path : NULL;
}

static void *config_member(struct config *c, const struct config_option *o)
{
	return (char *)c + o->offset;
}

/* Adds an item to a list; `room` is for all items that may follow. */
static enum errc config_list_add(struct config *c, const struct config_option *o, struct str text,
				 const struct config_place *at, struct err *e)
{
	static const struct config_rule item = { .type = CONFIG_STRING, .min = 1, .max = 1024 };
	struct config_list             *list = config_member(c, o);

	if ((int64_t)list->count >= o->rule.max)
		return config_place_fail(at, e, "too many items; at most %lld",
					 (long long)o->rule.max);
	if (!list->items) {
		list->items = config_memory_alloc(c, (size_t)o->rule.max * sizeof *list->items, e);
		if (!list->items)
			return ERR_INTERNAL;
	}

	enum errc rc =
		config_value_read(&item, text, &c->memory->arena, at, &list->items[list->count], e);
	if (rc == ERR_OK)
		list->count++;
	return rc;
}

static struct str config_trim(struct str s)
{
	while (s.n > 0 && s.p[0] == ' ')
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && s.p[s.n - 1] == ' ')
		s.n--;
	return s;
}

/* Lists in defaults, variables and flags are separated by commas; spaces around a comma are
 * ignored. */
static enum errc list_split(struct config *c, const struct config_option *o, struct str text,
			    const struct config_place *at, struct err *e)
{
	if (config_trim(text).n == 0)
		return ERR_OK;
	for (;;) {
		const char *comma = memchr(text.p, ',', text.n);
		struct str  item = { text.p, comma ? (size_t)(comma - text.p) : text.n };
		enum errc   rc = config_list_add(c, o, config_trim(item), at, e);

		if (rc != ERR_OK || !comma)
			return rc;
		text = (struct str){ comma + 1, text.n - item.n - 1 };
	}
}

static enum errc list_check(struct config *c, const struct config_option *o,
			    const struct config_place *at, struct err *e)
{
	const struct config_list *list = config_member(c, o);

	if ((int64_t)list->count < o->rule.min)
		return config_place_fail(at, e, "is empty; at least %lld needed",
					 (long long)o->rule.min);
	return ERR_OK;
}

/* A stronger source replaces a list as a whole. */
static void set_source(struct config *c, enum config_option_id i, enum config_source source,
		       const struct config_node *node)
{
	if (config_options[i].rule.type == CONFIG_LIST)
		((struct config_list *)config_member(c, &config_options[i]))->count = 0;
	c->memory->source[i] = source;
	c->memory->node[i] = node;
}

static enum errc set_text(struct config *c, enum config_option_id i, struct str text, struct err *e)
{
	const struct config_option *o = &config_options[i];
	struct config_place         at = config_memory_place(c, i);

	if (o->rule.type != CONFIG_LIST)
		return config_value_read(&o->rule, text, &c->memory->arena, &at,
					 config_member(c, o), e);

	enum errc rc = list_split(c, o, text, &at, e);
	return rc == ERR_OK ? list_check(c, o, &at, e) : rc;
}

static enum errc set_defaults(struct config *c, struct err *e)
{
	for (int i = 0; i < CONFIG_OPTION__COUNT; i++) {
		set_source(c, (enum config_option_id)i, CONFIG_FROM_DEFAULT, NULL);
		enum errc rc =
			set_text(c, (enum config_option_id)i, str_of(config_options[i].preset), e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* --- the file --- */

static enum errc set_node(struct config *c, enum config_option_id i, const struct config_node *node,
			  struct err *e)
{
	const struct config_option *o = &config_options[i];

	set_source(c, i, CONFIG_FROM_FILE, node);
	struct config_place at = config_memory_place(c, i);

	if (node->kind == CONFIG_SCALAR && node->text.n == 0 && !node->quoted)
		return config_place_fail(&at, e, "has no value; leave the key out for the default");
	if (o->rule.type != CONFIG_LIST) {
		if (node->kind != CONFIG_SCALAR)
			return config_place_fail(&at, e, "has to be one value");
		return config_value_read(&o->rule, node->text, &c->memory->arena, &at,
					 config_member(c, o), e);
	}
	if (node->kind == CONFIG_MAP)
		return config_place_fail(&at, e, "has to be one value, or a list: [a, b]");
	if (node->kind == CONFIG_SCALAR)
		return config_list_add(c, o, node->text, &at, e);
	for (const struct config_node *n = node->first; n; n = n->next) {
		struct config_place item = config_memory_node(c, n);

		enum errc rc = n->kind == CONFIG_SCALAR
				       ? config_list_add(c, o, n->text, &item, e)
				       : config_place_fail(&item, e, "has to be one value");

		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
	}
	return node->first ? ERR_OK : list_check(c, o, &at, e);
}

static bool is_table(const char *key)
{
	for (const char *const *t = config_table_names; *t; t++)
		if (strcmp(*t, key) == 0)
			return true;
	return false;
}

static enum errc unknown_key(const struct config_place *at, struct err *e)
{
	const char *names[CONFIG_OPTION__COUNT + 8];
	size_t      n = 0;

	for (int i = 0; i < CONFIG_OPTION__COUNT; i++)
		names[n++] = config_options[i].name;
	for (const char *const *t = config_table_names; *t && n < ARRAY_LEN(names); t++)
		names[n++] = *t;

	const char *near = config_value_nearest(str_of(at->node->key), names, n);
	if (near)
		return config_place_fail(at, e, "unknown key; did you mean %s?", near);
	return config_place_fail(at, e, "unknown key; parley --help lists the options");
}

static enum errc set_file(struct config *c, const struct config_node *root, struct err *e)
{
	for (const struct config_node *n = root->first; n; n = n->next) {
		struct config_place at = config_memory_node(c, n);
		int                 i = config_option_find(str_of(n->key));

		if (i < 0 && is_table(n->key))
			continue;
		enum errc rc =
			i < 0 ? unknown_key(&at, e) : set_node(c, (enum config_option_id)i, n, e);
		rc = config_memory_note(c, rc, e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* --- environment and flags --- */

static enum errc set_environment(struct config *c, struct err *e)
{
	for (int i = 0; i < CONFIG_OPTION__COUNT; i++) {
		char        name[64];
		const char *value = getenv(config_place_env(config_options[i].name, name));

		/* an empty variable counts as unset, as ${X:-} of a compose file makes one */
		if (!value || !*value)
			continue;
		set_source(c, (enum config_option_id)i, CONFIG_FROM_ENVIRONMENT, NULL);
		enum errc rc = config_memory_note(
			c, set_text(c, (enum config_option_id)i, str_of(value), e), e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc set_flags(struct config *c, const struct config_flag *flags, size_t count,
			   struct err *e)
{
	for (size_t n = 0; n < count; n++) {
		int i = config_option_find(str_of(flags[n].name));

		if (i < 0)
			return err_set(e, ERR_INVALID_VALUE, NULL, "--%.64s: unknown option",
				       flags[n].name);
		/* a list is filled by repeated flags */
		if (c->memory->source[i] != CONFIG_FROM_FLAG)
			set_source(c, (enum config_option_id)i, CONFIG_FROM_FLAG, NULL);
		enum errc rc = config_memory_note(
			c, set_text(c, (enum config_option_id)i, str_of(flags[n].value), e), e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum errc config_load_layers(struct config *c, const char *file,
				    const struct config_given *given, struct err *e)
{
	struct config_node *root = NULL;
	enum errc           rc = set_defaults(c, e);

	if (rc == ERR_OK && file) {
		c->memory->file = arena_str(&c->memory->arena, str_of(file)).p;
		if (!c->memory->file)
			return err_set(e, ERR_INTERNAL, NULL, "out of memory");
		if (!given->again)
			rc = config_file_bytes(c->memory->file, &c->memory->text, e);
		else if (!buf_str(&c->memory->text, buf_view(&given->again->memory->text)))
			rc = err_set(e, ERR_INTERNAL, NULL, "out of memory");
		if (rc == ERR_OK)
			rc = config_file_parse(c->memory->file, buf_view(&c->memory->text),
					       LIMIT_CONFIG_DEPTH, &c->memory->arena, &root, e);
		if (rc == ERR_OK)
			rc = set_file(c, root, e);
	}
	if (rc == ERR_OK)
		rc = set_environment(c, e);
	if (rc == ERR_OK)
		rc = set_flags(c, given->flags, given->flag_count, e);
	if (c->memory->source[CONFIG_OPTION_log_format] == CONFIG_FROM_DEFAULT &&
	    isatty(STDERR_FILENO))
		c->log_format = LOG_TEXT;
	if (rc == ERR_OK)
		rc = config_table_load(c, root, e);
	if (rc == ERR_OK)
		rc = config_check(c, given->serves, e);
	return rc;
}

enum errc config_load(const struct config_given *given, struct config **ret, struct buf *mistakes,
		      struct err *e)
{
	OWNED(config) c = config_memory_create();
	const char *file = given->file;

	if (!c)
		return err_set(e, ERR_INTERNAL, NULL, "out of memory");
	c->memory->needs_secrets = given->serves;
	c->memory->mistakes.all = mistakes;
	if (!file) {
		file = getenv("PARLEY_CONFIG");
		if (file && !*file)
			file = NULL;
	}

	enum errc rc = config_load_layers(c, file, given, e);
	if (rc != ERR_OK)
		rc = config_memory_note(c, rc, e);
	if (rc == ERR_OK && c->memory->mistakes.count > 0) {
		*e = c->memory->mistakes.first;
		rc = e->code;
	}
	if (rc != ERR_OK)
		return rc;
	*ret = TAKE(c);
	return ERR_OK;
}

bool config_says(const struct config *c, const char *option)
{
	for (int i = 0; i < CONFIG_OPTION__COUNT; i++)
		if (strcmp(config_options[i].name, option) == 0)
			return c->memory->source[i] != CONFIG_FROM_DEFAULT;
	return false;
}

const char *config_file(const struct config *c)
{
	return c->memory->file;
}

bool config_has_secrets(const struct config *c)
{
	if (config_secret_env("PARLEY_OTLP_HEADERS") || c->files_s3[0])
		return true;
	return c->memory->secrets != NULL;
}
