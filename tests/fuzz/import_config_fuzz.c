/* libFuzzer: whatever another gateway's configuration says, what is made of it is a configuration that Parley takes, and
 * has none of its keys; a refusal prints nothing. */
#include "base/limits.h"
#include "config/config.h"
#include "config/import/import.h"
#include "config/internal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Addresses may be in variables. */
static const char *variable(const char *name)
{
	return name[0] == 'U' ? "https://models.example/v1" : NULL;
}

static bool is_key(const struct config_node *n)
{
	static const char *const names[] = { "api_key", "apiKey", "master_key",
					     "aws_secret_access_key" };

	for (size_t i = 0; n->key && i < ARRAY_LEN(names); i++)
		if (strcmp(n->key, names[i]) == 0)
			return n->kind == CONFIG_SCALAR && n->text.n >= 8 &&
			       str_starts(n->text, STR("sk-"));
	return false;
}

/* has_elsewhere: whether another node's key or text has this one's. */
static bool has_elsewhere(const struct config_node *root, const struct config_node *n)
{
	if (root != n &&
	    ((root->key && strstr(root->key, n->text.p)) ||
	     (root->kind == CONFIG_SCALAR && !is_key(root) && strstr(root->text.p, n->text.p))))
		return true;
	for (const struct config_node *k = root->first; k; k = k->next)
		if (has_elsewhere(k, n))
			return true;
	return false;
}

/* check_keys: a default of a model's calls is printed as it is. */
static void check_keys(const struct config_node *root, const struct config_node *n, struct str made)
{
	if (n->key && strcmp(n->key, "response_format") == 0)
		return;
	if (is_key(n) && memmem(made.p, made.n, n->text.p, n->text.n))
		CHECK(has_elsewhere(root, n));
	for (const struct config_node *k = n->first; k; k = k->next)
		check_keys(root, k, made);
}

/* is_there: files and profiles of clouds are of the machine that the configuration is for. */
static bool is_there(const struct err *e)
{
	return !strstr(e->text, "].auth.file: ") && !strstr(e->text, "].auth.profile: ");
}

/* check_loads: as from a file; keys are not read. */
static void check_loads(struct str made)
{
	static int     fd = -1;
	struct config *c = NULL;
	struct err     e;
	char           path[40];

	if (fd < 0)
		fd = memfd_create("made", MFD_CLOEXEC);
	CHECK(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, made.p, made.n, 0) == (ssize_t)made.n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);

	enum errc rc = config_load(&(struct config_given){ .file = path }, &c, NULL, &e);
	if (rc != ERR_OK && is_there(&e)) {
		fprintf(stderr, "%s\n%.*s\n", e.text, (int)made.n, made.p);
		CHECK(false);
	}
	config_destroy(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_node  *root = NULL;
	struct import_counts counts;
	struct arena         a;
	struct buf           out;
	struct err           e = { 0 };

	arena_init(&a, 4 * (size_t)LIMIT_CONFIG_MEMORY);
	buf_init(&out, LIMIT_CONFIG_FILE);
	enum errc rc = config_file_parse("theirs.yaml", (struct str){ (const char *)data, size },
					 LIMIT_IMPORT_DEPTH, &a, &root, &e);
	if (rc == ERR_OK)
		rc = import_config("theirs.yaml", root, variable, &a, &out, &counts, &e);
	if (rc == ERR_OK) {
		check_keys(root, root, buf_view(&out));
		check_loads(buf_view(&out));
	} else {
		CHECK(out.len == 0 && e.text[0]);
	}
	buf_finish(&out);
	arena_finish(&a);
	return 0;
}
