/* The computer's output, as chunks of LMC. */
#include "base/limits.h"
#include "run/computer.h"

/* output_lines: the chunks that were printed, as events. */
static void output_lines(struct run_computer *c)
{
	struct str rest = buf_view(&c->out);

	while (rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n);
		size_t      n = end ? (size_t)(end - rest.p) : rest.n;

		computer_say(c->run, (struct str){ rest.p, n });
		n += end != NULL;
		rest = (struct str){ rest.p + n, rest.n - n };
	}
	buf_clear(&c->out);
}

void output_give(struct run_computer *c, bool ok)
{
	if (!ok && !c->run->aborting)
		run_abort_later(c->run, ERR_OVERLOADED, "no memory for the output of the computer");
	if (ok)
		output_lines(c);
	buf_clear(&c->out);
}

void output_say(struct run_computer *c, struct str text)
{
	output_give(c, console_output(&c->console, text, &c->out));
}

void output_text(struct run *r, struct str text)
{
	struct run_computer *c = r->computer;

	output_say(c, text);
	output_give(c, console_end(&c->console, &c->out));
}

void output_show(struct run *r, struct str html)
{
	struct run_computer *c = r->computer;
	struct picture       p = { .format = PICTURE_HTML, .bytes = html };

	output_give(c, console_picture(&c->console, &p, &c->out));
	output_text(r, STR("Shown to the user.\n"));
}
