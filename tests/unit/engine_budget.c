/* Budgets: what is spent and reserved never passes a limit, and no reservation outlives its call. */
#include "tests/unit/engine_help.h"
#include "store/store.h"
#include "store/turn.h"

#include <signal.h>
#include <sys/wait.h>

enum { MANY = 200 };

static int set_up_open(void **state)
{
	set_up(state);
	open_store(*state);
	return 0;
}

static struct budget_reserve wish(int64_t nano, int64_t limit)
{
	return (struct budget_reserve){
		.run = id_new(),
		.key = STR("key_aaaaaaaa"),
		.model = STR("m"),
		.provider = STR("p"),
		.now_ms = clock_wall_ms(),
		.nano = nano,
		.tokens = 8,
		.tokens_in = 4,
		.parts = { { .name = "key_aaaaaaaa", .limit_nano = limit } },
		.part_count = 1,
		.names = "key_aaaaaaaa",
	};
}

static struct usage_note note_of(struct id run, int64_t nano)
{
	struct usage_note n = {
		.run = run, .at_ms = clock_wall_ms(), .priced = true, .nano = nano, .reserved = true
	};

	str_copy(n.key, sizeof n.key, STR("key_aaaaaaaa"));
	str_copy(n.model, sizeof n.model, STR("m"));
	str_copy(n.provider, sizeof n.provider, STR("p"));
	n.usage = (struct usage){ .known = nano > 0,
				  .in = nano > 0 ? 2 : 0,
				  .out = nano > 0 ? 1 : 0 };
	return n;
}

static enum errc settle(struct fixture *f, struct id run, int64_t nano)
{
	struct budget_settle s = { .note = note_of(run, nano) };

	return DO(f, budget_settle, &s);
}

static void assert_books(struct fixture *f, int64_t spent, int64_t reserved, int64_t open)
{
	assert_int_equal(outside_int(f, "SELECT sum(spent_nano) FROM budget"), spent);
	assert_int_equal(outside_int(f, "SELECT sum(reserved_nano) FROM budget"), reserved);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM reservation"), open);
	assert_int_equal(outside_int(f, "SELECT coalesce(sum(tokens), 0) FROM reservation"),
			 outside_int(f, "SELECT sum(reserved_tokens) FROM budget"));
}

static void what_was_reserved_becomes_what_was_used(void **state)
{
	struct fixture       *f = *state;
	struct budget_reserve a = wish(60, 100), b = wish(41, 100), c = wish(40, 100);

	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &b), ERR_INSUFFICIENT_QUOTA);
	assert_non_null(strstr(b.job.err.text, "up to 0.000000041"));
	assert_non_null(strstr(b.job.err.text, "0.00000004 is left"));
	assert_int_equal(b.job.err.retry_after_ms, 0);
	assert_int_equal(DO(f, budget_reserve, &c), ERR_OK);
	assert_books(f, 0, 100, 2);
	assert_int_equal(settle(f, a.run, 10), ERR_OK);
	assert_books(f, 10, 40, 1);
	assert_int_equal(settle(f, a.run, 10), ERR_OK); /* a second time is none */
	assert_int_equal(settle(f, c.run, 0), ERR_OK);  /* nothing was spent */
	assert_books(f, 10, 0, 0);
	assert_int_equal(outside_int(f, "SELECT calls FROM usage_day"), 1);
	assert_int_equal(outside_int(f, "SELECT tokens_in * 10 + tokens_out FROM usage_day"), 21);
	assert_int_equal(outside_int(f, "SELECT spent_tokens FROM budget"), 3);
}

