/* POST /v1/translate: translates messages and chunks from OpenAI's form to LMC and back. */
#pragma once

struct request;

void translate_post(struct request *r, void *app);
