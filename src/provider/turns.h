/* provider/turns: messages as turns, for APIs in which a user and a model take turns, and a turn is
 * a list of parts.  Internal to provider/.
 *
 * Neighbours of one role become one turn; messages without content are none; system messages stand
 * apart from the turns. */
#pragma once

#include "provider/ask.h"

/* An API of this kind.  The texts are what stands in front of things in its requests. */
struct turns {
	const char *list; /* all turns */
	const char *user; /* a turn of the user's, an array's bracket included */
	const char *assistant;
	const char *system;        /* the parts of all system messages, */
	const char *system_end;    /* and behind them */
	const char *text;          /* a part's text, between its quotes */
	bool        images;        /* images that the model made are told to it again */
	bool        results_apart; /* what tools gave back is no part of the user's turn */
	/* put_part: one that is no text. */
	enum errc (*put_part)(const struct ask_message *m, const struct ask_part *part,
			      struct buf *out, struct err *e);
	/* put_result: what a tool gave back, as a part. */
	enum errc (*put_result)(const struct turns *t, const struct ask_message *m, bool *first,
				struct buf *out, struct err *e);
	/* put_before, put_behind: what stands around a message's own parts; false: out is full. */
	bool (*put_before)(const struct ask_message *m, bool *first,
			   struct buf *out); /* NULL: nothing */
	bool (*put_behind)(const struct ask_message *m, bool *first, struct buf *out);
};

/* turns_put: all of them.  Errors: INVALID_VALUE where there is none, put_part's and put_result's,
 * ask_too_large's. */
enum errc turns_put(const struct turns *t, const struct ask *a, struct buf *out,
		    struct err *e) MUST_USE;
/* turns_put_system: nothing where no system message has content; one among the others is moved to
 * the front, with a warning. */
enum errc turns_put_system(const struct turns *t, const struct ask *a, struct buf *out,
			   struct err *e) MUST_USE;
/* turns_put_parts: with commas between them, *first telling whether there is none yet. */
enum errc turns_put_parts(const struct turns *t, const struct ask_message *m, bool *first,
			  struct buf *out, struct err *e) MUST_USE;
