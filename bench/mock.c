/* mock: a provider that costs as little CPU as possible: canned JSON answers and paced streams.
 *
 * POST with "stream":true is answered with server-sent events, anything else with JSON.  The model
 * decides how: "sse-N-M" sends N events, one every M ms (0: one send after the other); "burst-N"
 * sends N events in one write; any other name takes the defaults of the command line.
 *
 * One thread, one epoll, a heap of due times.  Trusts its callers; not for any other use. */
#include "common.h"

enum {
	READ_STEP = 64 * 1024,
	BODY_MAX = 64 << 20,
	LOOK = 4096, /* model and stream are looked for in this much of either end of the body */
	JSON_BYTES = 884,  /* of the plain answer's body */
	EVENT_BYTES = 264, /* of one event, from "data: " to the empty line */
	EVENTS_AT_ONCE = 64,
};

struct conn {
	int          fd;
	char        *in; /* owned: the request being read */
	size_t       in_len, in_size;
	char        *out; /* owned: what the socket has not taken */
	size_t       out_len, out_at, out_size;
	uint64_t     due_ns;
	uint64_t     interval_ns;
	size_t       heap_at; /* index + 1; 0: not waiting */
	long         left;    /* events still to send; -1: no stream */
	bool         usage;
	bool         dead;
	struct conn *next_dead;
};

static struct {
	int                   epfd, listener;
	struct conn         **heap;
	size_t                heap_len, heap_size;
	struct conn          *dead; /* freed after the batch of epoll events */
	long                  default_events, default_interval_ms;
	char                  json[2048];
	char                  models[4096]; /* the answer to any GET */
	size_t                json_len;
	char                  event[512]; /* one chunk: size, event, CRLF */
	size_t                event_len, stamp_at;
	char                  head[512], role[512], end[512], usage[512];
	volatile sig_atomic_t stop;
	/* what happened, printed at the end */
	uint64_t    accepted, requests, streams, ended, left_early, events;
	struct hist lag; /* due time to send */
} m = { .default_events = 64 };

static void on_signal(int sig)
{
	(void)sig;
	m.stop = 1;
}

/* ---- canned bytes ---- */

static size_t chunk_make(char *to, size_t size, const char *event)
{
	return (size_t)snprintf(to, size, "%zx\r\n%s\r\n", strlen(event), event);
}

/* Pads by the id, so that sizes are what the constants say. */
static void canned_make(void)
{
	static const char fill[] =
		"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrst"
		"uvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijkl";
	static const char text[] =
		"The quick brown fox jumps over the lazy dog while the river keeps its pace. "
		"Every answer of this mock is the same, so that a benchmark compares the servers in "
		"front of it and not the text that passes through them. A second sentence makes the "
		"length of it like that of a short real answer, with a few \\\"quotes\\\" and a line "
		"break\\n to look at, and a list: one, two, three, four, five.";
	char      body[1024], event[512];
	const int text_max = 1024;

	for (int pad = 4;; pad++) {
		int n = snprintf(
			body, sizeof body,
			"{\"id\":\"chatcmpl-%.*s\",\"object\":\"chat.completion\",\"created\":1700000000,"
			"\"model\":\"mock\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
			"\"content\":\"%.*s\",\"refusal\":null,\"annotations\":[]},\"logprobs\":null,"
			"\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":120,"
			"\"completion_tokens\":80,\"total_tokens\":200,\"prompt_tokens_details\":"
			"{\"cached_tokens\":0}},\"service_tier\":\"default\",\"system_fingerprint\":"
			"\"fp_0123456789\"}",
			pad, fill, text_max, text);
		if (n >= JSON_BYTES || pad == (int)sizeof fill - 1)
			break;
	}
	m.json_len = (size_t)snprintf(
		m.json, sizeof m.json,
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
		strlen(body), body);
	for (int pad = 4;; pad++) {
		int n = snprintf(
			event, sizeof event,
			"data: {\"id\":\"chatcmpl-%.*s\",\"object\":\"chat.completion.chunk\","
			"\"created\":1700000000,\"model\":\"mock\",\"choices\":[{\"index\":0,\"delta\":"
			"{\"content\":\" word " STAMP_MARK "%018d\"},\"logprobs\":null,"
			"\"finish_reason\":null}]}\n\n",
			pad, fill, 0);
		if (n >= EVENT_BYTES || pad == (int)sizeof fill - 1)
			break;
	}
	m.event_len = chunk_make(m.event, sizeof m.event, event);
	m.stamp_at = (size_t)(strstr(m.event, STAMP_MARK) - m.event) + strlen(STAMP_MARK);

/* clang-format off */
#define CHUNK "data: {\"id\":\"chatcmpl-0123456789\",\"object\":\"chat.completion.chunk\"," \
	      "\"created\":1700000000,\"model\":\"mock\",\"choices\":"
	/* clang-format on */
	snprintf(m.head, sizeof m.head,
		 "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
		 "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n");
	chunk_make(m.role, sizeof m.role,
		   CHUNK "[{\"index\":0,\"delta\":{\"role\":\"assistant\","
			 "\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n");
	chunk_make(m.end, sizeof m.end,
		   CHUNK "[{\"index\":0,\"delta\":{},\"logprobs\":null,"
			 "\"finish_reason\":\"stop\"}]}\n\n");
	chunk_make(m.usage, sizeof m.usage,
		   CHUNK "[],\"usage\":{\"prompt_tokens\":120,"
			 "\"completion_tokens\":64,\"total_tokens\":184}}\n\n");
#undef CHUNK
}

