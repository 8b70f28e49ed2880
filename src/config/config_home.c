/* Finds the configuration that was installed with this program. */
#include "config/config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* home_prefix: PREFIX of the program PREFIX/sbin/parley; false: it was not installed. */
static bool home_prefix(char ret[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 1);

	if (n <= 0)
		return false;
	ret[n] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(ret, '/');

		if (!slash || (i == 1 && strcmp(slash, "/sbin") != 0 && strcmp(slash, "/bin") != 0))
			return false;
		*slash = '\0';
	}
	return true;
}

/* The installed configuration is the second choice: whoever names a database, or has one here, means
 * that one. */
static bool home_is_wanted(const struct config_given *given)
{
	static const char *const variables[] = { "PARLEY_CONFIG", "PARLEY_DATABASE" };

	for (size_t i = 0; i < given->flag_count; i++)
		if (strcmp(given->flags[i].name, "database") == 0)
			return false;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return false;
	}
	return !given->file && access("parley.db", F_OK) != 0;
}

const char *config_home(const struct config_given *given, char ret_path[PATH_MAX])
{
	char        prefix[PATH_MAX];
	struct stat st;

	if (!home_is_wanted(given) || !home_prefix(prefix))
		return NULL;
	/* as packaging/install_files.cmake.in puts it */
	int n = snprintf(ret_path, PATH_MAX, "%s/etc/parley/parley.yaml",
			 strcmp(prefix, "/usr") == 0 ? "" : prefix);
	if (n <= 0 || n >= PATH_MAX)
		return NULL;
	/* One that is there and can't be read is an error of the load, and no reason to do without. */
	return lstat(ret_path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR) ? ret_path : NULL;
}
