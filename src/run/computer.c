/* What becomes of the assistant's code, and when the model is asked again.
 *
 *   settle: the first code that waits
 *     html              shown to the user; the next one
 *     refused           its output says so; the next one
 *     needs an approval EVENT_FINISH, `confirmation`: the run ends
 *     no steps are left EVENT_FINISH, `max_steps`: the run ends
 *     unknown language  its output says which there are; the next one
 *     else              RECORDING, EXECUTING, and settle again
 *   none waits: the model is asked again */
#include "run/computer.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/metric.h"
#include "computer/link.h"
#include "json/member.h"
#include "json/scan.h"
#include "lmc/text.h"
#include "store/conversation.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { LOOK_US = 10 * 1000 * 1000, NAMES_MAX = 4 * KIB };

/* --- birth and death --- */

static void computer_on_total(struct timer *t)
{
	struct run_computer *c = container_of(t, struct run_computer, total);
	struct err           e;

	err_set(&e, ERR_TOTAL_TIMEOUT, "",
		"the run has executed code for %d minutes, the most there are",
		LIMIT_COMPUTER_SECONDS / 60);
	run_finish(c->run, &e);
}

struct run_computer *computer_create(struct run *r)
{
	struct run_computer *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->run = r;
	c->approved = r->rq.computing->approve;
	c->refused = r->rq.computing->refuse;
	c->total.fn = computer_on_total;
	warnings_init(&c->later);
	buf_init(&c->head, LIMIT_SSE_EVENT);
	buf_init(&c->chunk, LIMIT_ANSWER);
	buf_init(&c->decoded, LIMIT_ANSWER);
	buf_init(&c->languages, NAMES_MAX);
	buf_init(&c->aliases, NAMES_MAX);
	buf_init(&c->out, LIMIT_SSE_EVENT);
	buf_init(&c->picture, LIMIT_RUNNER_IMAGE);
	buf_init(&c->list, MIB);
	return c;
}

void computer_drop(struct run *r)
{
	struct run_computer *c = r->computer;

	timer_stop(run_loop(r), &c->look);
	timer_stop(run_loop(r), &c->total);
	link_close(TAKE(c->link));
	if (!run_stored(r) && c->execution_count > 0)
		execute_forget(r);
}

static void forget_codes(struct run_computer *c)
{
	for (size_t i = 0; i < c->code_count; i++) {
		buf_finish(&c->codes[i].language);
		buf_finish(&c->codes[i].text);
	}
	c->code_count = c->code_next = 0;
}

void computer_destroy(struct run_computer *c)
{
	if (!c)
		return;
	forget_codes(c);
	free(c->codes);
	free(c->executions);
	link_close(c->link);
	speech_destroy(c->speech);
	warnings_finish(&c->later);
	buf_finish(&c->head);
	buf_finish(&c->chunk);
	buf_finish(&c->decoded);
	buf_finish(&c->languages);
	buf_finish(&c->aliases);
	buf_finish(&c->out);
	buf_finish(&c->picture);
	buf_finish(&c->list);
	free(c);
}

bool computer_code(struct run_computer *c, struct str language, struct str text, bool foreign)
{
	struct run_code *codes = realloc(c->codes, (c->code_count + 1) * sizeof *codes);

	if (!codes)
		return false;
	c->codes = codes;
	struct run_code *code = &codes[c->code_count++];
	*code = (struct run_code){ .foreign = foreign };
	buf_init(&code->language, LIMIT_ANSWER);
	buf_init(&code->text, LIMIT_ANSWER);
	return buf_str(&code->language, language) && buf_str(&code->text, text);
}

/* --- languages --- */

