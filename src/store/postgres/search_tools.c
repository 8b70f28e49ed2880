/* Tools of searches. */
#include "store/postgres/search_tools.h"

#include "base/limits.h"

#include <stdlib.h>

struct search_tools *search_tools_of(struct search_tools **tools)
{
	struct search_tools *t = *tools;

	if (t)
		return t;
	t = calloc(1, sizeof *t);
	if (!t || search_words_alone(&t->words) != SQLITE_OK) {
		free(t);
		return NULL;
	}
	search_query_init(&t->query);
	search_snippet_init(&t->snippet);
	search_text_init(&t->text);
	buf_init(&t->match, 64 * KIB);
	return *tools = t;
}

void search_tools_destroy(struct search_tools *t)
{
	if (!t)
		return;
	search_words_close(&t->words);
	search_query_finish(&t->query);
	search_snippet_finish(&t->snippet);
	search_text_finish(&t->text);
	buf_finish(&t->match);
	free(t);
}
