/* Ids of stored items: which message, and which of its calls. */
#include "routes/response/internal.h"

#include "base/limits.h"
#include "shape/response.h"

#include <stdio.h>

/* named_number: the number at the end of an item's id, as in fc_…_2; 1 if there is none, 0 if the
 * end is no number. */
static unsigned named_number(struct str end)
{
	unsigned n = 0;

	if (end.n == 0)
		return 1;
	if (end.n < 2 || end.n > 5 || end.p[0] != '_')
		return 0;
	for (size_t i = 1; i < end.n; i++) {
		if (end.p[i] < '0' || end.p[i] > '9')
			return 0;
		n = 10 * n + (unsigned)(end.p[i] - '0');
	}
	return n;
}

/* named_id: the stored message that an item's id names; *ret_call: the number of the call, 0
 * for another part. */
static bool named_id(struct str text, struct id *ret, unsigned *ret_call)
{
	/* Of calls, of results and messages, and of what a provider of this API makes (shape/response_raw). */
	static const char *const prefixes[] = { "fc_",  "ctc_",  ID_MESSAGE, "rs_",  "ig_",
						"fco_", "ctco_", "ws_",      "fs_",  "ci_",
						"cu_",  "lsh_",  "sh_",      "apc_", "tsc_",
						"tso_", "mcp_",  "mcpl_",    "cmp_" };

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t     n = strlen(prefixes[i]) + ID_BODY;
		struct str head = { text.p, n };

		if (text.n < n || !id_parse(head, prefixes[i], ret))
			continue;
		unsigned number = named_number((struct str){ text.p + n, text.n - n });
		*ret_call = i < 2 ? number : 0;
		return number > 0;
	}
	return false;
}

static bool named_add(struct response_draft *x, struct id id)
{
	char       path[64];
	struct str copy;

	snprintf(path, sizeof path, "input[%zu].id", x->item);
	copy = arena_str(x->arena, str_of(path));
	if (!copy.p)
		return response_draft_full(x);
	x->references[x->reference_count++] = (struct call_reference){ .id = id, .path = copy };
	x->stored = id;
	return true;
}

bool response_named_read(struct response_draft *x, json_at item)
{
	struct id id;
	unsigned  call;
	json_at   at;

	if (!response_draft_string(x, item, "", "id", &at))
		return false;
	if (!named_id(json_inner(x->d, at), &id, &call))
		return response_draft_refuse(x, ERR_NOT_FOUND, "there is no such item", ".id");
	if (id.key != x->stored.key || id.secret != x->stored.secret) {
		/* The stored message has its own reasoning. */
		if (!response_draft_flush(x) || !response_draft_begin(x, "") || !named_add(x, id))
			return false;
	}
	response_draft_belongs(x);
	if (x->reading->items)
		x->reading->items[x->item].stored = true;
	if (call == 0)
		return true;
	if (x->call_count++ == LIMIT_TOOLS)
		return response_draft_refuse(x, ERR_INVALID_VALUE,
					     "too many calls follow each other", "%s", "");
	return buf_fmt(&x->calls, "%s{\"" RESPONSE_REFER_CALL "\":%u}",
		       x->call_count > 1 ? "," : "", call) ||
	       response_draft_full(x);
}
