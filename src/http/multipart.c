/* A streaming reader of multipart/form-data. */
#include "http/multipart.h"

#include "json/scan.h"

#include <strings.h>

enum { TRAILING = 64 }; /* bytes for line ends and spaces after the last delimiter */

/* --- the boundary --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct str multipart_trim(struct str s)
{
	while (s.n > 0 && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* The characters of a boundary: bchars of RFC 2046 section 5.1.1, without the space. */
static bool boundary_ok(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    (c == '\0' || !strchr("'()+_,-./:=?", c)))
			return false;
	}
	return s.n > 0 && s.n <= MULTIPART_BOUNDARY;
}

/* next_parameter: cuts ";name=value" off *rest. A quoted value loses its quotes, but keeps its
 * escapes. False: there is none. */
static bool next_parameter(struct str *rest, struct str *ret_name, struct str *ret_value)
{
	struct str s = multipart_trim(*rest);
	size_t     n = 0;

	if (s.n == 0 || s.p[0] != ';')
		return false;
	s = multipart_trim((struct str){ s.p + 1, s.n - 1 });
	while (n < s.n && s.p[n] != '=' && s.p[n] != ';')
		n++;
	if (n == s.n || s.p[n] != '=')
		return false;
	*ret_name = multipart_trim((struct str){ s.p, n });
	s = (struct str){ s.p + n + 1, s.n - n - 1 };
	n = 0;
	if (s.n > 0 && s.p[0] == '"') {
		for (n = 1; n < s.n && s.p[n] != '"'; n++)
			if (s.p[n] == '\\' && n + 1 < s.n)
				n++;
		if (n >= s.n)
			return false;
		*ret_value = (struct str){ s.p + 1, n - 1 };
		n++;
	} else {
		while (n < s.n && s.p[n] != ';')
			n++;
		*ret_value = multipart_trim((struct str){ s.p, n });
	}
	*rest = (struct str){ s.p + n, s.n - n };
	return true;
}

static bool multipart_same(struct str s, const char *text)
{
	return s.n == strlen(text) && strncasecmp(s.p, text, s.n) == 0;
}

/* cut_value: the part of a value before its parameters. */
static struct str cut_value(struct str *rest)
{
	const char *semicolon;
	struct str  value = *rest;

	if (rest->n == 0) /* NULL plus an offset is undefined */
		return STR_NONE;
	semicolon = memchr(rest->p, ';', rest->n);
	if (semicolon)
		value.n = (size_t)(semicolon - rest->p);
	rest->p += value.n;
	rest->n -= value.n;
	return multipart_trim(value);
}

enum errc multipart_boundary(struct str content_type, struct str *ret, struct err *e)
{
	struct str rest = content_type;
	struct str found = STR_NONE;
	struct str name;
	struct str value;

	if (!multipart_same(cut_value(&rest), "multipart/form-data"))
		return err_set(e, ERR_UNSUPPORTED_MEDIA, "",
			       "the body must be a form: Content-Type: multipart/form-data");
	while (next_parameter(&rest, &name, &value))
		if (multipart_same(name, "boundary") && !found.p)
			found = value;
		else if (multipart_same(name, "boundary"))
			return err_set(e, ERR_INVALID_VALUE, "", "the form has two boundaries");
	if (multipart_trim(rest).n > 0 || !boundary_ok(found))
		return err_set(e, ERR_INVALID_VALUE, "",
			       "the Content-Type of a form needs a boundary of 1 to 70 characters");
	*ret = found;
	return ERR_OK;
}

/* --- a part's header --- */

static enum errc multipart_bad(struct err *e, const char *text)
{
	return err_set(e, ERR_INVALID_VALUE, "", "the form is broken: %s", text);
}

/* multipart_unescape: works in place. Browsers and libraries escape only the quote and the
 * backslash; any other backslash belongs to the path of an old browser. */
static struct str multipart_unescape(struct str s)
{
	char  *out = (char *)(uintptr_t)s.p;
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\' && i + 1 < s.n && (s.p[i + 1] == '"' || s.p[i + 1] == '\\'))
			i++;
		out[n++] = s.p[i];
	}
	return (struct str){ s.p, n };
}

static enum errc read_disposition(struct str rest, struct multipart_part *p, struct err *e)
{
	struct str name;
	struct str value;

