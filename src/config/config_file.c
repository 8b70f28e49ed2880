/* The configuration file: YAML events into a tree of strings.  The only place that knows libyaml. */
#include "config/internal.h"

#include "base/buf.h"
#include "base/limits.h"
#include "config/config_option.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

struct reading {
	const char         *path;
	struct arena       *arena;
	yaml_parser_t       yaml;
	struct config_node *root;
	struct config_node *open; /* innermost open list or map; NULL: outside the root */
	struct config_node *last[LIMIT_IMPORT_DEPTH + 1]; /* newest child at each depth */
	size_t              depth;
	size_t              deepest; /* depth never exceeds this */
	const char         *key;     /* the last key, whose value comes next */
	int                 key_line;
	int                 documents;
	struct err         *e;
};

static enum errc fail_at(struct reading *r, int line, const char *what)
{
	struct config_place at = { .source = CONFIG_FROM_FILE, .file = r->path, .line = line };

	return config_place_fail(&at, r->e, "%s", what);
}

static int line_of(yaml_mark_t mark)
{
	return mark.line < 1000000 ? (int)mark.line + 1 : 0;
}

const struct config_node *config_file_find(const struct config_node *map, const char *key)
{
	for (const struct config_node *n = map->first; n; n = n->next)
		if (strcmp(n->key, key) == 0)
			return n;
	return NULL;
}

static bool is_clean(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f)
			return false;
	}
	return true;
}

static enum errc config_file_take_key(struct reading *r, struct str text, int line)
{
	struct config_place at = { .source = CONFIG_FROM_FILE, .file = r->path, .line = line };

	if (text.n == 0 || text.n > 256 || memchr(text.p, '\n', text.n))
		return fail_at(r, line, "a key has to be a name of 1 to 256 bytes on one line");

	const struct config_node *before = config_file_find(r->open, text.p);
	if (before)
		return config_place_fail(&at, r->e,
					 "%s: duplicate key; it was given in line %d already",
					 text.p, before->line);
	r->key = text.p;
	r->key_line = line;
	return ERR_OK;
}

/* add_node: adds a new node to the open list or map, or makes it the root.  NULL: r->e says why. */
static struct config_node *add_node(struct reading *r, enum config_kind kind, int line)
{
	struct config_node *n = arena_alloc(r->arena, sizeof *n);
	bool                full = r->open && r->open->count >= LIMIT_CONFIG_ITEMS;

	if (!n || full) {
		(void)fail_at(r, line,
			      full ? "too many items in one list or map; at most 4096"
				   : "the file is too complex to be a configuration");
		return NULL;
	}
	n->kind = kind;
	n->line = r->key ? r->key_line : line;
	n->key = r->key;
	n->up = r->open;
	r->key = NULL;
	if (!r->open) {
		r->root = n;
	} else {
		n->index = r->open->count++;
		if (r->open->first)
			r->last[r->depth]->next = n;
		else
			r->open->first = n;
		r->last[r->depth] = n;
	}
	return n;
}

static enum errc on_scalar(struct reading *r, const yaml_event_t *ev)
{
	int        line = line_of(ev->start_mark);
	struct str raw = { (const char *)ev->data.scalar.value, ev->data.scalar.length };

	if (ev->data.scalar.anchor)
		return fail_at(r, line, "anchors (&name) are not allowed; write the value out");
	if (ev->data.scalar.tag)
		return fail_at(r, line, "tags (!name) are not allowed");
	if (raw.n > LIMIT_CONFIG_VALUE)
		return fail_at(r, line, "a value is longer than 64KiB");
	if (!is_clean(raw))
		return fail_at(r, line, "a value has a control character");

	struct str text = arena_str(r->arena, raw);
	if (!text.p)
		return fail_at(r, line, "the file is too complex to be a configuration");
	if (r->open && r->open->kind == CONFIG_MAP && !r->key)
		return config_file_take_key(r, text, line);

	struct config_node *n = add_node(r, CONFIG_SCALAR, line);
	if (!n)
		return r->e->code;
	n->text = text;
	n->quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return ERR_OK;
}

static enum errc config_file_on_open(struct reading *r, enum config_kind kind,
				     const yaml_mark_t *mark, bool anchor, bool tag)
{
	int line = line_of(*mark);

	if (anchor)
		return fail_at(r, line, "anchors (&name) are not allowed; write the value out");
	if (tag)
		return fail_at(r, line, "tags (!name) are not allowed");
	if (r->open && r->open->kind == CONFIG_MAP && !r->key)
		return fail_at(r, line, "a key has to be a name");
	if (r->depth >= r->deepest) {
		struct config_place at = { CONFIG_FROM_FILE, .file = r->path, .line = line };

		return config_place_fail(&at, r->e, "nested deeper than %zu levels", r->deepest);
	}

	struct config_node *n = add_node(r, kind, line);
	if (!n)
		return r->e->code;
	r->open = n;
	r->depth++;
	return ERR_OK;
}

