/* msg/family: a family is an API for clients; struct family has everything in which the APIs
 * differ, except for the bodies of requests, which the handlers of the routes read.  A family is a
 * const struct.  A route names its family in a column of routes/table.c; a run holds its family
 * until the run ends.  All functions may be called on any thread.
 *
 * shape/family.h lists the families; each has a file of its own. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

struct buf;
struct cursor;
struct encoder;
struct encoder_about;
struct err;

/* The words under which the shape of an answer is stored.  They must not change, because databases
 * and archives contain them. */
#define SHAPE_NATIVE "native"
#define SHAPE_LMC    "lmc"
#define SHAPE_OPENAI "openai"
#define SHAPE_WORDS  SHAPE_NATIVE, SHAPE_OPENAI, SHAPE_LMC

/* One of the shapes that answers of a family come in. */
struct shape {
	const char *word; /* SHAPE_…: the shape's name in the store */
	/* The shape's name in the member `format` of requests; NULL: the family has one shape
	 * only. */
	const char *format;
	/* encoder: makes an encoder, which the caller owns and which numbers its blocks.  NULL: no
	 * memory. */
	struct encoder *(*encoder)(const struct encoder_about *about);
};

struct family {
	/* The first shape is the usual one; a row without a word ends the list. */
	const struct shape *shapes;

	/* error: appends the body of a refusal, or of a plain call that failed.  Called by
	 * http/reply for all routes of the family, also before their handlers run, and by run/idem
	 * for the failure that an idempotency key is bound to.  False: out is full. */
	bool (*error)(const struct err *e, struct str request_id, struct buf *out);
	/* cursor: reads the number of a block from a client's cursor.  False: text is no such
	 * number.  NULL: the family's blocks have no numbers, and no stream can be continued. */
	bool (*cursor)(struct str text, struct cursor *ret);

	/* Messages are in Parley's own form, and a provider is sent messages made of them
	 * (shape/transcript); false: a provider is sent the client's messages unchanged. */
	bool renders;
	/* Messages may name uploaded files by their ids, and images by their paths. */
	bool files;

	/* Clients are told the id of an unstored run, and may read and cancel the run by this id
	 * while it is live. */
	bool shows_unstored;
	/* Clients can read a stored answer again with the id of its request, so the store keeps
	 * this id. */
	bool shown_again;

	/* The header Location says where the events of a streamed run can be read again. */
	bool locates;
	/* The warnings are in a header, because the family's bodies have no member for them. */
	bool warns_ahead;
	/* The body of a failed stream must end as a broken one: some clients look only for the
	 * body's end, and would take an answer followed by an error for a good one. */
	bool breaks;
};
