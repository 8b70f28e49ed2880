/* routes/rebyte/rebyte_files: uploaded files in Rebyte's words. */
#pragma once

struct request;

void rebyte_files_post(struct request *r, void *app);   /* POST /api/sdk/files */
void rebyte_files_list(struct request *r, void *app);   /* GET /api/sdk/files */
void rebyte_files_get(struct request *r, void *app);    /* GET /api/sdk/files/{id} */
void rebyte_files_delete(struct request *r, void *app); /* DELETE /api/sdk/files/{id} */
