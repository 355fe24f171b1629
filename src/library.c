#include "library.h"

#if defined(RNE_LOAD_CURL) || defined(RNE_LOAD_ARCHIVE)

#include <dlfcn.h>

struct function {
	const char *name;
	void *member; /* the pointer to be filled in */
};

static bool load(const char *file, const char *package,
		 const struct function *functions, size_t count,
		 struct error *err)
{
	/* Lazily: most of what forty libraries ask of one another is never
	 * called, and looking it up takes as long as all the rest. What this
	 * program calls itself is looked up below. */
	void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);

	if (!library) {
		error_set(err, ERROR_OTHER, "cannot load %s: %s", file,
			  dlerror());
		return error_hint(err,
				  "Install it: Debian and Ubuntu have it "
				  "in the package %s.",
				  package);
	}
	for (size_t i = 0; i < count; i++) {
		void *found = dlsym(library, functions[i].name);

		if (!found)
			return error_set(err, ERROR_OTHER,
					 "%s has no %s: it is older than the "
					 "one that this program was built with",
					 file, functions[i].name);
		/* POSIX: what dlsym gives for a function is one. */
		memcpy(functions[i].member, &found, sizeof(found));
	}
	return true;
}

#endif

#ifdef RNE_LOAD_CURL

struct libcurl libcurl;

bool library_load_curl(struct error *err)
{
#define FUNCTION(name) {"curl_" #name, &libcurl.name},
	static const struct function functions[] = {LIBRARY_CURL(FUNCTION)};
#undef FUNCTION

	return libcurl.version_info ||
	       /* the last of them */ load(RNE_LOAD_CURL, "libcurl4", functions,
					   ARRAY_SIZE(functions), err);
}

#else

#define LINKED(name) .name = curl_##name,
struct libcurl libcurl = {LIBRARY_CURL(LINKED)};
#undef LINKED

bool library_load_curl(struct error *err)
{
	(void)err;
	return true;
}

#endif

#ifdef RNE_LOAD_ARCHIVE

struct libarchive libarchive;

bool library_load_archive(struct error *err)
{
#define FUNCTION(name) {"archive_" #name, &libarchive.name},
	static const struct function functions[] = {LIBRARY_ARCHIVE(FUNCTION)};
#undef FUNCTION

	return libarchive.version_string ||
	       load(RNE_LOAD_ARCHIVE, "libarchive13", functions,
		    ARRAY_SIZE(functions), err);
}

#else

#define LINKED(name) .name = archive_##name,
struct libarchive libarchive = {LIBRARY_ARCHIVE(LINKED)};
#undef LINKED

bool library_load_archive(struct error *err)
{
	(void)err;
	return true;
}

#endif

void library_release_text(char **text)
{
	if (*text)
		libcurl.free(*text);
}

void library_release_url(CURLU **url)
{
	if (*url)
		libcurl.url_cleanup(*url);
}
