/* The table of sessions, and the look at them now and then. */
#include "runner/internal.h"

#include "base/clock.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { CROWD_IDLE_LOOKS = 10 };

struct crowd_gone {
	char        name[SESSION_NAME + 1];
	const char *why; /* a literal */
};

struct crowd {
	struct session_home home;
	struct list_head    all;
	size_t              count;
	struct timer        look;
	unsigned            looks;
	struct crowd_gone  *gone; /* owned; a ring of LIMIT_RUNNER_GONE */
	size_t              gone_at;
	void (*empty)(void *arg);
	void *empty_arg;
};

static void crowd_gone(struct session_home *h, struct session *s, const char *why)
{
	struct crowd      *c = container_of(h, struct crowd, home);
	struct crowd_gone *g = &c->gone[c->gone_at++ % LIMIT_RUNNER_GONE];

	str_copy(g->name, sizeof g->name, str_of(s->name));
	g->why = why;
	list_take_out(&s->all);
	if (--c->count == 0 && c->empty)
		c->empty(c->empty_arg);
}

static const char *crowd_why(const struct crowd *c, struct str name)
{
	LIST_EACH (s, &c->all, struct session, all)
		if (s->closing && str_is(name, s->name))
			return s->why ? s->why : "lost";
	for (size_t i = 1; i <= LIMIT_RUNNER_GONE && i <= c->gone_at; i++) {
		const struct crowd_gone *g = &c->gone[(c->gone_at - i) % LIMIT_RUNNER_GONE];

		if (str_is(name, g->name))
			return g->why;
	}
	return "";
}

/* Without cgroups nothing bounds the sum of a session's processes but this. */
static void crowd_look_at(struct crowd *c, struct session *s, int64_t now)
{
	const struct runner_options *o = c->home.options;
	struct session_usage         u;

	if (!s->user && now - s->used_us > o->idle_us)
		session_close(s, "idle");
	else if (!s->user && now - s->began_us > o->life_us)
		session_close(s, "life");
	/* leftovers in an idle session grow slowly, or are seen a second later */
	if (c->home.cgroups || s->closing || (!s->user && c->looks % CROWD_IDLE_LOOKS != 0))
		return;
	session_usage(s, &u);
	if (u.memory > o->memory)
		session_close(s, "memory");
}

static void crowd_on_look(struct timer *t)
{
	struct crowd *c = container_of(t, struct crowd, look);
	int64_t       now = clock_mono_us();

	c->looks++;
	LIST_EACH (s, &c->all, struct session, all)
		crowd_look_at(c, s, now);
	timer_start(c->home.loop, t, (int64_t)LIMIT_RUNNER_LOOK_MS * 1000);
}

enum errc crowd_create(struct loop *loop, const struct runner_options *o,
		       struct sandbox_ground *ground, struct cgroups *cgroups, struct crowd **ret,
		       struct err *e)
{
	struct crowd *c = calloc(1, sizeof *c);

	if (c)
		c->gone = calloc(LIMIT_RUNNER_GONE, sizeof *c->gone);
	if (!c || !c->gone) {
		free(c);
		return err_no_memory(e);
	}
	c->home = (struct session_home){
		.loop = loop, .options = o, .ground = ground, .cgroups = cgroups, .gone = crowd_gone
	};
	c->look.fn = crowd_on_look;
	timer_start(loop, &c->look, (int64_t)LIMIT_RUNNER_LOOK_MS * 1000);
	*ret = c;
	return ERR_OK;
}

void crowd_destroy(struct crowd *c)
{
	if (!c)
		return;
	CHECK(c->count == 0);
	session_leave_all(&c->home);
	timer_stop(c->home.loop, &c->look);
	free(c->gone);
	free(c);
}

struct session *crowd_find(struct crowd *c, struct str name)
{
	LIST_EACH (s, &c->all, struct session, all)
		if (str_is(name, s->name) && !s->closing)
			return s;
	return NULL;
}

/* Closes the session that is idle longest, of one owner (NULL: of any).  False: all are in use. */
static bool crowd_close_oldest(struct crowd *c, const char *owner)
{
	struct session *oldest = NULL;

	LIST_EACH (s, &c->all, struct session, all)
		if (!s->user && !s->closing && (!owner || strcmp(s->owner, owner) == 0) &&
		    (!oldest || s->used_us < oldest->used_us))
			oldest = s;
	if (oldest)
		session_close(oldest, "full");
	return oldest != NULL;
}