	if (p->name.p)
		return multipart_bad(e, "a part has two Content-Disposition lines");
	if (!multipart_same(cut_value(&rest), "form-data"))
		return multipart_bad(e, "a part's Content-Disposition is not form-data");
	while (next_parameter(&rest, &name, &value)) {
		struct str *to = multipart_same(name, "name")       ? &p->name
				 : multipart_same(name, "filename") ? &p->filename
								    : NULL;
		if (!to)
			continue; /* filename* must not be sent: RFC 7578 section 4.2 */
		if (to->p)
			return multipart_bad(e,
					     "a parameter of Content-Disposition is given twice");
		*to = multipart_unescape(value);
	}
	if (multipart_trim(rest).n > 0)
		return multipart_bad(e, "a part's Content-Disposition can't be read");
	p->is_file = p->filename.p != NULL;
	if (p->name.n == 0 || p->name.n > MULTIPART_NAME)
		return multipart_bad(e, "a part has no name, or one of more than 128 bytes");
	if (p->filename.n > MULTIPART_FILENAME)
		return multipart_bad(e, "a filename has more than 4096 bytes");
	if (!utf8_valid(p->name.p, p->name.n) || !utf8_valid(p->filename.p, p->filename.n))
		return multipart_bad(e, "a name is not UTF-8");
	return ERR_OK;
}

static enum errc multipart_read_line(struct str line, struct multipart_part *p, struct err *e)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct str  name = { line.p, colon ? (size_t)(colon - line.p) : 0 };

	if (name.n == 0 || is_blank(name.p[0]) || is_blank(name.p[name.n - 1]))
		return multipart_bad(e, "a part has a header line without a name");
	for (size_t i = 0; i < line.n; i++)
		if (((unsigned char)line.p[i] < 0x20 && line.p[i] != '\t') || line.p[i] == 0x7f)
			return multipart_bad(e, "a part's header has a control character");

	struct str value = multipart_trim((struct str){ colon + 1, line.n - name.n - 1 });
	if (multipart_same(name, "content-disposition"))
		return read_disposition(value, p, e);
	if (multipart_same(name, "content-type") && !p->content_type.p)
		p->content_type = value;
	else if (multipart_same(name, "content-transfer-encoding") &&
		 !multipart_same(value, "binary") && !multipart_same(value, "8bit") &&
		 !multipart_same(value, "7bit"))
		return multipart_bad(e, "a part has a Content-Transfer-Encoding; send it as it is");
	return ERR_OK;
}

/* Called with the whole header, with its last empty line. */
static enum errc read_head(struct multipart *m, struct err *e)
{
	struct multipart_part p = { 0 };
	struct str            rest = { m->head.data, m->head.len - 2 };
	size_t                lines = 0;

	while (rest.n > 0) {
		const char *end = memmem(rest.p, rest.n, "\r\n", 2);
		struct str  line = { rest.p, end ? (size_t)(end - rest.p) : rest.n };

		if (++lines > MULTIPART_LINES)
			return multipart_bad(e, "a part has more than 16 header lines");
		if (multipart_read_line(line, &p, e) != ERR_OK)
			return e->code;
		rest.p += line.n + 2;
		rest.n -= line.n + 2;
	}
	if (!p.name.p)
		return multipart_bad(e, "a part has no Content-Disposition");
	if (++m->parts > MULTIPART_PARTS)
		return multipart_bad(e, "it has more than 64 parts");
	return m->sink->part(m->arg, &p, e);
}

/* --- the stream --- */

void multipart_init(struct multipart *m, struct str boundary, const struct multipart_sink *sink,
		    void *arg)
{
	CHECK(boundary.n <= MULTIPART_BOUNDARY);
	*m = (struct multipart){ .sink = sink, .arg = arg, .matched = 2 };
	memcpy(m->delimiter, "\r\n--", 4);
	memcpy(m->delimiter + 4, boundary.p, boundary.n);
	m->delimiter_len = 4 + boundary.n;
	buf_init(&m->head, MULTIPART_HEADER);
}

void multipart_finish(struct multipart *m)
{
	buf_finish(&m->head);
}

/* The CRLF of the first delimiter may be missing. */
static enum errc take_first(struct multipart *m, char c, struct err *e)
{
	if (m->matched == 2 && c == '\r') {
		m->matched = 1;
	} else if (c == m->delimiter[m->matched]) {
		if (++m->matched == m->delimiter_len)
			m->state = MULTIPART_BEHIND;
	} else {
		return multipart_bad(e, "it does not begin with its boundary");
	}
	return ERR_OK;
}

static enum errc take_behind(struct multipart *m, char c, struct err *e)
{
	if (m->state == MULTIPART_BEHIND && c == '-') {
		m->state = MULTIPART_DASH;
	} else if (m->state == MULTIPART_DASH && c == '-') {
		m->state = MULTIPART_OVER;
	} else if (m->state == MULTIPART_LF && c == '\n') {
		buf_clear(&m->head);
		m->state = MULTIPART_HEAD;
	} else if (m->state != MULTIPART_LF && m->state != MULTIPART_DASH && c == '\r') {
		m->state = MULTIPART_LF;
	} else if (m->state != MULTIPART_LF && m->state != MULTIPART_DASH && is_blank(c) &&
		   ++m->trailing <= TRAILING) {
		m->state = MULTIPART_PADDING;
	} else {
		return multipart_bad(e, "something stands behind a boundary");
	}
	return ERR_OK;
}

