/* routes/completion/stored_completion_change: POST and DELETE of /v1/chat/completions/{id}. */
#pragma once

struct request;

void stored_completion_change_update(struct request *r, void *app);
void stored_completion_change_delete(struct request *r, void *app);
