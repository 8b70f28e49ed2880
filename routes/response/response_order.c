/* Moves results to their calls. */
#include "routes/response/internal.h"

enum order_kind { ORDER_OTHER, ORDER_CALL, ORDER_RESULT, ORDER_REASONING, ORDER_SAID };

struct order_item {
	json_at         item;
	enum order_kind kind;
	bool            taken;
	struct str      id; /* call_id */
};

struct order {
	struct order_item       *list;
	size_t                   count;
	struct response_ordered *out;
	size_t                   given;
};

static enum order_kind order_kind_of(const struct json_doc *d, json_at item)
{
	static const struct {
		const char     *type;
		enum order_kind kind;
	} kinds[] = {
		{ "function_call", ORDER_CALL },
		{ "custom_tool_call", ORDER_CALL },
		{ "function_call_output", ORDER_RESULT },
		{ "custom_tool_call_output", ORDER_RESULT },
		{ "reasoning", ORDER_REASONING },
	};

	for (size_t i = 0; json_kind(d, item) == JSON_OBJECT && i < ARRAY_LEN(kinds); i++)
		if (json_get_is(d, item, "type", kinds[i].type))
			return kinds[i].kind;
	return json_kind(d, item) == JSON_OBJECT && json_get_is(d, item, "role", "assistant")
		       ? ORDER_SAID
		       : ORDER_OTHER;
}

static void order_give(struct order *o, size_t i)
{
	o->out[o->given++] = (struct response_ordered){ o->list[i].item, (uint32_t)i };
	o->list[i].taken = true;
}

/* run_end: the index after the last call of the calls that begin at i. */
static size_t run_end(const struct order *o, size_t i)
{
	size_t end = i;

	for (; i < o->count; i++) {
		if (o->list[i].kind == ORDER_CALL)
			end = i + 1;
		else if (o->list[i].kind != ORDER_REASONING)
			break;
	}
	return end;
}

/* said_end: the index after what the model said between the calls from begin to end and their results. */
static size_t said_end(const struct order *o, size_t begin, size_t end)
{
	size_t i = end;

	while (i < o->count &&
	       (o->list[i].kind == ORDER_SAID || o->list[i].kind == ORDER_REASONING))
		i++;
	for (size_t k = begin; i < o->count && o->list[i].kind == ORDER_RESULT && k < end; k++)
		if (o->list[k].kind == ORDER_CALL && str_eq(o->list[k].id, o->list[i].id))
			return i;
	return end;
}

/* give_result: the first result of the call at i, unless a later call of this id comes before it. */
static void give_result(struct order *o, size_t i, size_t end)
{
	struct str id = o->list[i].id;

	for (size_t k = end; k < o->count; k++) {
		const struct order_item *x = &o->list[k];

		if ((x->kind != ORDER_RESULT && x->kind != ORDER_CALL) || !str_eq(x->id, id))
			continue;
		if (x->kind == ORDER_RESULT && !x->taken)
			order_give(o, k);
		return;
	}
}

/* give_run: some results may stand in another order than their calls, which no API minds. */
static void give_run(struct order *o, size_t begin, size_t end)
{
	size_t said = said_end(o, begin, end);

	for (size_t i = begin; i < said; i++)
		if (o->list[i].kind == ORDER_REASONING)
			order_give(o, i);
	for (size_t i = end; i < said; i++)
		if (o->list[i].kind == ORDER_SAID)
			order_give(o, i);
	for (size_t i = begin; i < end; i++)
		if (o->list[i].kind == ORDER_CALL)
			order_give(o, i);
	for (size_t i = begin; i < end; i++)
		if (o->list[i].kind == ORDER_CALL)
			give_result(o, i, end);
}

static bool has_call(const struct order *o, size_t before, struct str id)
{
	for (size_t i = 0; i < before; i++)
		if (o->list[i].kind == ORDER_CALL && str_eq(o->list[i].id, id))
			return true;
	return false;
}

static void order_give_all(struct order *o, bool follows)
{
	for (size_t i = 0; follows && i < o->count; i++)
		if (o->list[i].kind == ORDER_RESULT && !has_call(o, i, o->list[i].id))
			order_give(o, i);
	for (size_t i = 0; i < o->count; i++) {
		if (o->list[i].taken)
			continue;
		if (o->list[i].kind == ORDER_CALL)
			give_run(o, i, run_end(o, i));
		else
			order_give(o, i);
	}
}

bool response_order(const struct json_doc *d, json_at input, bool follows, struct arena *arena,
		    struct response_ordered **ret)
{
	size_t       count = d->tok[input].count;
	struct order o = { .list = arena_alloc(arena, (count + 1) * sizeof *o.list),
			   .out = arena_alloc(arena, (count + 1) * sizeof *o.out) };

	if (!o.list || !o.out)
		return false;
	JSON_EACH (i, d, input) {
		enum order_kind kind = order_kind_of(d, i);

		o.list[o.count++] = (struct order_item){
			.item = i,
			.kind = kind,
			.id = kind == ORDER_CALL || kind == ORDER_RESULT
				      ? json_get_inner(d, i, "call_id")
				      : STR_NONE,
		};
	}
	order_give_all(&o, follows);
	*ret = o.out;
	return true;
}
