/* The table of shapes, and OpenAI's shape as a row of it. */
#include "shape/encoder.h"

#include "shape/chunk.h"
#include "shape/lmc_stream.h"

#include <stdlib.h>

/* --- OpenAI's shape --- */

struct openai {
	struct encoder       encoder;
	struct chunk_printer printer;
};

static struct chunk_printer *printer(struct encoder *n)
{
	return &container_of(n, struct openai, encoder)->printer;
}

static bool openai_event(struct encoder *n, const struct event *ev, uint64_t seq, struct buf *out)
{
	return chunk_event(printer(n), ev, seq, out);
}

static bool openai_done(struct encoder *n, uint64_t seq, struct buf *out)
{
	return chunk_done(printer(n), seq, out);
}

static bool openai_error(struct encoder *n, const struct err *e, struct str request_id,
			 uint64_t seq, struct buf *out)
{
	return chunk_error(printer(n), e, request_id, seq, out);
}

static bool openai_whole(struct encoder *n, const struct encoder_whole *w, struct buf *out)
{
	return chunk_whole(printer(n), w, out);
}

static void openai_destroy(struct encoder *n)
{
	struct openai *o = container_of(n, struct openai, encoder);

	chunk_finish(&o->printer);
	free(o);
}

static const struct encoder_ops openai_ops = {
	"openai", openai_event, openai_done, openai_error, openai_whole, openai_destroy,
};

static struct encoder *openai_create(const struct encoder_about *about)
{
	struct openai *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->encoder.ops = &openai_ops;
	chunk_init(&o->printer);
	o->printer.native = about->native;
	o->printer.want_usage = about->want_usage;
	o->printer.own = about->own;
	o->printer.reasoning = about->reasoning;
	o->printer.conversation = about->conversation;
	o->printer.run = about->run;
	o->printer.message = about->message;
	o->printer.completion = about->completion;
	o->printer.model = about->model;
	o->printer.created_s = about->created_s;
	o->printer.warnings = about->warnings;
	return &o->encoder;
}

/* --- all of them --- */

static struct encoder *(*const creators[SHAPE__COUNT])(const struct encoder_about *about) = {
	[SHAPE_OPENAI] = openai_create,
	[SHAPE_LMC] = lmc_stream_create,
};

struct encoder *encoder_create(enum shape shape, const struct encoder_about *about)
{
	return creators[shape](about);
}

void encoder_destroy(struct encoder *n)
{
	if (n)
		n->ops->destroy(n);
}