static void tokens_have_a_limit_of_their_own(void **state)
{
	struct fixture       *f = *state;
	struct budget_reserve a = wish(0, 0), b = wish(0, 0);

	a.parts[0].limit_tokens = b.parts[0].limit_tokens = 15;
	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &b), ERR_INSUFFICIENT_QUOTA);
	assert_non_null(strstr(b.job.err.text, "up to 8 tokens, and 7 are left"));
	b.parts[0].limit_tokens = 16;
	assert_int_equal(DO(f, budget_reserve, &b), ERR_OK);
	assert_int_equal(outside_int(f, "SELECT reserved_tokens FROM budget"), 16);
	struct budget_reserve more = wish(1, 0);
	more.tokens = more.parts[0].limit_tokens = INT64_MAX / 2;
	assert_int_equal(DO(f, budget_reserve, &more), ERR_INSUFFICIENT_QUOTA);
}

static void a_window_ends_with_the_first_call_behind_it(void **state)
{
	struct fixture       *f = *state;
	struct budget_reserve a = wish(60, 100), b = wish(60, 100), c = wish(50, 100),
			      d = wish(101, 100);

	a.parts[0].window_ms = b.parts[0].window_ms = c.parts[0].window_ms = d.parts[0].window_ms =
		1000;
	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	b.now_ms = a.now_ms + 400;
	assert_int_equal(DO(f, budget_reserve, &b), ERR_INSUFFICIENT_QUOTA);
	assert_int_equal(b.job.err.retry_after_ms, 600);
	d.now_ms = b.now_ms;
	assert_int_equal(DO(f, budget_reserve, &d), ERR_INSUFFICIENT_QUOTA);
	assert_int_equal(d.job.err.retry_after_ms, 0); /* it won't fit then, either */
	assert_int_equal(settle(f, a.run, 55), ERR_OK);
	c.now_ms = a.now_ms + 999;
	assert_int_equal(DO(f, budget_reserve, &c), ERR_INSUFFICIENT_QUOTA);
	c.now_ms = a.now_ms + 1000;
	assert_int_equal(DO(f, budget_reserve, &c), ERR_OK);
	assert_books(f, 0, 50, 1);
	/* What goes on is held back in the next window, too. */
	b.now_ms = c.now_ms + 1000;
	assert_int_equal(DO(f, budget_reserve, &b), ERR_INSUFFICIENT_QUOTA);
}

/* wish_of: the key, its group and its conversation, whose ceiling is `kept`; 0: it is not told. */
static struct budget_reserve wish_of(int64_t nano, int64_t key, int64_t group, int64_t kept)
{
	struct budget_reserve w = wish(nano, key);

	w.parts[1] = (struct budget_part){ .name = "grp_aaaaaaaa",
					   .whose = BUDGET_GROUP,
					   .limit_nano = group };
	w.parts[2] = (struct budget_part){
		.name = "conv:1", .whose = BUDGET_CONVERSATION, .limit_nano = kept, .kept = true
	};
	w.part_count = 3;
	str_copy(w.names, sizeof w.names, STR("key_aaaaaaaa grp_aaaaaaaa conv:1"));
	return w;
}

static int64_t reserved_of(struct fixture *f, const char *name)
{
	char sql[128];

	snprintf(sql, sizeof sql, "SELECT reserved_nano FROM budget WHERE key = '%s'", name);
	return outside_int(f, sql);
}

