/* notes: a table of texts with names, an owner's each. */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "store/job.h"

/* scratch_note_write: gives a name its text. */
struct scratch_note_write {
	struct store_job job;
	int64_t          owner;
	struct str       name;
	struct str       text;
	struct arena     arena;
	/* out */
	bool       replaced;
	struct str before; /* the text that the name had */
};

/* scratch_note_read: errors: NOT_FOUND. */
struct scratch_note_read {
	struct store_job job;
	int64_t          owner;
	struct str       name;
	struct arena     arena;
	struct str       text; /* out */
};
