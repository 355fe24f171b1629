#include "sandbox_linux.h"

#include <errno.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define THIS_ARCH AUDIT_ARCH_X86_64
#define X32_BIT   0x40000000u /* the same calls under other numbers */
#else
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif

#define ALLOW   SECCOMP_RET_ALLOW
#define KILL    SECCOMP_RET_KILL_PROCESS
#define FAIL(e) (SECCOMP_RET_ERRNO | ((e)&SECCOMP_RET_DATA))

static const int allowed[] = {
	/* bytes */
	SYS_read,
	SYS_write,
	SYS_readv,
	SYS_writev,
	SYS_pread64,
	SYS_pwrite64,
	SYS_lseek,
	SYS_copy_file_range,
	/* files, below the folder that Landlock leaves */
	SYS_openat,
	SYS_openat2,
	SYS_close,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_fcntl,
	SYS_mkdirat,
	SYS_symlinkat,
	SYS_fchmod,
	SYS_faccessat,
	SYS_readlinkat,
	/* jobs and answers, over the socket that is open already */
	SYS_recvmsg,
	SYS_recvfrom,
	SYS_sendmsg,
	SYS_sendto,
	SYS_ppoll,
	/* memory, time, signals: what a libc and sanitizers take */
	SYS_brk,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_futex,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_restart_syscall,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_gettimeofday,
	SYS_sched_yield,
	SYS_getrandom,
	SYS_getpid,
	SYS_gettid,
	SYS_exit,
	SYS_exit_group,
#ifdef __x86_64__
	/* musl's for some of the above */
	SYS_open,
	SYS_stat,
	SYS_lstat,
	SYS_access,
	SYS_readlink,
	SYS_poll,
	SYS_mkdir,
	SYS_symlink,
	SYS_time,
#endif
};

/* Nothing that reads an archive has a reason for these. */
static const int deadly[] = {
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_accept,
	SYS_accept4,
	SYS_execve,
	SYS_execveat,
	SYS_clone,
	SYS_clone3,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_kill,
	SYS_mount,
	SYS_unshare,
	SYS_setns,
	SYS_bpf,
	SYS_keyctl,
#ifdef __x86_64__
	SYS_fork,
	SYS_vfork,
#endif
};

/* Room for two instructions a call and for the cases written out. */
#define PROGRAM_MAX (2 * (ARRAY_SIZE(allowed) + ARRAY_SIZE(deadly)) + 32)

struct program {
	struct sock_filter code[PROGRAM_MAX];
	unsigned short length;
};

static void add(struct program *program, struct sock_filter instruction)
{
	program->code[program->length++] = instruction;
}

static void load(struct program *program, size_t offset)
{
	add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						  (uint32_t)offset));
}

/* When the loaded value is `value`, the answer is `action`. */
static void answer(struct program *program, uint32_t value, uint32_t action)
{
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						  value, 0, 1));
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void answer_rest(struct program *program, uint32_t action)
{
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* The call `number` goes into the next `count` instructions. */
static void enter_case(struct program *program, int number, uint8_t count)
{
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						  (uint32_t)number, 0, count));
}

static size_t argument(unsigned index)
{
	size_t low = offsetof(struct seccomp_data, args) + index * 8;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	low += 4;
#endif
	return low;
}

/* New memory with code in it is how a hijacked reader would go on. */
static void add_memory_case(struct program *program, int number)
{
	enter_case(program, number, 4);
	load(program, argument(2));
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
						  PROT_EXEC, 0, 1));
	answer_rest(program, FAIL(EPERM));
	answer_rest(program, ALLOW);
}

static void build(struct program *program)
{
	program->length = 0;
	load(program, offsetof(struct seccomp_data, arch));
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						  THIS_ARCH, 1, 0));
	answer_rest(program, KILL);
	load(program, offsetof(struct seccomp_data, nr));
#ifdef X32_BIT
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K,
						  X32_BIT, 0, 1));
	answer_rest(program, KILL);
#endif
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		answer(program, (uint32_t)allowed[i], ALLOW);
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		answer(program, (uint32_t)deadly[i], KILL);
	add_memory_case(program, SYS_mmap);
	add_memory_case(program, SYS_mprotect);
	/* Sharing extents instead of copying, and no other device control. */
	enter_case(program, SYS_ioctl, 4);
	load(program, argument(1));
	answer(program, (uint32_t)FICLONE, ALLOW);
	answer_rest(program, FAIL(ENOTTY));
	/* abort(3) signals its own process. */
	enter_case(program, SYS_tgkill, 4);
	load(program, argument(0));
	answer(program, (uint32_t)getpid(), ALLOW);
	answer_rest(program, KILL);
	answer_rest(program, FAIL(ENOSYS));
}

int sandbox_seccomp(void)
{
	struct program program;
	struct sock_fprog filter;

	build(&program);
	filter = (struct sock_fprog){program.length, program.code};
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0))
		return -errno;
	return 0;
}

#else

int sandbox_seccomp(void)
{
	return -ENOSYS;
}

#endif
