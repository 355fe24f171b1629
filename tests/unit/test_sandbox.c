#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "sandbox.h"

/* What a child does once it is locked in: 0, or the errno it met. */
typedef int deed(const char *inside, const char *outside);

static char applied[128];

static int child_errno(bool failed)
{
	return failed ? errno : 0;
}

static int locked_in(deed *act, const char *inside, const char *outside,
		     const struct sandbox *limits)
{
	struct sandbox sandbox = *limits;
	struct error err = ERROR_INIT;

	if (!fs_open_folder(inside, &sandbox.folder, &err) ||
	    !sandbox_enter(&sandbox, applied, &err))
		return 99;
	return act(inside, outside);
}

/* The status of a child in a folder of its own, beside another one. */
static int run(deed *act, const struct sandbox *limits)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	char *inside CLEANUP(memory_release) = folder_path(folder, "inside");
	char *outside CLEANUP(memory_release) = folder_path(folder, "outside");
	pid_t child;
	int status;

	folder_add(folder, "inside");
	folder_write(folder, "outside/secret", "secret");
	child = fork();
	if (!child)
		_exit(locked_in(act, inside, outside, limits));
	assert_true(waitpid(child, &status, 0) == child);
	return status;
}

static int run_plain(deed *act)
{
	static const struct sandbox limits = {0};

	return run(act, &limits);
}

static bool has(const char *what)
{
	char lacks[64];

	snprintf(lacks, sizeof(lacks), "no %s", what);
	return strstr(applied, what) && !strstr(applied, lacks);
}

static void expect_code(int status, int code)
{
	if (!WIFEXITED(status))
		fail_msg("ended by signal %d", WTERMSIG(status));
	assert_int_equal(WEXITSTATUS(status), code);
}

static void expect_killed(int status)
{
	if (!WIFSIGNALED(status))
		fail_msg("lived, and ended with %d", WEXITSTATUS(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}

static int work_inside(const char *inside, const char *outside)
{
	char *path CLEANUP(memory_release) = folder_path(inside, "a/b/c");
	struct error err = ERROR_INIT;
	int at CLEANUP(fs_close) = -1;
	int file CLEANUP(fs_close) = -1;
	char back[5] = "";

	(void)outside;
	if (!fs_open_folder(inside, &at, &err) ||
	    !fs_make_folders_at(at, "a/b", &err))
		return 1;
	file = fs_open_at(at, "a/b/c", O_RDWR | O_CREAT | O_EXCL, 0644);
	if (file < 0 || !fs_write_all(file, "text", 4, "c", &err) ||
	    fchmod(file, 0755) || symlinkat("c", at, "a/b/link"))
		return 2;
	fs_close(&file);
	file = open(path, O_RDONLY);
	if (file < 0 || read(file, back, 4) != 4 || strcmp(back, "text"))
		return 3;
	free(malloc(40 << 20));
	return 0;
}

static int write_outside(const char *inside, const char *outside)
{
	char *path CLEANUP(memory_release) = folder_path(outside, "new");

	(void)inside;
	return child_errno(open(path, O_WRONLY | O_CREAT, 0644) < 0);
}

static int change_outside(const char *inside, const char *outside)
{
	char *path CLEANUP(memory_release) = folder_path(outside, "secret");

	(void)inside;
	return child_errno(open(path, O_WRONLY) < 0);
}

static int read_outside(const char *inside, const char *outside)
{
	char *path CLEANUP(memory_release) = folder_path(outside, "secret");

	(void)inside;
	return child_errno(open(path, O_RDONLY) < 0);
}

static int read_through_link(const char *inside, const char *outside)
{
	char *link CLEANUP(memory_release) = folder_path(inside, "link");
	char *path CLEANUP(memory_release) = folder_path(outside, "secret");

	if (symlink(path, link))
		return 98;
	return child_errno(open(link, O_RDONLY) < 0);
}

static int make_folder_outside(const char *inside, const char *outside)
{
	char *path CLEANUP(memory_release) = folder_path(outside, "folder");

	(void)inside;
	return child_errno(mkdir(path, 0755) < 0);
}

static int remove_outside(const char *inside, const char *outside)
{
	char *path CLEANUP(memory_release) = folder_path(outside, "secret");

	(void)inside;
	return child_errno(unlink(path) < 0);
}

static int open_socket(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	return child_errno(socket(AF_INET, SOCK_STREAM, 0) < 0);
}

static int open_unix_socket(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	return child_errno(socket(AF_UNIX, SOCK_STREAM, 0) < 0);
}

static int start_program(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int start_process(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	return child_errno(fork() < 0);
}

static int trace(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	return child_errno(ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0);
}

static int signal_parent(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	return child_errno(kill(getppid(), SIGCONT) < 0);
}

static int make_code(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	return child_errno(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0) == MAP_FAILED);
}

static int call_unknown(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	return child_errno(syscall(SYS_swapon, "x", 0) < 0);
}

static int ask_terminal(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	isatty(0);
	return errno;
}

static int give_up(const char *inside, const char *outside)
{
	(void)inside;
	(void)outside;
	signal(SIGABRT, SIG_DFL);
	abort();
}

static int use_memory(const char *inside, const char *outside)
{
	void *much = mmap(NULL, 512u << 20, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)inside;
	(void)outside;
	return child_errno(much == MAP_FAILED);
}

static int write_much(const char *inside, const char *outside)
{
	char *path CLEANUP(memory_release) = folder_path(inside, "large");
	int file CLEANUP(fs_close) = open(path, O_WRONLY | O_CREAT, 0644);
	char bytes[4096] = "";

	(void)outside;
	for (int i = 0; i < 10; i++) {
		if (write(file, bytes, sizeof(bytes)) < 0)
			return errno;
	}
	return 0;
}

static void work_inside_the_folder_goes_on(void **state)
{
	(void)state;
	expect_code(run_plain(work_inside), 0);
}

static void files_elsewhere_are_out_of_reach(void **state)
{
	static deed *const deeds[] = {
		write_outside,     change_outside,      read_outside,
		read_through_link, make_folder_outside,
	};

	(void)state;
	if (!has("landlock"))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(deeds); i++)
		expect_code(run_plain(deeds[i]), EACCES);
}

static void nothing_can_be_removed(void **state)
{
	(void)state;
	if (!has("seccomp"))
		skip();
	expect_code(run_plain(remove_outside), ENOSYS);
}

static void network_programs_and_processes_are_deadly(void **state)
{
	static deed *const deeds[] = {
		open_socket, open_unix_socket, start_program, start_process,
		trace,       signal_parent,
	};

	(void)state;
	if (!has("seccomp"))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(deeds); i++)
		expect_killed(run_plain(deeds[i]));
}

