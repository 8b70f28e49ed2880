/* Events written as bytes and read again. */
#include "msg/event_code.h"

#include <zlib.h>

enum { FORM = 2, SUM_BYTES = 4 };

/* The parts of a record after its kind, in the order of writing. */
enum part {
	PART_CHOICE = 1 << 0,
	PART_BLOCK = 1 << 1,
	PART_RAW = 1 << 2,
	PART_RAW_USAGE = 1 << 3,
	PART_RAW_ROLE = 1 << 4,
	PART_TEXT = 1 << 5,
	PART_ID = 1 << 6,
	PART_NAME = 1 << 7,
	PART_USAGE = 1 << 8,
	PART_CONT = 1 << 9,
	PART_ONLY_USAGE = 1 << 10,
	PART_FROM_LMC = 1 << 11,
	PART_RAW_ID = 1 << 12,
	PART_RAW_CREATED = 1 << 13,
	PART_FORM = 1 << 14, /* raw's form: enum raw_form, in two bits */
	PARTS = 4 * PART_FORM - 1,
};

/* --- numbers and spans --- */

enum { NUMBER_MAX = 10 }; /* bytes of 64 bits, seven in each */

static bool event_code_put_number(struct buf *out, uint64_t v)
{
	char   bytes[NUMBER_MAX];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (char)(v | 0x80);
	bytes[n++] = (char)v;
	return buf_add(out, bytes, n);
}

static bool take_number(struct str *in, uint64_t *ret)
{
	uint64_t v = 0;

	for (size_t i = 0; i < in->n && i < NUMBER_MAX; i++) {
		unsigned char c = (unsigned char)in->p[i];

		if (i == NUMBER_MAX - 1 && c > 1)
			return false;
		v |= (uint64_t)(c & 0x7f) << (7 * i);
		if (c & 0x80)
			continue;
		in->p += i + 1;
		in->n -= i + 1;
		*ret = v;
		return true;
	}
	return false;
}

static bool event_code_put_bytes(struct buf *out, struct str s)
{
	return event_code_put_number(out, s.n) && buf_str(out, s);
}

static bool take_bytes(struct str *in, struct str *ret)
{
	struct str rest = *in;
	uint64_t   n;

	if (!take_number(&rest, &n) || n > rest.n)
		return false;
	*ret = (struct str){ rest.p, (size_t)n };
	*in = (struct str){ rest.p + n, rest.n - (size_t)n };
	return true;
}

static bool event_code_within(struct str s, struct str whole)
{
	return s.n > 0 && whole.n > 0 && s.p >= whole.p && s.p + s.n <= whole.p + whole.n;
}

/* A span that lies in raw is written as its place + 1 and its length; 0: the bytes themselves
 * follow. */
static bool put_span(struct buf *out, struct str s, struct str raw)
{
	if (event_code_within(s, raw))
		return event_code_put_number(out, (uint64_t)(s.p - raw.p) + 1) &&
		       event_code_put_number(out, s.n);
	return event_code_put_number(out, 0) && event_code_put_bytes(out, s);
}

static bool take_span(struct str *in, struct str raw, struct str *ret)
{
	uint64_t at;
	uint64_t n;

	if (!take_number(in, &at))
		return false;
	if (at == 0)
		return take_bytes(in, ret);
	if (!take_number(in, &n) || n == 0 || at - 1 > raw.n || n > raw.n - (at - 1))
		return false;
	*ret = (struct str){ raw.p + (at - 1), (size_t)n };
	return true;
}

/* take_cut: a stretch of raw that an encoder may leave out. It begins after raw's opening brace,
 * because printers skip both. */
static bool take_cut(struct str *in, struct str raw, struct str *ret)
{
	return take_span(in, raw, ret) && event_code_within(*ret, raw) && ret->p > raw.p;
}

static bool spans_overlap(struct str a, struct str b)
{
	return a.n > 0 && b.n > 0 && a.p < b.p + b.n && b.p < a.p + a.n;
}

/* event_code_apart: true if no two cuts of the event overlap. */
static bool event_code_apart(const struct event *ev)
{
	const struct str cuts[] = { ev->raw_usage, ev->raw_role, ev->raw_id, ev->raw_created };

	for (size_t i = 0; i < ARRAY_LEN(cuts); i++)
		for (size_t k = 0; k < i; k++)
			if (spans_overlap(cuts[i], cuts[k]))
				return false;
	return true;
}