static enum errc take_head(struct multipart *m, char c, struct err *e)
{
	if (!buf_add(&m->head, &c, 1))
		return multipart_bad(e, "a part's header has more than 8 KiB");
	if (c != '\n')
		return ERR_OK;

	const char *at = m->head.data;
	size_t      n = m->head.len;
	if (n < 2 || at[n - 2] != '\r')
		return multipart_bad(e, "a header line does not end in CRLF");
	if (n > 2 && (n < 4 || memcmp(at + n - 4, "\r\n", 2) != 0))
		return ERR_OK;
	m->state = MULTIPART_DATA;
	m->matched = 0;
	m->trailing = 0;
	return read_head(m, e);
}

/* multipart_give: passes on one piece of content, which may be empty, and cuts it off bytes. */
static enum errc multipart_give(struct multipart *m, struct str *bytes, size_t n, struct err *e)
{
	struct str piece = { bytes->p, n };

	bytes->p += n;
	bytes->n -= n;
	return n > 0 ? m->sink->data(m->arg, piece, e) : ERR_OK;
}

/* multipart_match: the number of bytes that continue the delimiter; m->matched bytes of it came
 * before. */
static size_t multipart_match(const struct multipart *m, struct str bytes)
{
	size_t n = 0;

	while (n < bytes.n && m->matched + n < m->delimiter_len &&
	       bytes.p[n] == m->delimiter[m->matched + n])
		n++;
	return n;
}

/* before_delimiter: the number of bytes that are certainly content: up to a delimiter, or up to a
 * possible start of one at the end. False starts are skipped, so that content is passed on in one
 * piece however many of them it has. */
static size_t before_delimiter(const struct multipart *m, struct str bytes)
{
	size_t at = 0;

	while (at < bytes.n) {
		const char *cr = memchr(bytes.p + at, '\r', bytes.n - at);

		if (!cr)
			break;
		at = (size_t)(cr - bytes.p);
		size_t n = multipart_match(m, (struct str){ cr, bytes.n - at });
		if (n == m->delimiter_len || at + n == bytes.n)
			return at;
		at += n;
	}
	return bytes.n;
}

/* take_data: passes on content up to the next delimiter. A delimiter has a CR only at its start, so
 * if one byte differs, all bytes that matched so far are content. */
static enum errc take_data(struct multipart *m, struct str *bytes, struct err *e)
{
	if (m->matched == 0 && multipart_give(m, bytes, before_delimiter(m, *bytes), e) != ERR_OK)
		return e->code;

	size_t n = multipart_match(m, *bytes);
	m->matched += n;
	bytes->p += n;
	bytes->n -= n;
	if (m->matched == m->delimiter_len) {
		m->state = MULTIPART_BEHIND;
		return m->sink->end(m->arg, e);
	}
	if (bytes->n == 0)
		return ERR_OK;

	/* The match began in an earlier feed: its bytes are gone, but they equal the start of
	 * the delimiter. */
	struct str held = { m->delimiter, m->matched };
	m->matched = 0;
	return m->sink->data(m->arg, held, e);
}

static enum errc multipart_take_over(struct multipart *m, char c, struct err *e)
{
	if ((c != '\r' && c != '\n' && !is_blank(c)) || ++m->trailing > TRAILING)
		return multipart_bad(e, "something stands behind its last boundary");
	return ERR_OK;
}

static enum errc take_one(struct multipart *m, struct str *bytes, struct err *e)
{
	if (m->state == MULTIPART_DATA)
		return take_data(m, bytes, e);

	char c = *bytes->p++;
	bytes->n--;
	switch (m->state) {
	case MULTIPART_DELIMITER: return take_first(m, c, e);
	case MULTIPART_BEHIND:
	case MULTIPART_PADDING:
	case MULTIPART_LF:
	case MULTIPART_DASH: return take_behind(m, c, e);
	case MULTIPART_HEAD: return take_head(m, c, e);
	case MULTIPART_OVER: return multipart_take_over(m, c, e);
	case MULTIPART_DATA:
	case MULTIPART_FAILED: break;
	}
	return multipart_bad(e, "nothing can follow an error");
}

enum errc multipart_feed(struct multipart *m, struct str bytes, struct err *e)
{
	while (bytes.n > 0)
		if (take_one(m, &bytes, e) != ERR_OK) {
			m->state = MULTIPART_FAILED;
			return e->code;
		}
	return ERR_OK;
}

enum errc multipart_end(const struct multipart *m, struct err *e)
{
	if (m->state == MULTIPART_OVER)
		return ERR_OK;
	return multipart_bad(e, "it ends before its last boundary");
}
