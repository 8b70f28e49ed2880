/* Gathers the pieces of a run, and makes an answer and an end of them. */
#include "store/common/salvage.h"

#include "base/limits.h"
#include "base/money.h"
#include "msg/event_code.h"
#include "msg/price.h"
#include "store/events.h"

#include <stdlib.h>

/* LOG_BYTES: of one run's log, more is not read; the answer is then made of the beginning.
 * KEPT_BYTES: a larger buffer is freed after its run. */
enum { LOG_BYTES = 256 * 1024 * 1024, KEPT_BYTES = 1024 * 1024 };

void salvage_init(struct salvage *v, salvage_assemble_fn *assemble)
{
	*v = (struct salvage){ .assemble = assemble };
	buf_init(&v->bytes, LOG_BYTES);
	buf_init(&v->answer, LIMIT_BODY_MAX);
}

void salvage_finish(struct salvage *v)
{
	buf_finish(&v->bytes);
	buf_finish(&v->answer);
	free(v->pieces);
	v->pieces = NULL;
}

/* --- pieces --- */

static void salvage_empty(struct buf *b)
{
	if (b->cap > KEPT_BYTES)
		buf_finish(b);
	else
		buf_clear(b);
}

void salvage_begin(struct salvage *v)
{
	v->count = 0;
	v->full = false;
	salvage_empty(&v->bytes);
	salvage_empty(&v->answer);
}

static bool salvage_grow(struct salvage *v)
{
	if (v->count < v->cap)
		return true;

	size_t               cap = v->cap ? 2 * v->cap : 64;
	struct events_piece *grown = realloc(v->pieces, cap * sizeof *grown);
	if (!grown)
		return false;
	v->pieces = grown;
	v->cap = cap;
	return true;
}

bool salvage_add(struct salvage *v, const struct events_piece *piece)
{
	if (v->full)
		return true;
	if (!salvage_grow(v))
		return false;
	v->full = !buf_str(&v->bytes, piece->data);
	if (!v->full) {
		v->pieces[v->count] = *piece;
		v->pieces[v->count++].data.p = NULL; /* the buffer may move */
	}
	return true;
}

/* EVENT_ASKED comes from the gateway, so this record does not show that the provider answered. */
static struct salvage_told look_through(const struct salvage *v)
{
	struct salvage_told told = { 0 };
	struct event        ev;
	uint64_t            seq;

	for (size_t i = 0; i < v->count; i++) {
		struct str data = v->pieces[i].data;

		while (event_decode(&data, &ev, &seq)) {
			told.begun |= ev.kind != EVENT_ASKED;
			told.bytes += event_weight(&ev);
			if (ev.kind == EVENT_USAGE)
				told.usage = ev.usage;
			if (ev.kind == EVENT_STEP) {
				told.steps = true;
				told.bytes = 0; /* the bill has them */
			}
		}
	}
	return told;
}

struct str salvage_make(struct salvage *v, struct salvage_told *ret)
{
	const char *data = v->bytes.data;

	for (size_t i = 0; i < v->count; data += v->pieces[i++].data.n)
		v->pieces[i].data.p = data;
	*ret = look_through(v);
	buf_clear(&v->answer);
	if (v->assemble && v->count > 0 && v->assemble(v->pieces, v->count, &v->answer))
		return buf_view(&v->answer);
	return STR_NONE;
}

/* cut_off_add_dropped: adds the usage of the run's failed attempts. */
static void cut_off_add_dropped(const struct cut_off_bill *b, struct usage_note *n)
{
	n->usage.in += b->dropped_usage.in;
	n->usage.out += b->dropped_usage.out;
	n->usage.cached_read += b->dropped_usage.cached_read;
	n->usage.reasoning += b->dropped_usage.reasoning;
	bool any = n->usage.in + n->usage.out > 0;
	n->usage.estimated |= any && b->dropped_usage.estimated;
	n->usage.known = any && !n->usage.estimated;
	n->priced = n->priced && b->dropped_priced;
	n->nano = money_add(n->nano, b->dropped_nano);
}

static int64_t cut_off_rest(int64_t all, int64_t part)
{
	return all > part ? all - part : 0;
}

/* cut_off_told: what the provider has reported of the attempt that was interrupted.  At the end of a run
 * of several steps, the log has the sum of all. */
static struct usage cut_off_told(const struct cut_off_bill *b, const struct salvage_told *told)
{
	const struct usage *before = &b->dropped_usage;
	struct usage        u = told->usage;

	if (!told->steps || !b->dropped)
		return u;
	u.in = cut_off_rest(u.in, before->in);
	u.out = cut_off_rest(u.out, before->out);
	u.cached_read = cut_off_rest(u.cached_read, before->cached_read);
	u.reasoning = cut_off_rest(u.reasoning, before->reasoning);
	return u;
}

/* cut_off_guess: the usage of the attempt that was interrupted, estimated where the provider has not
 * reported it; without such an attempt, only what was reported. */
static struct usage cut_off_guess(const struct cut_off_bill *b, const struct salvage_told *told)
{
	struct usage most = usage_guess(b->in, told->bytes);
	struct usage reported = cut_off_told(b, told);

	return b->asked ? usage_cut(&reported, &most) : reported;
}

bool cut_off_charge(const struct cut_off_bill *b, const struct salvage_told *told,
		    struct turn_end *end, struct usage_note *note)
{
	struct price price = { .known = b->priced, .input = b->price_in, .output = b->price_out };

	end->attempts = b->attempts;
	end->first_token_ms = b->first_token_ms;
	if (!b->known)
		return false;
	price.cached = price.cache_write = price.input;
	price.cache_write_1h = 2 * price.input;
	price.reasoning = price.output;
	str_copy(note->provider, sizeof note->provider, b->provider);
	str_copy(note->key, sizeof note->key, b->key);
	str_copy(note->model, sizeof note->model, b->model);
	end->usage = cut_off_guess(b, told);
	note->usage = end->usage;
	note->priced = price.known;
	note->nano = price_cost(&price, &note->usage);
	if (b->dropped)
		cut_off_add_dropped(b, note);
	if (told->steps) /* the run's own calls, in their order */
		end->usage = note->usage;
	end->costs = note->priced && (note->usage.known || note->usage.estimated);
	end->cost_nano = note->nano;
	return true;
}
