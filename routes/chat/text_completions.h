/* POST /v1/completions. */
#pragma once

struct request;
void text_completions_post(struct request *r, void *app);
