/* The entry that goes with a write, and the write of an entry alone. */
#include "store/audit.h"
#include "base/clock.h"
#include "store/sql/cells.h"

#include <stdio.h>

static const char *const action_names[] = {
#define X(number, name) [AUDIT_##number] = (name),
	AUDIT_ACTIONS(X)
#undef X
};

const char *audit_action_name(enum audit_action action)
{
	return action_names[action];
}

bool audit_action_find(struct str name, enum audit_action *ret)
{
	for (int i = 0; i < AUDIT_ACTION__COUNT; i++)
		if (str_is(name, action_names[i])) {
			*ret = (enum audit_action)i;
			return true;
		}
	return false;
}

void audit_begin(struct audit_entry *ret, enum audit_action action, const char *actor)
{
	*ret = (struct audit_entry){ .id = id_new(), .at_ms = clock_wall_ms(), .action = action };
	str_copy(ret->actor, sizeof ret->actor, str_of(actor));
}

void audit_key(struct audit_entry *x, const struct api_key_write *w)
{
	static const enum audit_action actions[API_KEY_CHANGE__COUNT] = {
		[API_KEY_CREATE] = AUDIT_KEY_CREATE,
		[API_KEY_UPDATE] = AUDIT_KEY_UPDATE,
		[API_KEY_REVOKE] = AUDIT_KEY_REVOKE,
		[API_KEY_ROTATE] = AUDIT_KEY_ROTATE,
	};

	x->action = actions[w->change];
	snprintf(x->object, sizeof x->object, "key_%s", w->id);
}

void audit_group(struct audit_entry *x, const struct key_group_write *w)
{
	static const enum audit_action actions[KEY_GROUP_CHANGE__COUNT] = {
		[KEY_GROUP_CREATE] = AUDIT_GROUP_CREATE,
		[KEY_GROUP_UPDATE] = AUDIT_GROUP_UPDATE,
		[KEY_GROUP_DELETE] = AUDIT_GROUP_DELETE,
	};

	x->action = actions[w->change];
	snprintf(x->object, sizeof x->object, "grp_%s", w->id);
}

/* Sent again, an entry adds nothing. */
const char audit_cell_put[] =
	"INSERT INTO audit (id, secret, at_ms, actor, session, address, action, object, request) "
	"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id, secret) DO NOTHING";

void audit_cell_params(struct param *a, const struct audit_entry *x)
{
	param_int(a, x->id.key);
	param_secret(a, x->id.secret);
	param_int(a, x->at_ms);
	param_text(a, str_of(x->actor));
	param_maybe(a, str_of(x->session));
	param_maybe(a, str_of(x->address));
	param_text(a, str_of(audit_action_name(x->action)));
	param_maybe(a, str_of(x->object));
	param_maybe(a, str_of(x->request));
}

#define OLD(E)                                                                                 \
	"DELETE FROM audit WHERE (id, secret) IN (SELECT id, secret FROM audit WHERE id < $1 " \
	"ORDER BY id LIMIT 256" E##_SKIP_LOCKED ")"
const struct sql audit_cell_old = SQL_EITHER(OLD);

/* The driver writes the entry with the last stage. */
static enum work_next write_audit(struct query *q, struct audit_write *j)
{
	(void)j;
	return q->stage == 0 ? WORK_LAST : WORK_DONE;
}

SQL_OP(audit_write, WORK_WRITE, write_audit);
