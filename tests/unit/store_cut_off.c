/* Which runs may be taken up that were left without an end, by their logs and their rows. */
#include "store/cut_off.h"

#include "base/buf.h"
#include "msg/event_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct cut_off_bill bill = { .known = true, .in = 40, .asked = true };

/* A log with a plan, and the events of these kinds after it. */
static struct salvage_told told_of(struct buf *log, bool plan, const enum event_kind *kinds,
				   size_t n)
{
	struct event        asked = { .kind = EVENT_ASKED, .name = plan ? STR("{}") : STR_NONE };
	struct events_piece piece = { .first = 1, .last = n + 1 };

	buf_init(log, 1 << 16);
	assert_true(event_encode(&asked, 1, log));
	for (size_t i = 0; i < n; i++)
		assert_true(event_encode(&(struct event){ .kind = kinds[i], .text = STR("abcd") },
					 i + 2, log));
	piece.data = buf_view(log);
	return cut_off_look(&piece, 1);
}

static void check(bool plan, const enum event_kind *kinds, size_t n, struct cut_off_bill b,
		  bool want, bool begun)
{
	struct buf          log;
	struct salvage_told told = told_of(&log, plan, kinds, n);

	assert_int_equal(cut_off_goes_on(&b, &told), want);
	assert_int_equal(told.begun, begun);
	buf_finish(&log);
}

static void its_log_and_its_row_decide(void **state)
{
	const enum event_kind text[] = { EVENT_START, EVENT_TEXT };
	const enum event_kind again[] = { EVENT_TEXT, EVENT_RESUMED, EVENT_TEXT };
	const enum event_kind steps[] = { EVENT_TEXT, EVENT_STEP };
	struct cut_off_bill   taken = bill, old = bill;

	(void)state;
	taken.taken = true;
	old.known = false;
	check(true, NULL, 0, bill, true, false);
	check(true, text, 2, bill, true, true);
	check(false, text, 2, bill, false, true);
	check(true, again, 3, bill, false, true);
	check(true, steps, 2, bill, false, true);
	check(true, text, 2, taken, false, true);
	check(true, text, 2, old, false, true);
	struct salvage_told none = cut_off_look(NULL, 0);
	assert_false(cut_off_goes_on(&bill, &none));
}

static void a_plan_is_the_first_event_alone(void **state)
{
	struct buf          log;
	struct events_piece piece = { .first = 2, .last = 2 };

	(void)state;
	buf_init(&log, 1 << 16);
	assert_true(
		event_encode(&(struct event){ .kind = EVENT_ASKED, .name = STR("{}") }, 2, &log));
	piece.data = buf_view(&log);
	assert_int_equal(cut_off_look(&piece, 1).plan.n, 0);
	buf_finish(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_log_and_its_row_decide),
		cmocka_unit_test(a_plan_is_the_first_event_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
