/* load: an HTTP load generator that measures answers, or events of open streams, end to end.
 *
 * Every connection asks the same request again and again (keep-alive where the server allows it)
 * until the window ends, or, with -s, reads one stream; with -s -R one stream after the other.
 * Only what falls into the window (-w ms after the start, -d ms long) is counted, but errors always
 * are.  Prints {"mark":"start"} and {"mark":"end"} as the window opens and closes, so that the
 * caller can read the server's CPU time then, and at the end one line of JSON with the figures. */
#include "common.h"

enum {
	READ_BYTES = 64 * 1024,
	LINE_MAX_BYTES = 8 * 1024, /* longest event line that is kept over reads */
	HEAD_MAX_BYTES = 16 * 1024,
	DRAIN_MS = 3000, /* after the window, for answers that are on their way */
	CONNECTIONS_MAX = 15000,
};

enum state {
	IDLE,
	CONNECTING,
	HEAD,
	LENGTH,
	CHUNK_SIZE,
	CHUNK_DATA,
	CHUNK_CRLF,
	TRAILER,
	TO_EOF,
	DONE
};

enum fail {
	FAIL_CONNECT,
	FAIL_CLOSED,
	FAIL_STATUS,
	FAIL_FRAMING,
	FAIL_BODY,
	FAIL_NO_DONE,
	FAIL_SHORT,
	FAIL_ERROR_EVENT,
	FAIL_UNFINISHED,
	FAIL__COUNT
};
/* clang-format off */
static const char *const fail_names[FAIL__COUNT] = {
	[FAIL_CONNECT] = "connect",         [FAIL_CLOSED] = "closed_early",
	[FAIL_STATUS] = "status",           [FAIL_FRAMING] = "framing",
	[FAIL_BODY] = "body",               [FAIL_NO_DONE] = "no_done",
	[FAIL_SHORT] = "events_missing",    [FAIL_ERROR_EVENT] = "error_event",
	[FAIL_UNFINISHED] = "unfinished",
};
/* clang-format on */

struct conn {
	int        fd; /* -1: none */
	enum state state;
	int        status;
	bool       keep, started, first_seen, wants_out, reused;
	bool       sized; /* a digit of the chunk's size was seen */
	size_t     sent;
	uint64_t   left; /* body or chunk bytes still to come */
	uint64_t   asked_ns, start_at_ns;
	char       first, last; /* byte of the body, a line end aside */
	uint64_t   body_bytes;
	char      *line; /* owned: start of an event line or of a head that is not whole */
	size_t     line_len;
	uint64_t   stamps;
	bool       done_seen, error_seen;
};

static struct {
	int                epfd;
	struct sockaddr_in to;
	char              *request;
	size_t             request_len;
	struct conn       *conns;
	long               count;
	bool               streams, again;
	uint64_t           start_ns, ramp_ns, open_ns, close_ns, stop_ns;
	uint64_t           expected_events, requests_max;
	bool               in_window, window_over;
	/* figures of the window */
	uint64_t    answers, bytes, events;
	struct hist latency, event_latency;
	/* figures of the whole run */
	struct hist first_event;
	uint64_t    begun, finished, ended_well, events_all, opened, fails[FAIL__COUNT], status[6];
	uint64_t    open_now, open_at_close;
	char        sample[160]; /* what the first failed answer said */
} g;

static void conn_begin(struct conn *c);

/* ---- one connection's socket ---- */

static void conn_hang_up(struct conn *c)
{
	if (c->fd >= 0) {
		close(c->fd);
		g.open_now--;
	}
	c->fd = -1;
	c->state = IDLE;
}

static void conn_watch(struct conn *c, bool out, int op)
{
	struct epoll_event ev = { .events = EPOLLIN | (out ? (uint32_t)EPOLLOUT : 0),
				  .data.ptr = c };

	if (op == EPOLL_CTL_MOD && c->wants_out == out)
		return;
	c->wants_out = out;
	if (epoll_ctl(g.epfd, op, c->fd, &ev) < 0)
		die("epoll_ctl");
}

