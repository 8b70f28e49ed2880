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
