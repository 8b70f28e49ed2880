/* Gives events, and reads the members of answers. */
#include "provider/decode.h"

#include "base/limits.h"

#include <stdlib.h>

enum errc decode_bad(struct err *e, const char *what)
{
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL, "the provider sent %s", what);
}

void decode_attach(struct decode *d, struct event *ev)
{
	ev->form = RAW_ANTHROPIC;
	ev->raw = d->raw;
	ev->raw_id = d->raw_id;
	ev->cont = d->raw.n == 0;
	d->raw = d->raw_id = STR_NONE;
}

void decode_start(struct decode *d, struct str id, struct str model)
{
	if (!d->started)
		decode_give(d, (struct event){ .kind = EVENT_START, .id = id, .text = model });
	d->started = true;
}

void decode_piece(struct decode *d, enum event_kind kind, struct str text)
{
	if (text.n > 0)
		decode_give(d, (struct event){ .kind = kind, .text = text });
}

void decode_end(struct decode *d, struct str word, struct str native, const struct usage *usage)
{
	decode_give(d, (struct event){ .kind = EVENT_FINISH, .text = word, .name = native });
	if (usage && usage->known)
		decode_give(d, (struct event){ .kind = EVENT_USAGE, .usage = *usage });
	d->finished = true;
}

bool decode_text(const struct json_doc *doc, json_at obj, const char *key, struct str *ret)
{
	json_at i = json_get_some(doc, obj, key);

	*ret = json_inner_of(doc, i);
	return i == JSON_ABSENT || json_kind(doc, i) == JSON_STRING;
}

int64_t decode_count(const struct json_doc *doc, json_at obj, const char *key)
{
	json_at i = json_get(doc, obj, key);
	int64_t n;

	return i != JSON_ABSENT && json_int(doc, i, &n) && n > 0 && n <= LIMIT_TOKENS ? n : 0;
}

static struct buf *decode_buf(const struct decode *d, size_t i)
{
	return (struct buf *)(void *)((char *)d->state + d->kind->bufs[i].at);
}

void *decode_state(struct decode *d, const struct decode_state *kind)
{
	if (d->state)
		return d->state;
	d->kind = kind;
	d->state = calloc(1, kind->size);
	for (size_t i = 0; d->state && i < ARRAY_LEN(kind->bufs); i++)
		if (kind->bufs[i].max > 0)
			buf_init(decode_buf(d, i), kind->bufs[i].max);
	return d->state;
}

void decode_state_finish(struct decode *d)
{
	for (size_t i = 0; d->state && i < ARRAY_LEN(d->kind->bufs); i++)
		if (d->kind->bufs[i].max > 0)
			buf_finish(decode_buf(d, i));
	free(d->state);
	d->state = NULL;
}
