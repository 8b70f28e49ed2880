/* Prompts and answers in the log, if the operator has asked for them. */
#include "base/limits.h"
#include "base/log.h"
#include "run/internal.h"

/* The newest messages of a prompt are logged; older ones were logged in an earlier turn. */
enum { CONTENT_MESSAGES = 16 };

/* The log cuts long values by itself. */
static void log_body(const struct run *r, const char *direction, struct str body)
{
	struct log_line l;

	log_begin(&l, LOG_INFO, "content");
	log_str(&l, "request_id", str_of(r->given.request_id));
	log_str(&l, "run", str_of(r->names.id_text));
	log_str(&l, "direction", str_of(direction));
	log_str(&l, "body", body);
	log_end(&l);
}

void content_asked(const struct run *r)
{
	const struct prompt *p = &r->rq->what.prompt;
	size_t skip = p->message_count > CONTENT_MESSAGES ? p->message_count - CONTENT_MESSAGES : 0;

	for (size_t i = skip; i < p->message_count; i++)
		log_body(r, "in", p->messages[i]);
}

void content_answered(const struct run *r)
{
	struct buf out;

	if (r->attempt.called_us == 0)
		return;
	buf_init(&out, LIMIT_ANSWER * 2);
	if (answer_print(&r->kept.answer, &out))
		log_body(r, "out", buf_view(&out));
	buf_finish(&out);
}
