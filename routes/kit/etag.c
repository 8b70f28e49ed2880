/* Entity tags (RFC 9110 section 8.8.3): a revision in quotes. */
#include "routes/kit/etag.h"

#include "http/reply.h"
#include "store/conversation.h"

#include <stdio.h>

/* The number in quotes at the start of s; 0: not a tag of the gateway. */
static int64_t revision_of(struct str s)
{
	int64_t v = 0;
	size_t  i = 1;

	if (s.n < 3 || s.p[0] != '"' || s.p[1] == '0')
		return 0;
	for (; i < s.n && i < 19 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		v = v * 10 + (s.p[i] - '0');
	return i > 1 && i + 1 == s.n && s.p[i] == '"' ? v : 0;
}

static struct str trim_spaces(struct str s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* A comma inside the quotes of a foreign tag cuts it into two tags, which are foreign too. */
struct etag etag_parse(struct str header, bool weak)
{
	struct etag tag = { .given = header.p != NULL };

	while (header.p && header.n > 0) {
		const char *comma = memchr(header.p, ',', header.n);
		size_t      n = comma ? (size_t)(comma - header.p) : header.n;
		struct str  one = trim_spaces((struct str){ header.p, n });

		header = (struct str){ header.p + n + (comma ? 1 : 0),
				       header.n - n - (comma ? 1 : 0) };
		if (weak && str_starts(one, STR("W/")))
			one = (struct str){ one.p + 2, one.n - 2 };
		tag.any |= str_is(one, "*");
		int64_t revision = revision_of(one);
		if (revision > 0 && tag.count < STORE_REVISIONS)
			tag.revisions[tag.count++] = revision;
	}
	return tag;
}

bool etag_has(const struct etag *tag, int64_t revision)
{
	for (size_t i = 0; i < tag->count; i++)
		if (tag->revisions[i] == revision)
			return true;
	return tag->any;
}

void etag_send(struct request *r, int64_t revision)
{
	char text[32];

	snprintf(text, sizeof text, "\"%lld\"", (long long)revision);
	reply_header(r, "ETag", str_of(text));
}
