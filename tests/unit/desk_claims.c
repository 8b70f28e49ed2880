/* Claims: one holder, any number of watchers, on several loops. */
#include "desk/claims.h"

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
	struct claim_watch watch;
	int                news;
	int                gone;
	enum claim_stage   stage;
	enum errc          code;
};

static void on_news(struct claim_watch *w)
{
	struct watcher *x = container_of(w, struct watcher, watch);

	x->news++;
	x->stage = w->stage;
	x->code = w->err.code;
}

static void on_gone(struct claim_watch *w)
{
	container_of(w, struct watcher, watch)->gone++;
}

static struct watcher watcher_of(struct loop *l)
{
	return (struct watcher){ .watch = { .loop = l, .fn = on_news, .gone = on_gone } };
}

/* claims: claims the digest that begins with `key`, for what `asked` stands for. */
static enum claimed claims(const char *key, unsigned char asked, struct watcher *w,
			   struct claim **ret)
{
	unsigned char digest[HASH_BYTES] = { 0 }, all[HASH_BYTES] = { asked };

	memcpy(digest, key, strlen(key));
	return claim_digest(digest, all, &w->watch, ret);
}

static void the_first_claims_and_the_others_watch(void **state)
{
	(void)state;
	struct loop    l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct watcher first = watcher_of(&l), second = watcher_of(&l), third = watcher_of(&l);
	struct claim  *claim = NULL;
	struct claim  *theirs = NULL;
	struct id      run = { 5, 6 };

	assert_int_equal(claims("a", 1, &first, &claim), CLAIM_FIRST);
	assert_int_equal(claims("a", 2, &third, &theirs), CLAIM_OTHER);
	assert_int_equal(claims("aa", 2, &third, &theirs), CLAIM_FIRST);
	assert_int_equal(claims("a", 1, &second, &theirs), CLAIM_WATCHED);
	run_all(&l);
	assert_int_equal(second.news, 1);
	assert_int_equal(second.stage, CLAIM_STARTING);

	claim_reach(claim, CLAIM_COMMITTED, run, (struct id){ 0 });
	claim_reach(claim, CLAIM_DISPATCHED, run, (struct id){ 0 });
	run_all(&l);
	assert_int_equal(second.news, 2);
	assert_int_equal(second.stage, CLAIM_COMMITTED);
	assert_int_equal(second.watch.run.key, 5);

	claim_end(claim, CLAIM_KEPT, NULL);
	run_all(&l);
	assert_int_equal(second.stage, CLAIM_KEPT);
	claim_leave(&second.watch);
	assert_int_equal(second.gone, 1);
	assert_int_equal(first.news, 0);
	claim_end(theirs, CLAIM_FREED, NULL);
}

static void a_digest_is_free_again_when_its_claim_is_over(void **state)
{
	(void)state;
	struct loop    l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct watcher w = watcher_of(&l), v = watcher_of(&l);
	struct claim  *claim = NULL;
	struct err     e;

	assert_int_equal(claims("b", 1, &w, &claim), CLAIM_FIRST);
	assert_int_equal(claims("b", 1, &w, &claim), CLAIM_WATCHED);
	err_set(&e, ERR_UPSTREAM_REJECTED, "", "no");
	claim_end(claim, CLAIM_FREED, &e);
	assert_int_equal(claims("b", 2, &v, &claim), CLAIM_FIRST);
	run_all(&l);
	assert_int_equal(w.stage, CLAIM_FREED);
	assert_int_equal(w.code, ERR_UPSTREAM_REJECTED);
	claim_leave(&w.watch);
	claim_end(claim, CLAIM_FREED, NULL);
}

static void who_leaves_hears_nothing_more(void **state)
{
	(void)state;
	struct loop    l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct watcher w[3] = { watcher_of(&l), watcher_of(&l), watcher_of(&l) };
	struct claim  *claim = NULL;

	assert_int_equal(claims("c", 1, &w[0], &claim), CLAIM_FIRST);
	for (int i = 0; i < 3; i++)
		assert_int_equal(claims("c", 1, &w[i], &claim), CLAIM_WATCHED);
	claim_leave(&w[1].watch);
	assert_int_equal(w[1].gone, 0); /* its news are on their way */
	claim_end(claim, CLAIM_FREED, NULL);
	run_all(&l);
	assert_int_equal(w[1].gone, 1);
	assert_int_equal(w[1].news, 0);
	assert_int_equal(w[0].news + w[2].news, 2);
	claim_leave(&w[0].watch);
	claim_leave(&w[2].watch);
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
		struct watcher w = watcher_of(&l);
		struct claim  *claim = NULL;

		switch (claims(key, 1, &w, &claim)) {
		case CLAIM_FIRST:
			assert_true(atomic_fetch_add(&claims_out, 1) < 3);
			claim_reach(claim, CLAIM_DISPATCHED, (struct id){ i + 1, 1 },
				    (struct id){ 0 });
			claim_reach(claim, CLAIM_COMMITTED, (struct id){ i + 1, 1 },
				    (struct id){ 0 });
			atomic_fetch_add(&calls, 1);
			atomic_fetch_sub(&claims_out, 1);
			claim_end(claim, i % 2 ? CLAIM_KEPT : CLAIM_FREED, NULL);
			break;
		case CLAIM_WATCHED:
			while (i % 5 && w.stage != CLAIM_KEPT && w.stage != CLAIM_FREED)
				run_one(&l);
			claim_leave(&w.watch);
			while (!w.gone)
				run_one(&l);
			break;
		case CLAIM_OTHER:
		case CLAIM_NO_MEMORY: check_failed("no claim", __FILE__, __LINE__);
		}
	}
	return NULL;
}

static void threads_that_want_the_same_digests_take_turns(void **state)
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
		cmocka_unit_test(a_digest_is_free_again_when_its_claim_is_over),
		cmocka_unit_test(who_leaves_hears_nothing_more),
		cmocka_unit_test(threads_that_want_the_same_digests_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
