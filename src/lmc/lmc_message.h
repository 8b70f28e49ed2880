/* lmc/lmc_message: one LMC message, read and checked by itself (rules L1 to L9). */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"

struct to_openai_options;

enum lmc_kind {
	LMC_SKIPPED,   /* not sent; a warning was given */
	LMC_TEXT,      /* message, file, description of an image */
	LMC_CALL,      /* code of the assistant */
	LMC_TOOL_CALL, /* call of another function; only in tools mode */
	LMC_CODE,      /* code of anybody else */
	LMC_OUTPUT,    /* of a console */
	LMC_IMAGE,
	LMC_AUDIO,
};

/* What became of it.  Spans are borrowed from the document and the reader, until the next read. */
struct lmc_message {
	enum lmc_kind kind;
	bool          computer; /* its LMC role; told of skipped ones too */
	const char   *role;     /* OpenAI's; NULL: skipped */
	struct str    format;   /* decoded; p is NULL when there is none */
	struct str    text;     /* decoded: what is said, run or printed; a call's arguments */
	bool          plain;    /* text needs no escape to stand in JSON */
	const char   *media;    /* data in base64 is of this kind: png, wav, …; NULL: a URL */
	struct str    data;     /* of an image or audio: escaped as in JSON */
};

/* Where a message stands, and memory to read it with.  Laid open so that it can be embedded. */
struct lmc_reader {
	const struct to_openai_options *options; /* borrowed */
	const struct json_doc          *d;
	json_at                         message;
	const char                     *path; /* messages[2] */
	size_t                          index;
	struct buf                      format; /* what is decoded of both */
	struct buf                      text;
};

void lmc_message_reader_init(struct lmc_reader *r, const struct to_openai_options *o);
void lmc_message_reader_finish(struct lmc_reader *r);
/* lmc_message_read: the message that r's members describe.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER with the culprit's path; OVERLOADED. */
enum errc lmc_message_read(struct lmc_reader *r, struct lmc_message *ret, struct err *e) MUST_USE;