/* find_name: whether ",name=" or ",name," is in a list, whatever the case; *ret: behind it. */
static bool find_name(const struct buf *list, struct str name, char end, struct str *ret)
{
	struct str s = buf_view(list);

	for (size_t i = 0; name.n > 0 && i + name.n + 1 < s.n; i++)
		if (s.p[i] == ',' && s.p[i + 1 + name.n] == end &&
		    strncasecmp(s.p + i + 1, name.p, name.n) == 0) {
			*ret = (struct str){ s.p + i + 2 + name.n, s.n - i - 2 - name.n };
			return true;
		}
	return false;
}

/* known: the runner's name of a language; false: it does not have it. */
static bool known(const struct run_computer *c, struct str language, char ret[EXECUTION_LANGUAGE])
{
	struct str behind;

	language = str_trim(language);
	if (language.n >= EXECUTION_LANGUAGE || memchr(language.p, ',', language.n))
		return false;
	if (find_name(&c->aliases, language, '=', &behind)) {
		const char *end = memchr(behind.p, ',', behind.n);

		if (end)
			language = (struct str){ behind.p, (size_t)(end - behind.p) };
	}
	if (language.n >= EXECUTION_LANGUAGE || !find_name(&c->languages, language, ',', &behind))
		return false;
	str_copy(ret, EXECUTION_LANGUAGE, (struct str){ behind.p - language.n - 1, language.n });
	return true;
}

bool computer_allows(const struct run_computer *c, struct str language,
		     char ret[EXECUTION_LANGUAGE])
{
	const struct run_computing *q = c->run->rq.computing;
	char                        name[EXECUTION_LANGUAGE];

	if (!known(c, language, ret))
		return false;
	for (size_t i = 0; i < q->language_count; i++)
		if (known(c, q->languages[i], name) && strcmp(name, ret) == 0)
			return true;
	return q->language_count == 0;
}

/* computer_put_names: the languages that may be executed, each between `quote`s. */
static bool computer_put_names(const struct run_computer *c, const char *quote, struct buf *out)
{
	struct str  rest = buf_view(&c->languages);
	const char *between = "";
	char        name[EXECUTION_LANGUAGE];

	while (rest.n > 1) {
		struct str  at = { rest.p + 1, rest.n - 1 };
		const char *end = memchr(at.p, ',', at.n);

		if (!end)
			break;
		rest = (struct str){ end, (size_t)(at.p + at.n - end) };
		at.n = (size_t)(end - at.p);
		if (!computer_allows(c, at, name))
			continue;
		if (!buf_text(out, between) || !buf_text(out, quote) || !buf_str(out, at) ||
		    !buf_text(out, quote))
			return false;
		between = ", ";
	}
	return true;
}

/* --- the first question --- */

static enum errc check_languages(const struct run_computer *c, struct err *e)
{
	const struct run_computing *q = c->run->rq.computing;
	char                        name[EXECUTION_LANGUAGE];
	char                        path[64];
	struct buf                  list;

	for (size_t i = 0; i < q->language_count; i++) {
		if (known(c, q->languages[i], name))
			continue;
		snprintf(path, sizeof path, "config.computer.languages[%zu]", i);
		buf_init(&list, KIB);
		struct run_computer  all = *c;
		struct run_computing any = { 0 };
		struct run           run = { .rq = { .computing = &any } };
		all.run = &run;
		(void)!computer_put_names(&all, "", &list); /* a list that has no room is cut */
		err_set(e, ERR_UNSUPPORTED_PARAMETER, path,
			"the computer has no such language; there are: %.*s",
			STR_ARG(buf_view(&list)));
		buf_finish(&list);
		return e->code;
	}
	return ERR_OK;
}

static bool computer_put_function(const struct run_computer *c, struct buf *out)
{
	return buf_text(out,
			"{\"type\":\"function\",\"function\":{\"name\":\"execute\","
			"\"description\":\"Executes code on the user's computer, a sandbox, and "
			"returns what it prints. Variables and files stay.\",\"parameters\":{"
			"\"type\":\"object\",\"properties\":{\"language\":{\"type\":\"string\","
			"\"enum\":[") &&
	       computer_put_names(c, "\"", out) &&
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
	       buf_text(out, list.n > 0 ? "," : "") && computer_put_function(c, out) &&
	       buf_text(out, "]");
}