/* What is refused by one budget, no budget loses; what is given back, every budget has again. */
static void budgets_stand_together(void **state)
{
	struct fixture       *f = *state;
	struct budget_reserve a = wish_of(60, 100, 70, 0), b = wish_of(20, 100, 70, 0),
			      c = wish_of(10, 100, 70, 65), d = wish_of(5, 100, 70, 65),
			      e = wish_of(5, 100, 70, 1000);

	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &b), ERR_INSUFFICIENT_QUOTA);
	assert_string_equal(b.job.err.path, "group");
	assert_int_equal(b.left_nano, 10);
	assert_int_equal(DO(f, budget_reserve, &c), ERR_INSUFFICIENT_QUOTA);
	assert_string_equal(c.job.err.path, "conversation");
	assert_int_equal(reserved_of(f, "key_aaaaaaaa"), 60);
	assert_int_equal(DO(f, budget_reserve, &d), ERR_OK);
	assert_int_equal(outside_int(f, "SELECT limit_nano FROM budget WHERE key = 'conv:1'"), 65);
	/* A ceiling is only made smaller. */
	assert_int_equal(DO(f, budget_reserve, &e), ERR_INSUFFICIENT_QUOTA);
	assert_string_equal(e.job.err.path, "conversation");

	/* A run that was taken up knows of its key alone, and its reservation of all. */
	struct budget_reserve m = wish(4, 100);
	m.run = a.run;
	m.more = true;
	assert_int_equal(DO(f, budget_reserve, &m), ERR_INSUFFICIENT_QUOTA);
	assert_int_equal(settle(f, d.run, 1), ERR_OK);
	m = wish(4, 100);
	m.run = a.run;
	m.more = true;
	assert_int_equal(DO(f, budget_reserve, &m), ERR_OK);
	assert_int_equal(reserved_of(f, "grp_aaaaaaaa"), 64);
	assert_int_equal(settle(f, a.run, 30), ERR_OK);
	assert_int_equal(reserved_of(f, "key_aaaaaaaa"), 0);
	assert_int_equal(reserved_of(f, "grp_aaaaaaaa"), 0);
	assert_int_equal(reserved_of(f, "conv:1"), 0);
	assert_int_equal(outside_int(f, "SELECT spent_nano FROM budget WHERE key = 'conv:1'"), 31);
}

/* wish_in: as wish_of, of a conversation that is not so old that its ceiling is swept. */
static struct budget_reserve wish_in(const char *conversation, int64_t nano, int64_t kept)
{
	struct budget_reserve w = wish_of(nano, 0, 0, kept);

	str_copy(w.parts[2].name, sizeof w.parts[2].name, str_of(conversation));
	snprintf(w.names, sizeof w.names, "key_aaaaaaaa grp_aaaaaaaa %s", conversation);
	return w;
}

static struct budget_reserve ceiling_of(const char *conversation, int64_t most)
{
	struct budget_reserve w = wish_in(conversation, 0, most);

	w.parts[0] = w.parts[2];
	w.part_count = 1;
	w.tokens = w.tokens_in = 0;
	w.sets = true;
	return w;
}

/* A call that costs nothing sets a ceiling, whatever is left of the one that there is, and reserves nothing. */
static void a_ceiling_is_set_without_a_reservation(void **state)
{
	static const char limit[] = "SELECT limit_nano FROM budget WHERE limit_nano > 0";
	struct fixture   *f = *state;
	char              name[BUDGET_NAME];

	snprintf(name, sizeof name, BUDGET_OF_CONVERSATION "%lld", (long long)id_new().key);
	struct budget_reserve sets = ceiling_of(name, 50), a = wish_in(name, 40, 0),
			      b = wish_in(name, 20, 0), smaller = ceiling_of(name, 30),
			      larger = ceiling_of(name, 90);
	assert_int_equal(DO(f, budget_reserve, &sets), ERR_OK);
	assert_int_equal(outside_int(f, limit), 50);
	assert_books(f, 0, 0, 0);
	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &b), ERR_INSUFFICIENT_QUOTA);
	assert_string_equal(b.job.err.path, "conversation");
	assert_int_equal(DO(f, budget_reserve, &smaller), ERR_OK);
	assert_int_equal(outside_int(f, limit), 30);
	assert_int_equal(DO(f, budget_reserve, &larger), ERR_OK);
	assert_int_equal(outside_int(f, limit), 30);
	assert_int_equal(reserved_of(f, name), 40);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM reservation"), 1);
}

/* wish_for: the key's budget, and the one that it has for a customer. */
static struct budget_reserve wish_for(int64_t nano, struct str customer, int64_t now_ms)
{
	struct budget_reserve w = wish(nano, 100);

	w.parts[1] = (struct budget_part){ .whose = BUDGET_EACH,
					   .limit_nano = 50,
					   .window_ms = 1000,
					   .until_ms = -1,
					   .tag = STR("customer"),
					   .value = customer };
	usage_each_name("key_aaaaaaaa", w.parts[1].tag, customer, w.parts[1].name);
	w.part_count = 2;
	w.now_ms = now_ms;
	snprintf(w.names, sizeof w.names, "key_aaaaaaaa %s", w.parts[1].name);
	return w;
}

