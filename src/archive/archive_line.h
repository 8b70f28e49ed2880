/* archive/archive_line: reads, checks and prints one line of an archive (docs/archive.md): a
 * conversation, one of its runs, or one of its messages. Pure.
 *
 * Texts and bodies that were read are borrowed from the line or the arena. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/id.h"
#include "json/scan.h"
#include "msg/event.h"

enum { ARCHIVE_VERSION = 1 };

enum archive_kind { ARCHIVE_CONVERSATION, ARCHIVE_RUN, ARCHIVE_MESSAGE, ARCHIVE_KIND__COUNT };

/* The statuses as they are stored (run.status). */
enum archive_status {
	ARCHIVE_QUEUED,
	ARCHIVE_RUNNING,
	ARCHIVE_COMPLETED,
	ARCHIVE_INCOMPLETE,
	ARCHIVE_FAILED,
	ARCHIVE_CANCELLED,
	ARCHIVE_STATUS__COUNT
};

/* A member that a newer version adds to all conversations gets its place here,
 * a row in archive_line.c, and one in archive_line_print. */
struct archive_conversation {
	struct id  id;
	bool       owned; /* owner is told: archives of many owners */
	int64_t    owner;
	int64_t    created_ms;
	int64_t    revision;
	struct str title;    /* plain text; p NULL: none */
	struct str metadata; /* JSON object; p NULL: none */
	struct str
		instruction; /* a fork's: holds where no turn of a branch has set one; p NULL: none */
	struct str source;   /* its name where it came from; p NULL: its id */
	struct id  leaf;     /* the newest turn's run; none: no turn */
	struct id  tip;      /* the newest message after it that no turn brought; none: no */
};

struct archive_run {
	struct id           id;
	struct id           base; /* the message that it went on from; none: from the beginning */
	struct id           continues; /* none: no */
	enum archive_status status;
	int64_t             created_ms;
	int64_t             first_token_ms; /* 0: none */
	int64_t             completed_ms;   /* 0: not yet */
	int64_t             attempts;
	bool                used; /* usage is known */
	struct usage        usage;
	struct str          model; /* here and below: plain text, or JSON objects; p NULL: none */
	struct str          provider;
	struct str          shape;
	struct str          finish_reason; /* escaped, as it is stored: as between two quotes */
	struct str          native_reason; /* likewise */
	struct str          instruction;   /* empty ends an older one */
	struct str          metadata;
	struct str          error;
	struct str          settings; /* settings of a stored completion's request */
	struct str          request_id;
};

struct archive_message {
	struct id  id;
	struct id  parent; /* none: it is the first of its branch */
	struct id  run;    /* the one that it came with, or that made it; none: neither */
	int64_t    created_ms;
	struct str body; /* JSON object; p NULL: removed */
};

struct archive_line {
	enum archive_kind kind;
	union {
		struct archive_conversation conversation;
		struct archive_run          run;
		struct archive_message      message;
	} as;
};

/* archive_line_parse: reads a line; path ("lines[17]") precedes the path in e->path. Errors:
 * those of json_scan and fields_read; INVALID_VALUE; REQUEST_TOO_LARGE. */
enum errc archive_line_parse(struct str line, const char *path, struct json_doc *doc,
			     struct arena *arena, struct archive_line *ret, struct err *e) MUST_USE;
/* archive_line_print: appends the line and its end.  White space between tokens that would break the
 * line becomes a space.  False: out is full or memory is short. */
bool archive_line_print(struct buf *out, const struct archive_line *line) MUST_USE;
