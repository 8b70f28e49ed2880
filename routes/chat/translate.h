/* POST /v1/translate: chat messages and chunks from OpenAI's form to LMC's and back. */
#pragma once

struct request;

void translate_post(struct request *r, void *app);
