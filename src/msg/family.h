/* msg/family: one inbound API: all that differs between the APIs that clients may speak to us.  A family
 * is a const struct; its routes name it in their column of routes/table.c, a call holds it from its
 * request to its end.  What a family's bodies look like is read by the handlers of its routes.
 *
 * The families are listed in shape/family.h, a file each. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

struct buf;
struct cursor;
struct encoder;
struct encoder_about;
struct err;

/* The words under which the shape of an answer is stored.  Databases and archives have them, so no word
 * changes. */
#define SHAPE_NATIVE "native"
#define SHAPE_LMC    "lmc"
#define SHAPE_OPENAI "openai"
#define SHAPE_WORDS  SHAPE_NATIVE, SHAPE_OPENAI, SHAPE_LMC

/* One of the shapes that answers of a family come in. */
struct shape {
	const char *word;   /* in the store, of runs that are answered so: SHAPE_… */
	const char *format; /* as clients name it in `format`; NULL: the family has no other shape */
	/* encoder: owned; numbers of blocks are the encoder's business.  NULL: no memory. */
	struct encoder *(*encoder)(const struct encoder_about *about);
};

struct family {
	const struct shape *shapes; /* the first one is usual; ended by a row without a word */

	/* error: the body of a refusal or of a plain call that failed; appended.  Called by http/reply for
	 * all routes of the family, also before their handlers run, and for what a key is bound to.
	 * False: out is full. */
	bool (*error)(const struct err *e, struct str request_id, struct buf *out);
	/* cursor: reads how far a client has seen a stream, as its blocks said.  False: text is no such
	 * number.  NULL: blocks have no numbers, and nobody goes on behind one. */
	bool (*cursor)(struct str text, struct cursor *ret);

	/* What its requests may say. */
	bool renders; /* messages are ours: what providers see is made of them; else they go through untouched */
	bool files;   /* messages may name uploaded files, and images by their path */

	/* What becomes of its runs. */
	bool shows_unstored; /* a run that is stored nowhere can be looked at while it goes on: its id is told */
	bool shown_again;    /* a stored answer can be asked for as it was, so the id of its request is kept */

	/* Headers and ends of its answers. */
	bool locates;      /* Location says where the events of a streamed run are read again */
	bool warns_ahead;  /* a header has the warnings, as bodies have no place for them */
	bool breaks;       /* a stream that failed must not look whole: some clients look for the body's end alone */
};