/* --- usage --- */

static bool event_code_put_usage(struct buf *out, const struct usage *u)
{
	const int64_t counts[] = { u->in, u->out, u->cached_read, u->cached_write, u->reasoning };

	unsigned head =
		(u->known ? 1u : 0u) | (u->estimated ? 2u : 0u) | (u->cached_hour ? 4u : 0u);

	if (!event_code_put_number(out, head))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		if (!event_code_put_number(out, (uint64_t)counts[i]))
			return false;
	return u->cached_hour == 0 || event_code_put_number(out, (uint64_t)u->cached_hour);
}

static bool take_usage(struct str *in, struct usage *ret)
{
	uint64_t v[7] = { 0 };

	for (size_t i = 0; i < 6 || (i == 6 && (v[0] & 4)); i++)
		if (!take_number(in, &v[i]))
			return false;
	*ret = (struct usage){ .known = v[0] & 1,
			       .estimated = v[0] & 2,
			       .in = (int64_t)v[1],
			       .out = (int64_t)v[2],
			       .cached_read = (int64_t)v[3],
			       .cached_write = (int64_t)v[4],
			       .reasoning = (int64_t)v[5],
			       .cached_hour = usage_small((int64_t)v[6]) };
	return true;
}

/* --- records --- */

static unsigned parts_of(const struct event *ev)
{
	return (ev->choice ? (unsigned)PART_CHOICE : 0) | (ev->block ? (unsigned)PART_BLOCK : 0) |
	       (ev->raw.n ? (unsigned)PART_RAW : 0) |
	       (event_code_within(ev->raw_usage, ev->raw) ? (unsigned)PART_RAW_USAGE : 0) |
	       (event_code_within(ev->raw_role, ev->raw) ? (unsigned)PART_RAW_ROLE : 0) |
	       (ev->text.n ? (unsigned)PART_TEXT : 0) | (ev->id.n ? (unsigned)PART_ID : 0) |
	       (ev->name.n ? (unsigned)PART_NAME : 0) |
	       (ev->kind == EVENT_USAGE ? (unsigned)PART_USAGE : 0) |
	       (ev->cont ? (unsigned)PART_CONT : 0) |
	       (ev->raw_only_usage ? (unsigned)PART_ONLY_USAGE : 0) |
	       (ev->from_lmc ? (unsigned)PART_FROM_LMC : 0) |
	       (event_code_within(ev->raw_id, ev->raw) ? (unsigned)PART_RAW_ID : 0) |
	       (event_code_within(ev->raw_created, ev->raw) ? (unsigned)PART_RAW_CREATED : 0) |
	       (unsigned)ev->form * PART_FORM;
}

static bool put_record(const struct event *ev, uint64_t seq, struct buf *out)
{
	unsigned parts = parts_of(ev);
	char     head[2] = { FORM, (char)ev->kind };

	if (!buf_add(out, head, sizeof head) || !event_code_put_number(out, seq) ||
	    !event_code_put_number(out, parts))
		return false;
	return (!(parts & PART_CHOICE) || event_code_put_number(out, ev->choice)) &&
	       (!(parts & PART_BLOCK) || event_code_put_number(out, ev->block)) &&
	       (!(parts & PART_RAW) || event_code_put_bytes(out, ev->raw)) &&
	       (!(parts & PART_RAW_USAGE) || put_span(out, ev->raw_usage, ev->raw)) &&
	       (!(parts & PART_RAW_ROLE) || put_span(out, ev->raw_role, ev->raw)) &&
	       (!(parts & PART_TEXT) || put_span(out, ev->text, ev->raw)) &&
	       (!(parts & PART_ID) || put_span(out, ev->id, ev->raw)) &&
	       (!(parts & PART_NAME) || put_span(out, ev->name, ev->raw)) &&
	       (!(parts & PART_USAGE) || event_code_put_usage(out, &ev->usage)) &&
	       (!(parts & PART_RAW_ID) || put_span(out, ev->raw_id, ev->raw)) &&
	       (!(parts & PART_RAW_CREATED) || put_span(out, ev->raw_created, ev->raw));
}

/* The checksum of all bytes before it, lowest byte first. */
static void event_code_sum_of(const char *record, size_t n, unsigned char ret[SUM_BYTES])
{
	unsigned long sum = crc32_z(0, (const Bytef *)record, n);

	for (int i = 0; i < SUM_BYTES; i++)
		ret[i] = (unsigned char)(sum >> (8 * i));
}

