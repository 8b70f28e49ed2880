/* Answers travel as one chain for each loop, so that a batch costs a loop one inbox entry. */
#include "store/common/thread.h"

static void run_chain(struct task *task)
{
	struct store_job *next = container_of(task, struct store_job, task);

	while (next) {
		struct store_job *job = next;

		next = job->next; /* done may free the job */
		job->done(job);
	}
}

/* Moves the jobs of head's loop from *rest to the chain after head. */
static void answer_gather(struct store_job *head, struct store_job **rest)
{
	struct store_job *tail = head;

	while (*rest) {
		struct store_job *job = *rest;

		if (job->loop != head->loop) {
			rest = &job->next;
			continue;
		}
		*rest = job->next;
		tail->next = job;
		tail = job;
	}
	tail->next = NULL;
}

void answer_post(struct store_job *list)
{
	while (list) {
		struct store_job *head = list;

		list = head->next;
		answer_gather(head, &list);
		head->task.fn = run_chain;
		loop_post(head->loop, &head->task);
	}
}
