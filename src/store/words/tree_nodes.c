/* Nodes of a tree, with the beginnings of their texts. */
#include "store/words/tree_nodes.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <stdlib.h>

enum { TREE_TEXT = KIB }; /* a preview needs no more */

void tree_nodes_init(struct tree_nodes *t, struct arena *arena)
{
	*t = (struct tree_nodes){ .arena = arena };
	search_text_init(&t->text);
	buf_init(&t->text.text, TREE_TEXT);
}

void tree_nodes_finish(struct tree_nodes *t)
{
	search_text_finish(&t->text);
	free(t->all);
	t->all = NULL;
}

/* tree_preview: the beginning of a text, with a blank for each control character. */
static struct str tree_preview(struct arena *a, struct str text)
{
	size_t n = 0;

	for (int i = 0; i < TREE_PREVIEW && n < text.n; i++) {
		size_t step = utf8_len((const unsigned char *)text.p + n, text.n - n);

		if (step == 0) /* the text was cut in the middle of a character */
			break;
		n += step;
	}
	struct str copy = arena_str(a, (struct str){ text.p ? text.p : "", n });
	for (size_t i = 0; copy.p && i < n; i++)
		if ((unsigned char)copy.p[i] < ' ')
			((char *)(uintptr_t)copy.p)[i] = ' ';
	return copy;
}

static bool tree_grow(struct tree_nodes *t)
{
	if (t->count < t->cap)
		return true;
	size_t            cap = t->cap ? 2 * t->cap : 128;
	struct tree_node *grown = realloc(t->all, cap * sizeof *grown);

	if (!grown)
		return false;
	t->all = grown;
	t->cap = cap;
	return true;
}

bool tree_nodes_add(struct tree_nodes *t, const struct tree_message *m)
{
	struct str body = m->removed ? STR_NONE : m->body;

	t->bytes += body.n;
	if (!search_text_read(&t->text, body) || !tree_grow(t))
		return false;
	struct str preview = tree_preview(t->arena, buf_view(&t->text.text));
	if (!preview.p)
		return false;
	t->all[t->count++] = (struct tree_node){
		.message = m->message,
		.parent = m->parent,
		.run = m->run,
		.answer = m->answer,
		.removed = m->removed,
		.created_ms = m->created_ms,
		.role = search_role_name(m->answer ? SEARCH_ROLE_ASSISTANT : t->text.role),
		.preview = preview,
		.model = m->answer ? m->model : STR_NONE,
	};
	return true;
}

bool tree_nodes_give(struct tree_nodes *t, struct tree_node **ret, size_t *ret_count)
{
	*ret = NULL;
	*ret_count = 0;
	if (t->count == 0)
		return true;
	*ret = arena_alloc(t->arena, t->count * sizeof **ret);
	if (!*ret)
		return false;
	memcpy(*ret, t->all, t->count * sizeof **ret);
	*ret_count = t->count;
	return true;
}
