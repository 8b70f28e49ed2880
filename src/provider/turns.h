/* provider/turns: prints messages as turns, for APIs in which user and model alternate and a turn
 * is a list of parts. Internal to provider/.
 *
 * Neighbouring messages of one role become one turn. Messages without content are left out. System
 * messages are printed apart from the turns; if there is nothing else, they are the user's turn. */
#pragma once

#include "provider/ask.h"

/* An API of this kind. The strings are printed before the named thing. */
struct turns {
	const char *list; /* the turns, with their bracket */
	const char *user; /* a turn of the user, with the bracket of its parts */
	const char *assistant;
	const char *system;     /* the parts of all system messages, with their bracket */
	const char *system_end; /* printed after these parts */
	const char *text;       /* the text of a part, with its opening quote */
	const char *
		begin; /* text of a user's turn before the assistant's first one; NULL: none is needed */
	bool images;        /* images that the model made are sent back to it */
	bool marks;         /* parts may have cache_control */
	bool results_apart; /* results of tools make a turn of their own, not the user's */
	/* put_part: prints a part that is no text. */
	enum errc (*put_part)(const struct ask_message *m, const struct ask_part *part,
			      struct buf *out, struct err *e);
	/* put_result: prints the result of a tool as a part. */
	enum errc (*put_result)(const struct turns *t, const struct ask_message *m, bool *first,
				struct buf *out, struct err *e);
	/* put_before, put_behind: print further parts before and after those of a message; false:
	 * out is full. */
	bool (*put_before)(const struct ask_message *m, bool *first,
			   struct buf *out); /* NULL: nothing */
	bool (*put_behind)(const struct ask_message *m, bool *first, struct buf *out);
};

/* turns_put_mark: appends `,"cache_control":…`; nothing if cache is empty. */
bool turns_put_mark(struct str cache, struct buf *out) MUST_USE;
/* turns_put: prints all turns. Errors: INVALID_VALUE if there is none, put_part's and put_result's,
 * ask_too_large's. */
enum errc turns_put(const struct turns *t, const struct ask *a, struct buf *out,
		    struct err *e) MUST_USE;
/* turns_put_system: prints the parts of all system messages; if there is none, nothing. A system
 * message after the first turn is thereby moved, and a warning says so. */
enum errc turns_put_system(const struct turns *t, const struct ask *a, struct buf *out,
			   struct err *e) MUST_USE;
/* turns_put_parts: prints the parts of a message, with commas; *first: the next part is the first
 * of its list. */
enum errc turns_put_parts(const struct turns *t, const struct ask_message *m, bool *first,
			  struct buf *out, struct err *e) MUST_USE;
