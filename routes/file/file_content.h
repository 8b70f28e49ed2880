/* routes/file/file_content: GET /v1/files/{id}/content: the bytes as they were sent. */
#pragma once

struct request;

void file_content_get(struct request *r, void *app);
