/* Stores the idempotency key of a call that is not stored. */
#include "store/sqlite/claim.h"
#include "store/idem.h"
#include "store/sqlite/op.h"
#include "store/sqlite/peer.h"

static int idem_keep_put(struct session *s, struct idem_keep *j)
{
	peer_own(s->peer, j->run);
	return claim_keep(s->conn, j);
}

OP(idem_keep, idem_keep_put);
