/* routes/file/file: uploaded files as the API prints them, and the form that brings one. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "routes/kit/gateway.h"
#include "store/file.h"

enum {
	FILE_LABEL_MAX = 256, /* LIMIT_FILE_NAME and a NUL */
	FILE_TYPE_MAX = 128,
};

/* file_label: what is kept of a client's filename: its last component, without control characters,
 * cut to LIMIT_FILE_NAME bytes of whole characters; never empty. */
void file_label(struct str filename, char ret[FILE_LABEL_MAX]);
/* file_type: a media type fit for a header, or application/octet-stream. */
void file_type(struct str content_type, char ret[FILE_TYPE_MAX]);
/* file_purpose_ok: one of those of OpenAI's API; FILE_PURPOSES says which. */
#define FILE_PURPOSES "must be one of: assistants, batch, fine-tune, vision, user_data, evals"
bool file_purpose_ok(struct str purpose);

bool file_print(struct buf *out, const struct store_file *f) MUST_USE;
/* file_disposition: a Content-Disposition that makes a browser save it under its name. */
bool file_disposition(struct buf *out, struct str name) MUST_USE;

/* --- file_upload: POST /v1/files: a form with `file` and `purpose`, streamed to the disk. */

/* How an API takes files; const. */
struct file_form {
	const char *path;    /* path of its route, for idempotency keys */
	const char *purpose; /* default for a form without one; NULL: the form needs one */
	/* print: appends the answer.  Any thread.  False: out is full. */
	bool (*print)(struct buf *out, const struct store_file *f);
};

/* file_upload_start: takes a form and answers. */
void file_upload_start(struct request *r, struct gateway *g, const struct file_form *form);
