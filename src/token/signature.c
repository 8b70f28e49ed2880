/* Checks signatures with OpenSSL's envelopes. */
#include "token/signature.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <stdlib.h>

enum {
	RSA_LEAST = 2048 / 8, /* bytes */
	RSA_MOST = 4096 / 8,
	RSA_EXPONENT_MOST = 4,
	SIDE = 32, /* bytes of a number of P-256, and of a key of Ed25519 */
	POINT = 1 + 2 * SIDE,
};

struct signature_key {
	enum jwt_alg alg;
	EVP_PKEY    *key; /* owned */
};

static struct str without_zeros(struct str number)
{
	while (number.n > 0 && number.p[0] == 0)
		number = (struct str){ number.p + 1, number.n - 1 };
	return number;
}

static EVP_PKEY *from_params(const char *kind, OSSL_PARAM_BLD *build)
{
	OSSL_PARAM   *params = OSSL_PARAM_BLD_to_param(build);
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
	EVP_PKEY     *key = NULL;

	if (!params || !context || EVP_PKEY_fromdata_init(context) != 1 ||
	    EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
		key = NULL;
	EVP_PKEY_CTX_free(context);
	OSSL_PARAM_free(params);
	return key;
}

static BIGNUM *signature_number(struct str bytes)
{
	return BN_bin2bn((const unsigned char *)bytes.p, (int)bytes.n, NULL);
}

static EVP_PKEY *make_rsa(struct str n, struct str e)
{
	n = without_zeros(n);
	e = without_zeros(e);
	if (n.n < RSA_LEAST || n.n > RSA_MOST ||
	    (n.n == RSA_LEAST && !((unsigned char)n.p[0] & 0x80)) || e.n == 0 ||
	    e.n > RSA_EXPONENT_MOST || (e.n == 1 && (unsigned char)e.p[0] < 3) ||
	    !(e.p[e.n - 1] & 1))
		return NULL;

	BIGNUM         *modulus = signature_number(n);
	BIGNUM         *exponent = signature_number(e);
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	EVP_PKEY       *key = NULL;

	if (modulus && exponent && build &&
	    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
	    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
		key = from_params("RSA", build);
	OSSL_PARAM_BLD_free(build);
	BN_free(modulus);
	BN_free(exponent);
	return key;
}

/* make_p256: the library refuses a point that is not on the curve. */
static EVP_PKEY *make_p256(struct str x, struct str y)
{
	unsigned char   point[POINT] = { POINT_CONVERSION_UNCOMPRESSED };
	OSSL_PARAM_BLD *build;
	EVP_PKEY       *key = NULL;

	if (x.n != SIDE || y.n != SIDE)
		return NULL;
	memcpy(point + 1, x.p, SIDE);
	memcpy(point + 1 + SIDE, y.p, SIDE);
	build = OSSL_PARAM_BLD_new();
	if (build &&
	    OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
	    OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point) ==
		    1)
		key = from_params("EC", build);
	OSSL_PARAM_BLD_free(build);
	return key;
}

/* is_small_order: with such a key a signature that nobody has made is good for many texts.  These are all encodings of the
 * points whose order is up to 8, without the sign of x, also those whose y is not below the prime. */
static bool is_small_order(const unsigned char point[SIDE])
{
	/* clang-format off */
	static const unsigned char points[][SIDE] = {
		{ 0 },
		{ 1 },
		{ 0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
		  0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05 },
		{ 0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
		  0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a },
		{ 0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
		{ 0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
		{ 0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(points); i++)
		if (memcmp(point, points[i], SIDE - 1) == 0 &&
		    (point[SIDE - 1] & 0x7f) == points[i][SIDE - 1])
			return true;
	return false;
}

static EVP_PKEY *make_ed25519(struct str x)
{
	const unsigned char *point = (const unsigned char *)x.p;

	if (x.n != SIDE || is_small_order(point))
		return NULL;
	return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, point, SIDE);
}

static EVP_PKEY *signature_make(enum jwt_alg alg, struct str a, struct str b)
{
	switch (alg) {
	case JWT_RS256: return make_rsa(a, b);
	case JWT_ES256: return make_p256(a, b);
	case JWT_EDDSA: return make_ed25519(a);
	case JWT_ALG__COUNT: break;
	}
	return NULL;
}

struct signature_key *signature_key_make(enum jwt_alg alg, struct str a, struct str b)
{
	struct signature_key *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	k->alg = alg;
	k->key = signature_make(alg, a, b);
	ERR_clear_error();
	if (k->key)
		return k;
	free(k);
	return NULL;
}

void signature_key_destroy(struct signature_key *k)
{
	if (!k)
		return;
	EVP_PKEY_free(k->key);
	free(k);
}

/* to_der: a token has r and s one after the other (RFC 7518, 3.4), the library wants them in DER. */
static int to_der(struct str pair, unsigned char **ret)
{
	ECDSA_SIG *sig = pair.n == 2 * (size_t)SIDE ? ECDSA_SIG_new() : NULL;
	BIGNUM    *r = sig ? signature_number((struct str){ pair.p, SIDE }) : NULL;
	BIGNUM    *s = sig ? signature_number((struct str){ pair.p + SIDE, SIDE }) : NULL;
	int        n = 0;

	if (r && s && ECDSA_SIG_set0(sig, r, s) == 1) {
		n = i2d_ECDSA_SIG(sig, ret);
	} else {
		BN_free(r);
		BN_free(s);
	}
	ECDSA_SIG_free(sig);
	return n > 0 ? n : 0;
}

static bool check_bytes(const struct signature_key *k, struct str said, const void *sig, size_t n)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool        ok = context &&
		  EVP_DigestVerifyInit(context, NULL, k->alg == JWT_EDDSA ? NULL : EVP_sha256(),
				       NULL, k->key) == 1 &&
		  EVP_DigestVerify(context, sig, n, (const unsigned char *)said.p, said.n) == 1;

	EVP_MD_CTX_free(context);
	return ok;
}

bool signature_is(const struct signature_key *k, struct str said, struct str signature)
{
	bool ok = false;

	if (k->alg == JWT_ES256) {
		unsigned char *der = NULL;
		int            n = to_der(signature, &der);

		ok = n > 0 && check_bytes(k, said, der, (size_t)n);
		OPENSSL_free(der);
	} else {
		ok = check_bytes(k, said, signature.p, signature.n);
	}
	ERR_clear_error();
	return ok;
}