/* add_function: with tools, the model is told of the function. */
static enum errc add_function(struct run_computer *c, struct err *e)
{
	struct prompt *p = &c->run->rq.prompt;
	struct arena  *a = &c->run->rq.input->arena;
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

static enum errc computer_ready(struct run *r, struct err *e)
{
	struct run_computer        *c = r->computer;
	const struct run_computing *q = r->rq.computing;
	enum errc                   rc = check_languages(c, e);

	c->earlier = find_earlier(r);
	if (rc == ERR_OK && q->waiting)
		rc = waiting_find(r, e);
	if (rc == ERR_OK && (q->approve || q->refuse) && c->code_next == c->code_count)
		rc = err_set(e, ERR_NOT_CONTINUABLE, "",
			     "no code of this run waits for an approval");
	if (rc == ERR_OK && !r->rq.fence)
		rc = add_function(c, e);
	return rc;
}

static void look_over(struct run_computer *c, struct err *e)
{
	timer_stop(run_loop(c->run), &c->look);
	link_close(TAKE(c->link));
	if (e->code == ERR_OK)
		e->code = computer_ready(c->run, e);
	step_over(c->run, e);
}

static void computer_no_answer(struct run_computer *c)
{
	struct err e;

	err_set(&e, ERR_COMPUTER, "", "the computer does not answer");
	look_over(c, &e);
}

static void computer_on_look(struct timer *t)
{
	computer_no_answer(container_of(t, struct run_computer, look));
}

static void look_on_lost(void *arg)
{
	struct run_computer *c = arg;

	c->link = NULL;
	computer_no_answer(c);
}

/* read_names: "a, b" becomes ",a,b,". */
static bool read_names(const struct json_doc *d, const char *key, struct buf *out)
{
	struct str s = json_get_inner(d, 0, key);

	buf_clear(out);
	if (!buf_text(out, ","))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && !buf_add(out, s.p + i, 1))
			return false;
	return buf_text(out, ",");
}

static void look_on_frame(void *arg, const struct frame *f)
{
	struct run_computer *c = arg;
	struct json_doc      d = { 0 };
	struct err           e = { .code = ERR_OK };
	int64_t              sessions;

	if (f->kind != FRAME_PING ||
	    json_scan(&d, f->body.p, f->body.n, &json_limits_request, &e) != ERR_OK ||
	    !read_names(&d, "languages", &c->languages) || !read_names(&d, "aliases", &c->aliases))
		err_set(&e, ERR_COMPUTER, "", "the computer's answer can't be read");
	else if (json_int(&d, json_get(&d, 0, "sessions"), &sessions))
		metric_set(METRIC_COMPUTER_SESSIONS, sessions);
	json_doc_finish(&d);
	look_over(c, &e);
}

enum step_next computer_look(struct run *r, struct err *e)
{
	static const struct link_ear ear = { look_on_frame, look_on_lost };
	struct run_computer         *c = r->computer;
	struct buf                   out;

	buf_init(&out, KIB);
	enum errc rc =
		frame_put(&out, FRAME_PING, STR_NONE)
			? link_open(run_loop(r), r->engine->o.computer, &out, &ear, c, &c->link, e)
			: err_no_memory(e);
	buf_finish(&out);
	if (rc != ERR_OK)
		return STEP_FAILED;
	c->look.fn = computer_on_look;
	timer_start(run_loop(r), &c->look, LOOK_US);
	return STEP_PARKED;
}

/* --- what is next --- */

bool computer_waits(const struct run *r)
{
	const struct run_computer *c = r->computer;

	return c->code_next < c->code_count || c->ran;
}

bool computer_chose(const struct run *r)
{
	return r->computer->chose;
}