static void other_calls_are_not_there(void **state)
{
	(void)state;
	if (!has("seccomp"))
		skip();
	expect_code(run_plain(call_unknown), ENOSYS);
	expect_code(run_plain(ask_terminal), ENOTTY);
	expect_code(run_plain(make_code), EPERM);
}

static void a_reader_can_still_abort(void **state)
{
	int status;

	(void)state;
	status = run_plain(give_up);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void memory_and_files_are_limited(void **state)
{
	static const struct sandbox memory = {.memory_max = 64u << 20};
	static const struct sandbox file = {.file_max = 16384};

	(void)state;
	expect_code(run(use_memory, &memory), ENOMEM);
	expect_code(run(write_much, &file), EFBIG);
	expect_code(run_plain(use_memory), 0);
	expect_code(run_plain(write_much), 0);
}

/* From a child, since there is no way back: what this kernel has. */
static int learn_what_is_applied(void **state)
{
	char *folder CLEANUP(folder_remove) = folder_make();
	static const struct sandbox limits = {0};
	int ends[2];
	pid_t child;

	(void)state;
	if (pipe(ends))
		return -1;
	child = fork();
	if (!child) {
		locked_in(ask_terminal, folder, folder, &limits);
		if (write(ends[1], applied, sizeof(applied)) < 0)
			_exit(1);
		_exit(0);
	}
	if (read(ends[0], applied, sizeof(applied)) < 0)
		return -1;
	close(ends[0]);
	close(ends[1]);
	waitpid(child, NULL, 0);
	print_message("%s\n", applied);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_inside_the_folder_goes_on),
		cmocka_unit_test(files_elsewhere_are_out_of_reach),
		cmocka_unit_test(nothing_can_be_removed),
		cmocka_unit_test(network_programs_and_processes_are_deadly),
		cmocka_unit_test(other_calls_are_not_there),
		cmocka_unit_test(a_reader_can_still_abort),
		cmocka_unit_test(memory_and_files_are_limited),
	};

	return cmocka_run_group_tests(tests, learn_what_is_applied, NULL);
}
