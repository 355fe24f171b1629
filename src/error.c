#define RNE_ERROR_C
#include "error.h"

#include <errno.h>
#include <stdarg.h>

static const struct {
	enum error_kind kind;
	const char *name;
} names[] = {
	{ERROR_NONE, "none"},       {ERROR_OTHER, "other"},
	{ERROR_USAGE, "usage"},     {ERROR_CONFIG, "configuration"},
	{ERROR_NETWORK, "network"}, {ERROR_INTEGRITY, "integrity"},
	{ERROR_ARCHIVE, "archive"}, {ERROR_FILESYSTEM, "file system"},
	{ERROR_DRIFT, "drift"},     {ERROR_LOCKED, "locked"},
};

const char *error_kind_name(enum error_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].kind == kind)
			return names[i].name;
	}
	return "signal";
}

bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
	va_list arguments;

	err->kind = kind;
	err->hint[0] = '\0';
	err->no_space = false;
	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	return false;
}

bool error_system(struct error *err, int code, const char *format, ...)
{
	va_list arguments;
	size_t length;

	err->kind = ERROR_FILESYSTEM;
	err->hint[0] = '\0';
	err->no_space = code == ENOSPC || code == EDQUOT;
	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	length = strlen(err->text);
	snprintf(err->text + length, sizeof(err->text) - length, ": %s",
		 strerror(code));
	if (code == EMFILE)
		error_hint(err, "Allow more open files (`ulimit -n 256`) and "
				"run the command again.");
	return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
	char text[sizeof(err->text)];
	va_list arguments;
	size_t length;

	memcpy(text, err->text, sizeof(text));
	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	length = strlen(err->text);
	snprintf(err->text + length, sizeof(err->text) - length, ": %s", text);
	return false;
}

bool error_hint(struct error *err, const char *format, ...)
{
	va_list arguments;

	if (err->hint[0])
		return false;
	va_start(arguments, format);
	vsnprintf(err->hint, sizeof(err->hint), format, arguments);
	va_end(arguments);
	return false;
}

void error_clear(struct error *err)
{
	err->kind = ERROR_NONE;
	err->text[0] = '\0';
	err->hint[0] = '\0';
	err->no_space = false;
}
