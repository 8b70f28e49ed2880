/* Imports an archive. A worker writes the pieces to the disk, and then checks all of them in steps;
 * the store writes the rows. */
#include "routes/kit/handlers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "call/idem.h"
#include "http/request.h"
#include "routes/conversation/conversation.h"
#include "routes/kit/pump.h"
#include "store/archive.h"
#include "store/store.h"

struct import {
	struct pump          pump;
	uint64_t             bytes;
	uint64_t             max;
	struct import_check  check;
	struct archive_write write;
	struct answer_label  key; /* if write.made is to have one; key[0] 0: none */
	struct hash_sum     *sum; /* owned; with a key: of what was sent */
};

static atomic_int imports; /* running ones of all loops */

/* --- on a worker --- */

static void import_keep(struct import *x, struct str piece, struct err *e)
{
	x->bytes += piece.n;
	if (x->bytes > x->max) {
		err_set(e, ERR_REQUEST_TOO_LARGE, "", "the body is over the limit of %llu bytes",
			(unsigned long long)x->max);
		return;
	}
	if (x->sum)
		hash_sum_add(x->sum, piece.p, piece.n);
	e->code = scratch_add(&x->check.in, x->check.blobs, piece, e);
}

/* Handles one piece or one step, because others wait for the same worker. */
static void import_work(struct pump *p)
{
	struct import *x = container_of(p, struct import, pump);

	if (p->piece.len > 0)
		import_keep(x, buf_view(&p->piece), &p->err);
	else
		p->err.code = import_check_step(&x->check, &p->err);
}

static bool import_holds(const struct pump *p)
{
	const struct import_check *c = &container_of(p, const struct import, pump)->check;

	return scratch_is_open(&c->in) || scratch_is_open(&c->made);
}

static void import_drop(struct pump *p)
{
	import_check_finish(&container_of(p, struct import, pump)->check);
}

/* --- the end --- */

static void import_finish(struct pump *p)
{
	struct import *x = container_of(p, struct import, pump);

	import_check_finish(&x->check);
	buf_finish(&x->write.results);
	buf_finish(&x->write.made.answer);
	hash_sum_destroy(x->sum);
}

static bool import_print(struct store_job *job, struct buf *out)
{
	const struct import *x = container_of(job, struct import, write.job);

	return buf_text(out, "{\"object\":\"conversation.import\",\"conversations\":[") &&
	       buf_str(out, buf_view(&x->write.results)) && buf_text(out, "],\"warnings\":") &&
	       warnings_print(&x->check.warnings, out) && buf_text(out, "}");
}

static void on_written(struct store_job *job)
{
	struct import *x = container_of(job, struct import, write.job);

	pump_answer(&x->pump, job, &x->write.made, import_print);
}

static enum errc import_set_key(struct import *x, struct err *e)
{
	unsigned char digest[HASH_BYTES];

	if (!x->key.key[0])
		return ERR_OK;
	hash_sum_end(x->sum, digest);
	hash_sha256(digest, sizeof digest, digest); /* earlier versions made keys this way */
	x->write.made.key = answer_label_name(&x->key);
	x->write.made.print = import_print;
	return idem_bind(STR("POST"), STR("/v1/conversations/import"), digest, &x->key, e);
}

static void write_rows(struct import *x)
{
	struct gateway *g = x->pump.gateway;
	struct err      e;

	x->write.job = (struct store_job){ .loop = g->loop, .done = on_written };
	x->write.text = x->check.text;
	buf_init(&x->write.results, LIMIT_IMPORT_ANSWER);
	buf_init(&x->write.made.answer, LIMIT_IMPORT_ANSWER + MIB);
	if (import_set_key(x, &e) == ERR_OK) {
		x->pump.working = true;
		if (store_archive_write(g->store, &x->write))
			return;
		err_set(&e, ERR_OVERLOADED, "", "too many writes are waiting; try again");
	}
	pump_refuse(&x->pump, &e);
}

/* Rows that the store has already are written anyway. */
static bool import_over(struct pump *p)
{
	struct import *x = container_of(p, struct import, pump);
	bool over = p->request && p->err.code == ERR_OK && x->check.state == IMPORT_CHECKED;

	if (over)
		write_rows(x);
	return over;
}

static const struct pump_kind import_kind = {
	.size = sizeof(struct import),
	.most = LIMIT_IMPORTS,
	.count = &imports,
	.busy = "other imports are under way; try again",
	.work = import_work,
	.over = import_over,
	.holds = import_holds,
	.drop = import_drop,
	.finish = import_finish,
};

/* --- the head --- */

static enum errc import_read_key(struct import *x, struct err *e)
{
	if (!request_view(x->pump.request)->head.idempotency_key.p)
		return ERR_OK;
	if (idem_parse(request_view(x->pump.request)->head.idempotency_key, &x->key, e) != ERR_OK)
		return e->code;
	x->sum = hash_sum_begin();
	return x->sum ? ERR_OK : err_no_memory(e);
}

void conversation_import_post(struct request *r, void *app)
{
	struct gateway *g = app;
	struct import  *x = pump_make(&import_kind, r, g);
	struct err      e;

	if (!x)
		return;
	x->max = g->max_file < (int64_t)LIMIT_IMPORT ? (uint64_t)g->max_file : LIMIT_IMPORT;
	x->write.owner = request_owner(r);
	x->write.origin = gateway_is_console(r) ? ORIGIN_CONSOLE : ORIGIN_PROGRAM;
	x->write.now_ms = clock_wall_ms();
	import_check_init(&x->check, g->store->blobs, x->write.now_ms);
	if (import_read_key(x, &e) == ERR_OK)
		pump_start(&x->pump);
	else
		pump_refuse(&x->pump, &e);
}

/* --- import_check: Recognizes the format of an import, and checks it in steps. */

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
