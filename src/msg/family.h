/* msg/family: one inbound API: all that differs between the APIs that clients may speak to us.  A
 * family is a const struct; its routes name it in their column of routes/table.c, a call holds it
 * from its request to its end.  What a family's bodies look like is read by the handlers of its
 * routes.
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

/* The words under which the shape of an answer is stored.  Databases and archives have them, so no
 * word changes. */
#define SHAPE_NATIVE "native"
#define SHAPE_LMC    "lmc"
#define SHAPE_OPENAI "openai"
#define SHAPE_WORDS  SHAPE_NATIVE, SHAPE_OPENAI, SHAPE_LMC

/* One of the shapes that answers of a family come in. */
struct shape {
	const char *word; /* SHAPE_…: in the store, of runs that are answered so */
	/* As clients name the shape in `format`; NULL: the family has no other one. */
	const char *format;
	/* encoder: owned by the caller; the encoder numbers its blocks.  NULL: no memory. */
	struct encoder *(*encoder)(const struct encoder_about *about);
};

struct family {
	/* The first shape is the usual one; a row without a word ends the list. */
	const struct shape *shapes;

	/* error: appends the body of a refusal, or of a plain call that failed.  http/reply calls
	 * this for all routes of the family, also before their handlers run; run/key for the
	 * failure that a key is bound to.  False: out is full. */
	bool (*error)(const struct err *e, struct str request_id, struct buf *out);
	/* cursor: reads how far a client has seen a stream, as its blocks said.  False: text is no
	 * such number.  NULL: blocks have no numbers, and nobody goes on behind one. */
	bool (*cursor)(struct str text, struct cursor *ret);

	/* Messages are ours, and what a provider sees is made of them; else they go through
	 * untouched. */
	bool renders;
	/* Messages may name uploaded files, and images by their paths. */
	bool files;

	/* Clients are told the id of a run that is stored nowhere, and may look at that run while
	 * it goes on. */
	bool shows_unstored;
	/* A stored answer can be asked for as it was, so the id of its request is kept. */
	bool shown_again;

	/* The header Location says where the events of a streamed run are read again. */
	bool locates;
	/* A header has the warnings, as bodies have no place for them. */
	bool warns_ahead;
	/* A stream that failed must not look whole: some clients look for the body's end alone, and
	 * would take an answer with an error behind it for a good one. */
	bool breaks;
};
