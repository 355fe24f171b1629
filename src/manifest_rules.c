#include "manifest_rules.h"

#include "memory.h"
#include "path.h"

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

const char *manifest_name_refused(const char *text)
{
	static const char first[] = LOWER UPPER DIGITS;
	static const char others[] = LOWER UPPER DIGITS "._+-";

	if (!*text)
		return "is empty";
	if (strlen(text) > MANIFEST_NAME_MAX)
		return "is longer than 128 bytes";
	if (text[strspn(text, others)])
		return "holds another character than letters, digits and "
		       ". _ + -";
	if (!strchr(first, *text))
		return "does not begin with a letter or a digit";
	return path_name_refused(text);
}

const char *manifest_choice_refused(const char *text)
{
	if (!strcmp(text, "all") || !strcmp(text, "none"))
		return "is a word that stands for a choice of names";
	return manifest_name_refused(text);
}

const char *manifest_destination_refused(const char *text)
{
	const char *refused = path_refused(text);

	if (refused)
		return refused;
	if (strlen(text) > MANIFEST_DESTINATION_MAX)
		return "is longer than 255 bytes";
	while (*text) {
		size_t length = strcspn(text, "/");
		char *name CLEANUP(memory_release) =
			memory_string_n(text, length);

		refused = manifest_name_refused(name);
		if (refused)
			return refused;
		text += length + (text[length] == '/');
	}
	return NULL;
}

const char *manifest_flag_refused(const char *text)
{
	if (!*text || !strchr(UPPER, *text) ||
	    text[strspn(text, UPPER DIGITS "_")])
		return "is not of the form RNE_ENABLE_NAME";
	if (strlen(text) > MANIFEST_NAME_MAX)
		return "is longer than 128 bytes";
	return NULL;
}

const char *manifest_key_refused(const char *text)
{
	if (!*text || !strchr(LOWER UPPER "_", *text) ||
	    text[strspn(text, LOWER UPPER DIGITS "_")])
		return "is not of the form enableName";
	if (!strcmp(text, "rneLibs") || !strcmp(text, "opencvPod"))
		return "is a key that the build config uses itself";
	if (strlen(text) > MANIFEST_NAME_MAX)
		return "is longer than 128 bytes";
	return NULL;
}

const char *manifest_text_refused(const char *text)
{
	size_t length = strlen(text);

	if (!length || length > MANIFEST_TEXT_MAX)
		return "is not 1 to 255 characters long";
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			return "holds a character that is not printable ASCII";
	}
	return NULL;
}
