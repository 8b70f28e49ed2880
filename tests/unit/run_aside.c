/* Runs whose long prompts are with a worker when they end. */
#include "base/clock.h"
#include "loop/work.h"
#include "provider/choice.h"
#include "tests/unit/run_help.h"

#define SECOND ((int64_t)1000000)

static char          message[300 * KIB];
static sem_t         printing; /* the worker has begun to print the prompt */
static sem_t         go_on;
static unsigned      asked;
static struct target target;

static enum errc slow_encode(const struct provider *p, const struct prompt *prompt, struct buf *out,
			     struct err *e)
{
	(void)p;
	(void)prompt;
	(void)out;
	(void)e;
	CHECK(sem_post(&printing) == 0);
	CHECK(sem_wait(&go_on) == 0);
	return ERR_OK;
}

static enum errc never_start(const struct provider *p, const struct provider_env *env,
			     const struct prompt *prompt, provider_event_fn on_event, void *arg,
			     struct provider_call **ret, struct err *e)
{
	(void)p;
	(void)env;
	(void)prompt;
	(void)on_event;
	(void)arg;
	(void)ret;
	asked++;
	return err_set(e, ERR_INTERNAL, "", "it was asked");
}

static void destroy(struct provider *p)
{
	free(p);
}

static struct registry *make_registry(void)
{
	static const struct provider_ops ops = {
		.dialect = "fake", .start = never_start, .encode = slow_encode, .destroy = destroy
	};
	static const struct model_options models[] = { { .name = "small", .provider = "a" } };
	struct provider                  *p = calloc(1, sizeof *p);
	struct registry                  *registry = NULL;
	struct err                        e;

	assert_non_null(p);
	*p = (struct provider){
		.ops = &ops,
		.name = "a",
		.label = "a",
		.health = { .failures = 1, .window_us = 3600 * SECOND, .pause_us = 60 * SECOND }
	};
	assert_int_equal(registry_create_take(&p, 1, models, 1, NULL, &registry, &e), ERR_OK);
	assert_int_equal(registry_find(registry, STR("small"), &target, &e), ERR_OK);
	return registry;
}

static void cancel_fn(struct world *w)
{
	struct run_view v;

	CHECK(w->run);
	run_view(w->run, &v);
	CHECK(live_cancel(v.run_id, w->rq.caller.owner));
}

static void stop_fn(struct world *w)
{
	struct err why;

	err_set(&why, ERR_SHUTTING_DOWN, "", "the gateway is stopping");
	run_engine_stop(w->engine, &why);
}

static void look_fn(struct world *w)
{
	w->live = run_engine_live(w->engine);
}

/* A target that is in trouble lets one call through, which finds out: if the call ends before the target
 * was asked, the next call does. */
static void a_probe_that_was_not_made_is_left_to_the_next_call(void **state)
{
	void (*const ways[])(struct world * w) = { cancel_fn, leave_fn, stop_fn };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct work_pool *pool;
		struct world      w;
		struct err        e;
		int64_t           wait_us;
		bool              probe = false;

		health_reset();
		assert_int_equal(work_pool_create(1, 4, &pool, &e), ERR_OK);
		assert_true(sem_init(&printing, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
		asked = 0;
		struct registry     *registry = make_registry();
		struct health_target t = choice_health(&target);
		/* So long ago that its pause is over. */
		health_tell(&t, HEALTH_FAILED, 0, false, clock_mono_us() - 61 * SECOND);
		world_start_with(&w, pool, NULL);
		w.target = &target;
		w.message = message;
		w.rq.caller.owner = 5;
		w.rq.manner.finish = false;
		ask(&w);
		assert_int_equal(w.start_rc, ERR_OK);
		assert_true(comes(&w, &printing));
		assert_int_equal(health_ask(&t, clock_mono_us(), &wait_us, &probe), HEALTH_OPEN);
		on_loop(&w, ways[i]);
		assert_int_equal(sem_post(&go_on), 0);
		work_pool_stop(pool);
		on_loop(&w, look_fn);
		if (ways[i] != leave_fn)
			reader_leaves(&w);
		on_loop(&w, look_fn);
		assert_int_equal(w.live, 0);
		assert_int_equal(asked, 0);
		assert_int_equal(health_ask(&t, clock_mono_us(), &wait_us, &probe), HEALTH_FINE);
		assert_true(probe);
		world_stop(&w);
		work_pool_destroy(pool);
		registry_destroy(registry);
		sem_destroy(&printing);
		sem_destroy(&go_on);
	}
	health_reset();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_probe_that_was_not_made_is_left_to_the_next_call),
	};
	int n = snprintf(message, sizeof message, "{\"role\":\"user\",\"content\":\"");

	memset(message + n, 'a', sizeof message - (size_t)n - 3);
	memcpy(message + sizeof message - 3, "\"}", 3);
	return cmocka_run_group_tests_name("run/aside", tests, NULL, NULL);
}