static void conn_over(struct conn *c)
{
	bool more = !g.window_over && (!g.streams || g.again) &&
		    (g.requests_max == 0 || g.begun < g.requests_max);

	if (!c->keep)
		conn_hang_up(c);
	c->state = IDLE;
	if (more)
		conn_begin(c);
	else if (g.streams)
		conn_hang_up(c);
}

static void conn_failed(struct conn *c, enum fail why)
{
	g.fails[why]++;
	c->keep = false;
	g.finished++;
	conn_hang_up(c);
	/* a short pause, so that a server that refuses is not asked a million times */
	c->start_at_ns = now_ns() + 20000000u;
	c->started = g.streams && !g.again;
}

static void conn_write(struct conn *c)
{
	while (c->sent < g.request_len) {
		ssize_t n = send(c->fd, g.request + c->sent, g.request_len - c->sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			conn_watch(c, true, EPOLL_CTL_MOD);
			return;
		}
		if (n < 0) {
			conn_failed(c, c->state == CONNECTING ? FAIL_CONNECT : FAIL_CLOSED);
			return;
		}
		c->sent += (size_t)n;
		c->state = HEAD;
	}
	conn_watch(c, false, EPOLL_CTL_MOD);
}

static void conn_begin(struct conn *c)
{
	c->started = true;
	c->keep = c->first_seen = c->done_seen = c->error_seen = c->sized = false;
	c->status = 0;
	c->sent = c->line_len = 0;
	c->body_bytes = c->stamps = 0;
	c->asked_ns = now_ns();
	g.begun++;
	if (c->fd >= 0) {
		c->state = HEAD;
		c->reused = true;
		conn_write(c);
		return;
	}
	c->reused = false;
	c->state = CONNECTING;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		die("socket");
	g.opened++;
	g.open_now++;
	no_delay(c->fd);
	if (connect(c->fd, (struct sockaddr *)&g.to, sizeof g.to) < 0 && errno != EINPROGRESS) {
		conn_failed(c, FAIL_CONNECT);
		return;
	}
	conn_watch(c, true, EPOLL_CTL_ADD);
}

/* ---- events ---- */

static void line_take(struct conn *c, const char *line, size_t n, uint64_t now)
{
	const char *at = line;

	if (n == 0 || line[0] == ':')
		return;
	if (n >= 12 && memcmp(line, "event: error", 12) == 0)
		c->error_seen = true;
	if ((n >= 12 && memcmp(line, "data: [DONE]", 12) == 0) ||
	    (n >= 11 && memcmp(line, "event: done", 11) == 0))
		c->done_seen = true;
	if (n >= 15 && memcmp(line, "data: {\"error\":", 15) == 0)
		c->error_seen = true;
	while ((at = memmem(at, (size_t)(line + n - at), STAMP_MARK, strlen(STAMP_MARK)))) {
		uint64_t sent = 0;

		at += strlen(STAMP_MARK);
		for (int i = 0; i < STAMP_DIGITS && at < line + n && *at >= '0' && *at <= '9'; i++)
			sent = sent * 10 + (uint64_t)(*at++ - '0');
		c->stamps++;
		g.events_all++;
		if (!c->first_seen) {
			c->first_seen = true;
			hist_add(&g.first_event, now - c->asked_ns);
		}
		if (g.in_window) {
			g.events++;
			hist_add(&g.event_latency, now > sent ? now - sent : 0);
		}
	}
}

/* events_feed: whole lines are read where they are; the rest waits in c->line. */
static bool events_feed(struct conn *c, const char *bytes, size_t n, uint64_t now)
{
	while (n > 0) {
		const char *nl = memchr(bytes, '\n', n);
		size_t      take = nl ? (size_t)(nl - bytes) : n;

		if (nl && c->line_len == 0) {
			line_take(c, bytes, take, now);
		} else {
			if (c->line_len + take > LINE_MAX_BYTES)
				return false;
			if (!c->line)
				c->line = must(malloc(HEAD_MAX_BYTES));
			memcpy(c->line + c->line_len, bytes, take);
			c->line_len += take;
			if (nl) {
				line_take(c, c->line, c->line_len, now);
				c->line_len = 0;
			}
		}
		take += nl ? 1 : 0;
		bytes += take;
		n -= take;
	}
	return true;
}