/* names: separated by commas. */
static void models_make(char *names)
{
	char   list[3072] = "{\"object\":\"list\",\"data\":[";
	size_t at = strlen(list);
	char  *rest = NULL;

	for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		if (at + strlen(name) + 128 < sizeof list)
			at += (size_t)snprintf(
				list + at, sizeof list - at,
				"%s{\"id\":\"%s\",\"object\":\"model\",\"created\":1700000000,"
				"\"owned_by\":\"mock\"}",
				list[at - 1] == '[' ? "" : ",", name);
	snprintf(
		m.models, sizeof m.models,
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s]}",
		at + 2, list);
}

static const char *event_stamped(uint64_t now)
{
	char *at = m.event + m.stamp_at + STAMP_DIGITS;

	for (int i = 0; i < STAMP_DIGITS; i++, now /= 10)
		*--at = (char)('0' + now % 10);
	return m.event;
}

/* ---- heap of due times ---- */

static void heap_put(size_t at, struct conn *c)
{
	m.heap[at] = c;
	c->heap_at = at + 1;
}

static void heap_settle(size_t at)
{
	struct conn *c = m.heap[at];

	while (at > 0 && m.heap[(at - 1) / 2]->due_ns > c->due_ns) {
		heap_put(at, m.heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	for (;;) {
		size_t kid = 2 * at + 1;

		if (kid + 1 < m.heap_len && m.heap[kid + 1]->due_ns < m.heap[kid]->due_ns)
			kid++;
		if (kid >= m.heap_len || m.heap[kid]->due_ns >= c->due_ns)
			break;
		heap_put(at, m.heap[kid]);
		at = kid;
	}
	heap_put(at, c);
}

static void heap_add(struct conn *c)
{
	if (m.heap_len == m.heap_size) {
		m.heap_size = m.heap_size ? 2 * m.heap_size : 1024;
		m.heap = must(realloc(m.heap, m.heap_size * sizeof(struct conn *)));
	}
	m.heap[m.heap_len++] = c;
	heap_settle(m.heap_len - 1);
}

static void heap_remove(struct conn *c)
{
	if (!c->heap_at)
		return;
	size_t       at = c->heap_at - 1;
	struct conn *last = m.heap[--m.heap_len];

	c->heap_at = 0;
	if (last != c) {
		heap_put(at, last);
		heap_settle(at);
	}
}

/* ---- connections ---- */

static void conn_close(struct conn *c)
{
	if (c->dead)
		return;
	if (c->left >= 0)
		m.left_early++;
	heap_remove(c);
	close(c->fd);
	c->dead = true;
	c->next_dead = m.dead;
	m.dead = c;
}

static void conn_watch(struct conn *c, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = c };

	epoll_ctl(m.epfd, EPOLL_CTL_MOD, c->fd, &ev);
}

static void conn_send(struct conn *c, const char *bytes, size_t n)
{
	ssize_t sent = 0;

	if (c->dead)
		return;
	if (c->out_len == c->out_at) {
		sent = send(c->fd, bytes, n, MSG_NOSIGNAL);
		if (sent < 0 && errno != EAGAIN) {
			conn_close(c);
			return;
		}
		if (sent < 0)
			sent = 0;
		c->out_len = c->out_at = 0;
	}
	size_t rest = n - (size_t)sent;

	if (rest == 0)
		return;
	if (c->out_len + rest > c->out_size) {
		c->out_size = 2 * (c->out_len + rest);
		c->out = must(realloc(c->out, c->out_size));
	}
	memcpy(c->out + c->out_len, bytes + sent, rest);
	c->out_len += rest;
	conn_watch(c, EPOLLIN | EPOLLOUT | EPOLLRDHUP);
}

static void conn_flush(struct conn *c)
{
	ssize_t n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at, MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN) {
		conn_close(c);
		return;
	}
	if (n > 0)
		c->out_at += (size_t)n;
	if (c->out_at == c->out_len) {
		c->out_at = c->out_len = 0;
		conn_watch(c, EPOLLIN | EPOLLRDHUP);
	}
}