/* many_are_refused: calls of new values at once, by their own budget or by the key's. */
static void many_are_refused(struct fixture *f, int64_t now_ms)
{
	enum { AT_ONCE = 40 };
	struct budget_reserve all[AT_ONCE];
	size_t                want = f->loop.done + AT_ONCE;

	for (size_t i = 0; i < AT_ONCE; i++) {
		char name[16];

		snprintf(name, sizeof name, "new%zu", i);
		all[i] = wish_for(i % 2 ? 51 : 20, str_of(name), now_ms);
		assert_true(SUBMIT(f, budget_reserve, &all[i]));
	}
	loop_until(&f->loop, want);
	for (size_t i = 0; i < AT_ONCE; i++)
		assert_int_equal(all[i].job.err.code, ERR_INSUFFICIENT_QUOTA);
}

static void each_value_has_a_budget_that_ends_with_its_window(void **state)
{
	struct fixture       *f = *state;
	int64_t               now_ms = clock_wall_ms();
	struct budget_reserve a = wish_for(40, STR("acme"), now_ms),
			      b = wish_for(20, STR("acme"), now_ms + 400),
			      c = wish_for(20, STR_NONE, now_ms),
			      d = wish_for(45, STR("acme"), now_ms + 1000),
			      e = wish_for(1, STR("new"), now_ms);

	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	assert_int_equal(reserved_of(f, a.parts[1].name), 40);
	assert_int_equal(DO(f, budget_reserve, &b), ERR_INSUFFICIENT_QUOTA);
	assert_string_equal(b.job.err.path, "tag.customer");
	assert_non_null(strstr(b.job.err.text, "this key's budget for customer=acme of"));
	assert_int_equal(b.job.err.retry_after_ms, 600);
	assert_int_equal(DO(f, budget_reserve, &c), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &d), ERR_INSUFFICIENT_QUOTA);
	assert_string_equal(d.job.err.path, "key");
	assert_int_equal(settle(f, a.run, 40), ERR_OK);
	assert_int_equal(settle(f, c.run, 1), ERR_OK);
	d = wish_for(45, STR("acme"), now_ms + 1000);
	assert_int_equal(DO(f, budget_reserve, &d), ERR_OK);
	assert_int_equal(settle(f, d.run, 45), ERR_OK);
	/* A value whose call is refused by another budget leaves nothing: callers may name any. */
	e.nano = 20;
	assert_int_equal(DO(f, budget_reserve, &e), ERR_INSUFFICIENT_QUOTA);
	many_are_refused(f, now_ms);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM budget WHERE key LIKE 'each:%'"), 2);
	assert_int_equal(outside_int(f, "SELECT max(until_ms - began_ms) FROM budget"), 1000);
}

static struct budget_reserve more_of(const struct budget_reserve *first, int64_t nano)
{
	struct budget_reserve m = *first;

	m.job = (struct store_job){ 0 };
	m.more = true;
	m.nano = nano;
	m.tokens = 2;
	m.tokens_in = 0;
	return m;
}

static void a_reservation_grows_as_far_as_the_budget_goes(void **state)
{
	struct fixture       *f = *state;
	struct budget_reserve a = wish(30, 100), b = wish(30, 100);

	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &b), ERR_OK);
	struct budget_reserve m = more_of(&a, 25);
	assert_int_equal(DO(f, budget_reserve, &m), ERR_OK);
	assert_books(f, 0, 85, 2);
	m = more_of(&b, 16);
	assert_int_equal(DO(f, budget_reserve, &m), ERR_INSUFFICIENT_QUOTA);
	assert_int_equal(m.left_nano, 15);
	assert_non_null(strstr(m.job.err.text, "ends here"));
	assert_books(f, 0, 85, 2);
	m = more_of(&b, 15);
	assert_int_equal(DO(f, budget_reserve, &m), ERR_OK);
	assert_books(f, 0, 100, 2);
	assert_int_equal(settle(f, a.run, 40), ERR_OK);
	assert_books(f, 40, 45, 1);
	m = more_of(&a, 1); /* that call is over */
	assert_int_equal(DO(f, budget_reserve, &m), ERR_INSUFFICIENT_QUOTA);
	assert_int_equal(settle(f, b.run, 45), ERR_OK);
	assert_books(f, 85, 0, 0);
}

