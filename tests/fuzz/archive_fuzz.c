/* libFuzzer: what passes as an archive is printed and read again as the same; what passes as a ChatGPT
 * export becomes an archive that passes. */
#include "archive/archive.h"
#include "base/limits.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entries(const struct archive_walk *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct archive_entry *e = &w->entries[i];

		CHECK(e->parent == ARCHIVE_NONE ||
		      (e->parent < i && w->entries[e->parent].kind == ARCHIVE_MESSAGE));
		CHECK(e->run == ARCHIVE_NONE ||
		      (e->run < i && w->entries[e->run].kind == ARCHIVE_RUN));
	}
}

/* True: all of it passes. */
static bool walk(struct str text)
{
	struct archive_walk w;
	struct err          e;
	enum errc           rc;

	archive_walk_init(&w, text, 1800000000000);
	do {
		rc = archive_walk_next(&w, &e);
		if (rc == ERR_OK && w.found) {
			check_entries(&w);
			archive_walk_renew(&w, 0);
			check_entries(&w);
		}
	} while (rc == ERR_OK && w.found);
	archive_walk_finish(&w);
	return rc == ERR_OK;
}

static void same_again(struct str text)
{
	const char         *end = memchr(text.p, '\n', text.n);
	struct str          line = { text.p, end ? (size_t)(end - text.p) : text.n };
	struct archive_line one, other;
	struct json_doc     doc = { 0 };
	struct arena        arena;
	struct buf          first, second;
	struct err          e;

	arena_init(&arena, 64 * MIB);
	buf_init(&first, 64 * MIB);
	buf_init(&second, 64 * MIB);
	if (archive_line_parse(line, "", &doc, &arena, &one, &e) == ERR_OK) {
		CHECK(archive_line_print(&first, &one));
		CHECK(archive_line_parse((struct str){ first.data, first.len - 1 }, "", &doc,
					 &arena, &other, &e) == ERR_OK);
		CHECK(archive_line_print(&second, &other));
		CHECK(str_eq(buf_view(&first), buf_view(&second)));
		CHECK(memchr(first.data, '\n', first.len) == first.data + first.len - 1);
	}
	buf_finish(&first);
	buf_finish(&second);
	arena_finish(&arena);
	json_doc_finish(&doc);
}

static void convert(struct str text)
{
	struct chatgpt_losses losses;
	struct chatgpt        c;
	struct buf            out;
	struct err            e;
	bool                  more = true;
	enum errc             rc = ERR_OK;

	buf_init(&out, 256 * MIB);
	chatgpt_init(&c, text, 1800000000000);
	while (rc == ERR_OK && more)
		rc = chatgpt_next(&c, &out, &losses, &more, &e);
	CHECK(rc != ERR_OK || walk(buf_view(&out)));
	chatgpt_finish(&c);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long as the text: a read behind it is noticed. */
	char *copy = malloc(size ? size : 1);

	CHECK(copy != NULL);
	memcpy(copy, data, size);
	struct str text = { copy, size };
	(void)walk(text);
	same_again(text);
	convert(text);
	free(copy);
	return 0;
}
