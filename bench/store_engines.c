/* Turns through the store alone, with PostgreSQL and SQLite one after the other: N callers, each with the
 * beginning of a turn and then its end, in a closed loop.
 *
 *   bench_store_engines SECONDS DATABASE...
 *
 * A caller is a job whose answer submits the next one, on one thread that stands for the loops. */
#include "app/app.h"
#include "base/clock.h"
#include "store/turn.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { CALLERS = 64, SAMPLES = 1 << 22 };

struct loop {
	pthread_mutex_t lock;
	pthread_cond_t  wake;
	struct task    *first;
	struct task   **end;
};

struct asker {
	struct turn_begin    begin;
	struct turn_end      end;
	struct store_message message;
	int64_t              from_us;
	bool                 going;
};

static struct loop   queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL,
			       &queue.first };
static struct asker  callers[CALLERS];
static int32_t       samples[SAMPLES];
static size_t        sample_count, turns, failures, running;
static bool          stopping;
static struct store *store;
static char          question[220], answer[1200];

void loop_post(struct loop *l, struct task *t)
{
	t->next = NULL;
	pthread_mutex_lock(&l->lock);
	*l->end = t;
	l->end = &t->next;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

static void sample(struct asker *c)
{
	int64_t now = clock_mono_us();

	if (sample_count < SAMPLES)
		samples[sample_count++] = (int32_t)(now - c->from_us);
	c->from_us = now;
}

static void next_turn(struct asker *c);

static void on_end(struct store_job *job)
{
	struct asker *c = container_of(job, struct asker, end.job);

	sample(c);
	failures += job->err.code != ERR_OK;
	turns++;
	next_turn(c);
}

static void on_begin(struct store_job *job)
{
	struct asker *c = container_of(job, struct asker, begin.job);

	sample(c);
	failures += job->err.code != ERR_OK;
	c->end = (struct turn_end){
		.run = c->begin.run,
		.status = RUN_COMPLETED,
		.answer = { answer, sizeof answer },
		.completed_ms = clock_wall_ms(),
		.last_seq = 7,
		.attempts = 1,
		.job = { .loop = &queue, .done = on_end },
		.unlogged = true,
	};
	if (!store_turn_end(store, &c->end))
		abort();
}

static void next_turn(struct asker *c)
{
	if (stopping) {
		running--;
		return;
	}
	c->message = (struct store_message){ id_new(), { question, sizeof question } };
	c->begin = (struct turn_begin){
		.now_ms = clock_wall_ms(),
		.run = id_new(),
		.conversation = id_new(),
		.new_conversation = true,
		.model = STR("m"),
		.provider = STR("p"),
		.shape = STR("native"),
		.messages = &c->message,
		.message_count = 1,
		.seq_reserved = 1000,
		.job = { .loop = &queue, .done = on_begin },
	};
	c->from_us = clock_mono_us();
	if (!store_turn_begin(store, &c->begin))
		abort();
}

static void fill(char *body, size_t n)
{
	memset(body, 'x', n);
	body[0] = body[n - 1] = '"';
}

static int by_time(const void *a, const void *b)
{
	return *(const int32_t *)a - *(const int32_t *)b;
}

static void run(const char *name, size_t count, int64_t seconds)
{
	struct rusage before, after;
	int64_t       from = clock_mono_us();

	sample_count = turns = failures = 0;
	stopping = false;
	running = count;
	getrusage(RUSAGE_SELF, &before);
	for (size_t i = 0; i < count; i++)
		next_turn(&callers[i]);
	while (running > 0) {
		pthread_mutex_lock(&queue.lock);
		while (!queue.first)
			pthread_cond_wait(&queue.wake, &queue.lock);
		struct task *t = queue.first;
		queue.first = NULL;
		queue.end = &queue.first;
		pthread_mutex_unlock(&queue.lock);
		while (t) {
			struct task *next = t->next;

			t->fn(t);
			t = next;
		}
		stopping = clock_mono_us() - from >= seconds * 1000000;
	}
	getrusage(RUSAGE_SELF, &after);
	double took = (double)(clock_mono_us() - from) / 1e6;
	double cpu = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec +
			      after.ru_stime.tv_sec - before.ru_stime.tv_sec) *
			     1e6 +
		     (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec +
			      after.ru_stime.tv_usec - before.ru_stime.tv_usec);

	qsort(samples, sample_count, sizeof *samples, by_time);
	printf("%-8s %2zu callers: %8.0f turns/s, a write %6.2f ms p50 %6.2f ms p99, %5.1f us CPU a turn"
	       " here, %zu failures\n",
	       name, count, (double)turns / took, (double)samples[sample_count / 2] / 1e3,
	       (double)samples[sample_count * 99 / 100] / 1e3, cpu / (double)turns, failures);
}

int main(int argc, char **argv)
{
	fill(question, sizeof question);
	fill(answer, sizeof answer);
	for (int i = 2; i < argc; i++) {
		const struct store_engine *engine = engine_for(argv[i]);
		struct store_options       o = {
			      .path = argv[i], .readers = 2, .busy_ms = 5000, .migrate = true
		};
		struct err e;

		if (engine->open(&o, &store, &e) != ERR_OK) {
			fprintf(stderr, "%s\n", e.text);
			return 1;
		}
		run(engine->name, 1, strtol(argv[1], NULL, 10));
		run(engine->name, CALLERS, strtol(argv[1], NULL, 10));
		store_destroy(store);
	}
	return 0;
}
