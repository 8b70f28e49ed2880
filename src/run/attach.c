/* Uploaded files that messages name by their ids, put into the messages before anything is stored
 * or sent:
 *
 *   the store: which files --> here: are they all there, are they too many
 *     --> a worker: what are they, may the model have them; then their contents, into the messages
 *
 * The branch's files are read again for each turn.  Of a file that was deleted in the meantime the
 * model learns that it is missing, and a warning tells the client. */
#include "base/id.h"
#include "base/limits.h"
#include "shape/context.h"
#include "lmc/text.h"
#include "run/internal.h"
#include "store/conversation.h"
#include "store/file.h"
#include "store/store.h"
#include "store/blob.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One file of one message. */
struct attached {
	size_t                   message; /* its place in the prompt */
	struct context_named     named;
	const struct store_file *row; /* NULL: it is not there */
	struct context_shown     shown;
};

struct run_attach {
	struct files_find find;
	struct work_job   job;
	struct run      *run; /* the loop's alone, as everything that is not said to be otherwise */
	struct blobs    *blobs;
	struct str      *messages; /* all of the prompt, as everything of the next four */
	size_t           old;      /* so many of them were sent earlier */
	struct attached *list;     /* in the order of the messages; the worker's while it works */
	size_t           count;
	struct id       *ids;
	struct transcript_made *made;  /* room for count */
	struct buf             *texts; /* owned: what made stands on */
	size_t                  made_count;
	size_t                  total;   /* bytes of all files */
	size_t                  counted; /* bytes counted in `waiting` */
	struct buf              content; /* the file that is being read */
	struct err              err;
};

/* Bytes of the messages that are being made, or wait for their providers to begin to answer, of all
 * loops.  A provider's answer shows that it has the request, and its memory goes. */
static atomic_size_t waiting;

static bool count_more(size_t *counted, size_t n)
{
	size_t before = atomic_fetch_add(&waiting, n);

	if (before + n > LIMIT_ATTACHED_WAITING) {
		atomic_fetch_sub(&waiting, n);
		return false;
	}
	*counted += n;
	return true;
}

void attach_release(struct run *r)
{
	if (r->attach_counted > 0)
		atomic_fetch_sub(&waiting, r->attach_counted);
	r->attach_counted = 0;
}

/* Where another attempt may follow, the messages stay in memory beside the request that is being
 * sent. */
static size_t held_times(const struct run *r)
{
	return attempt_only(r) ? 1 : 2;
}

static enum errc too_many_waiting(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "",
		       "too many uploaded files are on their way to providers; try again");
}

static enum step_next too_many_reads(struct err *e)
{
	err_set(e, ERR_OVERLOADED, "", "too many files are waiting to be read; try again");
	return STEP_FAILED;
}

/* --- what is wrong with which --- */

/* at_file: puts the file's place into an error.  An earlier message has no path in this request. */
static enum errc at_file(const struct run_attach *x, const struct attached *a, const char *member,
			 struct err *e)
{
	char text[sizeof e->text];
	char id[FILE_ID_MAX];

	if (a->message >= x->old) {
		snprintf(e->path, sizeof e->path,
			 a->named.part ? "messages[%zu].content[%zu].file%s"
				       : "messages[%zu].context.files[%zu]%s",
			 a->message - x->old, a->named.file, member);
		return e->code;
	}
	snprintf(e->path, sizeof e->path, "%s",
		 id_none(x->run->rq->thread.continues) ? "conversation" : "");
	memcpy(text, e->text, sizeof text);
	snprintf(e->text, sizeof e->text, "%s, of an earlier message: %.240s",
		 file_id_text(a->row->id, id).p, text);
	return e->code;
}

/* check_size: refuses a file by its recorded size, before any byte is read. */
static enum errc check_size(struct run_attach *x, const struct attached *a, struct err *e)
{
	int64_t bytes = a->row->bytes;