static void a_call_may_want_room_for_others(void **state)
{
	struct fixture       *f = *state;
	struct budget_reserve a = wish(30, 100), b = wish(40, 100);

	a.spare_nano = 70;
	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	b.spare_nano = 40;
	assert_int_equal(DO(f, budget_reserve, &b), ERR_INSUFFICIENT_QUOTA);
	assert_int_equal(b.left_nano, 70);
	b.spare_nano = 30;
	b.parts[0].limit_tokens = 20;
	b.spare_tokens = 5;
	assert_int_equal(DO(f, budget_reserve, &b), ERR_INSUFFICIENT_QUOTA);
	assert_int_equal(b.left_tokens, 12);
	b.spare_tokens = 4;
	assert_int_equal(DO(f, budget_reserve, &b), ERR_OK);
	assert_books(f, 0, 70, 2);
	struct budget_reserve all = wish(1, 5);
	all.spare_nano = INT64_MAX; /* whatever a price makes of it */
	assert_int_equal(DO(f, budget_reserve, &all), ERR_INSUFFICIENT_QUOTA);
}

/* --- many at once --- */

struct asker {
	struct fixture       *f;
	struct budget_reserve wish;
	pthread_t             thread;
};

static void *call(void *arg)
{
	struct asker *c = arg;

	c->wish.job.loop = &c->f->loop;
	c->wish.job.done = count_done;
	return store_budget_reserve(c->f->store, &c->wish) ? c : NULL;
}

static void two_hundred_threads_never_pass_a_limit(void **state)
{
	struct fixture *f = *state;
	struct asker   *all = calloc(MANY, sizeof *all);
	size_t          good = 0;

	assert_non_null(all);
	for (size_t i = 0; i < MANY; i++) {
		all[i] = (struct asker){ .f = f, .wish = wish(7, 1000) };
		assert_int_equal(pthread_create(&all[i].thread, NULL, call, &all[i]), 0);
	}
	for (size_t i = 0; i < MANY; i++) {
		void *done;

		pthread_join(all[i].thread, &done);
		assert_ptr_equal(done, &all[i]);
	}
	loop_until(&f->loop, MANY);
	for (size_t i = 0; i < MANY; i++)
		good += all[i].wish.job.err.code == ERR_OK;
	assert_int_equal(good, 142);
	assert_books(f, 0, 994, 142);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(settle(f, all[i].wish.run, 3),
				 ERR_OK); /* refused ones have nothing */
	assert_books(f, 426, 0, 0);
	free(all);
}

/* Each call grows by 3 until it is refused, all at once, while others end. */
static void what_grows_at_once_never_passes_a_limit(void **state)
{
	enum { CALLS = 10, TIMES = 15 };
	struct fixture       *f = *state;
	struct budget_reserve first[CALLS];
	struct asker         *all = calloc((size_t)CALLS * TIMES, sizeof *all);
	size_t                good = 0;

	assert_non_null(all);
	for (size_t i = 0; i < CALLS; i++) {
		first[i] = wish(10, 500);
		assert_int_equal(DO(f, budget_reserve, &first[i]), ERR_OK);
	}
	size_t want = f->loop.done + (size_t)CALLS * TIMES;
	for (size_t i = 0; i < (size_t)CALLS * TIMES; i++) {
		all[i] = (struct asker){ .f = f, .wish = more_of(&first[i % CALLS], 3) };
		assert_int_equal(pthread_create(&all[i].thread, NULL, call, &all[i]), 0);
	}
	for (size_t i = 0; i < (size_t)CALLS * TIMES; i++)
		pthread_join(all[i].thread, NULL);
	loop_until(&f->loop, want);
	for (size_t i = 0; i < (size_t)CALLS * TIMES; i++)
		good += all[i].wish.job.err.code == ERR_OK;
	assert_int_equal(good, 133);
	assert_books(f, 0, 499, CALLS);
	for (size_t i = 0; i < CALLS; i++)
		assert_int_equal(settle(f, first[i].run, 1), ERR_OK);
	assert_books(f, CALLS, 0, 0);
	free(all);
}

