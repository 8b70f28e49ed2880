/* Gives events, and reads the members of answers. */
#include "provider/decode.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

enum errc decode_bad(struct err *e, const char *what)
{
	return err_set(e, ERR_UPSTREAM_BAD_RESPONSE, NULL, "the provider sent %s", what);
}

bool decode_beats(struct str name, struct str data)
{
	static const char *const names[] = { "ping", "keepalive", "keep-alive", "heartbeat" };

	for (size_t i = 0; name.n > 0 && i < ARRAY_LEN(names); i++)
		if (str_is(name, names[i]))
			return true;
	return str_is(str_trim(data), "\"\"");
}

void decode_attach(struct decode *d, struct event *ev)
{
	ev->form = d->form;
	ev->raw = d->raw;
	ev->raw_id = d->raw_id;
	ev->raw_created = d->raw_created;
	ev->cont = d->raw.n == 0;
	d->raw = d->raw_id = d->raw_created = STR_NONE;
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

struct str decode_made_id(char ret[ID_MAX])
{
	snprintf(ret, ID_MAX, "call_%016llx%08x", (unsigned long long)id_random(),
		 (unsigned)(id_random() & UINT32_MAX));
	return str_of(ret);
}

enum errc decode_args(const struct json_doc *doc, json_at at, struct buf *scratch, struct str *ret,
		      struct err *e)
{
	*ret = json_inner_of(doc, at);
	if (at == JSON_ABSENT || json_kind(doc, at) == JSON_STRING)
		return ERR_OK;
	if (json_kind(doc, at) != JSON_OBJECT)
		return decode_bad(e, "arguments of a call that are neither a string nor an object");
	buf_clear(scratch);
	if (!buf_json_escape(scratch, json_raw(doc, at)))
		return err_no_memory(e);
	*ret = buf_view(scratch);
	return ERR_OK;
}

bool decode_count_some(const struct json_doc *doc, json_at obj, const char *key, int64_t *ret)
{
	return decode_count_value(doc, json_get(doc, obj, key), ret);
}

bool decode_count_value(const struct json_doc *doc, json_at i, int64_t *ret)
{
	double  v;
	int64_t n;

	if (i == JSON_ABSENT || json_kind(doc, i) == JSON_NULL)
		return true;
	if (!json_int(doc, i, &n)) {
		if (!json_number(doc, i, &v) || v < 0 || v > LIMIT_TOKENS ||
		    v != (double)(int64_t)v)
			return false;
		n = (int64_t)v;
	}
	if (n < 0 || n > LIMIT_TOKENS)
		return false;
	*ret = n;
	return true;
}

int64_t decode_count(const struct json_doc *doc, json_at obj, const char *key)
{
	int64_t n = 0;

	decode_count_some(doc, obj, key, &n);
	return n;
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
