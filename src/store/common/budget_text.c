/* The refusal of a call whose budgets do not suffice. */
#include "store/common/budget_text.h"

#include "base/money.h"

#include <stdio.h>

enum { VALUE_SHOWN = 64, BUDGET_WHOSE = 192 };

static int64_t budget_text_limit(int64_t v)
{
	return v > 0 ? v : INT64_MAX;
}

struct budget_now budget_text_now(const struct budget_reserve *j, const struct budget_part *p,
				  const struct budget_left *left)
{
	bool gone = left->until_ms > 0 && left->until_ms <= j->now_ms;
	bool over = !left->found || gone ||
		    (p->window_ms > 0 && j->now_ms - left->began_ms >= p->window_ms);
	struct budget_now now = {
		.over = over,
		.limit = { budget_text_limit(p->limit_nano), budget_text_limit(p->limit_tokens) },
		.spent = { over ? 0 : left->spent[0], over ? 0 : left->spent[1] },
		.reserved = { left->reserved[0], left->reserved[1] },
	};

	if (p->kept && !gone && left->limit_nano > 0 && left->limit_nano < now.limit[0])
		now.limit[0] = left->limit_nano;
	return now;
}

static int64_t budget_text_left(const struct budget_now *now, int i)
{
	int64_t v = now->limit[i] - now->spent[i];

	if (now->limit[i] == INT64_MAX)
		return INT64_MAX;
	return v > now->reserved[i] ? v - now->reserved[i] : 0;
}

int64_t budget_text_until(const struct budget_part *p, int64_t began_ms, int64_t was_ms)
{
	if (p->until_ms < 0)
		return began_ms + p->window_ms;
	return p->until_ms > 0 ? p->until_ms : was_ms;
}

bool budget_text_fits(const struct budget_reserve *j, const struct budget_now *now)
{
	return j->nano <= budget_text_left(now, 0) - j->spare_nano &&
	       j->tokens <= budget_text_left(now, 1) - j->spare_tokens;
}

/* budget_text_whose: a tag's value is shown as far as it leaves room. */
static const char *budget_text_whose(const struct budget_part *p, char ret[BUDGET_WHOSE])
{
	static const char *const names[] = {
		[BUDGET_KEY] = "this key's budget",
		[BUDGET_GROUP] = "the budget of this key's group",
		[BUDGET_EACH] = "this key's budget for",
		[BUDGET_GROUP_EACH] = "the budget of this key's group for",
		[BUDGET_CONVERSATION] = "this conversation's ceiling",
		[BUDGET_SESSION] = "this session's ceiling",
	};
	struct str value = { p->value.p, p->value.n < VALUE_SHOWN ? p->value.n : VALUE_SHOWN };

	if (p->tag.n == 0)
		return names[p->whose];
	while (value.n < p->value.n && (value.p[value.n] & 0xc0) == 0x80)
		value.n--; /* no part of a character */
	snprintf(ret, BUDGET_WHOSE, "%s %s%.*s%s%.*s", names[p->whose],
		 value.n ? "" : "calls without ", STR_ARG(p->tag), value.n ? "=" : "",
		 STR_ARG(value));
	return ret;
}

/* budget_text_param: `param` of the refusal. */
static const char *budget_text_param(const struct budget_part *p, char ret[BUDGET_WHOSE])
{
	static const char *const names[] = {
		[BUDGET_KEY] = "key",
		[BUDGET_GROUP] = "group",
		[BUDGET_EACH] = "tag.",
		[BUDGET_GROUP_EACH] = "tag.",
		[BUDGET_CONVERSATION] = "conversation",
		[BUDGET_SESSION] = "session",
	};

	snprintf(ret, BUDGET_WHOSE, "%s%.*s", names[p->whose], STR_ARG(p->tag));
	return ret;
}