/* ---- answers ---- */

static void answer_end(struct conn *c, uint64_t now)
{
	enum fail why = FAIL__COUNT;

	if (c->status < 200 || c->status > 299)
		why = FAIL_STATUS;
	else if (!g.streams && (c->first != '{' || c->last != '}'))
		why = FAIL_BODY;
	else if (g.streams && c->error_seen)
		why = FAIL_ERROR_EVENT;
	else if (g.streams && !c->done_seen)
		why = FAIL_NO_DONE;
	else if (g.streams && g.expected_events && c->stamps != g.expected_events)
		why = FAIL_SHORT;
	if (why != FAIL__COUNT) {
		conn_failed(c, why);
		return;
	}
	g.finished++;
	g.ended_well++;
	if (g.in_window) {
		g.answers++;
		hist_add(&g.latency, now - c->asked_ns);
	}
	conn_over(c);
}

static bool head_read(struct conn *c, char *head, char *end)
{
	bool chunked = false, length = false;

	if (memcmp(head, "HTTP/1.", 7) != 0)
		return false;
	c->status = (int)strtol(head + 9, NULL, 10);
	g.status[c->status >= 100 && c->status < 600 ? c->status / 100 : 0]++;
	c->keep = head[7] == '1';
	c->left = 0;
	for (char *line = head; line < end;) {
		if (strncasecmp(line, "content-length:", 15) == 0) {
			length = true;
			c->left = strtoull(line + 15, NULL, 10);
		} else if (strncasecmp(line, "transfer-encoding: chunked", 26) == 0) {
			chunked = true;
		} else if (strncasecmp(line, "connection: close", 17) == 0) {
			c->keep = false;
		}
		line = (char *)memchr(line, '\n', (size_t)(end + 2 - line)) + 1;
	}
	if (chunked)
		c->left = 0;
	else if (!length)
		c->keep = false;
	c->state = chunked ? CHUNK_SIZE : length ? LENGTH : TO_EOF;
	return true;
}

static bool body_feed(struct conn *c, const char *bytes, size_t n, uint64_t now)
{
	if (n == 0)
		return true;
	if (c->body_bytes == 0)
		c->first = bytes[0];
	if (bytes[n - 1] != '\n') /* some servers end a body so */
		c->last = bytes[n - 1];
	else if (n > 1)
		c->last = bytes[n - 2];
	c->body_bytes += n;
	if (g.in_window)
		g.bytes += n;
	if (c->status != 200 && g.sample[0] == '\0')
		snprintf(g.sample, sizeof g.sample, "%d: %.*s", c->status, (int)(n < 140 ? n : 140),
			 bytes);
	return c->status != 200 || !g.streams || events_feed(c, bytes, n, now);
}

/* take_step: one step of the machine over n bytes; returns the bytes used, -1 for nonsense. */
static ssize_t take_step(struct conn *c, const char *bytes, size_t n, uint64_t now)
{
	size_t take;

	switch (c->state) {
	case LENGTH:
	case CHUNK_DATA:
		take = n < c->left ? n : (size_t)c->left;
		if (!body_feed(c, bytes, take, now))
			return -1;
		c->left -= take;
		if (c->left == 0)
			c->state = c->state == LENGTH ? DONE : CHUNK_CRLF;
		return (ssize_t)take;
	case TO_EOF: return body_feed(c, bytes, n, now) ? (ssize_t)n : -1;
	case CHUNK_SIZE:
		for (take = 0; take < n; take++) {
			char b = bytes[take];

			if (b == '\n') {
				if (!c->sized)
					return -1;
				c->sized = false;
				c->state = c->left ? CHUNK_DATA : TRAILER;
				c->line_len = c->left ? c->line_len : 0;
				return (ssize_t)take + 1;
			}
			if (b >= '0' && b <= '9')
				c->left = c->left * 16 + (uint64_t)(b - '0');
			else if ((b | 32) >= 'a' && (b | 32) <= 'f')
				c->left = c->left * 16 + (uint64_t)((b | 32) - 'a' + 10);
			else if (b != '\r')
				return -1;
			c->sized = c->sized || b != '\r';
		}
		return (ssize_t)n;
	case CHUNK_CRLF:
		if (bytes[0] == '\n')
			c->state = CHUNK_SIZE;
		return bytes[0] == '\r' || bytes[0] == '\n' ? 1 : -1;
	case TRAILER: /* line_len counts the bytes of the present trailer line */
		if (bytes[0] == '\n' && c->line_len == 0)
			c->state = DONE;
		else if (bytes[0] == '\n')
			c->line_len = 0;
		else if (bytes[0] != '\r')
			c->line_len++;
		return 1;
	case IDLE:
	case CONNECTING:
	case HEAD:
	case DONE: break;
	}
	return -1;
}

