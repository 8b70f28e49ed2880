/* The mark of the job that a thread runs; a file of its own, for users who have no loop. */
#include "loop/work.h"

static _Thread_local const atomic_bool *work_now; /* NULL: no job */

void work_now_begin(const atomic_bool *unwanted)
{
	work_now = unwanted;
}

bool work_now_is_unwanted(void)
{
	return work_now && atomic_load_explicit(work_now, memory_order_relaxed);
}
