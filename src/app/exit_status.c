/* The faults of a database as exit statuses (sysexits), as parley(8) lists them. */
#include "app/app.h"

#include <sysexits.h>

int exit_status_of_store(const struct err *e)
{
	switch (e->fault) {
	case FAULT_DATA:
	case FAULT_OLDER: return EX_DATAERR;
	case FAULT_MISSING: return EX_NOINPUT;
	case FAULT_NO_PLACE: return EX_CANTCREAT;
	case FAULT_DISK: return EX_IOERR;
	case FAULT_BUSY: return EX_TEMPFAIL;
	case FAULT_NONE: break;
	}
	return EX_OSERR;
}
