/* Parameters of statements, in binary form. */
#include "store/sql/param.h"

#include "base/limits.h"

#include <endian.h>

/* A message of the protocol ends at 1 GiB. */
#define MOST ((size_t)1000 * MIB)

enum { KEPT = MIB };

/* Object identifiers of PostgreSQL's types; they are the same in every version. */
static const unsigned scalar[PARAM_TYPES] = {
	[PARAM_INT] = 20, [PARAM_TEXT] = 25, [PARAM_BYTES] = 17, [PARAM_RAW] = 17
};
static const unsigned array[PARAM_TYPES] = {
	[PARAM_INT] = 1016, [PARAM_TEXT] = 1009, [PARAM_BYTES] = 1001, [PARAM_RAW] = 1001
};

void param_clear(struct param *a)
{
	if (a->data.max == 0 || a->data.cap > KEPT) {
		buf_finish(&a->data);
		buf_init(&a->data, MOST);
	}
	buf_clear(&a->data);
	a->array = 0;
	a->count = 0;
	a->failed = false;
	(void)!buf_add(&a->data, "", 1); /* so that 0 is no place */
}

void param_finish(struct param *a)
{
	buf_finish(&a->data);
}

void param_copy(struct param *to, const struct param *from)
{
	struct buf data = to->data;

	*to = *from;
	to->data = data;
	to->data.max = from->data.max;
	to->data.len = 0;
	to->failed = from->failed || !buf_str(&to->data, buf_view(&from->data));
}

static void add_bytes(struct param *a, const void *p, size_t n)
{
	if (!a->failed && !buf_add(&a->data, p, n))
		a->failed = true;
}

static void add_32(struct param *a, int32_t v)
{
	uint32_t be = htobe32((uint32_t)v);

	add_bytes(a, &be, sizeof be);
}

/* param_add_value: adds a parameter or an element; p NULL: it is NULL. */
static void param_add_value(struct param *a, enum param_type type, const void *p, size_t n)
{
	if (a->array) {
		a->elements++;
		add_32(a, p ? (int32_t)n : -1);
		if (p)
			add_bytes(a, p, n);
		return;
	}
	CHECK(a->count < PARAM_MAX);
	a->types[a->count] = scalar[type];
	a->kinds[a->count] = type;
	a->arrays[a->count] = false;
	a->at[a->count] = a->data.len;
	a->lengths[a->count] = p ? (int)n : -1;
	if (p)
		add_bytes(a, p, n);
	a->count++;
}

void param_int(struct param *a, int64_t v)
{
	uint64_t be = htobe64((uint64_t)v);

	param_add_value(a, PARAM_INT, &be, sizeof be);
}

void param_secret(struct param *a, uint64_t secret)
{
	param_int(a, (int64_t)secret);
}

void param_text(struct param *a, struct str s)
{
	param_add_value(a, PARAM_TEXT, s.n > 0 ? s.p : "", s.n);
}

void param_maybe(struct param *a, struct str s)
{
	param_add_value(a, PARAM_TEXT, s.n > 0 ? s.p : NULL, s.n);
}

void param_raw(struct param *a, struct str s)
{
	param_add_value(a, PARAM_RAW, s.n > 0 ? s.p : "", s.n);
}

void param_raw_maybe(struct param *a, struct str s)
{
	param_add_value(a, PARAM_RAW, s.n > 0 ? s.p : NULL, s.n);
}

void param_bytes(struct param *a, struct str s)
{
	param_add_value(a, PARAM_BYTES, s.n > 0 ? s.p : "", s.n);
}

void param_bytes_maybe(struct param *a, struct str s)
{
	param_add_value(a, PARAM_BYTES, s.n > 0 ? s.p : NULL, s.n);
}

void param_null(struct param *a, enum param_type type)
{
	param_add_value(a, type, NULL, 0);
}

/* The head: dimensions, whether there are NULLs, element type, length, lower bound. */
void param_begin(struct param *a, enum param_type element)
{
	CHECK(a->array == 0 && a->count < PARAM_MAX);
	a->types[a->count] = array[element];
	a->kinds[a->count] = element;
	a->arrays[a->count] = true;
	a->at[a->count] = a->array = a->data.len;
	a->elements = 0;
	add_32(a, 1);
	add_32(a, 1);
	add_32(a, (int32_t)scalar[element]);
	add_32(a, 0);
	add_32(a, 1);
}

void param_end(struct param *a)
{
	if (!a->failed && a->elements > 0) {
		uint32_t be = htobe32((uint32_t)a->elements);

		memcpy(a->data.data + a->array + PARAM_EMPTY, &be, sizeof be);
	} else if (!a->failed) {
		uint32_t none[2] = { 0 };

		memcpy(a->data.data + a->array, none, sizeof none);
		a->data.len -= PARAM_HEAD - PARAM_EMPTY;
	}
	a->lengths[a->count] = (int)(a->data.len - a->array);
	a->count++;
	a->array = 0;
}
