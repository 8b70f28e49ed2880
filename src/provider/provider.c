/* Destroys providers of all kinds. */
#include "provider/provider.h"

void provider_destroy(struct provider *p)
{
	if (!p)
		return;
	mask_destroy(p->mask);
	p->ops->destroy(p);
}