static void what_a_dead_process_reserved_is_settled_at_the_start(void **state)
{
	struct fixture       *f = *state;
	struct store_message  m;
	struct turn_begin     t = first_turn(&m, "{\"role\":\"user\",\"content\":\"x\"}");
	struct budget_reserve a = wish(60, 100), b = wish(40, 100);

	t.bill = (struct turn_bill){ .key = a.key,
				     .model = a.model,
				     .in = 8,
				     .priced = true,
				     .price_in = 9000000,
				     .price_out = 1000000 };
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	a.run = t.run;
	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &b), ERR_OK);
	close_store(f); /* as a kill leaves it: nothing of these calls was settled */
	open_store(f);
	/* The stored one its estimate, of which nobody knows more a quarter. */
	assert_books(f, 18 + 10, 0, 0);
	assert_int_equal(outside_int(f, "SELECT sum(estimated) * 10 + sum(calls) FROM usage_day"),
			 22);
	assert_int_equal(outside_int(f, "SELECT cost_nano FROM run"), 18);
	assert_int_equal(outside_int(f, "SELECT usage_estimated * 100 + usage_in * 10 + usage_out "
					"FROM run"),
			 120);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM run WHERE bill_model IS NOT NULL"),
			 0);
}

/* Reserves and settles until it is killed. */
NORETURN static void spend_for_ever(struct fixture *f, int told)
{
	enum { AT_ONCE = 40 };
	static struct budget_reserve all[AT_ONCE];

	open_store(f);
	for (;;) {
		size_t want = f->loop.done + AT_ONCE;

		for (size_t i = 0; i < AT_ONCE; i++) {
			all[i] = wish(7, 1000);
			if (!SUBMIT(f, budget_reserve, &all[i]))
				_exit(1);
		}
		loop_until(&f->loop, want);
		for (size_t i = 0; i < AT_ONCE / 2; i++)
			if (all[i].job.err.code == ERR_OK)
				settle(f, all[i].run, 1);
		if (write(told, "x", 1) != 1)
			_exit(1);
	}
}

static void a_kill_leaves_no_reservation_and_no_limit_passed(void **state)
{
	struct fixture *f = *state;

	for (int round = 0; round < 4; round++) {
		int  pipes[2];
		char x;

		assert_int_equal(pipe(pipes), 0);
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			spend_for_ever(f, pipes[1]);
		close(pipes[1]);
		for (int i = 0; i <= round; i++)
			assert_int_equal(read(pipes[0], &x, 1), 1);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		outside_killed(f);
		close(pipes[0]);
		assert_true(outside_int(f, "SELECT spent_nano + reserved_nano FROM budget") <=
			    1000);
		assert_true(outside_int(f, "SELECT count(*) FROM reservation") > 0);
		open_store(f);
		int64_t spent = outside_int(f, "SELECT spent_nano FROM budget");
		assert_true(spent > 0 && spent <= 1000);
		assert_books(f, spent, 0, 0);
		close_store(f);
	}
}

/* --- ends --- */

