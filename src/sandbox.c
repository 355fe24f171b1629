#include "sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "sandbox_linux.h"

#define APPLIED_SIZE 128

static void PRINTF(2, 3) note(char *applied, const char *format, ...)
{
	size_t length = strlen(applied);
	va_list arguments;

	if (length)
		length += (size_t)snprintf(applied + length,
					   APPLIED_SIZE - length, ", ");
	if (length >= APPLIED_SIZE)
		return;
	va_start(arguments, format);
	vsnprintf(applied + length, APPLIED_SIZE - length, format, arguments);
	va_end(arguments);
}

/* Bytes of address space in use; 0: not known here. */
static uint64_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	char line[64] = "";
	uint64_t pages = 0;

	if (!file)
		return 0;
	if (fgets(line, sizeof(line), file))
		pages = strtoull(line, NULL, 10);
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Never raises what the user or the system set lower. */
static bool lower(int resource, uint64_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return false;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value)
		limit.rlim_max = (rlim_t)value;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(resource, &limit);
}

static void limit_resources(const struct sandbox *sandbox, char *applied)
{
	uint64_t used = sandbox->memory_max ? address_space() : 0;
	bool ok = lower(RLIMIT_CORE, 0);

#ifdef RLIMIT_NPROC
	ok = lower(RLIMIT_NPROC, 0) && ok;
#endif
	if (used)
		ok = lower(RLIMIT_AS, used + sandbox->memory_max) && ok;
	if (sandbox->file_max) {
		signal(SIGXFSZ, SIG_IGN); /* a write says EFBIG instead */
		ok = lower(RLIMIT_FSIZE, sandbox->file_max) && ok;
	}
	note(applied, ok ? "resource limits" : "some resource limits");
}

static void lock_files(const struct sandbox *sandbox, char *applied)
{
	int version = sandbox_landlock(sandbox->folder);

	if (version > 0)
		note(applied, "landlock %d", version);
	else
		note(applied, "no landlock (%s)", strerror(-version));
}

static void lock_calls(char *applied)
{
	int failed = sandbox_seccomp();

	if (failed)
		note(applied, "no seccomp (%s)", strerror(-failed));
	else
		note(applied, "seccomp");
}

bool sandbox_enter(const struct sandbox *sandbox, char applied[128],
		   struct error *err)
{
	applied[0] = '\0';
	limit_resources(sandbox, applied);
#ifdef __linux__
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return error_system(err, errno,
				    "cannot give up new privileges");
#else
	(void)err;
#endif
	lock_files(sandbox, applied);
	lock_calls(applied); /* last: it forbids what the others do */
	return true;
}
