/* Stands before the sanitizer's allocator for the program and all its libraries. */
#include "refuse.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The sanitizer's own, of which malloc and the others are weak names. */
void *__interceptor_malloc(size_t n);
void *__interceptor_calloc(size_t count, size_t n);
void *__interceptor_realloc(void *p, size_t n);
void  __sanitizer_print_stack_trace(void);

void *__real_arena_alloc(struct arena *a, size_t n);
void *__wrap_arena_alloc(struct arena *a, size_t n);

typedef void *malloc_fn(size_t n);
typedef void  free_fn(void *p);
typedef void *realloc_fn(void *p, size_t n);
typedef char *strdup_fn(const char *s);
typedef void *calloc_fn(size_t count, size_t n);
int __real_curl_global_init_mem(long flags, malloc_fn *m, free_fn *f, realloc_fn *r, strdup_fn *s,
				calloc_fn *c);
int __wrap_curl_global_init_mem(long flags, malloc_fn *m, free_fn *f, realloc_fn *r, strdup_fn *s,
				calloc_fn *c);

/* The linker's: where the program's code is, and where that of a unit test is in it.  What a test takes
 * itself is not refused. */
extern const char __executable_start, etext;
extern const char __start_parley_test __attribute__((weak)),
	__stop_parley_test __attribute__((weak));

static struct refuse *page;
static bool           tell;

/* libcurl 7.88 does not survive every failure: where singlesocket can't note a transfer at its socket, the
 * socket's hash stays behind without slots, and the next transfer divides by their number.  What has the size
 * of that hash's table or of an entry of it is never refused. */
enum { CURL_HASH_TABLE = 13 * 32, CURL_HASH_ENTRY = 48 + sizeof(void *) };
static malloc_fn             *curl_malloc;
static _Thread_local unsigned spared;
/* Nor is what the C library takes itself: the sanitizer calls it, and does not survive its failure. */
static const char *libc_from, *libc_to;

/* json-c 0.16 forgets the copy of a member's name where its table could not grow. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:json_object_object_add_ex\n";
}

struct refuse *refuse_page(void)
{
	return page;
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (!strstr(info->dlpi_name, "/libc.so."))
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			libc_from = (const char *)(uintptr_t)(info->dlpi_addr +
							      info->dlpi_phdr[i].p_vaddr);
			libc_to = libc_from + info->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("PARLEY_REFUSE");
	int         fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	int         flags = fd >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
	void       *at = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at != MAP_FAILED)
		page = at;
	if (fd >= 0)
		(void)close(fd);
	(void)dl_iterate_phdr(find_libc, NULL);
	tell = getenv("PARLEY_REFUSE_TELL") != NULL;
}

static bool within(const void *p, const void *from, const void *to)
{
	return (uintptr_t)p >= (uintptr_t)from && (uintptr_t)p < (uintptr_t)to;
}

static bool within_test(const void *p)
{
	return within(p, &__start_parley_test, &__stop_parley_test);
}

/* The callers' addresses in the program, mixed: its code keeps frame pointers.  Of a test's functions only
 * the innermost counts: what all tests of a program do through one helper is one place.  Nor does who called
 * a library that calls the program. */
static uint64_t place_of(void *const *frame)
{
	uint64_t h = 1469598103934665603u;

	for (int i = 0; i < REFUSE_FRAMES; i++) {
		void *const *next = frame[0];

		h = (h ^ ((uintptr_t)frame[1] - (uintptr_t)&__executable_start)) * 1099511628211u;
		if (!within(frame[1], &__executable_start, &etext))
			break;
		/* the next one is above it, and near */
		if (within_test(frame[1]) ||
		    !within(next, frame + 2, (const char *)frame + (64 << 10)))
			break;
		frame = next;
	}
	return h ? h : 1;
}

/* Whether the place was not there yet; now it is. */
static bool is_new(uint64_t place)
{
	for (size_t i = place % REFUSE_PLACES;; i = (i + 1) % REFUSE_PLACES) {
		uint64_t there = 0;

		if (atomic_compare_exchange_strong(&page->places[i], &there, place))
			return true;
		if (there == place)
			return false;
	}
}

static bool due(void *const *frame)
{
	if (page->by_place)
		return is_new(place_of(frame)) && !atomic_exchange(&page->refused, 1);

	uint64_t left = page->left;
	while (left > 0 && !atomic_compare_exchange_weak(&page->left, &left, left - 1))
		;
	if (left == 1)
		page->refused++;
	return left == 1;
}

/* frame: of the allocator's function; who called it is above. */
static bool refused(void *const *frame)
{
	if (!page || spared > 0 || (!page->left && (!page->by_place || page->refused)))
		return false;
	if (!page->all && !within(frame[1], &__executable_start, &etext))
		return false;
	if (within_test(frame[1]) || within(frame[1], libc_from, libc_to))
		return false;
	page->met++;
	if (!due(frame))
		return false;
	if (tell)
		__sanitizer_print_stack_trace();
	errno = ENOMEM;
	return true;
}

#define REFUSED() refused((void *const *)__builtin_frame_address(0))

void *malloc(size_t n)
{
	return REFUSED() ? NULL : __interceptor_malloc(n);
}

void *calloc(size_t count, size_t n)
{
	return REFUSED() ? NULL : __interceptor_calloc(count, n);
}

void *realloc(void *p, size_t n)
{
	return REFUSED() ? NULL : __interceptor_realloc(p, n);
}

char *strndup(const char *s, size_t max)
{
	size_t n = strnlen(s, max);
	char  *copy = REFUSED() ? NULL : __interceptor_malloc(n + 1);

	if (copy) {
		memcpy(copy, s, n);
		copy[n] = '\0';
	}
	return copy;
}

char *strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char  *copy = REFUSED() ? NULL : __interceptor_malloc(n);

	return copy ? memcpy(copy, s, n) : NULL;
}

/* An arena takes memory once for many: each of its own calls can be refused. */
void *__wrap_arena_alloc(struct arena *a, size_t n)
{
	return REFUSED() ? NULL : __real_arena_alloc(a, n);
}

static void *spare_malloc(size_t n)
{
	bool spare = n == CURL_HASH_TABLE || n == CURL_HASH_ENTRY;

	spared += spare;
	void *p = curl_malloc(n);
	spared -= spare;
	return p;
}

int __wrap_curl_global_init_mem(long flags, malloc_fn *m, free_fn *f, realloc_fn *r, strdup_fn *s,
				calloc_fn *c)
{
	curl_malloc = m;
	return __real_curl_global_init_mem(flags, spare_malloc, f, r, s, c);
}