/* computer_finish: how the run ends, for its client. */
static void computer_finish(struct run *r, const char *reason)
{
	struct run_computer *c = r->computer;
	struct usage         own = r->usage;
	struct usage         sum = computer_used(r, r->usage.known ? &own : NULL);

	call_come(r, &(struct event){ .kind = EVENT_FINISH,
				      .text = str_of(reason),
				      .name = str_of(c->native_reason) });
	if (sum.known || sum.estimated)
		call_come(r, &(struct event){ .kind = EVENT_USAGE, .usage = sum });
	r->usage = own;
}

/* confirm: the whole code once more, in front of its execution or of the wait for an approval. */
static bool confirm(struct run_computer *c, const struct run_code *code)
{
	buf_clear(&c->chunk);
	if (!buf_text(&c->chunk, "{\"role\":\"computer\",\"type\":\"confirmation\",\"format\":"
				 "\"execution\",\"content\":{\"type\":\"code\",\"format\":") ||
	    !text_quote(&c->chunk, buf_view(&code->language)) ||
	    !buf_text(&c->chunk, ",\"content\":") ||
	    !text_quote(&c->chunk, buf_view(&code->text)) || !buf_text(&c->chunk, "}}"))
		return false;
	interpret_say(c->run, buf_view(&c->chunk));
	return true;
}

static void computer_on_next(struct task *t)
{
	struct run_computer *c = container_of(t, struct run_computer, next_task);
	struct run          *r = c->run;

	r->jobs_out--;
	if (r->state >= STATE_CALLING && r->state <= STATE_EXECUTING)
		step_again(r);
	else
		run_free_if_over(r);
}

void computer_later(struct run *r)
{
	r->jobs_out++;
	r->computer->next_task.fn = computer_on_next;
	loop_later(run_loop(r), &r->computer->next_task);
}

/* An end of the run is told by one of these; NULL: it goes on. */
static const char *const torn_reasons[] = { "length", "content_filter", "error" };

/* is_torn: the code of this call may lack its end. */
static bool is_torn(const struct run_computer *c)
{
	bool torn = c->torn;

	for (size_t i = 0; i < ARRAY_LEN(torn_reasons); i++)
		torn |= strcmp(c->finish_reason, torn_reasons[i]) == 0;
	/* Calls of other functions are the client's to answer, and so all calls beside them. */
	for (size_t i = c->code_next; i < c->code_count; i++)
		torn |= c->codes[i].foreign;
	return torn;
}

/* computer_refuse: code in a language that there is not.  The same code once more ends the run. */
static const char *computer_refuse(struct run_computer *c, const struct run_code *code)
{
	unsigned char digest[HASH_BYTES];
	uint64_t      mark;
	struct buf    text;
	struct str    language = buf_view(&code->language);

	hash_sha256(code->text.data, code->text.len, digest);
	memcpy(&mark, digest, sizeof mark);
	if (mark == c->unavailable)
		return "tool_calls";
	c->unavailable = mark;
	buf_init(&text, 8 * KIB);
	language.n = language.n < 80 ? text_whole((struct str){ language.p, language.n }) : 80;
	if (buf_text(&text, "`") && buf_str(&text, language) &&
	    buf_text(&text, "` disabled or not supported; there are: ") &&
	    computer_put_names(c, "", &text) && buf_text(&text, "\n"))
		execute_text(c->run, buf_view(&text));
	buf_finish(&text);
	c->code_next++;
	return NULL;
}

/* computer_resolve: what becomes of the first code that waits.  Returns the reason with which the run ends;
 * NULL: the code is over, or it is chosen. */
