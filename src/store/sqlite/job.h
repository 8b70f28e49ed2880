/* job: which of store.h's jobs a queue entry is (store_job.op). */
#pragma once

enum job_op {
	JOB_TURN_BEGIN,
	JOB_TURN_END,
	JOB_SEQ_RESERVE,
	JOB_EVENTS_APPEND,
	JOB_BRANCH_READ,
	JOB_CONVERSATION_READ,
	JOB_ITEMS_READ,
	JOB_RUN_READ,
	JOB_EVENTS_READ,
	JOB_RUNS_READ,
};