	if (run_files(x->run) == CONTEXT_WORKSPACE) {
		if (bytes <= (int64_t)LIMIT_RUNNER_FILE)
			return ERR_OK;
		err_set(e, ERR_REQUEST_TOO_LARGE, "",
			"the file has %lld bytes; no file of more than %u can be put into the sandbox",
			(long long)bytes, LIMIT_RUNNER_FILE);
	} else if (bytes > (int64_t)LIMIT_ATTACHED_PDF)
		err_set(e, ERR_REQUEST_TOO_LARGE, "",
			"the file has %lld bytes; no file of more than %u can be sent to a model",
			(long long)bytes, LIMIT_ATTACHED_PDF);
	else if ((size_t)bytes > LIMIT_ATTACHED - x->total)
		err_set(e, ERR_REQUEST_TOO_LARGE, "",
			"with this one the uploaded files of all messages are over %u bytes, which is "
			"the most that is sent to a model at once",
			LIMIT_ATTACHED);
	else
		return ERR_OK;
	return at_file(x, a, "", e);
}

static enum errc check_kind(const struct run_attach *x, const struct attached *a, struct err *e)
{
	static const unsigned needs[ATTACHMENT__COUNT] = {
		[ATTACHMENT_IMAGE] = PROVIDER_IMAGES,
		[ATTACHMENT_AUDIO] = PROVIDER_AUDIO,
		[ATTACHMENT_PDF] = PROVIDER_PDF,
	};
	const struct call_request *rq = x->run->rq;
	enum attachment_kind       kind = a->shown.is.kind;
	const char                *name = attachment_name(kind);
	struct str model = { rq->what.model.p, rq->what.model.n < 60 ? rq->what.model.n : 60 };

	model.n = text_whole(model);
	if ((size_t)a->row->bytes > attachment_limit(kind))
		err_set(e, ERR_REQUEST_TOO_LARGE, "",
			"the file is %s of %lld bytes; of this kind at most %zu can be sent to a model",
			name, (long long)a->row->bytes, attachment_limit(kind));
	else if (kind != ATTACHMENT_TEXT && !a->named.user)
		err_set(e, ERR_INVALID_VALUE, "",
			"the file is %s; only a message of the user can bring that", name);
	else if (needs[kind] & ~rq->what.takes)
		err_set(e, ERR_UNSUPPORTED_PARAMETER, "",
			"the file is %s, which the model '%.*s' of the provider '%s' does not take",
			name, STR_ARG(model), x->run->provider->name);
	else
		return ERR_OK;
	return at_file(x, a, "", e);
}

/* --- reading; on a worker --- */

static enum errc read_bytes(int fd, size_t want, struct buf *out, struct err *e)
{
	buf_clear(out);
	if (!buf_reserve(out, want))
		return err_set(e, ERR_OVERLOADED, "", "no memory for a file");
	while (out->len < want) {
		ssize_t got = pread(fd, out->data + out->len, want - out->len, (off_t)out->len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set(e, ERR_STORAGE, "", "the file's content can't be read");
		out->len += (size_t)got;
	}
	return ERR_OK;
}

static enum errc read_front(struct run_attach *x, const struct attached *a, size_t max,
			    struct err *e)
{
	size_t      want = (size_t)a->row->bytes < max ? (size_t)a->row->bytes : max;
	int         fd;
	struct stat is;
	enum errc   rc = blob_open(x->blobs, a->row->sha256, &fd, e);

	if (rc != ERR_OK)
		return rc;
	/* A file that lost bytes on disk is found here, not in the middle of the message. */
	if (fstat(fd, &is) != 0 || is.st_size != a->row->bytes)
		rc = err_set(e, ERR_STORAGE, "", "the file's content can't be read");
	else
		rc = read_bytes(fd, want, &x->content, e);
	close(fd);
	return rc;
}

/* attach_tell: finds the kind of a file by its first bytes and the type of its upload, and whether
 * the model takes that kind. */
static enum errc attach_tell(struct run_attach *x, struct attached *a, struct err *e)
{
	enum errc rc = read_front(x, a, LIMIT_ATTACHED_HEAD, e);

