/* The list of what a run has executed. */
#include "run/computer.h"

#include <stdlib.h>
#include <string.h>

struct run_execution *executions_newest(struct run_computer *c)
{
	return &c->executions[c->execution_count - 1];
}

bool executions_add(struct run_computer *c)
{
	struct run_execution *list =
		realloc(c->executions, (c->execution_count + 1) * sizeof *list);

	if (!list)
		return false;
	c->executions = list;
	struct run_execution *x = &list[c->execution_count++];
	*x = (struct run_execution){ 0 };
	id_text(id_new(), ID_EXECUTION, x->id);
	str_copy(x->language, sizeof x->language, str_of(c->chosen));
	str_copy(x->outcome, sizeof x->outcome, STR(EXECUTION_UNKNOWN));
	return true;
}

/* executions_list: borrowed until the next list. */
static struct str executions_list(struct run *r)
{
	struct run_computer *c = r->computer;
	struct buf          *out = &c->list;
	bool                 ok = true;

	buf_clear(out);
	if (c->execution_count == 0)
		return STR_NONE;
	for (size_t i = 0; ok && i < c->execution_count; i++) {
		const struct run_execution *x = &c->executions[i];

		ok = buf_fmt(out,
			     "%s{\"id\":\"%s\",\"language\":\"%s\",\"outcome\":\"%s\",\"ms\":%lld,"
			     "\"bytes\":%lld}",
			     i == 0 ? "[" : ",", x->id, x->language, x->outcome, (long long)x->ms,
			     (long long)x->bytes);
	}
	return ok && buf_text(out, "]") ? buf_view(out) : STR_NONE;
}

void executions_save(struct run *r, struct run_end *x)
{
	if (r->computer)
		x->turn.executions = executions_list(r);
}

struct str executions_copy(struct run *r, char **ret)
{
	struct str list = executions_list(r);

	*ret = list.n > 0 ? malloc(list.n) : NULL;
	if (!*ret)
		return STR_NONE;
	memcpy(*ret, list.p, list.n);
	return (struct str){ *ret, list.n };
}
