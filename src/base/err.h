/* Errors: a table of codes (err.def), and a struct that is filled once, where the failure is
 * noticed, and travels up.
 *
 * Fallible functions return enum errc, take a `struct err *` last and leave their ret_ arguments
 * untouched on failure.  Middle layers pass the error up unchanged; only http/reply sends it. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum errc {
	ERR_OK = 0,
#define X(name, ...) ERR_##name,
#include "base/err.def"
#undef X
	ERR__COUNT
};

/* The fault found in the database, for errors that the operator sees; decides the exit status. */
enum err_fault {
	FAULT_NONE,     /* nothing; or the system refused memory or threads */
	FAULT_DATA,     /* the database is damaged, not Parley's, or of another version */
	FAULT_OLDER,    /* it is of an older version, and this command does not migrate it */
	FAULT_MISSING,  /* it does not exist, or may not be read */
	FAULT_NO_PLACE, /* it can't be opened or created at this path */
	FAULT_DISK,     /* the disk is full or failing */
	FAULT_BUSY      /* another process holds the database; a later try may work */
};

struct err {
	enum errc code;
	char      path[160]; /* the wrong member's, such as messages[2].name; "" (in JSON: null) */
	/* For the client; no secrets.  A clause in lower case without a full stop, which says what
	 * was wrong and what is allowed.  Clients read "path: text", so that the text does not
	 * repeat the path, and may have the member there as its subject ("must be a string"). */
	char text[320];
	bool verbatim;  /* clients read only the text: it is a provider's or a stored message */
	bool explained; /* the text has the words of a provider's error object */
	/* A provider's own values, if they are passed on; 0 or "": the values of err.def. */
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

/* err_no_memory: fills e with ERR_OVERLOADED and the usual text for a lack of memory. */
enum errc err_no_memory(struct err *e);

/* err_blame: sets the fault of e, which err_set has filled, and returns e's code. */
enum errc err_blame(struct err *e, enum err_fault fault);

/* err_keep: makes *slot an owned copy of e, for objects that live long and rarely fail; without
 * memory, *slot is a shared "out of memory".  err_drop: frees the copy (NULL and the shared error
 * are fine). */
void err_keep(struct err **slot, const struct err *e);
void err_drop(struct err **slot);

/* err_at: puts a prefix before the path, for an error found inside a part ("messages[2]"). */
void err_at(struct err *e, const char *prefix);

/* The table's columns, with the overrides of e applied. */
int         err_http(const struct err *e);
const char *err_type(const struct err *e);
const char *err_wire(const struct err *e);
bool        err_retryable(const struct err *e);
/* err_code_wire: the wire code of a row, e.g. for logs and metrics. */
const char *err_code_wire(enum errc code);
/* err_wire_type: the type of the first row with this wire code; that of providers' errors if there is none. */
const char *err_wire_type(struct str wire);

struct buf;
/* err_text: appends a text of an error in quotes, and null for an empty one; what is no UTF-8 becomes U+FFFD, as some is cut.
 * False: out is full. */
bool err_text(const char *text, struct buf *out) MUST_USE;
/* err_message: appends the message of err_object, with its quotes.  False: out is full. */
bool err_message(const struct err *e, struct buf *out) MUST_USE;
/* err_object: appends {"message":..,"type":..,"param":..,"code":..,"request_id":..} to out.  The
 * message is "path: text", or the text alone where there is no path or the error is verbatim.  An
 * empty request_id is left out.  False: out is full. */
bool err_object(const struct err *e, struct str request_id, struct buf *out) MUST_USE;
/* err_body: appends the same as a body in OpenAI's form: {"error":{…}} and a line break. */
bool err_body(const struct err *e, struct str request_id, struct buf *out) MUST_USE;

/* --- hint: finds the known name that a misspelt one probably means. */

/* hint_near: whether `meant` is so close to `written` that an error should suggest it.  The
 * distance is the number of letters that were added, left out, changed or swapped, whatever their
 * case.  Names above 32 bytes are never near. */
bool hint_near(struct str written, struct str meant, size_t *ret_distance);
