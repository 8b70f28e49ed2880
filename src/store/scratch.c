/* Scratch files: bytes are gathered, written in large pieces, and mapped. */
#include "store/scratch.h"

#include "base/limits.h"
#include "base/full_io.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 256 * KIB };

void scratch_init(struct scratch *s)
{
	*s = (struct scratch){ .fd = -1 };
	buf_init(&s->wait, 2 * PIECE);
}

void scratch_finish(struct scratch *s)
{
	if (s->map.n > 0)
		munmap((void *)(uintptr_t)s->map.p, s->map.n);
	if (s->fd >= 0)
		close(s->fd);
	buf_finish(&s->wait);
	scratch_init(s);
}

static enum errc scratch_write_all(struct scratch *s, struct str bytes, struct err *e)
{
	if (!whole_write(s->fd, bytes)) {
		err_set(e, ERR_STORAGE, "", "the body could not be kept: %s",
			errno == ENOSPC || errno == EDQUOT ? "the disk is full"
							   : "the disk refused it");
		return err_blame(e, FAULT_DISK);
	}
	s->bytes += bytes.n;
	return ERR_OK;
}

static enum errc scratch_flush(struct scratch *s, struct err *e)
{
	enum errc rc = scratch_write_all(s, buf_view(&s->wait), e);

	buf_clear(&s->wait);
	return rc;
}

enum errc scratch_add(struct scratch *s, struct blobs *b, struct str bytes, struct err *e)
{
	if (s->fd < 0 && blob_scratch(b, &s->fd, e) != ERR_OK)
		return e->code;
	if (bytes.n >= PIECE)
		return scratch_flush(s, e) == ERR_OK ? scratch_write_all(s, bytes, e) : e->code;
	if (!buf_str(&s->wait, bytes))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the body");
	return s->wait.len >= PIECE ? scratch_flush(s, e) : ERR_OK;
}

enum errc scratch_map(struct scratch *s, struct str *ret, struct err *e)
{
	if (s->map.n == 0) {
		if (scratch_flush(s, e) != ERR_OK)
			return e->code;
		*ret = STR("");
		if (s->bytes == 0)
			return ERR_OK;
		void *at = mmap(NULL, s->bytes, PROT_READ, MAP_PRIVATE, s->fd, 0);
		if (at == MAP_FAILED)
			return err_set(e, ERR_OVERLOADED, "", "no memory for the body");
		s->map = (struct str){ at, s->bytes };
		(void)madvise(at, s->bytes, MADV_SEQUENTIAL);
	}
	*ret = s->map;
	return ERR_OK;
}
