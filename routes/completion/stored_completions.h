/* routes/completion/stored_completions: GET /v1/chat/completions and GET /v1/chat/completions/{id}. */
#pragma once

struct request;

void stored_completions_get(struct request *r, void *app);
void stored_completions_list(struct request *r, void *app);