static void config_file_on_close(struct reading *r)
{
	r->open = r->open->up;
	r->depth--;
}

static enum errc config_file_on_event(struct reading *r, const yaml_event_t *ev)
{
	switch (ev->type) {
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT: return ERR_OK;
	case YAML_DOCUMENT_START_EVENT:
		if (r->documents++ > 0)
			return fail_at(r, line_of(ev->start_mark),
				       "a second document (---); there may be one");
		return ERR_OK;
	case YAML_ALIAS_EVENT:
		return fail_at(r, line_of(ev->start_mark),
			       "aliases (*name) are not allowed; quote a value that starts with *");
	case YAML_SCALAR_EVENT: return on_scalar(r, ev);
	case YAML_SEQUENCE_START_EVENT:
		return config_file_on_open(r, CONFIG_SEQUENCE, &ev->start_mark,
					   ev->data.sequence_start.anchor != NULL,
					   ev->data.sequence_start.tag != NULL);
	case YAML_MAPPING_START_EVENT:
		return config_file_on_open(r, CONFIG_MAP, &ev->start_mark,
					   ev->data.mapping_start.anchor != NULL,
					   ev->data.mapping_start.tag != NULL);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT: config_file_on_close(r); return ERR_OK;
	}
	return ERR_OK;
}

static enum errc run_parser(struct reading *r)
{
	bool done = false;

	while (!done) {
		yaml_event_t ev;

		if (!yaml_parser_parse(&r->yaml, &ev)) {
			struct config_place at = { .source = CONFIG_FROM_FILE,
						   .file = r->path,
						   .line = line_of(r->yaml.problem_mark) };

			if (r->yaml.problem_mark.line == 0 && r->yaml.problem_offset > 0)
				at.line = 0; /* a reader's error knows only an offset */
			return config_place_fail(&at, r->e, "not valid YAML: %s",
						 r->yaml.problem ? r->yaml.problem : "unknown");
		}
		done = ev.type == YAML_STREAM_END_EVENT;

		enum errc rc = config_file_on_event(r, &ev);
		yaml_event_delete(&ev);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

enum errc config_file_parse(const char *path, struct str bytes, size_t deepest, struct arena *a,
			    struct config_node **ret, struct err *e)
{
	struct reading r = { .path = path, .arena = a, .deepest = deepest, .e = e };

	CHECK(deepest <= LIMIT_IMPORT_DEPTH);

	if (!yaml_parser_initialize(&r.yaml))
		return err_set(e, ERR_INTERNAL, NULL, "out of memory");
	yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.yaml, (const unsigned char *)(bytes.n > 0 ? bytes.p : ""),
				     bytes.n); /* libyaml asserts that it is not NULL */
	enum errc rc = run_parser(&r);
	yaml_parser_delete(&r.yaml);
	if (rc != ERR_OK)
		return rc;

	bool empty = !r.root ||
		     (r.root->kind == CONFIG_SCALAR && r.root->text.n == 0 && !r.root->quoted);
	if (empty) {
		r.root = arena_alloc(a, sizeof *r.root);
		if (!r.root)
			return err_set(e, ERR_INTERNAL, NULL, "out of memory");
		*r.root = (struct config_node){ .kind = CONFIG_MAP, .line = 1 };
	}
	if (r.root->kind != CONFIG_MAP)
		return fail_at(&r, r.root->line, "the file has to be a map: \"key: value\" lines");
	*ret = r.root;
	return ERR_OK;
}

static enum errc config_file_slurp(int fd, const char *path, struct buf *out, struct err *e)
{
	struct config_place at = { .source = CONFIG_FROM_FILE, .file = path };
	struct stat         st;
	char                piece[16 * KIB];

	if (fstat(fd, &st) != 0 || S_ISDIR(st.st_mode))
		return err_set(e, ERR_NOT_FOUND, NULL, "%s: not a file", path);
	for (;;) {
		ssize_t n = read(fd, piece, sizeof piece);

		if (n == 0)
			return ERR_OK;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, ERR_NOT_FOUND, NULL, "%s: cannot be read: %s", path,
				       strerror(errno));
		if (!buf_add(out, piece, (size_t)n))
			return config_place_fail(&at, e, "larger than 1MiB");
	}
}

enum errc config_file_bytes(const char *path, struct buf *out, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(e, ERR_NOT_FOUND, NULL, "%s: cannot be opened: %s", path,
			       strerror(errno));
	enum errc rc = config_file_slurp(fd, path, out, e);
	close(fd);
	return rc;
}
