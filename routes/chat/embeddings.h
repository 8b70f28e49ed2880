/* routes/chat/embeddings: POST /v1/embeddings. */
#pragma once

struct request;

void embeddings_post(struct request *r, void *app);
