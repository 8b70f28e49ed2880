/* Errors: one table (err.def), one struct that travels up, filled once where the failure is noticed.
 *
 * Fallible functions return enum errc, take a `struct err *` last and leave their ret_ arguments
 * untouched on failure.  Middle layers pass the error up unchanged; only http/reply sends it. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum errc {
	ERR_OK = 0,
#define X(name, ...) ERR_##name,
#include "base/err.def"
#undef X
	ERR__COUNT
};

/* What is the matter with the database, where the operator is told: it becomes an exit status. */
enum err_fault {
	FAULT_NONE,     /* no database's; or the system refused memory or threads */
	FAULT_DATA,     /* damaged, not ours, or of another version */
	FAULT_OLDER,    /* an older version's, and not brought up to date here */
	FAULT_MISSING,  /* there is none, or it may not be read */
	FAULT_NO_PLACE, /* it can't be opened or made there */
	FAULT_DISK,     /* full or failing */
	FAULT_BUSY      /* others hold it: later it may work */
};

struct err {
	enum errc code;
	char      path[160]; /* of the culprit, as in messages[2].name, or "" (wire: null) */
	/* For the client; no secrets.  A clause in lower case without a full stop, which says what was
	 * wrong and what is allowed.  Clients read "path: text", so that the text does not repeat the
	 * path, and may have the member there as its subject ("must be a string"). */
	char text[320];
	bool verbatim; /* clients read the text alone: a provider's own words, a stored message */
	/* What a provider said, where its own words go through; 0 or "" means: as in err.def. */
	int            http;
	char           type[64];
	char           wire[64];
	int64_t        retry_after_ms;  /* advice for Retry-After; 0: none */
	int            upstream_status; /* HTTP status that the provider sent; 0: none */
	enum err_fault fault;
};

/* err_set: fills e (all overrides cleared) and returns code, so that failing is one line. */
enum errc err_set(struct err *e, enum errc code, const char *path, const char *fmt, ...)
	PRINTF(4, 5);

/* err_no_memory: ERR_OVERLOADED, in the one text for a want of memory. */
enum errc err_no_memory(struct err *e);

/* err_blame: gives e, once it is set, its fault, and returns its code. */
enum errc err_blame(struct err *e, enum err_fault fault);

/* err_keep: *slot becomes an owned copy of e, for objects that live long and rarely fail; where
 * memory is short, a shared "out of memory".  err_drop: frees it (NULL and the shared one are fine). */
void err_keep(struct err **slot, const struct err *e);
void err_drop(struct err **slot);

/* err_at: puts a prefix in front of the path, for an error found inside a part ("messages[2]"). */
void err_at(struct err *e, const char *prefix);

/* The table's columns, with the overrides of e applied. */
int         err_http(const struct err *e);
const char *err_type(const struct err *e);
const char *err_wire(const struct err *e);
bool        err_retryable(const struct err *e);
/* err_code_wire: the wire code of a row, e.g. for logs and metrics. */
const char *err_code_wire(enum errc code);

struct buf;
/* err_object: appends {"message":..,"type":..,"param":..,"code":..,"request_id":..} to out.  The
 * message is "path: text", or the text alone where there is no path or the error is verbatim.  An
 * empty request_id is left out.  False: out is full. */
bool err_object(const struct err *e, struct str request_id, struct buf *out) MUST_USE;
/* err_body: the same as OpenAI's clients expect a body: {"error":{…}} and a line break. */
bool err_body(const struct err *e, struct str request_id, struct buf *out) MUST_USE;
