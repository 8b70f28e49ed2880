/* routes/kit/etag: revisions as entity tags, compared with If-Match and If-None-Match. */
#pragma once

#include "http/request.h"
#include "store/conversation.h"

/* The tags of a header. Tags that are not Parley's match nothing. */
struct etag {
	bool    given;
	bool    any; /* "*" */
	int64_t revisions[STORE_REVISIONS];
	size_t  count;
};

/* etag_parse: .p NULL: the header is absent.  weak: W/"…" counts as well (If-None-Match). */
struct etag etag_parse(struct str header, bool weak);
bool        etag_has(const struct etag *tag, int64_t revision);
/* etag_send: the ETag of the reply to come. */
void etag_send(struct request *r, int64_t revision);