static void a_turn_s_end_settles_even_without_its_conversation(void **state)
{
	struct fixture       *f = *state;
	struct store_message  m[2];
	struct turn_begin     t = first_turn(&m[0], "{\"role\":\"user\",\"content\":\"x\"}");
	struct turn_begin     u = first_turn(&m[1], "{\"role\":\"user\",\"content\":\"y\"}");
	struct budget_reserve a = wish(60, 200), b = wish(60, 200);

	a.run = t.run;
	b.run = u.run;
	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &b), ERR_OK);
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	struct usage_note paid = note_of(t.run, 9);
	struct turn_end   end =
		end_of(t.run, RUN_COMPLETED, "{\"role\":\"assistant\",\"content\":\"z\"}");
	end.note = &paid;
	end.costs = true;
	end.cost_nano = 9;
	assert_int_equal(DO(f, turn_end, &end), ERR_OK);
	assert_books(f, 9, 60, 1);

	struct run_read r = { .run = t.run };
	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, run_read, &r), ERR_OK);
	assert_true(r.costs);
	assert_int_equal(r.cost_nano, 9);
	arena_finish(&r.arena);

	struct usage_note gone = note_of(u.run, 5); /* that turn was never begun, or was deleted */
	end = end_of(u.run, RUN_COMPLETED, NULL);
	end.note = &gone;
	assert_int_equal(DO(f, turn_end, &end), ERR_NOT_FOUND);
	assert_books(f, 14, 0, 0);
}

