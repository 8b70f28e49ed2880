/* routes/file/file_upload: POST /v1/files: a form with `file` and `purpose`, streamed to the disk. */
#pragma once

#include "base/buf.h"
#include "routes/kit/gateway.h"
#include "store/file.h"

/* How an API takes files; const. */
struct file_form {
	const char *path;    /* path of its route, for idempotency keys */
	const char *purpose; /* default for a form without one; NULL: the form needs one */
	/* print: appends the answer.  Any thread.  False: out is full. */
	bool (*print)(struct buf *out, const struct store_file *f);
};

/* file_upload_start: takes a form and answers. */
void file_upload_start(struct request *r, struct gateway *g, const struct file_form *form);
