/* Pages of models. */
#include "routes/service/models_page.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/page.h"

#include <time.h>

enum { PAGE_DEFAULT = 20, PAGE_MAX = 1000, NAMES_MAX = 16 * MIB };

bool models_page_read(struct models_page *p, struct request *r)
{
	buf_init(&p->names, NAMES_MAX);
	if (!page_limit(r, PAGE_DEFAULT, PAGE_MAX, &p->limit))
		return false;
	(void)request_query(r, "after_id", 0, &p->after);
	(void)request_query(r, "before_id", 0, &p->before);
	if (p->after.n == 0 || p->before.n == 0)
		return true;
	reply_refuse(r, ERR_INVALID_VALUE, "before_id", "must not stand beside after_id");
	return false;
}

bool models_page_add(struct models_page *p, struct str name)
{
	/* A name with a NUL is none that a client could ask for. */
	if (memchr(name.p, '\0', name.n))
		return true;
	p->count++;
	return buf_str(&p->names, name) && buf_add(&p->names, "", 1);
}

void models_page_finish(struct models_page *p)
{
	buf_finish(&p->names);
}

bool models_page_put_model(struct buf *out, struct str name, int64_t created_s)
{
	char      text[32];
	struct tm t;
	time_t    s = (time_t)created_s;

	if (!gmtime_r(&s, &t) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &t) == 0)
		text[0] = '\0';
	return buf_text(out, "{\"type\":\"model\",\"id\":") && buf_json_string(out, name) &&
	       buf_text(out, ",\"display_name\":") && buf_json_string(out, name) &&
	       buf_fmt(out, ",\"created_at\":\"%s\",\"lifecycle\":\"active\"}", text);
}

static struct str next_name(const char **at)
{
	struct str name = str_of(*at);

	*at += name.n + 1;
	return name;
}

/* model_place: the number of the model with this name; count: there is none. */
static size_t model_place(const struct models_page *p, struct str name)
{
	const char *at = p->names.data;
	size_t      i = 0;

	while (i < p->count && !str_eq(next_name(&at), name))
		i++;
	return i;
}

static bool put_model_edge(struct buf *out, const char *key, struct str name)
{
	return buf_fmt(out, ",\"%s\":", key) &&
	       (name.p ? buf_json_string(out, name) : buf_text(out, "null"));
}

bool models_page_put(const struct models_page *p, struct buf *out)
{
	size_t begin = p->after.n > 0 ? model_place(p, p->after) + 1 : 0;
	size_t end = p->before.n > 0 ? model_place(p, p->before) : p->count;
	bool   more;

	/* Behind a model that is gone there is nothing. */
	if (begin > end)
		begin = end;
	more = end - begin > p->limit;
	if (more && p->before.n > 0)
		begin = end - p->limit;
	else if (more)
		end = begin + p->limit;

	const char *at = p->names.data;
	struct str  first = STR_NONE;
	struct str  last = STR_NONE;
	bool        ok = buf_text(out, "{\"data\":[");
	for (size_t i = 0; ok && i < end; i++) {
		struct str name = next_name(&at);

		if (i < begin)
			continue;
		ok = (i == begin || buf_text(out, ",")) &&
		     models_page_put_model(out, name, p->created_s);
		if (i == begin)
			first = name;
		last = name;
	}
	return ok && buf_fmt(out, "],\"has_more\":%s", more ? "true" : "false") &&
	       put_model_edge(out, "first_id", first) && put_model_edge(out, "last_id", last) &&
	       buf_text(out, "}");
}
