/* Reads the log and the row of a run that was left without an end. */
#include "store/cut_off.h"

#include "base/money.h"
#include "msg/event_code.h"
#include "msg/price.h"

/* EVENT_ASKED comes from the gateway, so this record does not show that the provider answered. */
struct salvage_told cut_off_look(const struct events_piece *pieces, size_t count)
{
	struct salvage_told told = { 0 };
	struct event        ev;
	uint64_t            seq;

	for (size_t i = 0; i < count; i++) {
		struct str data = pieces[i].data;

		while (event_decode(&data, &ev, &seq)) {
			told.begun |= ev.kind != EVENT_ASKED;
			told.bytes += event_weight(&ev);
			if (ev.kind == EVENT_USAGE)
				told.usage = ev.usage;
			if (ev.kind == EVENT_STEP || ev.kind == EVENT_RESUMED)
				told.bytes = 0; /* the bill has them */
			told.steps |= ev.kind == EVENT_STEP;
			told.resumed |= ev.kind == EVENT_RESUMED;
			if (ev.kind == EVENT_ASKED && seq == 1)
				told.plan = ev.name;
		}
	}
	return told;
}

bool cut_off_goes_on(const struct cut_off_bill *b, const struct salvage_told *told)
{
	return b->known && !b->taken && !told->resumed && !told->steps && told->plan.n > 0;
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
	if (!b->asked && !told->steps) /* a kept answer was given, or none was made */
		price = (struct price){ .known = true };
	price.cached = price.cache_write = price.input;
	price.cache_write_1h = 2 * price.input;
	price.reasoning = price.output;
	str_copy(note->provider, sizeof note->provider, b->provider);
	str_copy(note->key, sizeof note->key, b->key);
	str_copy(note->model, sizeof note->model, b->model);
	note->ungrouped = true; /* the row of a run does not name it */
	note->tags = b->tags;
	end->usage = cut_off_guess(b, told);
	note->usage = end->usage;
	note->priced = price.known;
	note->nano = price_cost(&price, &note->usage, 0);
	if (b->dropped)
		cut_off_add_dropped(b, note);
	if (told->steps) /* the run's own calls, in their order */
		end->usage = note->usage;
	end->costs = note->priced && (note->usage.known || note->usage.estimated);
	end->cost_nano = note->nano;
	return true;
}
