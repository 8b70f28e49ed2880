/* Rebyte's API of agents, generation 1: the routes below /api/sdk.  A run of an agent is a run of a
 * model; its streams can't be continued, but the run can be read, and its events also have numbers
 * at /v1/runs/{id}/events. */
#include "base/id.h"
#include "msg/origin.h"
#include "shape/block.h"
#include "shape/family.h"
#include "shape/rebyte.h"
#include "shape/encoders.h"

#include <stdio.h>
#include <stdlib.h>

static const struct shape shapes[] = {
	{ SHAPE_REBYTE, NULL, rebyte_stream_create },
	{ 0 },
};

/* rebyte_place: a message of the request is named without its parts, which have other names there;
 * a message of the thread has no place in the request. */
static void rebyte_place(const struct origins *o, struct err *e)
{
	char         *end;
	unsigned long n;

	if (strncmp(e->path, "messages", 8) != 0)
		return;
	n = e->path[8] == '[' ? strtoul(e->path + 9, &end, 10) : 0;
	if (e->path[8] != '[' || *end != ']')
		str_copy(e->path, sizeof e->path, STR("inputs[0].messages"));
	else if (n < o->before)
		str_copy(e->path, sizeof e->path, STR("thread_id"));
	else
		snprintf(e->path, sizeof e->path, "inputs[0].messages[%lu]", n - o->before);
}

const struct family family_rebyte = {
	.shapes = shapes,
	.framing = &framing_events,
	.error = rebyte_error_body,
	.place = rebyte_place,
	.run_id = ID_RUN,
	.object = rebyte_object,
	.renders = true,
	.files = true,
	.warns_ahead = true,
};
