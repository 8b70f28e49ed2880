/* upkeep: backup and vacuum of a database, by another process than its gateway, which may serve
 * meanwhile.
 *
 * Each function fills its results and returns UPKEEP_DONE, or returns another end, with a text for
 * the operator in e. */
#pragma once

#include "base/err.h"

enum upkeep_end {
	UPKEEP_DONE,
	UPKEEP_NO_DATABASE,  /* the database does not exist, or may not be read */
	UPKEEP_BAD_DATABASE, /* it is not Parley's, damaged, or made by a newer version */
	UPKEEP_BAD_TARGET,   /* the target can't be made at this path */
	UPKEEP_FAILED,       /* a failing or full disk, or no memory */
	UPKEEP_BUSY,         /* other processes hold the database; a later try may work */
	UPKEEP_STOPPED       /* `stopped` returned true */
};

/* A backup has the state of one moment.  It appears under its name whole, checked and synced, or
 * not at all. */
struct upkeep_backup {
	const char *database;
	const char *target; /* a file that does not exist; uploaded files go to `target`.files */
	bool (*stopped)(
		void); /* called often, from any depth, with no lock held; true: the backup stops */

	int64_t bytes; /* size of the copied database */
	int64_t conversations;
	int64_t messages;
	int64_t files;   /* rows */
	int64_t missing; /* contents that rows name, but that were not found */
};

/* A vacuum gives free pages back to the file system.  Without a gateway, the file is written anew,
 * which needs twice its room. */
struct upkeep_vacuum {
	const char *database;
	bool (*stopped)(void);

	bool    served; /* by a gateway: pages were only cut off the file's end, step by step */
	int64_t page_bytes;
	int64_t pages_before;
	int64_t pages_after;
	int64_t free_after; /* free pages among pages_after */
	int64_t contents;   /* contents without a row, which were removed */
};
