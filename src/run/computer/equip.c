/* Equips a run with the computer: the runner says which languages it has, and the model is told of the
 * function. */
#include "base/limits.h"
#include "base/metric.h"
#include "computer/link.h"
#include "json/member.h"
#include "json/scan.h"
#include "run/computer.h"
#include "store/conversation.h"

#include <stdio.h>

enum { LOOK_US = 10 * 1000 * 1000 };

/* equip_put_names: all that the runner has; a list that has no room is cut. */
static void equip_put_names(const struct run_computer *c, struct buf *out)
{
	struct str rest = languages_all(&c->languages);
	struct str one;
	bool       ok = true;

	while (ok && languages_next(&rest, &one))
		ok = buf_text(out, out->len > 0 ? ", " : "") && buf_str(out, one);
}

static enum errc check_languages(const struct run_computer *c, struct err *e)
{
	const struct call_computing *q = c->run->rq->manner.computing;
	char                         name[LANGUAGES_NAME];
	char                         path[64];
	struct buf                   list;

	for (size_t i = 0; i < q->language_count; i++) {
		if (languages_know(&c->languages, q->languages[i], name))
			continue;
		snprintf(path, sizeof path, "config.computer.languages[%zu]", i);
		buf_init(&list, KIB);
		equip_put_names(c, &list);
		err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
			"the computer has no such language; there are: %.*s",
			STR_ARG(buf_view(&list)));
		buf_finish(&list);
		return e->code;
	}
	return ERR_OK;
}

static bool equip_put_function(const struct run_computer *c, struct buf *out)
{
	bool files = run_files(c->run) != CONTEXT_PROMPT;

	return buf_text(out,
			"{\"type\":\"function\",\"function\":{\"name\":\"execute\","
			"\"description\":\"Executes code on the user's computer, a sandbox, and "
			"returns what it prints. Variables and files stay.") &&
	       buf_text(out, files ? " The user's files are in " CONTEXT_FOLDER "." : "") &&
	       buf_text(out,
			"\",\"parameters\":{"
			"\"type\":\"object\",\"properties\":{\"language\":{\"type\":\"string\","
			"\"enum\":[") &&
	       computer_put_languages(c, "\"", out) &&
	       buf_text(out, "]},\"code\":{\"type\":\"string\"}},"
			     "\"required\":[\"language\",\"code\"]}}}");
}

/* put_tools: the member `tools` with one more definition; client: the member as it came, or empty. */
static bool put_tools(const struct run_computer *c, struct str client, struct buf *out)
{
	struct str list = client.n > 0 ? str_trim(json_member_value(client)) : STR_NONE;

	if (list.n > 1)
		list = str_trim((struct str){ list.p + 1, list.n - 2 });
	return buf_text(out, "\"tools\":[") && buf_str(out, list) &&
	       buf_text(out, list.n > 0 ? "," : "") && equip_put_function(c, out) &&
	       buf_text(out, "]");
}

/* add_function: with tools, the model is told of the function. */
static enum errc add_function(struct run_computer *c, struct err *e)
{
	struct prompt *p = &c->run->rq->what.prompt;
	struct arena  *a = &c->run->rq->input->arena;
	struct str    *list = arena_alloc(a, (p->member_count + 1) * sizeof *list);
	size_t         n = 0;
	struct str     client = STR_NONE;
	struct buf     out;

	if (!list)
		return err_no_memory(e);
	for (size_t i = 0; i < p->member_count; i++)
		if (json_member_is(p->members[i], STR("tools")))
			client = p->members[i];
		else
			list[n++] = p->members[i];
	buf_init(&out, LIMIT_BODY_MAX);
	if (put_tools(c, client, &out))
		list[n] = arena_str(a, buf_view(&out));
	buf_finish(&out);
	if (!list[n].p)
		return err_no_memory(e);
	p->members = list;
	p->member_count = n + 1;
	return ERR_OK;
}

/* find_earlier: whether the conversation has output of the computer already. */
static bool find_earlier(const struct run *r)
{
	const struct branch_read *b = run_branch(r);
	struct str                output = STR("\"role\":\"computer\",\"type\":\"console\"");

	for (size_t i = 0; b && i < b->message_count; i++)
		if (memmem(b->messages[i].body.p, b->messages[i].body.n, output.p, output.n))
			return true;
	return false;
}

static enum errc equip_ready(struct run *r, struct err *e)
{
	struct run_computer         *c = r->computer;
	const struct call_computing *q = r->rq->manner.computing;
	enum errc                    rc = check_languages(c, e);

	c->earlier = find_earlier(r);
	if (rc == ERR_OK && q->waiting)
		rc = waiting_find(r, e);
	if (rc == ERR_OK && (q->approve || q->refuse) && c->code_next == c->code_count)
		rc = err_set(e, ERR_NOT_CONTINUABLE, "",
			     "no code of this run waits for an approval");
	if (rc == ERR_OK && !r->rq->manner.fence)
		rc = add_function(c, e);
	c->equipped = rc == ERR_OK;
	return rc;
}

static void equip_over(struct run_computer *c, struct err *e)
{
	timer_stop(run_loop(c->run), &c->look);
	link_close(TAKE(c->link));
	if (e->code == ERR_OK)
		e->code = equip_ready(c->run, e);
	step_over(c->run, e);
}

static void equip_no_answer(struct run_computer *c)
{
	struct err e;

	err_set(&e, ERR_COMPUTER, "", "the computer does not answer");
	equip_over(c, &e);
}

static void equip_on_look(struct timer *t)
{
	equip_no_answer(container_of(t, struct run_computer, look));
}

static void equip_on_lost(void *arg)
{
	struct run_computer *c = arg;

	c->link = NULL;
	equip_no_answer(c);
}

static void equip_on_frame(void *arg, const struct frame *f)
{
	struct run_computer *c = arg;
	struct json_doc      d = { 0 };
	struct err           e = { .code = ERR_OK };
	int64_t              sessions;

	if (f->kind != FRAME_PING ||
	    json_scan(&d, f->body.p, f->body.n, &json_limits_request, &e) != ERR_OK ||
	    !languages_read(&c->languages, &d))
		err_set(&e, ERR_COMPUTER, "", "the computer's answer can't be read");
	else if (json_int(&d, json_get(&d, 0, "sessions"), &sessions))
		metric_set(METRIC_COMPUTER_SESSIONS, sessions);
	json_doc_finish(&d);
	equip_over(c, &e);
}

enum step_next equip_start(struct run *r, struct err *e)
{
	static const struct link_ear ear = { equip_on_frame, equip_on_lost };
	struct run_computer         *c = r->computer;
	struct buf                   out;

	if (c->equipped)
		return STEP_MORE;
	buf_init(&out, KIB);
	enum errc rc =
		frame_put(&out, FRAME_PING, STR_NONE)
			? link_open(run_loop(r), r->engine->o.computer, &out, &ear, c, &c->link, e)
			: err_no_memory(e);
	buf_finish(&out);
	if (rc != ERR_OK)
		return STEP_FAILED;
	c->look.fn = equip_on_look;
	timer_start(run_loop(r), &c->look, LOOK_US);
	return STEP_PARKED;
}
