/*
 * old_kernel PROGRAM [ARGUMENT]...: run a program as if the kernel were Linux 5.0 or older,
 * such as 4.18 of RHEL 8: system calls that came later do not exist. Since 5.1 they have the
 * same numbers, from 424 on, on all processors. So there is no openat2, close_range,
 * pidfd_open, clone3, faccessat2 or Landlock.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { FIRST_NEW = 424 };

int main(int argc, char *argv[])
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_NEW, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof(steps) / sizeof(*steps), steps};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 125;
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
