#include "npmrc_files.h"

#include <fcntl.h>

#include "fs.h"
#include "log.h"
#include "memory.h"
#include "npmrc.h"
#include "path.h"

/* <prefix>/etc/npmrc; npm's prefix is its own setting, else where node is. */
static char *global_path(const struct environment *env)
{
	char *prefix CLEANUP(memory_release) = NULL;

	if (env->npm_globalconfig)
		return memory_string(env->npm_globalconfig);
	if (env->npm_prefix) {
		prefix = memory_string(env->npm_prefix);
	} else if (env->npm_node_execpath) {
		char *folder CLEANUP(memory_release) =
			path_parent(env->npm_node_execpath);

		prefix = path_parent(folder);
	}
	if (!prefix || *prefix != '/')
		return NULL;
	return memory_printf("%s/etc/npmrc", prefix);
}

static char *user_path(const struct environment *env)
{
	if (env->npm_userconfig)
		return memory_string(env->npm_userconfig);
	return env->home ? memory_printf("%s/.npmrc", env->home) : NULL;
}

static void load(const char *path, struct buf *text)
{
	struct error err = ERROR_INIT;
	bool found;

	if (!path ||
	    fs_read_file(AT_FDCWD, path, NPMRC_BYTES_MAX, text, &found, &err))
		return;
	log_verbose("%s: not used", err.text);
	buf_clear(text);
}

void npmrc_files_load(struct npmrc_files *files, const struct environment *env,
		      const char *project)
{
	files->paths[NPMRC_PROJECT] =
		project ? memory_printf("%s/.npmrc", project) : NULL;
	files->paths[NPMRC_USER] = user_path(env);
	files->paths[NPMRC_GLOBAL] = global_path(env);
	for (size_t i = 0; i < NPMRC_COUNT; i++) {
		files->texts[i] = (struct buf)BUF_INIT;
		load(files->paths[i], &files->texts[i]);
	}
}

void npmrc_files_release(struct npmrc_files *files)
{
	for (size_t i = 0; i < NPMRC_COUNT; i++) {
		memory_release(&files->paths[i]);
		buf_release(&files->texts[i]);
	}
}

static const char *lookup(const char *name)
{
	return getenv(name);
}

char *npmrc_files_find(const struct npmrc_files *files, const char *key,
		       const char **path)
{
	for (size_t i = 0; i < NPMRC_COUNT; i++) {
		char *value = npmrc_value(files->texts[i].data, key, lookup);

		if (!value)
			continue;
		*path = files->paths[i];
		return value;
	}
	return NULL;
}