static void bytes_take(struct conn *c, char *bytes, size_t n, uint64_t now)
{
	size_t at = 0;

	if (c->state == HEAD) {
		char *end;

		if (c->line_len) { /* a head in pieces: rare, so it is put together */
			if (c->line_len + n > HEAD_MAX_BYTES) {
				conn_failed(c, FAIL_FRAMING);
				return;
			}
			memmove(bytes + c->line_len, bytes, n);
			memcpy(bytes, c->line, c->line_len);
			n += c->line_len;
			c->line_len = 0;
		}
		end = memmem(bytes, n, "\r\n\r\n", 4);
		if (!end) {
			if (n > HEAD_MAX_BYTES) {
				conn_failed(c, FAIL_FRAMING);
				return;
			}
			if (!c->line)
				c->line = must(malloc(HEAD_MAX_BYTES));
			memcpy(c->line, bytes, n);
			c->line_len = n;
			return;
		}
		if (!head_read(c, bytes, end)) {
			conn_failed(c, FAIL_FRAMING);
			return;
		}
		at = (size_t)(end - bytes) + 4;
		if (c->state == LENGTH && c->left == 0)
			c->state = DONE;
	}
	while (at < n && c->state != DONE) {
		ssize_t used = take_step(c, bytes + at, n - at, now);

		if (used < 0) {
			conn_failed(c, FAIL_FRAMING);
			return;
		}
		at += (size_t)used;
	}
	if (c->state == DONE)
		answer_end(c, now);
}

static void conn_read(struct conn *c)
{
	static char bytes[READ_BYTES + HEAD_MAX_BYTES];
	ssize_t     n = recv(c->fd, bytes, READ_BYTES, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n > 0) {
		if (c->state == IDLE) { /* bytes that nobody asked for */
			g.fails[FAIL_FRAMING]++;
			conn_hang_up(c);
			return;
		}
		bytes_take(c, bytes, (size_t)n, now_ns());
		return;
	}
	if (c->state == TO_EOF && n == 0) {
		c->keep = false;
		answer_end(c, now_ns());
	} else if (c->state == IDLE) {
		conn_hang_up(c);
	} else if (c->state == HEAD && c->reused && c->line_len == 0) {
		/* the server closed an idle connection as we asked: ask again, as any client would */
		conn_hang_up(c);
		g.begun--;
		conn_begin(c);
	} else {
		conn_failed(c, c->state == CONNECTING ? FAIL_CONNECT : FAIL_CLOSED);
	}
}

/* ---- the run ---- */

static void mark(const char *what)
{
	printf("{\"mark\":\"%s\",\"open\":%" PRIu64 ",\"at_ns\":%" PRIu64 "}\n", what, g.open_now,
	       now_ns());
	fflush(stdout);
}

/* start_due: connections whose time has come; returns how many still wait or work. */
static long start_due(uint64_t now)
{
	long busy = 0;

	for (long i = 0; i < g.count; i++) {
		struct conn *c = &g.conns[i];
		bool         may = g.requests_max == 0 || g.begun < g.requests_max;

		if (!c->started && !g.window_over && may) {
			busy++;
			if (c->start_at_ns <= now)
				conn_begin(c);
		} else if (c->state != IDLE) {
			busy++;
		}
	}
	return busy;
}

