/* lmc/lmc_message: one LMC message, read and checked by itself (rules L1 to L9). */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"

struct to_openai_options;

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
	struct str    data;  /* of an image or audio, escaped as in JSON */
};

/* The place of a message, and the memory for reading it.  Laid open so that it can be embedded. */
struct lmc_reader {
	const struct to_openai_options *options; /* borrowed */
	const struct json_doc          *d;
	json_at                         message;
	const char                     *path;   /* the message's own, for errors: messages[2] */
	size_t                          index;  /* for warnings */
	struct buf                      format; /* these two: decoded bytes */
	struct buf                      text;
};

void lmc_message_reader_init(struct lmc_reader *r, const struct to_openai_options *o);
void lmc_message_reader_finish(struct lmc_reader *r);
/* lmc_message_read: reads the message that r's members describe.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER, with the path of the wrong member;
 * OVERLOADED (memory). */
enum errc lmc_message_read(struct lmc_reader *r, struct lmc_message *ret, struct err *e) MUST_USE;
