/* Export and import from the command line. */
#include "command/command.h"
#include "app/app.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/full_io.h"
#include "routes/conversation/conversation.h"
#include "store/archive.h"
#include "store/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum {
	PROGRESS_US = 500 * 1000,
	PIECE = 256 * KIB,
	BUSY_MS = 30 * 1000, /* longer than the gateway waits: no client is waiting */
};

static int archive_fail(const struct err *e, int status)
{
	fprintf(stderr, "parley: %s%s%s\n", e->path, e->path[0] ? ": " : "", e->text);
	return status;
}

/* The last line of a command's progress is always printed; earlier lines only on a terminal. */
static void archive_progress(int64_t *next_us, const char *what, size_t n)
{
	int64_t now = clock_mono_us();

	if (now < *next_us || !isatty(STDERR_FILENO))
		return;
	*next_us = now + PROGRESS_US;
	fprintf(stderr, "\rparley: %s %zu", what, n);
}

static void progress_end(int64_t next_us)
{
	if (next_us != 0)
		fputs("\r\033[K", stderr);
}

static struct store_options archive_options_of(const struct config *c)
{
	return (struct store_options){ .path = c->database,
				       .password = engine_password(),
				       .busy_ms = BUSY_MS,
				       .migrate = true };
}

/* --- export --- */

struct output {
	int     fd;
	char    path[PATH_MAX]; /* path of the temporary file; empty: the standard output */
	int64_t progress_us;
};

static enum errc archive_put(void *arg, struct str lines, size_t conversations, struct err *e)
{
	struct output *out = arg;

	if (!whole_write(out->fd, lines))
		return err_set(e, ERR_OVERLOADED, "", "the archive can't be written: %s",
			       strerror(errno));
	archive_progress(&out->progress_us, "conversations:", conversations);
	return ERR_OK;
}

static int open_output(const char *path, struct output *ret)
{
	ret->fd = STDOUT_FILENO;
	if (!path)
		return EX_OK;
	int n = snprintf(ret->path, sizeof ret->path, "%s.tmp", path);
	if (n < 0 || (size_t)n >= sizeof ret->path) {
		fputs("parley: the name of the file is too long\n", stderr);
		return EX_USAGE;
	}
	/* An interrupted export may have left this file. */
	(void)unlink(ret->path);
	ret->fd = open(ret->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (ret->fd >= 0)
		return EX_OK;
	fprintf(stderr, "parley: can't make %s: %s\n", ret->path, strerror(errno));
	ret->path[0] = '\0';
	return EX_CANTCREAT;
}

/* The file gets its name when all of it is on the disk. */
static int close_output(struct output *out, const char *path, bool whole)
{
	if (!out->path[0])
		return EX_OK;
	if (whole && fsync(out->fd) == 0 && rename(out->path, path) == 0) {
		close(out->fd);
		return EX_OK;
	}
	if (whole)
		fprintf(stderr, "parley: can't make %s: %s\n", path, strerror(errno));
	close(out->fd);
	(void)unlink(out->path);
	return EX_IOERR;
}

static int status_of_export(const struct err *e)
{
	if (e->code == ERR_NOT_FOUND)
		return EX_NOINPUT;
	return e->code == ERR_STORAGE ? exit_status_of_store(e) : EX_IOERR;
}

int command_export(const struct command_call *call)
{
	struct store_options so = archive_options_of(call->config);
	struct output        out = { 0 };
	struct store_export  x = { .count = call->conversation_count,
				   .put = archive_put,
				   .arg = &out };
	struct id           *ids = calloc(call->conversation_count + 1, sizeof *ids);
	struct err           e;

	if (!ids)
		return EX_OSERR;
	for (size_t i = 0; i < call->conversation_count; i++)
		if (!id_parse(str_of(call->conversations[i]), ID_CONVERSATION, &ids[i])) {
			fprintf(stderr, "parley: %s is no id of a conversation\n",
				call->conversations[i]);
			free(ids);
			return EX_USAGE;
		}
	x.ids = call->conversation_count > 0 ? ids : NULL;
	int status = open_output(call->output, &out);
	if (status == EX_OK) {
		enum errc rc = command_database_find(call->config, &e);

		if (rc == ERR_OK)
			rc = engine_for(so.path)->export(&so, &x, &e);
		progress_end(out.progress_us);
		status = close_output(&out, call->output, rc == ERR_OK);
		if (rc != ERR_OK)
			status = archive_fail(&e, status_of_export(&e));
		else if (status == EX_OK)
			fprintf(stderr, "parley: %zu conversation%s exported\n", x.count,
				x.count == 1 ? "" : "s");
	}
	free(ids);
	return status;
}

/* --- import --- */

static enum errc archive_fill(struct import_check *x, int fd, struct err *e)
{
	char     *piece = malloc(PIECE);
	enum errc rc = piece ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "out of memory");

	while (rc == ERR_OK) {
		ssize_t n = read(fd, piece, PIECE);

		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		rc = n < 0 ? err_set(e, ERR_NOT_FOUND, "", "the file can't be read: %s",
				     strerror(errno))
			   : scratch_add(&x->in, x->blobs, (struct str){ piece, (size_t)n }, e);
	}
	free(piece);
	return rc;
}