static void window(uint64_t now)
{
	if (!g.in_window && !g.window_over && now >= g.open_ns) {
		g.in_window = true;
		g.open_ns = now;
		mark("start");
	}
	if (g.in_window && now >= g.close_ns) {
		g.in_window = false;
		g.window_over = true;
		g.close_ns = now;
		g.open_at_close = g.open_now;
		mark("end");
	}
}

static void run(void)
{
	struct epoll_event evs[512];
	uint64_t           next_scan = 0;

	for (;;) {
		int      n = epoll_wait(g.epfd, evs, 512, 1);
		uint64_t now = now_ns();

		window(now);
		for (int i = 0; i < n; i++) {
			struct conn *c = evs[i].data.ptr;

			if (c->fd >= 0 && (evs[i].events & EPOLLOUT))
				conn_write(c);
			if (c->fd >= 0 && (evs[i].events & ~(uint32_t)EPOLLOUT))
				conn_read(c);
		}
		if (now >= next_scan) {
			next_scan = now + (now < g.start_ns + g.ramp_ns ? 1000000u : 10000000u);
			if (start_due(now) == 0 && (g.window_over || g.requests_max))
				break;
		}
		if (now >= g.stop_ns)
			break;
	}
	for (long i = 0; i < g.count; i++)
		if (g.conns[i].state != IDLE)
			g.fails[FAIL_UNFINISHED]++;
	if (g.in_window || !g.window_over) { /* -n was reached first */
		g.close_ns = now_ns();
		mark("end");
	}
}

static char *file_read(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "rb");
	char *all;
	long  n;

	if (!f)
		die(path);
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	if (n < 0 || n > (64 << 20))
		die(path);
	all = must(malloc((size_t)n + 1));
	*ret_len = fread(all, 1, (size_t)n, f);
	fclose(f);
	return all;
}

static void request_make(const char *target, const char *path, const char *body_file,
			 const char *headers)
{
	size_t body_len = 0;
	char  *body = body_file ? file_read(body_file, &body_len) : NULL;
	size_t size = body_len + strlen(headers) + strlen(path) + 512;
	int    head;

	g.request = must(malloc(size));
	head = snprintf(g.request, size,
			"%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: load\r\n"
			"Accept: */*\r\n%s",
			body ? "POST" : "GET", path, target, headers);
	if (body)
		head += snprintf(g.request + head, size - (size_t)head,
				 "Content-Type: application/json\r\nContent-Length: %zu\r\n",
				 body_len);
	head += snprintf(g.request + head, size - (size_t)head, "\r\n");
	if (body)
		memcpy(g.request + head, body, body_len);
	g.request_len = (size_t)head + body_len;
	free(body);
}

static void report_hist(const char *name, const struct hist *h)
{
	printf(",\"%s\":{\"count\":%" PRIu64 ",\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,"
	       "\"max_us\":%.1f}",
	       name, h->total, hist_us(h, 0.5), hist_us(h, 0.9), hist_us(h, 0.99),
	       (double)h->max_ns / 1000.0);
}

