/* Secrets: read from their source, checked, and wiped before their memory is freed. */
#include "config/config.h"

#include "base/limits.h"
#include "base/full_io.h"
#include "config/config_option.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A secret of the environment, kept for the next load. */
struct kept {
	struct kept *next;
	char        *value;  /* owned */
	char         name[]; /* NUL-terminated */
};

static struct kept *kept_list;

void config_secret_free(char *secret)
{
	if (!secret)
		return;
	explicit_bzero(secret, strlen(secret));
	free(secret);
}

void config_secret_forget(void)
{
	while (kept_list) {
		struct kept *k = kept_list;

		kept_list = k->next;
		config_secret_free(k->value);
		free(k);
	}
}

static struct kept *find_kept(const char *name)
{
	for (struct kept *k = kept_list; k; k = k->next)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

static struct kept *config_secret_keep(const char *name, const char *value)
{
	struct kept *k = find_kept(name);
	char        *copy = strdup(value);
	size_t       n = strlen(name) + 1;

	if (!copy)
		return NULL;
	if (!k) {
		k = calloc(1, sizeof *k + n);
		if (!k) {
			config_secret_free(copy);
			return NULL;
		}
		memcpy(k->name, name, n);
		k->next = kept_list;
		kept_list = k;
	}
	config_secret_free(k->value);
	k->value = copy;
	return k;
}

const char *config_secret_env(const char *name)
{
	char        *now = getenv(name);
	struct kept *k;

	if (!now || !*now) {
		k = find_kept(name);
		return k ? k->value : NULL;
	}
	k = config_secret_keep(name, now);
	if (!k)
		return NULL;
	/* The bytes would stay readable in /proc/PID/environ after unsetenv, so they are wiped
	 * first. */
	explicit_bzero(now, strlen(now));
	unsetenv(name);
	return k->value;
}

/* config_secret_check: why a value cannot be a key, or NULL when it can. */
static const char *config_secret_check(struct str value)
{
	if (value.n == 0)
		return "is empty";
	if (value.n > LIMIT_SECRET)
		return "is longer than 8KiB";
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];

		if (c < 0x20 || c == 0x7f)
			return "has a control character";
	}
	if (value.p[0] == ' ' || value.p[value.n - 1] == ' ')
		return "starts or ends with a space";
	return NULL;
}

static enum errc read_env(const char *name, const struct config_place *at, char **ret,
			  struct err *e)
{
	const char *value = config_secret_env(name);

	if (!value)
		return config_place_fail(at, e, "environment variable %.64s is not set, or empty",
					 name);

	const char *why = config_secret_check(str_of(value));
	if (why)
		return config_place_fail(at, e, "the value of %.64s %s", name, why);
	*ret = strdup(value);
	return *ret ? ERR_OK : err_set(e, ERR_INTERNAL, NULL, "out of memory");
}

static enum errc config_secret_read_open(int fd, const char *path, bool must_be_private,
					 const struct config_place *at, char **ret, struct err *e)
{
	struct stat st;
	char        bytes[LIMIT_SECRET + 4];

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return config_place_fail(at, e, "%.128s is not a file", path);
	if (must_be_private && (st.st_mode & 077) != 0)
		return config_place_fail(at, e,
					 "%.128s is open to group or others (mode %04o); chmod 600",
					 path, (unsigned)st.st_mode & 07777);

	ssize_t got = whole_read(fd, bytes, LIMIT_SECRET + 3);
	if (got < 0)
		return config_place_fail(at, e, "%.128s cannot be read: %s", path, strerror(errno));

	size_t n = (size_t)got;
	if (n > 0 && bytes[n - 1] == '\n')
		n -= n > 1 && bytes[n - 2] == '\r' ? 2 : 1;
	bytes[n] = '\0';

	const char *why = config_secret_check((struct str){ bytes, n });
	if (!why)
		*ret = strdup(bytes);
	explicit_bzero(bytes, sizeof bytes);
	if (why)
		return config_place_fail(at, e, "the secret in %.128s %s", path, why);
	return *ret ? ERR_OK : err_set(e, ERR_INTERNAL, NULL, "out of memory");
}

static enum errc config_secret_read_file(const char *path, bool must_be_private,
					 const struct config_place *at, char **ret, struct err *e)
{
	/* not blocking: a FIFO must not hold up the start */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return config_place_fail(at, e, "%.128s cannot be opened: %s", path,
					 strerror(errno));
	enum errc rc = config_secret_read_open(fd, path, must_be_private, at, ret, e);
	close(fd);
	return rc;
}

static enum errc read_credential(const char *name, const struct config_place *at, char **ret,
				 struct err *e)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	char        path[4096];

	if (name[0] == '\0' || strchr(name, '/') || name[0] == '.')
		return config_place_fail(at, e,
					 "a credential's name has no '/' and no leading '.'");
	if (!folder || !*folder)
		return config_place_fail(at, e,
					 "no credentials: CREDENTIALS_DIRECTORY is not set; "
					 "systemd sets it for LoadCredential=");
	if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
		return config_place_fail(at, e, "the credential's path is too long");
	/* The folder of credentials is private. The group bits of the file may be the mask of an
	 * access list, so its mode is not checked. */
	return config_secret_read_file(path, false, at, ret, e);
}

enum errc config_secret_read(enum config_secret_kind kind, const char *name,
			     const struct config_place *at, char **ret, struct err *e)
{
	char     *secret = NULL;
	enum errc rc = ERR_OK;

	switch (kind) {
	case CONFIG_SECRET_ENV: rc = read_env(name, at, &secret, e); break;
	case CONFIG_SECRET_FILE: rc = config_secret_read_file(name, true, at, &secret, e); break;
	case CONFIG_SECRET_CREDENTIAL: rc = read_credential(name, at, &secret, e); break;
	}
	if (rc == ERR_OK)
		*ret = secret;
	return rc;
}
