/* The last reload, under a lock. */
#include "routes/kit/process.h"

void process_reloaded(struct process *p, int64_t at_s, const struct err *e)
{
	struct process_reload now = { .at_s = at_s, .ok = !e };

	if (e)
		str_copy(now.why, sizeof now.why, str_of(e->text));
	pthread_mutex_lock(&p->lock);
	p->reload = now;
	pthread_mutex_unlock(&p->lock);
}

struct process_reload process_look(struct process *p)
{
	pthread_mutex_lock(&p->lock);
	struct process_reload r = p->reload;
	pthread_mutex_unlock(&p->lock);
	return r;
}
