/* routes/file/file_upload: POST /v1/files: a form with `file` and `purpose`, streamed to the disk. */
#pragma once

struct request;

void file_upload_post(struct request *r, void *app);