static void what_could_not_be_settled_is_settled_later(void **state)
{
	struct fixture       *f = *state;
	struct budget_reserve a = wish(60, 100);
	void                 *other;

	close_store(f);
	f->options.busy_ms = 50;
	open_store(f);
	assert_int_equal(DO(f, budget_reserve, &a), ERR_OK);
	other = outside_hold(f);
	assert_int_equal(settle(f, a.run, 11), ERR_STORAGE);
	assert_books(f, 0, 60, 1);
	outside_release(other);
	for (int i = 0; i < 600 && outside_int(f, "SELECT count(*) FROM reservation") > 0; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	assert_books(f, 11, 0, 0);
}

static void what_was_left_behind_is_swept(void **state)
{
	struct fixture       *f = *state;
	struct budget_reserve old = wish(60, 200), young = wish(40, 200), runs = wish(20, 200);
	struct usage_note     n = note_of(id_new(), 1);
	struct store_message  m;
	struct turn_begin     t = first_turn(&m, "{\"role\":\"user\",\"content\":\"x\"}");

	old.now_ms -= 25 * 60 * 60 * 1000;
	/* It is older, and goes on; it has begun by now, for a sweep may come at any time. */
	runs.run = t.run;
	runs.now_ms = old.now_ms - 1;
	assert_int_equal(DO(f, turn_begin, &t), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &runs), ERR_OK);
	young.now_ms = old.now_ms + 2 * 60 * 60 * 1000;
	assert_int_equal(DO(f, budget_reserve, &old), ERR_OK);
	assert_int_equal(DO(f, budget_reserve, &young), ERR_OK);
	store_usage_add(f->store, &n); /* the books are done soon */
	for (int i = 0; i < 600 && outside_int(f, "SELECT count(*) FROM reservation") > 2; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	assert_books(f, 15, 60, 2);
	assert_int_equal(settle(f, runs.run, 0), ERR_OK);
	assert_int_equal(settle(f, old.run, 50), ERR_OK); /* too late */
	assert_int_equal(settle(f, young.run, 7), ERR_OK);
	assert_books(f, 22, 0, 0);
}

/* --- usage --- */

static void use(struct fixture *f, const char *key, const char *model, int64_t day, int64_t nano)
{
	struct usage_note n = note_of(id_new(), nano);

	n.at_ms = day * 24 * 60 * 60 * 1000 + 5;
	str_copy(n.key, sizeof n.key, str_of(key));
	str_copy(n.model, sizeof n.model, str_of(model));
	store_usage_add(f->store, &n);
}

static void usage_is_summed_by_what_is_asked_for(void **state)
{
	struct fixture *f = *state;

	use(f, "key_a", "m1", 100, 5);
	use(f, "key_a", "m1", 100, 6);
	use(f, "key_a", "m2", 101, 7);
	use(f, "key_b", "m1", 101, 8);
	close_store(f); /* writes it */
	open_store(f);

	struct usage_read r = {
		.from_day = 100, .to_day = 101, .group = USAGE_BY_KEY, .limit = 10
	};
	arena_init(&r.arena, MIB);
	assert_int_equal(DO(f, usage_read, &r), ERR_OK);
	assert_int_equal(r.row_count, 2);
	assert_str(r.rows[0].key, "key_a");
	assert_int_equal(r.rows[0].nano, 18);
	assert_int_equal(r.rows[0].calls, 3);
	assert_int_equal(r.rows[0].tokens_in, 6);
	assert_int_equal(r.rows[1].nano, 8);

	r.group = USAGE_BY_DAY | USAGE_BY_MODEL;
	r.key = STR("key_a");
	r.limit = 1;
	assert_int_equal(DO(f, usage_read, &r), ERR_OK);
	assert_int_equal(r.row_count, 1);
	assert_true(r.has_more);
	assert_int_equal(r.rows[0].day, 100);
	assert_int_equal(r.rows[0].nano, 11);
	r.skip = 1;
	assert_int_equal(DO(f, usage_read, &r), ERR_OK);
	assert_int_equal(r.row_count, 1);
	assert_false(r.has_more);
	assert_str(r.rows[0].model, "m2");
	assert_int_equal(r.budget.began_ms, 0);

	r.group = 0;
	r.skip = 0;
	r.from_day = 101;
	r.key = (struct str){ 0 };
	assert_int_equal(DO(f, usage_read, &r), ERR_OK);
	assert_int_equal(r.row_count, 1);
	assert_int_equal(r.rows[0].nano, 15);
	r.from_day = 102;
	r.to_day = 200;
	assert_int_equal(DO(f, usage_read, &r), ERR_OK);
	assert_int_equal(r.row_count, 0);
	arena_finish(&r.arena);
}

static void usage_is_written_while_the_store_is_idle(void **state)
{
	struct fixture *f = *state;

	use(f, "", "m1", 100, 5);
	for (int i = 0; i < 600 && outside_int(f, "SELECT count(*) FROM usage_day") == 0; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	assert_int_equal(outside_int(f, "SELECT nano FROM usage_day"), 5);
}

static void the_table_in_memory_is_bounded(void **state)
{
	struct fixture *f = *state;
	char            key[24];

	for (int i = 0; i < LIMIT_USAGE_ROWS + 50; i++) {
		snprintf(key, sizeof key, "key_%d", i);
		use(f, key, "m1", 100, 1);
	}
	close_store(f);
	assert_int_equal(outside_int(f, "SELECT sum(nano) FROM usage_day"), LIMIT_USAGE_ROWS + 50);
	assert_true(outside_int(f, "SELECT count(*) FROM usage_day") <= 2 * LIMIT_USAGE_ROWS + 2);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up_open, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_was_reserved_becomes_what_was_used),
		TEST(tokens_have_a_limit_of_their_own),
		TEST(a_window_ends_with_the_first_call_behind_it),
		TEST(a_reservation_grows_as_far_as_the_budget_goes),
		TEST(a_call_may_want_room_for_others),
		TEST(budgets_stand_together),
		TEST(a_ceiling_is_set_without_a_reservation),
		TEST(each_value_has_a_budget_that_ends_with_its_window),
		TEST(two_hundred_threads_never_pass_a_limit),
		TEST(what_grows_at_once_never_passes_a_limit),
		TEST(what_a_dead_process_reserved_is_settled_at_the_start),
		cmocka_unit_test_setup_teardown(a_kill_leaves_no_reservation_and_no_limit_passed,
						set_up, tear_down),
		TEST(a_turn_s_end_settles_even_without_its_conversation),
		TEST(what_could_not_be_settled_is_settled_later),
		TEST(what_was_left_behind_is_swept),
		TEST(usage_is_summed_by_what_is_asked_for),
		TEST(usage_is_written_while_the_store_is_idle),
		TEST(the_table_in_memory_is_bounded),
	};
#undef TEST
	return cmocka_run_group_tests(tests, NULL, NULL);
}
