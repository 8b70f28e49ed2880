/* computer/link: one connection to the runner.  A connection executes once, or asks one question:
 * its frames are sent as they were given, and what comes back is told frame by frame.
 *
 * A link belongs to its loop; all callbacks run there, and none from within link_open. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "loop/loop.h"

struct link;

/* --- frame: what the runner and its client say to each other, over a unix stream socket: frames of
 * a length (four bytes, little endian, of the body alone), a kind (one byte) and the body. */

/* The kinds of frames.  To the runner: */
enum frame_kind {
	FRAME_EXECUTE = 'X', /* JSON: version, exec, session, owner, language, limits */
	FRAME_GIVE = 'F',    /* the name of a file; its descriptor comes with the frame */
	FRAME_CODE = 'C',    /* the code, or a part of it */
	FRAME_GO = 'G',      /* run it */
	FRAME_STOP = 'Q',    /* stop it */
	FRAME_PING = 'P',
	FRAME_STATE = 'T',    /* JSON: session */
	FRAME_RESET = 'R',    /* JSON: session */
	FRAME_DOWNLOAD = 'D', /* JSON: session, path; without a path: the list of the files */
	/* To the client; P, T and R are answered by the same kind: */
	FRAME_STARTED = 'S', /* JSON: fresh, gone */
	FRAME_LINE = 'L',    /* digits */
	FRAME_OUTPUT = 'O',  /* whole characters of UTF-8 */
	FRAME_IMAGE =
		'I', /* "png" or "jpeg", a line break, the bytes or a part of them; an empty part ends it */
	FRAME_HTML = 'H',
	FRAME_FILE = 'N',    /* JSON: path, bytes */
	FRAME_BYTES = 'B',   /* a part of a downloaded file */
	FRAME_END = 'E',     /* JSON: outcome, exit, ms, cpu_ms, peak, left_out */
	FRAME_REFUSED = 'Z', /* JSON: reason, message; nothing ran */
};

enum { FRAME_HEAD = 5 };

enum frame_found { FRAME_NONE, FRAME_WHOLE, FRAME_TOO_LARGE };

struct frame {
	char       kind; /* any byte: the sender's */
	struct str body; /* borrowed from the bytes */
};

/* frame_look: the first frame in bytes.  FRAME_NONE: more bytes are needed.  FRAME_WHOLE: *ret is
 * the frame, whose bytes are the first FRAME_HEAD + ret->body.n. */
enum frame_found frame_look(struct str bytes, struct frame *ret);
/* frame_put: appends a frame; false: out is full.  The body is at most LIMIT_RUNNER_FRAME bytes. */
bool frame_put(struct buf *out, enum frame_kind kind, struct str body) MUST_USE;

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
