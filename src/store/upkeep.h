/* upkeep: what is done to a database by other processes than its gateway, also while that serves:
 * a copy is made of it, its file is made smaller.
 *
 * Each fills its results and returns UPKEEP_DONE, or an end with a text for the operator in e. */
#pragma once

#include "base/err.h"

enum upkeep_end {
	UPKEEP_DONE,
	UPKEEP_NO_DATABASE,  /* there is none, or it may not be read */
	UPKEEP_BAD_DATABASE, /* it is not ours, damaged, or made by a newer version */
	UPKEEP_BAD_TARGET,   /* nothing can be made there */
	UPKEEP_FAILED,       /* the disk, or memory */
	UPKEEP_BUSY,         /* others hold it: later it may work */
	UPKEEP_STOPPED       /* `stopped` said so */
};

/* The copy is of one moment.  It appears under its name whole, checked and synced, or not at all. */
struct upkeep_backup {
	const char *database;
	const char *target; /* a file that does not exist; uploaded files go to `target`.files */
	bool (*stopped)(
		void); /* asked now and then whether to give up; from any depth, no lock held */

	int64_t bytes; /* of the copied database */
	int64_t conversations;
	int64_t messages;
	int64_t files;   /* rows */
	int64_t missing; /* contents that rows name and that were nowhere to be found */
};

/* Free pages are given back to the file system.  Without a gateway the file is written anew, which needs
 * room for it twice. */
struct upkeep_vacuum {
	const char *database;
	bool (*stopped)(void);

	bool    served; /* a gateway has it: pages were only taken off its end, step by step */
	int64_t page_bytes;
	int64_t pages_before;
	int64_t pages_after;
	int64_t free_after; /* of pages_after */
	int64_t contents;   /* that no row named, removed */
};
