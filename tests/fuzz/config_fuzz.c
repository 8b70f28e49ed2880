/* libFuzzer: whatever a configuration says, it is taken, or each mistake has its file and line. */
#include "base/buf.h"
#include "base/limits.h"
#include "config/config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mistakes(struct str all, const char *file)
{
	CHECK(all.n > 0);
	for (const char *p = all.p; p < all.p + all.n;) {
		const char *end = memchr(p, '\n', (size_t)(all.p + all.n - p));
		struct str  line = { p, end ? (size_t)(end - p) : (size_t)(all.p + all.n - p) };

		CHECK(str_starts(line, str_of(file)));
		p = end ? end + 1 : all.p + all.n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int     fd = -1;
	struct config *c = NULL;
	struct buf     mistakes, printed;
	struct err     e = { 0 };
	char           path[40];

	if (fd < 0)
		fd = memfd_create("config", MFD_CLOEXEC);
	CHECK(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	buf_init(&mistakes, MIB);
	buf_init(&printed, 8 * MIB);
	enum errc rc = config_load(&(struct config_given){ .file = path }, &c, &mistakes, &e);
	if (rc == ERR_OK)
		CHECK(config_print(c, &printed) && utf8_valid(printed.data, printed.len));
	else
		check_mistakes(buf_view(&mistakes), path);
	config_destroy(c);
	buf_finish(&mistakes);
	buf_finish(&printed);
	return 0;
}
