/* The runner's frames while it executes. */
#include "base/limits.h"
#include "computer/link.h"
#include "json/scan.h"
#include "lmc/media.h"
#include "lmc/text.h"
#include "run/computer.h"

#include <string.h>

static void hear_started(struct run_computer *c, const struct json_doc *d)
{
	json_at fresh = json_get(d, 0, "fresh");
	bool    lost = json_get_inner(d, 0, "gone").n > 0 || c->earlier;

	if (lost && fresh != JSON_ABSENT && json_kind(d, fresh) == JSON_TRUE)
		output_say(c, STR("[new session: earlier variables and files are gone]\n"));
}

static void hear_end(struct run_computer *c, const struct json_doc *d)
{
	struct str outcome = json_get_inner(d, 0, "outcome");

	execute_over(c, outcome.n > 0 ? outcome : STR(EXECUTION_UNKNOWN));
}

/* hear_refused: nothing has run.  What is wrong with the code is told to the model. */
static void hear_refused(struct run_computer *c, const struct json_doc *d)
{
	struct str reason = json_get_inner(d, 0, "reason");
	json_at    message = json_get(d, 0, "message");
	struct buf text;

	if (str_is(reason, "full") || str_is(reason, "busy")) {
		execute_fail(c, ERR_OVERLOADED, "no session of the computer is free; try again",
			     "refused");
		return;
	}
	if (!str_is(reason, "language") && !str_is(reason, "invalid")) {
		output_say(c, STR("[the computer could not execute this]\n"));
		execute_fail(c, ERR_COMPUTER, "the computer could not execute the code", "refused");
		return;
	}
	buf_init(&text, 4 * KIB);
	if (message != JSON_ABSENT && text_of(d, message, &text) && buf_text(&text, "\n"))
		output_say(c, buf_view(&text));
	buf_finish(&text);
	execute_over(c, STR("refused"));
}

static void hear_json(struct run_computer *c, const struct frame *f)
{
	struct json_doc d = { 0 };
	struct err      e;
	json_at         path;
	struct buf      text;

	buf_init(&text, 64 * KIB);
	if (json_scan(&d, f->body.p, f->body.n, &json_limits_request, &e) != ERR_OK ||
	    json_kind(&d, 0) != JSON_OBJECT) {
		output_say(c, STR("[the computer's answer can't be read]\n"));
		execute_fail(c, ERR_COMPUTER, "the computer's answer can't be read",
			     EXECUTION_UNKNOWN);
	} else if (f->kind == FRAME_STARTED) {
		hear_started(c, &d);
	} else if (f->kind == FRAME_END) {
		hear_end(c, &d);
	} else if (f->kind == FRAME_REFUSED) {
		hear_refused(c, &d);
	} else if (f->kind == FRAME_FILE) {
		path = json_get(&d, 0, "path");
		if (path != JSON_ABSENT && text_of(&d, path, &text))
			output_give(c, console_file(&c->console, buf_view(&text), &c->out));
	}
	buf_finish(&text);
	json_doc_finish(&d);
}

/* hear_fits: an image is what its first bytes say.  Of an answer with one that is none, or with more than can
 * be stored, nothing would reach the model. */
static bool hear_fits(struct run_computer *c, struct picture *p)
{
	const char *kind = media_kind((const unsigned char *)p->bytes.p, p->bytes.n);

	c->image_bytes += p->bytes.n;
	if (c->image_bytes > LIMIT_COMPUTER_IMAGES) {
		output_say(c, STR("[an image is left out: the answer has too many]\n"));
		return false;
	}
	if (p->format == PICTURE_HTML)
		return true;
	if (!kind || (strcmp(kind, "png") != 0 && strcmp(kind, "jpeg") != 0)) {
		output_say(c, STR("[an image is left out: it is neither PNG nor JPEG]\n"));
		return false;
	}
	p->format = strcmp(kind, "png") == 0 ? PICTURE_PNG : PICTURE_JPEG;
	return true;
}

/* hear_part: a part of an image or of html; an empty one ends it. */
static void hear_part(struct run_computer *c, enum picture_format format, struct str part)
{
	struct picture p = { .format = format };

	if (part.n > 0) {
		/* more than a runner sends: it is left out */
		(void)!buf_str(&c->picture, part);
		return;
	}
	p.bytes = buf_view(&c->picture);
	if (p.bytes.n > 0 && hear_fits(c, &p))
		output_give(c, console_picture(&c->console, &p, &c->out));
	buf_finish(&c->picture);
}

static void hear_image(struct run_computer *c, struct str body)
{
	const char *end = body.n > 0 ? memchr(body.p, '\n', body.n) : NULL;

	if (!end)
		return;
	struct str form = { body.p, (size_t)(end - body.p) };
	hear_part(c, str_is(form, "jpeg") ? PICTURE_JPEG : PICTURE_PNG,
		  (struct str){ end + 1, body.n - form.n - 1 });
}

static int64_t hear_digits(struct str s)
{
	int64_t v = 0;

	for (size_t i = 0; i < s.n && i < 10 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		v = v * 10 + (s.p[i] - '0');
	return v;
}

static void hear_frame(void *arg, const struct frame *f)
{
	struct run_computer *c = arg;

	switch (f->kind) {
	case FRAME_LINE:
		output_give(c, console_line(&c->console, hear_digits(f->body), &c->out));
		break;
	case FRAME_OUTPUT:
		executions_newest(c)->bytes += (int64_t)f->body.n;
		output_say(c, f->body);
		break;
	case FRAME_IMAGE: hear_image(c, f->body); break;
	case FRAME_HTML: hear_part(c, PICTURE_HTML, f->body); break;
	case FRAME_STARTED:
	case FRAME_FILE:
	case FRAME_END:
	case FRAME_REFUSED: hear_json(c, f); break;
	default: break; /* a later version's frame */
	}
}

static void hear_lost(void *arg)
{
	struct run_computer *c = arg;

	c->link = NULL;
	output_say(c, STR("[the computer stopped: whether this ran to its end is not known]\n"));
	execute_fail(c, ERR_COMPUTER, "the computer stopped while it executed the code",
		     EXECUTION_UNKNOWN);
}

const struct link_ear hear_ear = { hear_frame, hear_lost };