	if (rc == ERR_STORAGE && a->message < x->old) {
		a->shown.missing = "unreadable";
		return ERR_OK;
	}
	if (rc != ERR_OK)
		return at_file(x, a, "", e);
	if (attachment_tell(buf_view(&x->content), a->row->type, &a->shown.is))
		return check_kind(x, a, e);
	err_set(e, ERR_INVALID_VALUE, "",
		"the file (uploaded as %.*s) is neither text in UTF-8 nor PNG, JPEG, GIF, WebP, WAV, "
		"MP3 or PDF",
		STR_ARG(a->row->type));
	return at_file(x, a, "", e);
}

/* The files of the message that is being made. */
struct filling {
	struct run_attach *x;
	struct attached   *files;
};

static enum errc read_whole(void *arg, size_t n, struct str *ret, struct err *e)
{
	struct filling  *f = arg;
	struct attached *a = &f->files[n];
	enum errc        rc = read_front(f->x, a, (size_t)a->row->bytes, e);

	*ret = buf_view(&f->x->content);
	if (rc == ERR_OK && a->shown.is.kind == ATTACHMENT_TEXT && !attachment_is_text(*ret))
		rc = err_set(
			e, ERR_INVALID_VALUE, "",
			"the file (uploaded as %.*s) begins as text, but is not all UTF-8, or has a NUL",
			STR_ARG(a->row->type));
	return rc == ERR_OK ? rc : at_file(f->x, a, "", e);
}

static enum errc too_large(struct err *e)
{
	return err_set(e, ERR_REQUEST_TOO_LARGE, "",
		       "the messages with their uploaded files are too large");
}

/* attach_fill: makes the message whose files begin at `first`. */
static enum errc attach_fill(struct run_attach *x, size_t first, size_t count, struct err *e)
{
	struct filling        f = { x, &x->list[first] };
	struct context_shown *shown = calloc(count, sizeof *shown);
	struct buf           *out = &x->texts[x->made_count];
	enum context_files    files = run_files(x->run);
	size_t                bytes = 0;
	enum errc             rc = ERR_OK;

	if (!shown)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the files of a message");
	for (size_t i = 0; i < count; i++) {
		shown[i] = f.files[i].shown;
		if (f.files[i].row && !shown[i].missing && files != CONTEXT_WORKSPACE)
			bytes += (size_t)f.files[i].row->bytes;
	}
	struct str message = x->messages[f.files->message];
	buf_init(out, LIMIT_ATTACHED_MADE + message.n);
	if (!buf_reserve(out, message.n + bytes / 3 * 4 + bytes / 64 + 4 * KIB))
		rc = err_set(e, ERR_OVERLOADED, "", "no memory for the files of a message");
	if (rc == ERR_OK)
		rc = context_fill(message,
				  &(struct context_contents){ files, shown, count, read_whole, &f },
				  out, e);
	free(shown);
	if (rc == ERR_OVERLOADED && out->len > LIMIT_ATTACHED_MADE / 4)
		rc = too_large(e); /* no buffer of that size lacks memory first */
	if (rc != ERR_OK)
		return rc;
	x->made[x->made_count++] = (struct transcript_made){ f.files->message, buf_view(out) };
	return ERR_OK;
}

/* fits_limit: counts the messages made so far, and refuses them over the limit.  Only now their size is
 * known: escaping makes text up to six times as long. */
static enum errc fits_limit(struct run_attach *x, size_t made, struct err *e)
{
	if (made > LIMIT_ATTACHED_MADE + LIMIT_BRANCH_BYTES)
		return too_large(e);
	made *= held_times(x->run);
	if (made > x->counted && !count_more(&x->counted, made - x->counted))
		return too_many_waiting(e);
	return ERR_OK;
}

static enum errc make_messages(struct run_attach *x, struct err *e)
{
	enum errc rc = ERR_OK;
	size_t    made = 0;

