/* Names of answers, and the kept answers of writes that create objects. */
#include "store/answer.h"

struct answer_name answer_label_name(const struct answer_label *label)
{
	return (struct answer_name){
		.key = str_of(label->key),
		.digest = { (const char *)label->digest, HASH_BYTES },
	};
}

void answer_refuse_other(struct err *e)
{
	err_set(e, ERR_KEY_REUSED, "Idempotency-Key",
		"this key was used for another request; a key stands for one path and one body");
}

void answer_made_find(struct answer_made *m, struct str digest, struct kept_answer kept,
		      struct err *e)
{
	if (!str_eq(digest, m->key.digest))
		answer_refuse_other(e);
	else if (kept.http == 410)
		err_set(e, ERR_GONE, "",
			"the object that an earlier request with this Idempotency-Key created has been deleted");
	else if (!buf_str(&m->answer, kept.body))
		err_no_memory(e);
	else
		m->replayed = true;
}
