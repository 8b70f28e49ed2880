/* What a serving process tells the readers of another process's runs. */
#include "app/internal.h"

#include "desk/watch.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

/* A store that says `ends` times that the previous process lives, and then that it has ended. */
static struct {
	struct store s;
	int          asked, ends;
	struct loop *loop; /* the reader's */
	sem_t        quiet;
	atomic_bool  ended;
} other;

static void loop_is_quiet(struct task *t)
{
	(void)t;
	sem_post(&other.quiet);
}

static bool other_is_alive(struct store *s)
{
	static struct task t;

	(void)s;
	if (other.asked++ < other.ends)
		return true;
	if (!other.ended) {
		/* The reader has done what it was told before, and has seen a run that goes on. */
		t.fn = loop_is_quiet;
		loop_post(other.loop, &t);
		while (sem_wait(&other.quiet) != 0)
			;
		other.ended = true;
	}
	return false;
}

static const struct store_peers peers = { .alive = other_is_alive };
static const struct store_ops   ops = { .peers = &peers };

/* A reader of a run of that process.  It says so when it is told to look again, and finds the end. */
struct reader {
	struct watch_run watch;
	struct task      leave;
	int              done_fd;
};

static void reader_looks(struct watch_run *w)
{
	if (other.ended)
		eventfd_write(container_of(w, struct reader, watch)->done_fd, 1);
}

static void reader_goes(struct watch_run *w)
{
	(void)w;
	loop_stop(other.loop);
}

static void *reader_thread(void *loop)
{
	loop_run(loop);
	return NULL;
}

static void reader_leaves(struct task *t)
{
	watch_stop(&container_of(t, struct reader, leave)->watch);
}

static void a_reader_finds_the_end(int ends)
{
	struct app    a = { .store = &other.s, .offer = -1, .after = -1, .worker_count = 1 };
	struct reader x = { .leave.fn = reader_leaves, .done_fd = eventfd(0, EFD_CLOEXEC) };
	uint64_t      drained = 0;
	struct err    e;
	pthread_t     thread;

	a.signal_fd = eventfd(0, EFD_CLOEXEC);
	a.done_fd = x.done_fd;
	other.s.ops = &ops;
	other.asked = 0;
	other.ends = ends;
	other.ended = false;
	sem_init(&other.quiet, 0, 0);
	assert_int_equal(loop_create(0, &other.loop, &e), ERR_OK);
	x.watch = (struct watch_run){
		.loop = other.loop, .run = id_new(), .fn = reader_looks, .gone = reader_goes
	};
	watch_start(&x.watch);
	assert_int_equal(pthread_create(&thread, NULL, reader_thread, other.loop), 0);

	assert_int_equal(app_wait_drained(&a, &drained, 20000), 0);
	assert_true(drained > 0);

	loop_post(other.loop, &x.leave);
	pthread_join(thread, NULL);
	loop_destroy(other.loop);
	sem_destroy(&other.quiet);
	close(a.signal_fd);
	close(a.done_fd);
}

static void a_reader_finds_the_end_whenever_the_process_before_ends(void **state)
{
	(void)state;
	for (int ends = 0; ends < 8; ends++)
		a_reader_finds_the_end(ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_finds_the_end_whenever_the_process_before_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