	bool read = run_files(x->run) != CONTEXT_WORKSPACE;
	for (size_t i = 0; rc == ERR_OK && read && i < x->count; i++)
		if (!x->list[i].shown.missing)
			rc = attach_tell(x, &x->list[i], e);
	for (size_t i = 0, n = 0; rc == ERR_OK && i < x->count; i += n) {
		n = 1;
		while (i + n < x->count && x->list[i + n].message == x->list[i].message)
			n++;
		rc = attach_fill(x, i, n, e);
		if (rc == ERR_OK) {
			made += x->made[x->made_count - 1].text.n;
			rc = fits_limit(x, made, e);
		}
	}
	if (rc != ERR_OK)
		return rc;
	made *= held_times(x->run);
	atomic_fetch_sub(&waiting, x->counted - made);
	x->counted = made;
	return ERR_OK;
}

static void attach_read_all(struct work_job *job)
{
	struct run_attach *x = container_of(job, struct run_attach, job);
	struct err         e;

	if (make_messages(x, &e) != ERR_OK)
		x->err = e;
	buf_finish(&x->content);
}

/* --- on the loop --- */

static void tell_missing(struct run *r, const struct attached *a)
{
	struct str name = a->shown.name;
	bool       deleted = strcmp(a->shown.missing, "deleted") == 0;

	name.n = name.n < 80 ? name.n : 80;
	name.n = text_whole(name);
	warnings_add(
		&r->warnings, 0, deleted ? "file_deleted" : "file_unreadable",
		"the file '%.*s' of an earlier message %s; the model is told that it is missing",
		STR_ARG(name), deleted ? "was deleted" : "can't be read");
}

static void attach_on_read(struct work_job *job)
{
	struct run_attach *x = container_of(job, struct run_attach, job);
	struct run        *r = x->run;
	struct err         e = x->err;

	run_release(r);
	r->attach_counted = x->counted;
	for (size_t i = 0; e.code == ERR_OK && i < x->count; i++)
		if (x->list[i].shown.missing)
			tell_missing(r, &x->list[i]);
	step_over(r, &e);
}

/* judge_files: checks that the files of this request's messages exist, and sums up the sizes of all. */
static enum errc judge_files(struct run_attach *x, struct err *e)
{
	for (size_t i = 0; i < x->count; i++) {
		struct attached         *a = &x->list[i];
		const struct store_file *row = &x->find.files[i];

		a->shown.name = a->named.name.n > 0 ? a->named.name : row->name;
		if (!id_none(row->id)) {
			a->row = row;
			if (check_size(x, a, e) != ERR_OK)
				return e->code;
			if (run_files(x->run) != CONTEXT_WORKSPACE)
				x->total += (size_t)row->bytes;
			continue;
		}
		if (a->message >= x->old) {
			err_set(e, ERR_NOT_FOUND, "", "there is no such file");
			return at_file(x, a, ".uuid", e);
		}
		a->shown.missing = "deleted";
		if (a->shown.name.n == 0)
			a->shown.name = a->named.uuid;
	}
	return ERR_OK;
}

enum step_next attach_read(struct run *r, struct err *e)
{
	struct run_attach *x = r->attach;

	if (judge_files(x, e) != ERR_OK)
		return STEP_FAILED;
	if (!count_more(&x->counted, (x->total / 3 * 4 + 4) * held_times(r))) {
		too_many_waiting(e);
		return STEP_FAILED;
	}
	r->attach_counted = x->counted;
	run_hold(r);
	if (work_submit(r->engine->o.work, &x->job))
		return STEP_PARKED;
	run_release(r);
	return too_many_reads(e);
}

void attach_unwant(struct run *r)
{
	if (r->attach)
		work_unwant(&r->attach->job);
}

static void on_found(struct store_job *job)
{
	struct run_attach *x = container_of(job, struct run_attach, find.job);
	struct run        *r = x->run;
	struct err         e = job->err;

	run_release(r);
	step_over(r, &e);
}

/* --- which files are named --- */

static enum errc no_memory(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "", "no memory for the files of the messages");
}

/* attach_add: appends the files that the message at i names. */
static enum errc attach_add(struct run_attach *x, struct arena *arena, size_t i, size_t *cap,
			    struct err *e)
{
	struct context_named *named = NULL;
	size_t                n = 0;
	enum errc             rc = context_uploads(x->messages[i], arena, &named, &n, e);

	if (rc != ERR_OK)
		return rc;
	if (n > LIMIT_ATTACHED_COUNT - x->count)
		return err_set(
			e, ERR_INVALID_VALUE, "messages",
			"the messages that the model is sent name more than %d uploaded files",
			LIMIT_ATTACHED_COUNT);
	if (x->count + n > *cap) {
		struct attached *list;

		*cap = 2 * (x->count + n);
		list = arena_alloc(arena, *cap * sizeof *list);
		if (!list)
			return no_memory(e);
		if (x->count > 0)
			memcpy(list, x->list, x->count * sizeof *list);
		x->list = list;
	}
	for (size_t k = 0; k < n; k++)
		x->list[x->count++] = (struct attached){ .message = i, .named = named[k] };
	return ERR_OK;
}

