/* The tickets that are out, under one lock. */
#include "run/ticket.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>

#define PREFIX "tick_"

enum { TICKETS = 4096, SECRET_DIGITS = 32 };

struct ticket {
	uint64_t  secret[2];
	struct id run;
	struct identity *who; /* held, until the place is used again */
	int64_t   until_us; /* monotonic; 0: a free place */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ticket   tickets[TICKETS];

/* free_place: with the lock held; NULL: there is none. */
static struct ticket *free_place(int64_t now_us)
{
	for (size_t i = 0; i < TICKETS; i++)
		if (tickets[i].until_us <= now_us)
			return &tickets[i];
	return NULL;
}

bool ticket_make(struct id run, struct identity *who, char ret[TICKET_MAX])
{
	int64_t       now = clock_mono_us();
	struct ticket t = {
		.secret = { id_random(), id_random() },
		.run = run,
		.who = who,
		.until_us = now + (int64_t)TICKET_SECONDS * 1000000,
	};

	pthread_mutex_lock(&lock);
	struct ticket *place = free_place(now);
	if (place) {
		identity_release(place->who);
		identity_hold(who);
		*place = t;
	}
	pthread_mutex_unlock(&lock);
	if (!place)
		return false;
	snprintf(ret, TICKET_MAX, PREFIX "%016llx%016llx", (unsigned long long)t.secret[0],
		 (unsigned long long)t.secret[1]);
	return true;
}

static bool parse(struct str text, uint64_t secret[2])
{
	size_t front = strlen(PREFIX);

	if (text.n != front + SECRET_DIGITS || memcmp(text.p, PREFIX, front) != 0)
		return false;
	secret[0] = secret[1] = 0;
	for (size_t i = 0; i < SECRET_DIGITS; i++) {
		char     c = text.p[front + i];
		unsigned digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned)(c - 'a') + 10;
		else
			return false;
		secret[i / 16] = secret[i / 16] << 4 | digit;
	}
	return true;
}

struct identity *ticket_take(struct str text, struct id run)
{
	uint64_t secret[2];
	int64_t  now = clock_mono_us();
	bool     found = false;
	struct identity *who = NULL;

	if (!parse(text, secret))
		return NULL;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < TICKETS && !found; i++) {
		struct ticket *t = &tickets[i];

		/* Every place is compared whole, so that time says nothing of a near miss. */
		found = ((t->secret[0] ^ secret[0]) | (t->secret[1] ^ secret[1])) == 0 &&
			t->until_us > now && t->run.key == run.key && t->run.secret == run.secret;
		if (found) {
			who = t->who;
			*t = (struct ticket){ 0 };
		}
	}
	pthread_mutex_unlock(&lock);
	return who;
}
