/* The current certificate, and older ones that handshakes may still use. */
#include "http/tls.h"

#include "base/clock.h"
#include "base/limits.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
	CHAIN = 16, /* certificates in a file */
	/* After this time no handshake can use a certificate, because an idle connection is cut
	 * before. */
	HOLD_US = 2 * LIMIT_KEEPALIVE_SECONDS * 1000000,
};

const char tls_priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

struct certificate {
	gnutls_pcert_st     chain[CHAIN];
	unsigned            count;
	gnutls_privkey_t    key;
	struct certificate *next; /* an older one */
	int64_t             until_us;
};

static struct certificate *_Atomic current;
static struct certificate         *retired;

static void tls_destroy(struct certificate *c)
{
	for (unsigned i = 0; i < c->count; i++)
		gnutls_pcert_deinit(&c->chain[i]);
	if (c->key)
		gnutls_privkey_deinit(c->key);
	free(c);
}

static enum errc tls_bad(const char *option, const char *file, int rc, struct err *e)
{
	return err_set(e, ERR_INVALID_VALUE, option, "'%.300s': %s", file, gnutls_strerror(rc));
}

static enum errc load_key(struct certificate *c, const char *file, struct err *e)
{
	gnutls_datum_t text = { 0 };
	int            rc = gnutls_load_file(file, &text);

	if (rc < 0)
		return tls_bad("tls_key", file, rc, e);
	rc = gnutls_privkey_init(&c->key);
	if (rc >= 0)
		rc = gnutls_privkey_import_x509_raw(c->key, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
	gnutls_memset(text.data, 0, text.size);
	gnutls_free(text.data);
	return rc < 0 ? tls_bad("tls_key", file, rc, e) : ERR_OK;
}

static enum errc load_chain(struct certificate *c, const char *file, struct err *e)
{
	unsigned count = CHAIN;
	int rc = gnutls_pcert_list_import_x509_file(c->chain, &count, file, GNUTLS_X509_FMT_PEM,
						    NULL, NULL, 0);

	if (rc < 0)
		return tls_bad("tls_cert", file, rc, e);
	c->count = count;
	return ERR_OK;
}

/* Certificate and key are compared by their public keys. */
static enum errc check_pair(const struct certificate *c, const char *cert_file,
			    const char *key_file, struct err *e)
{
	unsigned char   mine[64];
	unsigned char   theirs[64];
	size_t          n = sizeof mine;
	size_t          m = sizeof theirs;
	gnutls_pubkey_t pub = NULL;
	int             rc = gnutls_pubkey_init(&pub);

	if (rc >= 0)
		rc = gnutls_pubkey_import_privkey(pub, c->key, 0, 0);
	if (rc >= 0)
		rc = gnutls_pubkey_get_key_id(pub, 0, mine, &n);
	if (rc >= 0)
		rc = gnutls_pubkey_get_key_id(c->chain[0].pubkey, 0, theirs, &m);
	if (pub)
		gnutls_pubkey_deinit(pub);
	if (rc < 0)
		return tls_bad("tls_key", key_file, rc, e);
	if (n != m || memcmp(mine, theirs, n) != 0)
		return err_set(e, ERR_INVALID_VALUE, "tls_key",
			       "'%.200s' is not the key of the certificate in '%.200s'", key_file,
			       cert_file);
	return ERR_OK;
}

static enum errc tls_load(const char *cert_file, const char *key_file, struct certificate **ret,
			  struct err *e)
{
	struct certificate *c = calloc(1, sizeof *c);

	if (!c)
		return err_set(e, ERR_INTERNAL, "tls_cert", "out of memory");
	if (load_chain(c, cert_file, e) != ERR_OK || load_key(c, key_file, e) != ERR_OK ||
	    check_pair(c, cert_file, key_file, e) != ERR_OK) {
		tls_destroy(c);
		return e->code;
	}
	*ret = c;
	return ERR_OK;
}

enum errc tls_check(const char *cert_file, const char *key_file, struct err *e)
{
	struct certificate *c = NULL;
	enum errc           rc = tls_load(cert_file, key_file, &c, e);

	if (rc == ERR_OK)
		tls_destroy(c);
	return rc;
}

static void drop_old(int64_t now_us)
{
	for (struct certificate **at = &retired; *at;) {
		struct certificate *c = *at;

		if (c->until_us > now_us) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		tls_destroy(c);
	}
}

enum errc tls_use(const char *cert_file, const char *key_file, struct err *e)
{
	struct certificate *c = NULL;

	if (tls_load(cert_file, key_file, &c, e) != ERR_OK)
		return e->code;

	int64_t             now = clock_mono_us();
	struct certificate *old = atomic_exchange(&current, c);
	drop_old(now);
	if (old) {
		old->until_us = now + HOLD_US;
		old->next = retired;
		retired = old;
	}
	return ERR_OK;
}

void tls_finish(void)
{
	struct certificate *c = atomic_exchange(&current, NULL);

	drop_old(INT64_MAX);
	if (c)
		tls_destroy(c);
}

static int retrieve_certificate(gnutls_session_t session, const gnutls_datum_t *authorities,
				int count, const gnutls_pk_algorithm_t *algorithms,
				int algorithm_count, gnutls_pcert_st **ret_chain,
				unsigned *ret_count, gnutls_privkey_t *ret_key)
{
	struct certificate *c = atomic_load(&current);

	(void)session;
	(void)authorities;
	(void)count;
	(void)algorithms;
	(void)algorithm_count;
	if (!c)
		return -1;
	*ret_chain = c->chain;
	*ret_count = c->count;
	*ret_key = c->key;
	return 0;
}

tls_function *tls_retriever(void)
{
	gnutls_certificate_retrieve_function2 *fn = retrieve_certificate;

	return (tls_function *)fn;
}
