/* routes/kit/process: what is known of the serving process besides its configuration, and what became
 * of the last reload.  Made by app.  Threads: process_reloaded and process_look any; the rest is
 * set before a loop runs. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <pthread.h>

struct process_reload {
	int64_t at_s; /* unix time; 0: there was none */
	bool    ok;
	char    why[320]; /* it failed */
};

struct process {
	int64_t               started_s;
	size_t                max_connections;
	struct str            listeners; /* JSON, a list */
	pthread_mutex_t       lock;      /* guards what is below */
	struct process_reload reload;
};

/* process_reloaded: e: NULL: the configuration was taken over. */
void                  process_reloaded(struct process *p, int64_t at_s, const struct err *e);
struct process_reload process_look(struct process *p);
