/* runner/ask: what a client wants, read from the JSON of a frame. */
#pragma once

#include "base/err.h"
#include "runner/session.h"
#include "runner/workspace.h"

enum { ASK_VERSION = 1, ASK_NAME = SESSION_NAME };

struct ask {
	char    exec[ASK_NAME + 1]; /* "": none */
	char    session[ASK_NAME + 1];
	char    owner[ASK_NAME + 1];
	char    language[32];
	char    path[1025]; /* of a file; "": none */
	int64_t time_us;    /* 0: not said */
};

/* ask_read: names are letters, digits, "_" and "-".  execute: of FRAME_EXECUTE, which needs version, exec and
 * language; all need a session.  Errors: INVALID_JSON, INVALID_VALUE, MISSING_PARAMETER, ... */
enum errc ask_read(struct str json, bool execute, struct ask *ret, struct err *e) MUST_USE;