static enum errc attach_find_all(struct run *r, struct run_attach *x, struct err *e)
{
	struct arena *arena = &r->rq->input->arena;
	size_t        count = 0;
	size_t        cap = 0;
	enum errc     rc = call_messages(r, &x->messages, &count, &x->old, e);

	for (size_t i = 0; rc == ERR_OK && i < count; i++)
		rc = attach_add(x, arena, i, &cap, e);
	if (rc != ERR_OK || x->count == 0)
		return rc;
	x->ids = arena_alloc(arena, x->count * sizeof *x->ids);
	x->made = arena_alloc(arena, x->count * sizeof *x->made);
	x->texts = calloc(x->count, sizeof *x->texts);
	if (!x->ids || !x->made || !x->texts)
		return no_memory(e);
	/* Text that is no id stays the id `none`, which the store never finds. */
	for (size_t i = 0; i < x->count; i++)
		(void)file_id_parse(x->list[i].named.uuid, true, &x->ids[i]);
	return ERR_OK;
}

/* any_named: a cheap look first, as most runs name no file and shall not pay for the walk. */
static bool any_named(const struct run *r)
{
	const struct branch_read *branch = run_branch(r);
	bool                      any = false;

	for (size_t i = 0; branch && !any && i < branch->message_count; i++)
		any = context_may_name(branch->messages[i].body);
	for (size_t i = 0; !any && i < r->rq->what.message_count; i++)
		any = context_may_name(r->rq->what.messages[i]);
	return any;
}

enum errc attach_look(struct run *r, struct err *e)
{
	if (!r->given.family->files || !any_named(r))
		return ERR_OK;

	struct run_attach *x = calloc(1, sizeof *x);
	if (!x)
		return no_memory(e);
	x->run = r;
	x->blobs = r->engine->o.store->blobs;
	x->job = (struct work_job){ .loop = run_loop(r),
				    .run = attach_read_all,
				    .done = attach_on_read };
	buf_init(&x->content, LIMIT_ATTACHED_PDF);
	arena_init(&x->find.arena, 4 * MIB);
	r->attach = x;
	enum errc rc = attach_find_all(r, x, e);
	if (rc != ERR_OK || x->count == 0)
		attach_drop(r);
	return rc;
}

enum step_next attach_find(struct run *r, struct err *e)
{
	struct run_attach *x = r->attach;
	struct store      *s = r->engine->o.store;

	x->find.job = (struct store_job){ .loop = run_loop(r), .done = on_found };
	x->find.owner = r->given.owner;
	x->find.ids = x->ids;
	x->find.count = x->count;
	x->find.some = true;
	run_hold(r);
	if (store_files_find(s, &x->find))
		return STEP_PARKED;
	run_release(r);
	return too_many_reads(e);
}

const struct transcript_made *attach_made(const struct run *r, size_t *ret_count)
{
	*ret_count = r->attach ? r->attach->made_count : 0;
	return r->attach ? r->attach->made : NULL;
}

void attach_replace(struct run *r, size_t i, struct str text)
{
	r->attach->made[i].text = text;
}

enum errc attach_open(const struct run *r, size_t message, size_t n, int *ret_fd,
		      struct str *ret_name, struct err *e)
{
	const struct run_attach *x = r->attach;
	size_t                   i = 0;

	*ret_fd = -1;
	while (x && i < x->count && x->list[i].message < message)
		i++;
	i += n;
	if (!x || i >= x->count || x->list[i].message != message || x->list[i].shown.missing)
		return ERR_OK;
	*ret_name = x->list[i].shown.name;
	return blob_open(x->blobs, x->list[i].row->sha256, ret_fd, e);
}

void attach_drop(struct run *r)
{
	struct run_attach *x = TAKE(r->attach);

	if (!x)
		return;
	arena_finish(&x->find.arena);
	for (size_t i = 0; x->texts && i < x->count; i++)
		buf_finish(&x->texts[i]);
	free(x->texts);
	buf_finish(&x->content);
	free(x);
}