/* ---- answers ---- */

static size_t append(char *to, size_t at, const char *text)
{
	size_t n = strlen(text);

	memcpy(to + at, text, n);
	return at + n;
}

static void stream_end(struct conn *c)
{
	char   tail[2048];
	size_t n = append(tail, 0, m.end);

	if (c->usage)
		n = append(tail, n, m.usage);
	n = append(tail, n, "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
	c->left = -1;
	m.ended++;
	conn_send(c, tail, n);
}

/* stream_step: the events that are due; a paced stream is put back for its next one. */
static void stream_step(struct conn *c, uint64_t now)
{
	if (c->interval_ns == 0) {
		for (int i = 0; i < EVENTS_AT_ONCE && c->left > 0 && !c->dead; i++, c->left--) {
			m.events++;
			conn_send(c, event_stamped(now_ns()), m.event_len);
		}
		c->due_ns = now;
	} else {
		hist_add(&m.lag, now - c->due_ns);
		m.events++;
		c->left--;
		conn_send(c, event_stamped(now_ns()), m.event_len);
		c->due_ns += c->interval_ns;
	}
	if (c->dead)
		return;
	if (c->left == 0)
		stream_end(c);
	else
		heap_add(c);
}

static void stream_burst(struct conn *c)
{
	size_t size = (size_t)c->left * m.event_len;
	char  *all = must(malloc(size + 1));

	for (size_t at = 0; at < size; at += m.event_len)
		memcpy(all + at, event_stamped(now_ns()), m.event_len);
	m.events += (uint64_t)c->left;
	conn_send(c, all, size);
	free(all);
	if (!c->dead)
		stream_end(c);
}

static const char *find(const char *body, size_t n, const char *what)
{
	size_t      len = strlen(what);
	size_t      first = n < LOOK ? n : LOOK;
	const char *at = memmem(body, first, what, len);

	if (at || n <= first)
		return at;
	return memmem(body + n - LOOK, LOOK, what, len);
}

static void answer(struct conn *c, const char *body, size_t n)
{
	const char *model = find(body, n, "\"model\":");
	char        name[64] = "";
	long        interval_ms = m.default_interval_ms;
	bool        burst = false;

	m.requests++;
	if (!find(body, n, "\"stream\":true") && !find(body, n, "\"stream\": true")) {
		conn_send(c, m.json, m.json_len);
		return;
	}
	if (model) {
		const char *end = body + n;

		for (model += strlen("\"model\":");
		     model < end && (*model == ' ' || *model == '"');)
			model++;
		for (size_t i = 0; i < sizeof name - 1 && model < end && *model != '"'; i++)
			name[i] = *model++;
	}
	c->left = m.default_events;
	if (sscanf(name, "sse-%ld-%ld", &c->left, &interval_ms) != 2)
		burst = sscanf(name, "burst-%ld", &c->left) == 1;
	if (c->left < 1 || c->left > 100000)
		c->left = 1;
	m.streams++;
	c->usage = find(body, n, "include_usage") != NULL;
	c->interval_ns = (uint64_t)interval_ms * 1000000u;
	c->due_ns = now_ns() + c->interval_ns;

	char   start[1024];
	size_t len = append(start, append(start, 0, m.head), m.role);

	conn_send(c, start, len);
	if (c->dead)
		return;
	if (burst)
		stream_burst(c);
	else if (c->interval_ns == 0)
		stream_step(c, now_ns());
	else
		heap_add(c);
}

/* request_take: answers the request at the start of c->in; false: it is not whole yet. */
static bool request_take(struct conn *c)
{
	char  *end = memmem(c->in, c->in_len, "\r\n\r\n", 4);
	size_t body = 0;

	if (!end)
		return false;
	for (char *line = c->in; line < end;
	     line = (char *)memchr(line, '\n', (size_t)(end + 2 - line)) + 1)
		if (strncasecmp(line, "content-length:", 15) == 0)
			body = strtoul(line + 15, NULL, 10);
	if (body > BODY_MAX) {
		conn_close(c);
		return true;
	}
	size_t head = (size_t)(end - c->in) + 4;

	if (c->in_len < head + body) {
		if (c->in_size < head + body + 1) {
			c->in_size = head + body + 1;
			c->in = must(realloc(c->in, c->in_size));
		}
		return false;
	}
	if (strncmp(c->in, "GET ", 4) == 0)
		conn_send(c, m.models, strlen(m.models));
	else
		answer(c, c->in + head, body);
	c->in_len -= head + body;
	memmove(c->in, c->in + head + body, c->in_len);
	return c->in_len > 0;
}

static void conn_read(struct conn *c)
{
	if (c->in_size < c->in_len + 4096) {
		c->in_size = c->in_len + (c->in_len ? READ_STEP : 4096);
		c->in = must(realloc(c->in, c->in_size));
	}
	ssize_t n = recv(c->fd, c->in + c->in_len, c->in_size - c->in_len - 1, 0);

	if (n == 0 || (n < 0 && errno != EAGAIN)) {
		conn_close(c);
		return;
	}
	if (n < 0)
		return;
	c->in_len += (size_t)n;
	c->in[c->in_len] = '\0';
	while (c->left < 0 && !c->dead && request_take(c))
		;
}

static void accept_all(void)
{
	for (;;) {
		int fd = accept4(m.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return;
		struct conn       *c = must(calloc(1, sizeof *c));
		struct epoll_event ev = { .events = EPOLLIN | EPOLLRDHUP, .data.ptr = c };

		c->fd = fd;
		c->left = -1;
		no_delay(fd);
		m.accepted++;
		if (epoll_ctl(m.epfd, EPOLL_CTL_ADD, fd, &ev) < 0)
			die("epoll_ctl");
	}
}

static void bury(void)
{
	while (m.dead) {
		struct conn *c = m.dead;

		m.dead = c->next_dead;
		free(c->in);
		free(c->out);
		free(c);
	}
}

static void serve(void)
{
	struct epoll_event evs[256];

	while (!m.stop) {
		uint64_t        now = now_ns();
		uint64_t        wait = 100000000u;
		struct timespec t;

		if (m.heap_len)
			wait = m.heap[0]->due_ns > now ? m.heap[0]->due_ns - now : 0;
		if (wait > 100000000u)
			wait = 100000000u;
		t = (struct timespec){ .tv_nsec = (long)wait };
		int n = epoll_pwait2(m.epfd, evs, 256, &t, NULL);

		for (int i = 0; i < n; i++) {
			struct conn *c = evs[i].data.ptr;

			if (!c) {
				accept_all();
				continue;
			}
			if (!c->dead && (evs[i].events & EPOLLOUT))
				conn_flush(c);
			if (!c->dead && (evs[i].events & ~(uint32_t)EPOLLOUT))
				conn_read(c);
		}
		now = now_ns();
		for (int i = 0; i < 256 && m.heap_len && m.heap[0]->due_ns <= now; i++) {
			struct conn *c = m.heap[0];

			heap_remove(c);
			stream_step(c, now);
		}
		bury();
	}
}

int main(int argc, char **argv)
{
	int                port = 0, opt;
	char              *models = NULL;
	struct sockaddr_in a;
	socklen_t          len = sizeof a;

	while ((opt = getopt(argc, argv, "p:n:i:m:")) != -1) {
		switch (opt) {
		case 'p': port = (int)strtol(optarg, NULL, 10); break;
		case 'n': m.default_events = atol(optarg); break;
		case 'i': m.default_interval_ms = atol(optarg); break;
		case 'm': models = optarg; break;
		default:
			fprintf(stderr, "usage: mock [-p port] [-n events] [-i interval ms] "
					"[-m name,name...]\n");
			return 2;
		}
	}
	raise_nofile();
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	canned_make();
	models_make(models ? models : strdup("json"));
	a = address("127.0.0.1", port);
	m.epfd = epoll_create1(EPOLL_CLOEXEC);
	m.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	setsockopt(m.listener, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	if (bind(m.listener, (struct sockaddr *)&a, sizeof a) < 0 || listen(m.listener, 8192) < 0)
		die("listen");
	getsockname(m.listener, (struct sockaddr *)&a, &len);

	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = NULL };

	epoll_ctl(m.epfd, EPOLL_CTL_ADD, m.listener, &ev);
	printf("mock ready on http://127.0.0.1:%d\n", ntohs(a.sin_port));
	fflush(stdout);
	serve();
	printf("{\"accepted\":%" PRIu64 ",\"requests\":%" PRIu64 ",\"streams\":%" PRIu64
	       ",\"ended\":%" PRIu64 ",\"left_early\":%" PRIu64 ",\"events\":%" PRIu64
	       ",\"lag_p99_us\":%.1f,\"lag_max_us\":%.1f}\n",
	       m.accepted, m.requests, m.streams, m.ended, m.left_early, m.events,
	       hist_us(&m.lag, 0.99), (double)m.lag.max_ns / 1000.0);
	return 0;
}
