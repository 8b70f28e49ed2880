/* The refusal of a call whose budget does not suffice. */
#include "store/common/budget_text.h"

#include "base/money.h"

#include <stdio.h>

static int64_t budget_text_left(int64_t limit, int64_t spent, int64_t reserved)
{
	int64_t v = limit - spent;

	return v > reserved ? v - reserved : 0;
}

static void budget_text_say(const struct budget_reserve *j, int64_t spent[2],
			    const int64_t reserved[2], int64_t wait_ms, struct err *e)
{
	char money[MONEY_TEXT], most[MONEY_TEXT], all[MONEY_TEXT];
	char end[80] = "";

	if (wait_ms > 0)
		snprintf(end, sizeof end, "; the budget is renewed in %lld s",
			 (long long)((wait_ms + 999) / 1000));
	if (j->limit_nano > 0 && j->nano > budget_text_left(j->limit_nano, spent[0], reserved[0]))
		err_set(e, ERR_INSUFFICIENT_QUOTA, "",
			"this call may cost up to %s, and %s is left of this key's budget of %s%s",
			money_print(j->nano, most),
			money_print(budget_text_left(j->limit_nano, spent[0], reserved[0]), money),
			money_print(j->limit_nano, all), end);
	else
		err_set(e, ERR_INSUFFICIENT_QUOTA, "",
			"this call may take up to %lld tokens, and %lld are left of this key's budget "
			"of %lld tokens%s",
			(long long)j->tokens,
			(long long)budget_text_left(j->limit_tokens, spent[1], reserved[1]),
			(long long)j->limit_tokens, end);
	e->retry_after_ms = wait_ms;
}

void budget_text_refuse(const struct budget_reserve *j, const struct budget_left *left,
			struct err *e)
{
	int64_t gone = j->now_ms - left->began_ms;
	bool    over = left->found && j->window_ms > 0 && gone >= j->window_ms;
	int64_t spent[2] = { over ? 0 : left->spent[0], over ? 0 : left->spent[1] };
	int64_t wait_ms = 0;

	if (left->found && j->window_ms > 0 && !over)
		wait_ms = j->window_ms - (gone > 0 ? gone : 0);
	/* A call above the whole budget does not fit into the next window either. */
	if ((j->limit_nano > 0 && j->nano > j->limit_nano) ||
	    (j->limit_tokens > 0 && j->tokens > j->limit_tokens))
		wait_ms = 0;
	budget_text_say(j, spent, left->reserved, wait_ms, e);
}
