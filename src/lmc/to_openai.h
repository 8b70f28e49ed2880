/* lmc/to_openai: translates LMC messages, one after the other, into OpenAI's messages (rules L1 to
 * L17).
 *
 * A conversation may have messages of both kinds.  OpenAI's own messages go through unchanged, with
 * two exceptions.  The calls of an assistant's own message form a group like LMC's calls (L11):
 * they are answered by tool messages with their ids, or by LMC console output, which is dealt to
 * the calls without an answer; a call that stays without one gets `No output`.  And in tools mode,
 * a text of the assistant, of either kind, becomes one message with the LMC call that follows
 * (L14), because templates with alternating roles refuse two messages of the assistant in a row. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "json/scan.h"
#include "lmc/warnings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct warnings;

/* --- to_openai_options: how LMC messages become OpenAI's messages, and which function receives
 * them. */

struct to_openai_options {
	bool fence;  /* code as fenced text instead of tool calls */
	bool vision; /* false: images are left out, with a warning */
	bool unrun;  /* code without an output was not executed, and its result says so */
	struct warnings *warnings; /* borrowed; NULL: nobody reads them */
	/* image_path: finds the image of the message with this index, which names the image by its
	 * path: sets *ret_format ("base64.png", …) and *ret_data (base64).  NULL, or false: the
	 * message is refused because of its format (L7). */
	bool (*image_path)(void *arg, size_t index, struct str *ret_format, struct str *ret_data);
	void *arg;
	/* made: receives each printed message of OpenAI's, in order.  The bytes are borrowed for
	 * the call.  False: no memory; the translation stops. */
	bool (*made)(void *arg, struct str message);
};

/* --- to_openai --- */

struct to_openai; /* opaque */

struct to_openai *to_openai_create(
	const struct to_openai_options *o) MUST_USE; /* NULL: no memory */
void to_openai_destroy(struct to_openai *t);
/* to_openai_reserve: reserves the call ids of a later message of OpenAI's, so that no id made for
 * an LMC call is the same.  The ids of messages that were passed in already are reserved without
 * this. */
void to_openai_reserve(struct to_openai *t, const struct json_doc *d, json_at message);
/* to_openai_calls: the LMC messages that follow stand beside these tool_calls of OpenAI's in an answer
 * of which they were made; the calls among them get their ids, and what the provider wants back, if there
 * are as many of one as of the other.  JSON_ABSENT: no longer. */
void to_openai_calls(struct to_openai *t, const struct json_doc *d, json_at calls);
/* to_openai_lmc: adds the next message, an LMC message; nothing of d is borrowed.  path: the
 * message's own, such as messages[2], for errors; index: of the message, for warnings.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER, with the path of the wrong member;
 * OVERLOADED (memory). */
enum errc to_openai_lmc(struct to_openai *t, const struct json_doc *d, json_at message,
			const char *path, size_t index, struct err *e) MUST_USE;
/* to_openai_own: adds the next message, one of OpenAI's.  d, message: the scanned message; raw: the
 * bytes that are printed, which may differ from the scanned ones (rendered files). */
enum errc to_openai_own(struct to_openai *t, const struct json_doc *d, json_at message,
			struct str raw, struct err *e) MUST_USE;
/* to_openai_end: prints what is held after the last message. */
enum errc to_openai_end(struct to_openai *t, struct err *e) MUST_USE;

/* --- lmc_message: one LMC message, read and checked by itself (rules L1 to L9). */

enum lmc_kind {
	LMC_SKIPPED,   /* the message is left out, with a warning */
	LMC_TEXT,      /* a message, a file, or the description of an image */
	LMC_CALL,      /* code of the assistant */
	LMC_TOOL_CALL, /* a call of another function; only in tools mode */
	LMC_CODE,      /* code of another role */
	LMC_OUTPUT,    /* output of a console */
	LMC_IMAGE,
	LMC_AUDIO,
};

/* A message that was read.  Spans are borrowed from the document and the reader, until the next
 * read. */