static uint64_t report(void)
{
	double          seconds = (double)(g.close_ns - g.open_ns) / 1e9;
	double          per_s = seconds > 0 ? 1 / seconds : 0; /* it may have ended before */
	struct timespec cpu;
	uint64_t        errors = 0;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	for (int i = 0; i < FAIL__COUNT; i++)
		errors += g.fails[i];
	printf("{\"seconds\":%.3f,\"answers\":%" PRIu64 ",\"rps\":%.0f,\"events\":%" PRIu64
	       ",\"events_per_s\":%.0f,\"bytes\":%" PRIu64,
	       seconds, g.answers, (double)g.answers * per_s, g.events, (double)g.events * per_s,
	       g.bytes);
	report_hist("latency", &g.latency);
	report_hist("first_event", &g.first_event);
	report_hist("event_latency", &g.event_latency);
	printf(",\"begun\":%" PRIu64 ",\"ended_well\":%" PRIu64 ",\"events_all\":%" PRIu64
	       ",\"connections\":%" PRIu64 ",\"open_at_close\":%" PRIu64
	       ",\"cpu_s\":%.3f,\"status\":{",
	       g.begun, g.ended_well, g.events_all, g.opened, g.open_at_close,
	       (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9);
	for (int i = 1, some = 0; i < 6; i++)
		if (g.status[i])
			printf("%s\"%dxx\":%" PRIu64, some++ ? "," : "", i, g.status[i]);
	printf("},\"errors\":%" PRIu64 ",\"fails\":{", errors);
	for (int i = 0, some = 0; i < FAIL__COUNT; i++)
		if (g.fails[i])
			printf("%s\"%s\":%" PRIu64, some++ ? "," : "", fail_names[i], g.fails[i]);
	printf("},\"sample\":\"");
	for (const char *s = g.sample; *s; s++)
		if (*s != '"' && *s != '\\' && *s >= ' ' && *s < 127)
			putchar(*s);
	printf("\"}\n");
	return errors;
}

static void usage(void)
{
	fprintf(stderr,
		"usage: load -t HOST:PORT [-p PATH] [-b BODY FILE] [-H 'Name: value']...\n"
		"  -c N   connections, or open streams (default 1)\n"
		"  -w MS  warm-up before the window (default 500)    -d MS  window (default 2000)\n"
		"  -n N   at most N requests, without warm-up        -x MS  hard end of the run\n"
		"  -s     streams    -R  a new stream when one ends  -r MS  start them over this time\n"
		"  -e N   content events that each stream must have\n");
	exit(2);
}

int main(int argc, char **argv)
{
	const char *path = "/v1/chat/completions", *body = NULL, *target = NULL;
	char        headers[4096] = "", host[64] = "";
	long        warm_ms = 500, window_ms = 2000, ramp_ms = 0, hard_ms = 0;
	int         opt, port = 0;

	g.count = 1;
	while ((opt = getopt(argc, argv, "t:p:b:H:c:w:d:n:x:sRr:e:")) != -1) {
		switch (opt) {
		case 't': target = optarg; break;
		case 'p': path = optarg; break;
		case 'b': body = optarg; break;
		case 'H':
			if (strlen(headers) + strlen(optarg) + 3 > sizeof headers)
				usage();
			strncat(headers, optarg, sizeof headers - strlen(headers) - 1);
			strncat(headers, "\r\n", sizeof headers - strlen(headers) - 1);
			break;
		case 'c': g.count = atol(optarg); break;
		case 'w': warm_ms = atol(optarg); break;
		case 'd': window_ms = atol(optarg); break;
		case 'n': g.requests_max = strtoull(optarg, NULL, 10); break;
		case 'x': hard_ms = atol(optarg); break;
		case 's': g.streams = true; break;
		case 'R': g.again = true; break;
		case 'r': ramp_ms = atol(optarg); break;
		case 'e': g.expected_events = strtoull(optarg, NULL, 10); break;
		default: usage();
		}
	}
	if (!target || sscanf(target, "%63[0-9.]:%d", host, &port) != 2 || g.count < 1 ||
	    g.count > CONNECTIONS_MAX || warm_ms < 0 || window_ms < 1 ||
	    window_ms > 2 * 3600 * 1000)
		usage();
	if (g.requests_max)
		warm_ms = 0;
	raise_nofile();
	g.to = address(host, port);
	request_make(target, path, body, headers);
	g.epfd = epoll_create1(EPOLL_CLOEXEC);
	g.conns = must(calloc((size_t)g.count, sizeof *g.conns));
	g.start_ns = now_ns();
	g.ramp_ns = (uint64_t)ramp_ms * 1000000u;
	g.open_ns = g.start_ns + (uint64_t)warm_ms * 1000000u;
	g.close_ns = g.open_ns + (uint64_t)window_ms * 1000000u;
	g.stop_ns = hard_ms ? g.start_ns + (uint64_t)hard_ms * 1000000u
			    : g.close_ns + DRAIN_MS * UINT64_C(1000000);
	for (long i = 0; i < g.count; i++) {
		g.conns[i].fd = -1;
		g.conns[i].start_at_ns = g.start_ns + g.ramp_ns * (uint64_t)i / (uint64_t)g.count;
	}
	run();
	return report() ? 1 : 0;
}