static enum errc archive_check(struct import_check *x, int fd, struct err *e)
{
	int64_t   next_us = 0;
	enum errc rc = archive_fill(x, fd, e);

	while (rc == ERR_OK && x->state != IMPORT_CHECKED) {
		rc = import_check_step(x, e);
		archive_progress(&next_us, "lines checked:", x->walk.line);
	}
	progress_end(next_us);
	return rc;
}

static int status_of_import(const struct err *e)
{
	if (e->code == ERR_NOT_FOUND)
		return EX_NOINPUT;
	if (e->code == ERR_STORAGE)
		return exit_status_of_store(e);
	return e->code == ERR_OVERLOADED ? EX_OSERR : EX_DATAERR;
}

static int import_from(const struct config *c, int fd)
{
	struct store_options so = archive_options_of(c);
	struct archive_write write = { .owners = true, .quiet = true, .now_ms = clock_wall_ms() };
	struct blobs        *blobs = NULL;
	struct import_check  x;
	struct err           e;

	if (command_database_find(c, &e) != ERR_OK || blobs_open(c->database, &blobs, &e) != ERR_OK)
		return archive_fail(&e, exit_status_of_store(&e));
	import_check_init(&x, blobs, write.now_ms);
	enum errc rc = archive_check(&x, fd, &e);
	write.text = x.text;
	if (rc == ERR_OK)
		rc = engine_for(so.path)->at_once(&so, JOB_ARCHIVE_WRITE, &write.job, &e);
	if (rc == ERR_OK) {
		if (x.warnings.count > 0)
			fprintf(stderr, "parley: not all could be carried over: [%.*s]\n",
				STR_ARG(buf_view(&x.warnings.json)));
		fprintf(stderr, "parley: %zu conversation%s with %zu messages imported\n",
			write.conversation_count, write.conversation_count == 1 ? "" : "s",
			write.message_count);
	}
	import_check_finish(&x);
	blobs_destroy(blobs);
	return rc == ERR_OK ? EX_OK : archive_fail(&e, status_of_import(&e));
}

int command_import(const struct command_call *call)
{
	const char *file = call->argument_count > 0 ? call->arguments[0] : "-";
	bool        given = strcmp(file, "-") != 0;
	int         fd = given ? open(file, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;

	if (fd < 0) {
		fprintf(stderr, "parley: can't read %s: %s\n", file, strerror(errno));
		return EX_NOINPUT;
	}
	int status = import_from(call->config, fd);
	if (given)
		close(fd);
	return status;
}
