/* runner/program: a language's process in a sandbox: its output, cleaned and without marks, its
 * images, and its end.  Everything that it says may be forged; all of it is bounded. */
#pragma once

#include "base/buf.h"
#include "loop/loop.h"
#include "runner/language.h"
#include "computer/picture.h"
#include "runner/sandbox.h"

/* What a program says while somebody listens; the spans are borrowed for the call.  None of these may
 * destroy the program. */
struct program_ear {
	void (*text)(void *arg, struct str text); /* whole characters */
	void (*line)(void *arg, int64_t line);
	void (*picture)(void *arg, const struct picture *p);
	/* the execution's end, as the driver tells it; dying: the process ends behind it */
	void (*done)(void *arg, int64_t status, bool dying);
	/* the process has ended, and its output was told; status as waitpid(2) gives it */
	void (*ended)(void *arg, int status);
	/* the client takes no more for now: nothing is read until program_resume */
	bool (*full)(void *arg);
};

struct program;

/* program_start: the options' folder for code has file already (of a language without a driver).  Errors: INTERNAL. */
enum errc program_start(struct loop *loop, struct sandbox *box, uint32_t id,
			const struct language *l, const char *directory, const char *file,
			struct program **ret, struct err *e) MUST_USE;
void      program_destroy(struct program *p);
OWNABLE(program);
/* program_bury: destroys it at the end of the loop's turn, so that it may be called in its callbacks. */
void program_bury(struct program *p);

/* program_listen: from here on ear gets what the program says, beginning with what it has said since
 * the last one left; marks are told by these digits ("": there are none).  ear is borrowed. */
void program_listen(struct program *p, const struct program_ear *ear, void *arg,
		    const char *digits);
void program_leave(struct program *p);
/* program_order: a line for the driver.  False: it does not read. */
bool program_order(struct program *p, const char *line) MUST_USE;
void program_resume(struct program *p);
/* program_has_ended: the seat said so. */
void     program_has_ended(struct program *p, int status);
uint32_t program_id(const struct program *p);
/* program_directory: where a shell that ended was; "": not told. */
const char *program_directory(const struct program *p);
