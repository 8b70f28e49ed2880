/* common: what the mock provider and the load generator share: clock, limits, sockets, histogram. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* accept4, memmem, epoll_pwait2 */
#endif

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A content piece carries STAMP_MARK and STAMP_DIGITS digits: CLOCK_MONOTONIC in ns when it was
 * sent.  Both programs run on one machine, so the reader can subtract. */
#define STAMP_MARK   "@ns"
#define STAMP_DIGITS 18

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

_Noreturn static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* Thousands of streams need thousands of descriptors: take what the hard limit allows. */
static inline void raise_nofile(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
	signal(SIGPIPE, SIG_IGN);
}

static inline void *must(void *p)
{
	if (!p) {
		errno = ENOMEM;
		die("memory");
	}
	return p;
}

static inline struct sockaddr_in address(const char *host, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	if (inet_pton(AF_INET, host, &a.sin_addr) != 1) {
		fprintf(stderr, "not an IPv4 address: %s\n", host);
		exit(2);
	}
	return a;
}

static inline void no_delay(int fd)
{
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
}

/* Log-linear histogram of nanoseconds: 32 steps for each power of two, so 3 % wide at most. */
enum { HIST_SUB = 32, HIST_SUB_BITS = 5, HIST_SIZE = 64 * HIST_SUB };

struct hist {
	uint64_t count[HIST_SIZE];
	uint64_t total;
	uint64_t max_ns;
};

static inline void hist_add(struct hist *h, uint64_t ns)
{
	int      top = 63 - __builtin_clzll(ns | HIST_SUB);
	int      shift = top - HIST_SUB_BITS;
	uint64_t at =
		ns < HIST_SUB ? ns : (uint64_t)(shift + 1) * HIST_SUB + ((ns >> shift) - HIST_SUB);

	h->count[at]++;
	h->total++;
	if (ns > h->max_ns)
		h->max_ns = ns;
}

/* hist_us: the middle of the step that holds the given share (0.99) of all values. */
static inline double hist_us(const struct hist *h, double share)
{
	double   need = share * (double)h->total;
	uint64_t seen = 0;

	for (size_t at = 0; at < HIST_SIZE; at++) {
		seen += h->count[at];
		if (h->count[at] == 0 || (double)seen < need)
			continue;
		if (at < HIST_SUB)
			return (double)at / 1000.0;
		size_t   shift = at / HIST_SUB - 1;
		uint64_t low = (HIST_SUB + at % HIST_SUB) << shift;

		return ((double)low + (double)(1ull << shift) / 2.0) / 1000.0;
	}
	return 0;
}
