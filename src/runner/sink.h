/* runner/sink: where an execution tells what happens: a client's connection, or the printer of --try. */
#pragma once

#include "base/str.h"
#include "computer/picture.h"

#include <stdint.h>

enum outcome {
	OUTCOME_OK,
	OUTCOME_ERROR,       /* the code failed: an exception, an exit status that is not 0 */
	OUTCOME_INTERRUPTED, /* the client wanted it */
	OUTCOME_TIME,
	OUTCOME_OUTPUT,
	OUTCOME_MEMORY,
	OUTCOME_EXITED, /* the language's process ended itself */
	OUTCOME_KILLED, /* a signal ended it */
	OUTCOME_LOST,   /* the sandbox is gone */
	OUTCOME__COUNT
};
extern const char *const outcome_names[OUTCOME__COUNT];

struct result {
	enum outcome outcome;
	int          exit; /* of a process, or of a shell's last command */
	int64_t      ms, cpu_ms;
	int64_t      peak; /* bytes of memory; the most that was seen */
	int64_t      left_out;
};

/* All spans are borrowed for the call; `arg` is the sink's own. */
struct sink {
	/* gone: why a session of this name has ended; "": none is remembered */
	void (*started)(void *arg, bool fresh, const char *gone);
	void (*line)(void *arg, int64_t line);
	void (*output)(void *arg, struct str text);
	void (*picture)(void *arg, const struct picture *p);
	void (*file)(void *arg, struct str path, int64_t bytes);
	void (*end)(void *arg, const struct result *r); /* the last one */
	bool (*full)(void *arg); /* takes no more for now; execution_resume follows */
};
