/* Images that messages name by their path: a worker reads them before anything is stored or
 * sent. */
#include "base/beneath.h"
#include "base/limits.h"
#include "lmc/media.h"
#include "run/internal.h"

#include <stdio.h>
#include <stdlib.h>

struct run_images {
	struct work_job          job;
	struct run              *run;
	const struct beneath    *root;
	struct transcript_image *list; /* in the request's arena */
	size_t                   count;
	size_t                   old;   /* the first `old` messages were sent in earlier turns */
	struct arena             arena; /* the images' data; the worker's while it reads */
	struct err               err;   /* error of an image of this request; code ERR_OK: none */
};

static const char *format_of(const char *kind)
{
	static const char *const formats[][2] = {
		{ "png", "base64.png" },
		{ "jpeg", "base64.jpeg" },
		{ "gif", "base64.gif" },
		{ "webp", "base64.webp" },
	};

	for (size_t i = 0; kind && i < ARRAY_LEN(formats); i++)
		if (strcmp(kind, formats[i][0]) == 0)
			return formats[i][1];
	return NULL;
}

static enum errc image_encode(struct run_images *x, struct transcript_image *image,
			      const struct buf *bytes, struct err *e)
{
	const char *format = format_of(media_kind((const unsigned char *)bytes->data, bytes->len));
	struct buf  text;

	if (!format)
		return err_set(e, ERR_INVALID_VALUE, "",
			       "the file is none of these images: PNG, JPEG, GIF, WebP");
	buf_init(&text, (bytes->len + 2) / 3 * 4);
	if (media_encode(buf_view(bytes), &text))
		image->data = arena_str(&x->arena, buf_view(&text));
	buf_finish(&text);
	if (!image->data.p)
		return err_set(e, ERR_OVERLOADED, "", "no memory for an image");
	image->format = str_of(format);
	return ERR_OK;
}

static enum errc read_one(struct run_images *x, struct transcript_image *image, struct err *e)
{
	struct buf bytes;

	buf_init(&bytes, LIMIT_IMAGE);
	enum errc rc = beneath_read(x->root, image->path, LIMIT_IMAGE, &bytes, e);
	if (rc == ERR_OK)
		rc = image_encode(x, image, &bytes, e);
	buf_finish(&bytes);
	return rc;
}

/* image_read_all: runs on a worker. */
static void image_read_all(struct work_job *job)
{
	struct run_images *x = container_of(job, struct run_images, job);
	bool               full = false;
	struct err         e;

	for (size_t i = 0; i < x->count && x->err.code == ERR_OK; i++) {
		struct transcript_image *image = &x->list[i];
		bool                     old = image->message < x->old;

		/* An image of an earlier turn that can't be read does not fail the run: the prompt
		 * lacks the image, and a warning says so. */
		if (old && full)
			continue;
		enum errc rc = read_one(x, image, &e);
		full = full || rc == ERR_OVERLOADED;
		if (rc == ERR_OK || old)
			continue;
		char path[64];
		snprintf(path, sizeof path, "messages[%zu].content", image->message - x->old);
		err_at(&e, path);
		x->err = e;
	}
}

static void image_on_read(struct work_job *job)
{
	struct run_images *x = container_of(job, struct run_images, job);
	struct run        *r = x->run;
	struct err         e = x->err;

	run_release(r);
	step_over(r, &e);
}

static struct run_images *image_find(struct run *r)
{
	struct run_images *x = calloc(1, sizeof *x);
	struct str        *messages;
	size_t             count;
	struct err         e;

	if (!x)
		return NULL;
	x->run = r;
	x->root = r->engine->o.image_root;
	x->job = (struct work_job){ .loop = run_loop(r),
				    .run = image_read_all,
				    .done = image_on_read };
	arena_init(&x->arena, LIMIT_ARENA);
	/* A failure here is a lack of memory, which the step that makes the prompt meets and
	 * reports too. */
	if (call_messages(r, &messages, &count, &x->old, &e) == ERR_OK &&
	    transcript_images(messages, count, &r->rq->input->arena, &x->list, &x->count, &e) ==
		    ERR_OK &&
	    x->count > 0)
		return x;
	arena_finish(&x->arena);
	free(x);
	return NULL;
}

static enum errc image_find_work(struct run *r, struct err *e)
{
	(void)e;
	r->images = image_find(r);
	return ERR_OK;
}

enum step_next image_look(struct run *r, struct err *e)
{
	return step_aside(r, image_find_work, e);
}

enum step_next image_read(struct run *r, struct err *e)
{
	run_hold(r);
	if (work_submit(r->engine->o.work, &r->images->job))
		return STEP_PARKED;
	run_release(r);
	err_set(e, ERR_OVERLOADED, "", "too many files are waiting to be read; try again");
	return STEP_FAILED;
}

const struct transcript_image *image_list(const struct run *r, size_t *ret_count)
{
	*ret_count = r->images ? r->images->count : 0;
	return r->images ? r->images->list : NULL;
}

void image_drop(struct run *r)
{
	struct run_images *x = TAKE(r->images);

	if (!x)
		return;
	arena_finish(&x->arena);
	free(x);
}
