/* Joins the pieces of reasoning_details.  The last detail stays open, because its next piece may
 * follow; a detail that came whole keeps its bytes. */
#include "shape/carry.h"

#include "base/limits.h"
#include "json/scan.h"

#include <stdlib.h>

struct detail_member {
	struct buf key; /* both raw */
	struct buf value;
};

struct details {
	struct json_doc      doc;
	struct buf           done;   /* details that are complete, with commas between them */
	struct buf           raw;    /* the open detail as its first piece came; empty: none */
	bool                 merged; /* the open detail has had further pieces: its members count */
	size_t               count;  /* number of members; 0: too many for a merge */
	struct detail_member members[LIMIT_DETAIL_MEMBERS];
};

struct details *details_create(void)
{
	struct details *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	buf_init(&d->done, LIMIT_ANSWER);
	buf_init(&d->raw, LIMIT_ANSWER);
	for (size_t i = 0; i < LIMIT_DETAIL_MEMBERS; i++) {
		buf_init(&d->members[i].key, LIMIT_ANSWER);
		buf_init(&d->members[i].value, LIMIT_ANSWER);
	}
	return d;
}

void details_destroy(struct details *d)
{
	if (!d)
		return;
	json_doc_finish(&d->doc);
	buf_finish(&d->done);
	buf_finish(&d->raw);
	for (size_t i = 0; i < LIMIT_DETAIL_MEMBERS; i++) {
		buf_finish(&d->members[i].key);
		buf_finish(&d->members[i].value);
	}
	free(d);
}

/* --- the open detail --- */

static struct detail_member *details_member(struct details *d, struct str key)
{
	for (size_t i = 0; i < d->count; i++)
		if (str_eq(buf_view(&d->members[i].key), key))
			return &d->members[i];
	return NULL;
}

static bool is_null(struct str value)
{
	return value.n == 0 || str_is(value, "null");
}

/* value_of: the raw value of the open detail; empty: none, or null. */
static struct str value_of(struct details *d, const char *key)
{
	struct detail_member *m = details_member(d, str_of(key));
	struct str            value = m ? buf_view(&m->value) : STR_NONE;

	return is_null(value) ? STR_NONE : value;
}

static struct str details_piece(const struct details *d, json_at piece, const char *key)
{
	json_at v = json_get_some(&d->doc, piece, key);

	return v == JSON_ABSENT ? STR_NONE : json_raw(&d->doc, v);
}

static bool has_words(struct str value)
{
	return value.n > 2 && value.p[0] == '"';
}

/* details_go_on: whether a piece belongs to the open detail.  A signature ends a text, two ids are two
 * details, and without an index nothing tells two encrypted details from two halves of one. */
static bool details_go_on(struct details *d, json_at piece)
{
	struct str id = value_of(d, "\"id\"");
	struct str next_id = details_piece(d, piece, "id");
	struct str index = value_of(d, "\"index\"");
	struct str type = value_of(d, "\"type\"");

	if (d->raw.len == 0 || type.n == 0 || d->count == 0 ||
	    d->count + d->doc.tok[piece].count > LIMIT_DETAIL_MEMBERS ||
	    !str_eq(type, details_piece(d, piece, "type")) ||
	    !str_eq(index, details_piece(d, piece, "index")) ||
	    (id.n > 0 && next_id.n > 0 && !str_eq(id, next_id)))
		return false;
	if (has_words(value_of(d, "\"signature\"")) && has_words(details_piece(d, piece, "text")))
		return false;
	return index.n > 0 || !has_words(value_of(d, "\"data\"")) ||
	       !has_words(details_piece(d, piece, "data"));
}

/* is_joined: the members that come in pieces. */
static bool is_joined(struct str key)
{
	return str_is(key, "\"text\"") || str_is(key, "\"summary\"") || str_is(key, "\"data\"") ||
	       str_is(key, "\"signature\"");
}

static bool details_append(struct buf *to, struct str piece, size_t *bytes, size_t max)
{
	if (*bytes > max || piece.n > max - *bytes || !buf_str(to, piece))
		return false;
	*bytes += piece.n;
	return true;
}

static bool join_member(struct details *d, struct str key, struct str value, size_t *bytes,
			size_t max)
{
	struct detail_member *m = details_member(d, key);

	if (!m) {
		m = &d->members[d->count++];
		buf_clear(&m->key);
		buf_clear(&m->value);
		return details_append(&m->key, key, bytes, max) &&
		       details_append(&m->value, value, bytes, max);
	}
	if (is_null(buf_view(&m->value))) {
		buf_clear(&m->value);
		return details_append(&m->value, value, bytes, max);
	}
	if (!is_joined(key) || value.p[0] != '"' || m->value.data[0] != '"')
		return true;
	/* Some servers repeat the signature in each further piece. */
	if (str_is(key, "\"signature\"") && str_eq(value, buf_view(&m->value)))
		return true;
	m->value.len--;
	return details_append(&m->value, (struct str){ value.p + 1, value.n - 1 }, bytes, max);
}

static bool details_join(struct details *d, json_at piece, size_t *bytes, size_t max)
{
	JSON_EACH_MEMBER (k, &d->doc, piece)
		if (!join_member(d, json_raw(&d->doc, k), json_raw(&d->doc, json_value(k)), bytes,
				 max))
			return false;
	return true;
}

static bool put_open(const struct details *d, struct buf *out)
{
	if (!d->merged)
		return buf_str(out, buf_view(&d->raw));
	for (size_t i = 0; i < d->count; i++)
		if (!buf_text(out, i == 0 ? "{" : ",") ||
		    !buf_str(out, buf_view(&d->members[i].key)) || !buf_text(out, ":") ||
		    !buf_str(out, buf_view(&d->members[i].value)))
			return false;
	return buf_text(out, "}");
}

static bool details_begin(struct details *d, json_at piece, size_t *bytes, size_t max)
{
	if (d->raw.len > 0 &&
	    ((d->done.len > 0 && !buf_text(&d->done, ",")) || !put_open(d, &d->done)))
		return false;
	buf_clear(&d->raw);
	d->merged = false;
	d->count = 0;
	if (!details_append(&d->raw, json_raw(&d->doc, piece), bytes, max))
		return false;
	return d->doc.tok[piece].count > LIMIT_DETAIL_MEMBERS || details_join(d, piece, bytes, max);
}

/* --- the list --- */

bool details_add(struct details *d, struct str list, size_t *bytes, size_t max)
{
	struct err e;

	if (json_scan(&d->doc, list.p, list.n, &json_limits_upstream, &e) != ERR_OK ||
	    json_kind(&d->doc, 0) != JSON_ARRAY)
		return false;
	JSON_EACH (i, &d->doc, 0) {
		bool ok = true;

		if (json_kind(&d->doc, i) != JSON_OBJECT)
			continue;
		/* Details of one delta are distinct, so only the first can go on the open one. */
		if (i == json_first(&d->doc, 0) && details_go_on(d, i)) {
			d->merged = true;
			ok = details_join(d, i, bytes, max);
		} else {
			ok = details_begin(d, i, bytes, max);
		}
		if (!ok)
			return false;
	}
	return true;
}

bool details_put(const struct details *d, struct buf *out)
{
	if (d->raw.len == 0)
		return true;
	return buf_text(out, ",\"reasoning_details\":[") && buf_str(out, buf_view(&d->done)) &&
	       (d->done.len == 0 || buf_text(out, ",")) && put_open(d, out) && buf_text(out, "]");
}