static bool put_sum(struct buf *out, size_t start)
{
	unsigned char sum[SUM_BYTES];

	event_code_sum_of(out->data + start, out->len - start, sum);
	return buf_add(out, sum, sizeof sum);
}

/* take_sum: true if the record that began at `start` is unchanged; NULL: if it has a checksum. */
static bool take_sum(struct str *in, const char *start)
{
	unsigned char sum[SUM_BYTES];

	if (in->n < SUM_BYTES)
		return false;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)start; /* readers of a fuzzer reach the code after the checksum */
	(void)sum;
#else
	if (start) {
		event_code_sum_of(start, (size_t)(in->p - start), sum);
		if (memcmp(in->p, sum, SUM_BYTES) != 0)
			return false;
	}
#endif
	*in = (struct str){ in->p + SUM_BYTES, in->n - SUM_BYTES };
	return true;
}

bool event_encode(const struct event *ev, uint64_t seq, struct buf *out)
{
	size_t start = out->len;

	if (put_record(ev, seq, out) && put_sum(out, start))
		return true;
	out->len = start;
	return false;
}

static bool take_small(struct str *in, uint32_t *ret)
{
	uint64_t v;

	if (!take_number(in, &v) || v > UINT32_MAX)
		return false;
	*ret = (uint32_t)v;
	return true;
}

static bool take_parts(struct str *in, unsigned parts, struct event *ev)
{
	ev->cont = parts & PART_CONT;
	ev->raw_only_usage = parts & PART_ONLY_USAGE;
	ev->from_lmc = parts & PART_FROM_LMC;
	ev->form = (enum raw_form)(parts / PART_FORM & 3);
	return (!(parts & PART_CHOICE) || take_small(in, &ev->choice)) &&
	       (!(parts & PART_BLOCK) || take_small(in, &ev->block)) &&
	       (!(parts & PART_RAW) || take_bytes(in, &ev->raw)) &&
	       (!(parts & PART_RAW_USAGE) || take_cut(in, ev->raw, &ev->raw_usage)) &&
	       (!(parts & PART_RAW_ROLE) || take_cut(in, ev->raw, &ev->raw_role)) &&
	       (!(parts & PART_TEXT) || take_span(in, ev->raw, &ev->text)) &&
	       (!(parts & PART_ID) || take_span(in, ev->raw, &ev->id)) &&
	       (!(parts & PART_NAME) || take_span(in, ev->raw, &ev->name)) &&
	       (!(parts & PART_USAGE) || take_usage(in, &ev->usage)) &&
	       (!(parts & PART_RAW_ID) || take_cut(in, ev->raw, &ev->raw_id)) &&
	       (!(parts & PART_RAW_CREATED) || take_cut(in, ev->raw, &ev->raw_created)) &&
	       event_code_apart(ev);
}

/* Errors and ends are not in the log: the row of the run has them. */
static bool event_code_logged(unsigned char kind)
{
	return kind < EVENT__COUNT && kind != EVENT_ERROR && kind != EVENT_END;
}

static bool take_record(struct str *bytes, bool summed, struct event *ret, uint64_t *ret_seq)
{
	struct str   in = *bytes;
	struct event ev = { 0 };
	uint64_t     seq;
	uint64_t     parts;

	if (in.n < 2 || in.p[0] != FORM || !event_code_logged((unsigned char)in.p[1]))
		return false;
	ev.kind = (enum event_kind)in.p[1];
	in = (struct str){ in.p + 2, in.n - 2 };
	if (!take_number(&in, &seq) || !take_number(&in, &parts) || parts > PARTS ||
	    (parts & PART_USAGE && ev.kind != EVENT_USAGE) ||
	    !take_parts(&in, (unsigned)parts, &ev) || !take_sum(&in, summed ? bytes->p : NULL))
		return false;
	*bytes = in;
	*ret = ev;
	*ret_seq = seq;
	return true;
}

bool event_decode(struct str *bytes, struct event *ret, uint64_t *ret_seq)
{
	return take_record(bytes, true, ret, ret_seq);
}

bool event_decode_again(struct str *bytes, struct event *ret, uint64_t *ret_seq)
{
	return take_record(bytes, false, ret, ret_seq);
}