/* Sessions that are ending count for nobody: they are gone in a few milliseconds. */
static enum errc crowd_room(struct crowd *c, struct str owner, struct err *e)
{
	const struct runner_options *o = c->home.options;
	int64_t                      all = 0;
	int64_t                      own = 0;
	char                         name[SESSION_NAME + 1];

	str_copy(name, sizeof name, owner);
	LIST_EACH (s, &c->all, struct session, all) {
		all += !s->closing;
		own += !s->closing && strcmp(s->owner, name) == 0;
	}
	if (own >= o->owner_sessions && !crowd_close_oldest(c, name))
		return err_set(e, ERR_OVERLOADED, NULL, "all %lld sessions of this key are in use",
			       (long long)o->owner_sessions);
	if (own < o->owner_sessions && all >= o->sessions && !crowd_close_oldest(c, NULL))
		return err_set(e, ERR_OVERLOADED, NULL, "all %lld sessions are in use",
			       (long long)o->sessions);
	return ERR_OK;
}

enum errc crowd_take(struct crowd *c, struct str name, struct str owner, struct session **ret,
		     bool *ret_fresh, const char **ret_gone, struct err *e)
{
	struct session *s = crowd_find(c, name);

	if (s && (s->user || strlen(s->owner) != owner.n || !str_is(owner, s->owner)))
		return err_set(e, ERR_CONVERSATION_BUSY, NULL, "the session is running other code");
	*ret_fresh = !s;
	*ret_gone = s ? "" : crowd_why(c, name);
	if (!s) {
		enum errc rc = crowd_room(c, owner, e);

		if (rc == ERR_OK)
			rc = session_create(&c->home, name, owner, &s, e);
		if (rc != ERR_OK)
			return rc;
		list_put_back(&c->all, &s->all);
		c->count++;
	}
	*ret = s;
	return ERR_OK;
}

void crowd_close(struct crowd *c)
{
	LIST_EACH (s, &c->all, struct session, all)
		session_close(s, "stopped");
}

size_t crowd_count(const struct crowd *c)
{
	return c->count;
}

void crowd_tell_empty(struct crowd *c, void (*fn)(void *arg), void *arg)
{
	c->empty = fn;
	c->empty_arg = arg;
}

/* --- line: The list of executions that wait, and of those at work. */

static int64_t line_count(const struct list_head *list, const char *key)
{
	int64_t n = 0;

	LIST_EACH (p, list, struct line_place, link)
		n += !key || strcmp(p->key, key) == 0;
	return n;
}

bool line_enter(struct line *l, struct line_place *p, const char *key)
{
	if (line_count(&l->waiting, key) >= LIMIT_RUNNER_WAITING)
		return false;
	p->key = key;
	list_put_back(&l->waiting, &p->link);
	return true;
}

static void line_send_back(struct line *l, const char *key)
{
	const struct line_place *last = LIST_ITEM(l->waiting.last, struct line_place, link);
	struct line_place       *next;

	for (struct line_place *p = LIST_FIRST(&l->waiting, struct line_place, link); p; p = next) {
		next = p == last ? NULL : LIST_NEXT(p, struct line_place, link);
		if (strcmp(p->key, key) == 0) {
			list_take_out(&p->link);
			list_put_back(&l->waiting, &p->link);
		}
	}
}

struct line_place *line_next(struct line *l)
{
	int64_t            fewest = l->most > 1 ? l->most - 1 : 1;
	struct line_place *next = NULL;

	if (line_begun(l) >= l->most)
		return NULL;
	LIST_EACH (p, &l->waiting, struct line_place, link) {
		int64_t n = line_count(&l->begun, p->key);

		if (n < fewest) {
			fewest = n;
			next = p;
		}
	}
	if (!next)
		return NULL;
	list_take_out(&next->link);
	line_send_back(l, next->key);
	list_put_back(&l->begun, &next->link);
	return next;
}

void line_leave(struct line_place *p)
{
	list_take_out(&p->link);
}

int64_t line_begun(const struct line *l)
{
	return line_count(&l->begun, NULL);
}
