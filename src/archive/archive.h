/* archive: archives of conversations, line by line (archive_line), whole, and those of ChatGPT.
 *
 * archive_line: reads, checks and prints one line of an archive (docs/archive.md): a
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

/* --- archive_walk: reads an archive conversation by conversation, and checks what no single
 * line shows: that lines refer only to earlier lines, that ids differ, that the messages of a
 * run are a chain. Pure; of the text only escaped strings are copied. */

#define ARCHIVE_NONE UINT32_MAX /* an index: no such entry */

/* A run or a message of the conversation at hand.  Indices are places in archive_walk.entries. */
struct archive_entry {
	enum archive_kind kind; /* RUN or MESSAGE */
	struct id         id;   /* the id in the archive */
	struct id         as;   /* the id to be stored; an answer's is its run's */
	int64_t           created_ms;
	struct str        text;     /* a run's line; a message's body, p NULL: removed */
	uint32_t          parent;   /* message, or ARCHIVE_NONE; of a run: its base */
	uint32_t          run;      /* a message's run; of a run: the one that it continues */
	uint32_t          last;     /* the last message that a run was sent, or its base */
	uint32_t          answer;   /* a run's answer */
	uint32_t          messages; /* number that came with a run, its answer included */
};

struct archive_walk {
	struct str text; /* the whole archive, borrowed */
	size_t     at;   /* where the next conversation's lines begin */
	size_t     line; /* lines before it */
	int64_t    now_ms;

	/* The conversation at hand. */
	bool                        found;
	struct archive_conversation conversation;
	struct id                   conversation_as;
	struct archive_entry       *entries; /* owned */
	uint32_t                    count;
	uint32_t                    messages; /* how many of them are messages */
	uint32_t                    leaf;
	uint32_t                    tip;

	/* The rest is the walk's own. */
	uint32_t        cap;
	uint32_t       *slots; /* owned; by key: 1 + place of an entry, 0: free */
	uint32_t        slot_count;
	uint64_t        seed;
	struct json_doc doc;
	struct arena    arena; /* memory of the conversation's texts */
};

void archive_walk_init(struct archive_walk *w, struct str text, int64_t now_ms);
void archive_walk_finish(struct archive_walk *w);
/* archive_walk_next: reads all lines of the next conversation; found is false at the end.  Every
 * `as` is the id of the archive.
 * Errors: with the line first, as in "lines[17].message.role"; lines are counted from 1. */
enum errc archive_walk_next(struct archive_walk *w, struct err *e) MUST_USE;
/* archive_walk_run: reads the line of a run again; the result points into the arena or the text. */
enum errc archive_walk_run(struct archive_walk *w, const struct archive_entry *run,
			   struct arena *arena, struct archive_run *ret, struct err *e) MUST_USE;
/* archive_walk_is_past: whether no id of the current conversation has a time in the future. */
bool archive_walk_is_past(const struct archive_walk *w);
/* archive_walk_renew: gives new ids to everything that was read, with the old times and in the
 * same order. tries: how often the new ids were already in use; with each try they are sought in
 * a longer time before, up to some hours. */
void archive_walk_renew(struct archive_walk *w, int tries);
/* archive_walk_print: the answer about the conversation that was written; comma: another one comes before. */
bool archive_walk_print(const struct archive_walk *w, bool comma, struct buf *out) MUST_USE;

/* --- chatgpt: turns the file conversations.json of a ChatGPT export into lines of an
 * archive. Pure.
 *
 * The file is one array; each of its conversations is cut out and read alone. */

/* The conversations in the file, one after the other.  Laid open so that it can be embedded. */
struct chatgpt {
	struct str      text; /* the whole file, borrowed */
	size_t          at;
	size_t          count; /* conversations taken so far */
	int64_t         now_ms;
	struct json_doc doc;
};

/* The counts of what an archive can't carry of a conversation. */
struct chatgpt_losses {
	size_t media;   /* images and sound; a note stands in their place */
	size_t content; /* kinds of content that are left out: thoughts and the like */
};

void chatgpt_init(struct chatgpt *c, struct str text, int64_t now_ms);
void chatgpt_finish(struct chatgpt *c);
/* chatgpt_next: appends the lines of the next conversation to out; *ret_more false: there was
 * none. Errors: with the path of the wrong member ("conversations[3].mapping"). */
enum errc chatgpt_next(struct chatgpt *c, struct buf *out, struct chatgpt_losses *ret_losses,
		       bool *ret_more, struct err *e) MUST_USE;

/* --- chatgpt_content: turns one message of a ChatGPT export into a message for the store. */

struct chatgpt_content {
	const struct json_doc *doc;
	struct buf            *out;
	/* out */
	size_t      media;    /* images and sound that a note stands for */
	size_t      left_out; /* contents of kinds that can't be carried */
	const char *member;   /* where it is wrong, and what is; problem NULL: memory is short */
	const char *problem;
};

/* chatgpt_content_put: appends the message object; nothing if no content can be kept. */
bool chatgpt_content_put(struct chatgpt_content *c, json_at message) MUST_USE;
