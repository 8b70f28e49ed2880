/* Recognizes the format of an import, and checks it in steps. */
#include "routes/conversation/import_check.h"

#include "base/limits.h"

enum { STEP_BYTES = 8 * MIB }; /* in a step, or else one conversation */

void import_check_init(struct import_check *x, struct blobs *blobs, int64_t now_ms)
{
	*x = (struct import_check){ .blobs = blobs, .now_ms = now_ms };
	scratch_init(&x->in);
	scratch_init(&x->made);
	archive_walk_init(&x->walk, STR_NONE, now_ms);
	chatgpt_init(&x->chatgpt, STR_NONE, now_ms);
	warnings_init(&x->warnings);
	/* The conversation's line, and the lines of its messages. */
	buf_init(&x->lines, 2 * (size_t)LIMIT_IMPORT_ELEMENT + LIMIT_STORE_ROW);
}

void import_check_finish(struct import_check *x)
{
	scratch_finish(&x->in);
	scratch_finish(&x->made);
	archive_walk_finish(&x->walk);
	chatgpt_finish(&x->chatgpt);
	warnings_finish(&x->warnings);
	buf_finish(&x->lines);
}

static enum errc import_check_nothing(struct err *e)
{
	return err_set(e, ERR_INVALID_VALUE, "", "the body is empty");
}

static enum errc import_check_begin(struct import_check *x, struct err *e)
{
	/* clang-format off */
	static const struct {
		struct str  magic;
		const char *name;
	} packed[] = {
		{ { "\x1f\x8b", 2 }, "gzip" },
		{ { "PK\x03\x04", 4 }, "zip" },
		{ { "\x28\xb5\x2f\xfd", 4 }, "zstd" },
		{ { "\xfd" "7zXZ", 5 }, "xz" },
		{ { "BZh", 3 }, "bzip2" },
	};
	/* clang-format on */
	struct str text;
	size_t     at = 0;

	if (scratch_map(&x->in, &text, e) != ERR_OK)
		return e->code;
	for (size_t i = 0; i < ARRAY_LEN(packed); i++)
		if (str_starts(text, packed[i].magic))
			return err_set(
				e, ERR_UNSUPPORTED_MEDIA, "",
				"this is packed with %s; unpack it and send the file with the "
				"conversations",
				packed[i].name);
	if (str_starts(text, STR("\xef\xbb\xbf")))
		at = 3;
	while (at < text.n && strchr(" \t\r\n", text.p[at]) && text.p[at])
		at++;
	if (at == text.n)
		return import_check_nothing(e);
	x->text = text;
	archive_walk_init(&x->walk, text, x->now_ms);
	chatgpt_init(&x->chatgpt, text, x->now_ms);
	x->state = text.p[at] == '[' ? IMPORT_CONVERTING : IMPORT_CHECKING;
	return ERR_OK;
}

static void import_check_warn(struct import_check *x, const struct chatgpt_losses *l)
{
	size_t place = x->chatgpt.count - 1;

	if (l->media > 0)
		warnings_add(&x->warnings, place, "media_not_imported",
			     "%zu images, recordings or files are not in the export; a note stands "
			     "in the place of each",
			     l->media);
	if (l->content > 0)
		warnings_add(&x->warnings, place, "content_not_imported",
			     "%zu pieces of content are of kinds that are not kept", l->content);
}

static enum errc on_converted(struct import_check *x, struct err *e)
{
	if (x->chatgpt.count == 0)
		return import_check_nothing(e);
	if (scratch_map(&x->made, &x->text, e) != ERR_OK)
		return e->code;
	scratch_finish(&x->in);
	chatgpt_finish(&x->chatgpt);
	archive_walk_init(&x->walk, x->text, x->now_ms);
	x->state = IMPORT_CHECKING;
	return ERR_OK;
}

static enum errc convert_messages(struct import_check *x, struct err *e)
{
	size_t end = x->chatgpt.at + STEP_BYTES;
	bool   more = true;

	while (more && x->chatgpt.at < end) {
		struct chatgpt_losses losses;

		/* The memory of a long line is freed at once. */
		if (x->lines.cap > STEP_BYTES)
			buf_finish(&x->lines);
		buf_clear(&x->lines);
		if (chatgpt_next(&x->chatgpt, &x->lines, &losses, &more, e) != ERR_OK ||
		    scratch_add(&x->made, x->blobs, buf_view(&x->lines), e) != ERR_OK)
			return e->code;
		if (more)
			import_check_warn(x, &losses);
	}
	return more ? ERR_OK : on_converted(x, e);
}

static enum errc import_check_messages(struct import_check *x, struct err *e)
{
	size_t end = x->walk.at + STEP_BYTES;

	do {
		if (archive_walk_next(&x->walk, e) != ERR_OK)
			return e->code;
	} while (x->walk.found && x->walk.at < end);
	if (!x->walk.found) {
		archive_walk_finish(&x->walk);
		x->state = IMPORT_CHECKED;
	}
	return ERR_OK;
}

enum errc import_check_step(struct import_check *x, struct err *e)
{
	switch (x->state) {
	case IMPORT_FILLING: return import_check_begin(x, e);
	case IMPORT_CONVERTING: return convert_messages(x, e);
	case IMPORT_CHECKING: return import_check_messages(x, e);
	case IMPORT_CHECKED: break;
	}
	return ERR_OK;
}
