/* routes/kit/admission: the one gate in front of every call of a model, and what it tells the client. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* admission_enter: as admit_enter; the answer to r gets the headers of its limits. */
enum admit_answer admission_enter(struct request *r, const struct gateway *g,
				  const struct run_request *rq, struct admit_wait *w,
				  struct err *e) MUST_USE;
/* admission_show: those headers alone, for an answer that no call was made for. */
void admission_show(struct request *r, const struct gateway *g);
