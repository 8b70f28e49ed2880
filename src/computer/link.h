/* computer/link: one connection to the runner.  A connection executes once, or asks one question:
 * its frames are sent as they were given, and what comes back is told frame by frame.
 *
 * A link belongs to its loop; all callbacks run there, and none from within link_open. */
#pragma once

#include "base/err.h"
#include "computer/frame.h"
#include "loop/loop.h"

struct link;

struct link_ear {
	/* frame: may close the link; the body is borrowed for the call. */
	void (*frame)(void *arg, const struct frame *f);
	/* lost: the runner has closed the connection, or broken the protocol.  The link is gone. */
	void (*lost)(void *arg);
};

/* A descriptor that goes with a frame: with the byte at `at` of the frames. */
struct link_file {
	size_t at;
	int    fd;
};

/* link_open: connects to the socket at path, and sends the frames in out, whose bytes it takes.
 * Errors: COMPUTER: nobody listens there; OVERLOADED. */
enum errc link_open(struct loop *loop, const char *path, struct buf *out,
		    const struct link_ear *ear, void *arg, struct link **ret,
		    struct err *e) MUST_USE;
/* link_files: these go with what is sent; before the loop's next turn.  They stay the caller's, open until
 * link_close. */
void link_files(struct link *l, const struct link_file *files, size_t count);
/* link_pause: true: nothing is read any more, so that the runner lets the program wait. */
void link_pause(struct link *l, bool pause);
/* link_close: no callback follows; an execution that goes on is stopped by the runner.  NULL is
 * fine. */
void link_close(struct link *l);