/* budget_text_call: what the call is refused for. */
static void budget_text_call(const struct budget_reserve *j, const struct budget_part *p,
			     const struct budget_now *now, const char *end, struct err *e)
{
	char        text[BUDGET_WHOSE], param[BUDGET_WHOSE];
	const char *whose = budget_text_whose(p, text);
	int64_t     left = budget_text_left(now, 0);
	char        most[MONEY_TEXT], rest[MONEY_TEXT], all[MONEY_TEXT];

	if (now->limit[0] < INT64_MAX && j->nano > left)
		err_set(e, ERR_INSUFFICIENT_QUOTA, budget_text_param(p, param),
			"this call may cost up to %s, and %s is left of %s of %s%s",
			money_print(j->nano, most), money_print(left, rest), whose,
			money_print(now->limit[0], all), end);
	else
		err_set(e, ERR_INSUFFICIENT_QUOTA, budget_text_param(p, param),
			"this call may take up to %lld tokens, and %lld are left of %s of %lld tokens%s",
			(long long)j->tokens, (long long)budget_text_left(now, 1), whose,
			(long long)now->limit[1], end);
}

/* budget_text_answer: what an answer that goes on is ended for. */
static void budget_text_answer(const struct budget_reserve *j, const struct budget_part *p,
			       const struct budget_now *now, const char *end, struct err *e)
{
	char        text[BUDGET_WHOSE], param[BUDGET_WHOSE];
	const char *whose = budget_text_whose(p, text);
	char        all[MONEY_TEXT];

	if (now->limit[0] < INT64_MAX && j->nano > budget_text_left(now, 0))
		err_set(e, ERR_INSUFFICIENT_QUOTA, budget_text_param(p, param),
			"the answer ends here: %s of %s is used up%s", whose,
			money_print(now->limit[0], all), end);
	else
		err_set(e, ERR_INSUFFICIENT_QUOTA, budget_text_param(p, param),
			"the answer ends here: %s of %lld tokens is used up%s", whose,
			(long long)now->limit[1], end);
}

/* budget_text_wait: how long until the budget is renewed with room for the call; 0: it never is. */
static int64_t budget_text_wait(const struct budget_reserve *j, const struct budget_part *p,
				const struct budget_left *left, const struct budget_now *now)
{
	int64_t gone = j->now_ms - left->began_ms;

	/* A call above the whole budget does not fit into the next window either; what ends an answer is not the whole
	 * call. */
	if (now->over || p->window_ms == 0 ||
	    (!j->more && (j->nano > now->limit[0] || j->tokens > now->limit[1])))
		return 0;
	return p->window_ms - (gone > 0 ? gone : 0);
}

void budget_text_refuse(struct budget_reserve *j, const struct budget_left *left, struct err *e)
{
	char    end[80] = "";
	int64_t wait_ms = 0;
	size_t  why = j->part_count;

	j->left_nano = j->left_tokens = INT64_MAX;
	for (size_t i = 0; i < j->part_count; i++) {
		struct budget_now now = budget_text_now(j, &j->parts[i], &left[i]);
		int64_t nano = budget_text_left(&now, 0), tokens = budget_text_left(&now, 1);

		j->left_nano = nano < j->left_nano ? nano : j->left_nano;
		j->left_tokens = tokens < j->left_tokens ? tokens : j->left_tokens;
		if (why == j->part_count && !budget_text_fits(j, &now))
			why = i;
	}
	/* The state has changed since, or a budget is exhausted that only the reservation names. */
	if (why == j->part_count) {
		err_set(e, ERR_INSUFFICIENT_QUOTA, "", "a budget of this call is used up");
		return;
	}
	const struct budget_part *p = &j->parts[why];
	struct budget_now         now = budget_text_now(j, p, &left[why]);
	wait_ms = budget_text_wait(j, p, &left[why], &now);
	if (wait_ms > 0)
		snprintf(end, sizeof end, "; the budget is renewed in %lld s",
			 (long long)((wait_ms + 999) / 1000));
	if (j->more)
		budget_text_answer(j, p, &now, end, e);
	else
		budget_text_call(j, p, &now, end, e);
	e->retry_after_ms = wait_ms;
}
