/* Claims of idempotency keys: one owner, any number of watchers, on several loops. */
#include "desk/idem.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A loop of one queue, which its thread empties when it likes. */
struct loop {
	pthread_mutex_t lock;
	struct task    *first;
};

void loop_post(struct loop *l, struct task *t)
{
	pthread_mutex_lock(&l->lock);
	t->next = l->first;
	l->first = t;
	pthread_mutex_unlock(&l->lock);
}

static bool run_one(struct loop *l)
{
	pthread_mutex_lock(&l->lock);
	struct task *t = l->first;

	if (t)
		l->first = t->next;
	pthread_mutex_unlock(&l->lock);
	if (t)
		t->fn(t);
	return t;
}

static void run_all(struct loop *l)
{
	while (run_one(l))
		;
}

struct watcher {
	struct idem_watch watch;
	int               news;
	int               gone;
	enum idem_stage   stage;
	enum errc         code;
};

static void on_news(struct idem_watch *w)
{
	struct watcher *x = container_of(w, struct watcher, watch);

	x->news++;
	x->stage = w->stage;
	x->code = w->err.code;
}

static void on_gone(struct idem_watch *w)
{
	container_of(w, struct watcher, watch)->gone++;
}

static struct watcher watcher_of(struct loop *l)
{
	return (struct watcher){ .watch = { .loop = l, .fn = on_news, .gone = on_gone } };
}

static struct idem_name name_of(int64_t owner, const char *key, unsigned char print)
{
	struct idem_name n = { .owner = owner, .fingerprint = { print } };

	snprintf(n.key, sizeof n.key, "%s", key);
	return n;
}

static void the_first_claims_and_the_others_watch(void **state)
{
	(void)state;
	struct loop        l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct idem_name   name = name_of(1, "a", 1);
	struct idem_name   other = name_of(1, "a", 2);
	struct idem_name   foreign = name_of(2, "a", 2);
	struct watcher     first = watcher_of(&l), second = watcher_of(&l), third = watcher_of(&l);
	struct idem_claim *claim = NULL;
	struct idem_claim *theirs = NULL;
	struct id          run = { 5, 6 };

	assert_int_equal(idem_claim(&name, &first.watch, &claim), IDEM_FIRST);
	assert_string_equal(idem_name(claim)->key, "a");
	assert_int_equal(idem_claim(&other, &third.watch, &theirs), IDEM_OTHER);
	assert_int_equal(idem_claim(&foreign, &third.watch, &theirs), IDEM_FIRST);
	assert_int_equal(idem_claim(&name, &second.watch, &theirs), IDEM_WATCHED);
	run_all(&l);
	assert_int_equal(second.news, 1);
	assert_int_equal(second.stage, IDEM_STARTING);

	idem_reach(claim, IDEM_COMMITTED, run, (struct id){ 0 });
	idem_reach(claim, IDEM_DISPATCHED, run, (struct id){ 0 });
	run_all(&l);
	assert_int_equal(second.news, 2);
	assert_int_equal(second.stage, IDEM_COMMITTED);
	assert_int_equal(second.watch.run.key, 5);

	idem_over(claim, IDEM_KEPT, NULL);
	run_all(&l);
	assert_int_equal(second.stage, IDEM_KEPT);
	idem_leave(&second.watch);
	assert_int_equal(second.gone, 1);
	assert_int_equal(first.news, 0);
	idem_over(theirs, IDEM_FREED, NULL);
}

static void a_key_is_free_again_when_its_claim_is_over(void **state)
{
	(void)state;
	struct loop        l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct idem_name   name = name_of(1, "b", 1);
	struct idem_name   other = name_of(1, "b", 2);
	struct watcher     w = watcher_of(&l), v = watcher_of(&l);
	struct idem_claim *claim = NULL;
	struct err         e;

	assert_int_equal(idem_claim(&name, &w.watch, &claim), IDEM_FIRST);
	assert_int_equal(idem_claim(&name, &w.watch, &claim), IDEM_WATCHED);
	err_set(&e, ERR_UPSTREAM_REJECTED, "", "no");
	idem_over(claim, IDEM_FREED, &e);
	assert_int_equal(idem_claim(&other, &v.watch, &claim), IDEM_FIRST);
	run_all(&l);
	assert_int_equal(w.stage, IDEM_FREED);
	assert_int_equal(w.code, ERR_UPSTREAM_REJECTED);
	idem_leave(&w.watch);
	idem_over(claim, IDEM_FREED, NULL);
}

static void who_leaves_hears_nothing_more(void **state)
{
	(void)state;
	struct loop        l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct idem_name   name = name_of(1, "c", 1);
	struct watcher     w[3] = { watcher_of(&l), watcher_of(&l), watcher_of(&l) };
	struct idem_claim *claim = NULL;

	assert_int_equal(idem_claim(&name, &w[0].watch, &claim), IDEM_FIRST);
	for (int i = 0; i < 3; i++)
		assert_int_equal(idem_claim(&name, &w[i].watch, &claim), IDEM_WATCHED);
	idem_leave(&w[1].watch);
	assert_int_equal(w[1].gone, 0); /* its news are on their way */
	idem_over(claim, IDEM_FREED, NULL);
	run_all(&l);
	assert_int_equal(w[1].gone, 1);
	assert_int_equal(w[1].news, 0);
	assert_int_equal(w[0].news + w[2].news, 2);
	idem_leave(&w[0].watch);
	idem_leave(&w[2].watch);
	assert_int_equal(w[0].gone + w[2].gone, 2);
}

/* --- many threads --- */

enum { THREADS = 6, ROUNDS = 4000 };

static atomic_int claims_out;
static atomic_int calls;

static void *contend(void *arg)
{
	struct loop l = { .lock = PTHREAD_MUTEX_INITIALIZER };

	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		char key[16];

		snprintf(key, sizeof key, "k%d", i % 3);
		struct idem_name   name = name_of(1, key, 1);
		struct watcher     w = watcher_of(&l);
		struct idem_claim *claim = NULL;

		switch (idem_claim(&name, &w.watch, &claim)) {
		case IDEM_FIRST:
			assert_true(atomic_fetch_add(&claims_out, 1) < 3);
			idem_reach(claim, IDEM_DISPATCHED, (struct id){ i + 1, 1 },
				   (struct id){ 0 });
			idem_reach(claim, IDEM_COMMITTED, (struct id){ i + 1, 1 },
				   (struct id){ 0 });
			atomic_fetch_add(&calls, 1);
			atomic_fetch_sub(&claims_out, 1);
			idem_over(claim, i % 2 ? IDEM_KEPT : IDEM_FREED, NULL);
			break;
		case IDEM_WATCHED:
			while (i % 5 && w.stage != IDEM_KEPT && w.stage != IDEM_FREED)
				run_one(&l);
			idem_leave(&w.watch);
			while (!w.gone)
				run_one(&l);
			break;
		case IDEM_OTHER:
		case IDEM_NO_MEMORY: check_failed("no claim", __FILE__, __LINE__);
		}
	}
	return NULL;
}

static void threads_that_want_the_same_keys_take_turns(void **state)
{
	(void)state;
	pthread_t t[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, contend, NULL), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert_true(atomic_load(&calls) > 0);
	assert_int_equal(atomic_load(&claims_out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_claims_and_the_others_watch),
		cmocka_unit_test(a_key_is_free_again_when_its_claim_is_over),
		cmocka_unit_test(who_leaves_hears_nothing_more),
		cmocka_unit_test(threads_that_want_the_same_keys_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
