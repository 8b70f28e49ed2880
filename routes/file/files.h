/* routes/file/files: GET and DELETE of uploaded files, but for their contents. */
#pragma once

struct request;

void files_get_all(struct request *r, void *app);
void files_get(struct request *r, void *app);
void files_delete(struct request *r, void *app);