static const char *computer_resolve(struct run_computer *c)
{
	struct run                 *r = c->run;
	const struct run_computing *q = r->rq.computing;
	struct run_code            *code = &c->codes[c->code_next];
	bool                        approved = c->approved;
	char                        text[LIMIT_COMPUTER_REASON + 100];

	if (c->refused) {
		snprintf(text, sizeof text, "The user did not allow this code%s%.*s",
			 q->reason.n > 0 ? ": " : ".", STR_ARG(q->reason));
		execute_text(r, str_of(text));
		c->refused = false;
		c->ran = true;
		c->code_next++;
		return NULL;
	}
	if (!approved && str_is(buf_view(&code->language), "html")) {
		execute_show(r, buf_view(&code->text));
		c->ran = true;
		c->code_next++;
		return NULL;
	}
	if (q->ask && !approved)
		return confirm(c, code) ? "confirmation" : "error";
	if (c->steps >= q->max_steps)
		return "max_steps";
	if (!approved && !confirm(c, code))
		return "error";
	c->approved = false;
	c->steps++;
	c->ran = true;
	if (computer_allows(c, buf_view(&code->language), c->chosen)) {
		c->chose = true;
		return NULL;
	}
	return computer_refuse(c, code);
}

/* next_end: decides of all code that waits, up to the first that is chosen.  Returns the reason with which
 * the run ends; NULL: it goes on. */
static const char *next_end(struct run_computer *c)
{
	const char *reason = NULL;

	while (!reason && !c->chose && c->code_next < c->code_count && !c->run->aborting)
		reason = computer_resolve(c);
	if (!reason && !c->chose && c->steps >= c->run->rq.computing->max_steps)
		reason = "max_steps";
	return reason;
}

enum step_next computer_settle(struct run *r, struct err *e)
{
	struct run_computer *c = r->computer;

	if (!timer_running(&c->total))
		timer_start(run_loop(r), &c->total, (int64_t)LIMIT_COMPUTER_SECONDS * 1000000);
	if (r->attempt.count == 0)
		call_begun(r);
	call_open(r);
	const char *reason = next_end(c);
	if (reason)
		computer_finish(r, reason);
	if (r->aborting) /* the run ends in the next turn of the loop */
		return STEP_PARKED;
	if (reason) {
		r->ended_ms = clock_wall_ms();
		if (!print_aside(r))
			run_finish(r, NULL);
		return STEP_DONE;
	}
	(void)e;
	if (c->chose)
		return STEP_MORE;
	c->ran = false;
	forget_codes(c);
	r->prepared = false;
	return STEP_MORE;
}

bool computer_goes_on(struct run *r)
{
	struct run_computer *c = r->computer;

	if (is_torn(c))
		forget_codes(c);
	if (c->code_next == c->code_count) {
		computer_finish(r, c->finish_reason);
		return false;
	}
	attempt_step(r);
	call_come(r, &(struct event){ .kind = EVENT_STEP });
	c->finish_reason[0] = '\0';
	r->news = true; /* goes to the store with the record of the execution */
	computer_later(r);
	return true;
}

/* --- the prompt of later steps --- */

struct usage computer_used(struct run *r, const struct usage *u)
{
	struct usage *sum = &r->computer->used;
	struct usage  all = *sum;

	if (!u)
		return all;
	all.known = u->known && !sum->estimated;
	all.estimated = !all.known;
	all.in += u->in;
	all.out += u->out;
	all.cached_read += u->cached_read;
	all.cached_write += u->cached_write;
	all.reasoning += u->reasoning;
	return all;
}

bool computer_said(struct run *r, struct str *list, size_t *count)
{
	struct buf out;

	if (!answer_any(&r->answer))
		return true;
	buf_init(&out, 2 * LIMIT_ANSWER + LIMIT_ANSWER / 4);
	bool ok = answer_close(&r->answer) && answer_print(&r->answer, &out);
	if (ok)
		list[(*count)++] = arena_str(&r->rq.input->arena, buf_view(&out));
	buf_finish(&out);
	answer_reopen(&r->answer);
	return ok && list[*count - 1].p;
}

bool computer_spoke_last(const struct run *r)
{
	const struct run_computing *q = r->rq.computing;

	return q->waiting || answer_any(&r->answer);
}

struct warnings *computer_warnings(struct run *r)
{
	return r->attempt.before > 0 ? &r->computer->later : &r->warnings;
}
