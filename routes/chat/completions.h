/* routes/chat/completions: POST /v1/chat/completions. */
#pragma once

struct request;

void completions_post(struct request *r, void *app);
