/* libFuzzer: frames of a client, and images of a driver: no byte is read that is not there. */
#include "base/limits.h"
#include "computer/link.h"
#include "computer/computer_console.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk_frames(struct str bytes)
{
	struct frame f;
	struct buf   again;

	while (frame_look(bytes, &f) == FRAME_WHOLE) {
		size_t used = FRAME_HEAD + f.body.n;

		CHECK(used <= bytes.n && f.body.n <= LIMIT_RUNNER_FRAME);
		buf_init(&again, 2 * MIB);
		CHECK(frame_put(&again, (enum frame_kind)f.kind, f.body));
		CHECK(str_eq(buf_view(&again), (struct str){ bytes.p, used }));
		buf_finish(&again);
		bytes = (struct str){ bytes.p + used, bytes.n - used };
	}
}

static void walk_pictures(struct str bytes)
{
	struct picture p;

	while (picture_look(bytes, &p) == PICTURE_WHOLE) {
		CHECK(p.used <= bytes.n && p.used > 0 && p.bytes.n <= LIMIT_RUNNER_IMAGE);
		CHECK(p.bytes.p + p.bytes.n == bytes.p + p.used);
		bytes = (struct str){ bytes.p + p.used, bytes.n - p.used };
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);

	CHECK(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	walk_frames((struct str){ copy, size });
	walk_pictures((struct str){ copy, size });
	free(copy);
	return 0;
}