struct lmc_message {
	enum lmc_kind kind;
	bool          computer; /* the LMC role is computer; set for skipped messages too */
	const char   *role;     /* OpenAI's role; NULL: skipped */
	struct str    format;   /* decoded; .p is NULL if there is none */
	struct str    text;  /* decoded: the text, code or output; of a tool call its arguments */
	bool          plain; /* text needs no escapes in JSON */
	const char   *media; /* data is base64 of this kind: png, wav, …; NULL: data is a URL */
	struct str    data;  /* an image's or audio's data, escaped as in JSON */
};

/* The place of a message, and the memory for reading it.  Laid open so that it can be embedded. */
struct lmc_reader {
	const struct to_openai_options *options; /* borrowed */
	const struct json_doc          *d;
	json_at                         message;
	const char                     *path;   /* the message's own, for errors: messages[2] */
	size_t                          index;  /* for warnings */
	struct buf                      format; /* format and text: decoded bytes */
	struct buf                      text;
};

void lmc_message_reader_init(struct lmc_reader *r, const struct to_openai_options *o);
void lmc_message_reader_finish(struct lmc_reader *r);
/* lmc_message_read: reads the message that r's members describe.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER, with the path of the wrong member;
 * OVERLOADED (memory). */
enum errc lmc_message_read(struct lmc_reader *r, struct lmc_message *ret, struct err *e) MUST_USE;

/* --- openai_message: prints one LMC message in OpenAI's JSON (rules L4 to L8, L16, L17).
 *
 * All functions append to out; false: out is full or memory is short. */

/* --- call_group: a group of calls that wait for their answers, and the messages that must follow
 * these answers (rules L11 to L13).  Private to to_openai.
 *
 * The owner fills a group, adds the answers, prints the group and clears it. */

/* A part of a buffer whose bytes may still move: an offset and a length. */
struct call_span {
	size_t at;
	size_t n;
};

struct call {
	struct call_span id;       /* in ids, decoded */
	struct call_span function; /* in functions, printed; n is 0 for a call of an own message */
	struct call_span extra;    /* in functions: what the provider gets back with the call */
	struct call_span text;     /* in texts, escaped: the outputs that the call was dealt */
	bool             dealt;    /* the call has an output, though maybe an empty one */
	/* A tool message of OpenAI's has answered the call, or no message can: the call has no id,
	 * or an earlier call has the same one. */
	bool own;
};

/* A message that must follow the answers of the group. */
struct call_after {
	struct call_span bytes; /* in after_bytes */
	bool whole; /* bytes are a message; else the escaped content of a user's message */
};

/* Laid open so that it can be embedded.  Lists are kept as bytes of a buffer. */
struct call_group {
	struct buf calls; /* struct call */
	struct buf ids;
	struct buf functions;
	struct buf texts;
	struct buf after; /* struct call_after */
	struct buf after_bytes;
	struct buf order; /* the calls of an OpenAI message, sorted by id, for call_group_find */
	size_t     next;  /* all calls before this index have an answer */
};

void call_group_init(struct call_group *g);
void call_group_finish(struct call_group *g);
void call_group_clear(struct call_group *g);

/* call_group_add: adds a call with this id (decoded).  The result is borrowed until the next
 * call_group_add.  NULL: no memory. */
struct call *call_group_add(struct call_group *g, struct str id) MUST_USE;
size_t       call_group_count(const struct call_group *g);
struct call *call_group_at(const struct call_group *g, size_t i);
/* call_group_sort: called after the last call was added, and before call_group_find.  Of calls with
 * the same id, only the first one waits for an answer.  False: no memory. */
bool call_group_sort(struct call_group *g) MUST_USE;
/* call_group_find: the first call with this id; NULL: there is none. */
struct call *call_group_find(const struct call_group *g, struct str id);
/* call_group_deal: the call to which the next output belongs (L12): the first one without an
 * answer, else the last call; NULL: a tool message of OpenAI's has answered the last call. */
struct call *call_group_deal(struct call_group *g);
/* call_group_put_after: makes an item of the bytes that were appended to after_bytes since `start`.
 * False: no memory. */
bool call_group_put_after(struct call_group *g, size_t start, bool whole) MUST_USE;

static inline struct str call_group_view(const struct buf *b, struct call_span span)
{
	return span.n > 0 ? (struct str){ b->data + span.at, span.n } : STR_NONE;
}
