/*
 * sandbox - give up permanently, for the process and its children, what it will never
 * need: files (Landlock), ports (Landlock, since Linux 6.7), system calls (seccomp) and,
 * if it runs as root, most capabilities.
 *
 * This needs no privileges. What the system does not support is skipped and reported, and
 * the caller decides whether the rest is enough. Landlock applies to the calling thread
 * and the threads it starts later, so enter before starting any. Open files stay open.
 * Systems other than Linux, and a portable build, confine nothing, except that
 * sandbox_only_compute() refuses new files, sockets and processes there, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is allowed with a file, or with a folder and everything beneath it. */
enum sandbox_right {
    SANDBOX_READ = 1 << 0,
    SANDBOX_RUN = 1 << 1,    /* programs */
    SANDBOX_USE = 1 << 2,    /* write to existing files, such as /dev/null */
    SANDBOX_CHANGE = 1 << 3, /* create, write, move, remove; also between such paths */
    SANDBOX_SOCKET = 1 << 4, /* create and remove sockets */
    SANDBOX_ADD = 1 << 5,    /* create files, and write without removing or reading */
};

struct sandbox_rule {
    const char *path; /* links are followed; a missing path is skipped */
    unsigned rights;  /* enum sandbox_right */
};

struct sandbox {
    const struct sandbox_rule *rules;
    size_t n_rules;
    bool all_files; /* restrict neither files nor ports: for unknown programs */
    bool programs;  /* runs other programs */
    bool connects;  /* connects to other machines, any port */
    bool abstract;  /* connects to abstract sockets of other programs */
    bool isolated;  /* sandbox_narrow(): no sockets, no effect on other processes */
    const uint16_t *ports; /* to listen on; 0: any free one */
    size_t n_ports;
    const uint16_t *peers; /* ports of other programs to connect to, without connects */
    size_t n_peers;
};

/* What is restricted, or could be. */
struct sandbox_state {
    bool
        supported; /* by this build of vaultd; whether the kernel does it is another matter */
    int landlock; /* the version that the kernel has; 0: none */
    bool files, ports, calls;
};

/* Never fails: restrictions that did not work are false in the state. */
struct sandbox_state sandbox_enter(const struct sandbox *request);

/* For this thread and those that it starts later, within what sandbox_enter() left: only
 * the files and ports of this request, and with isolated fewer system calls. */
bool sandbox_narrow(const struct sandbox *request);

/* From now on this thread, and those that it starts later, cannot run programs; other
 * threads still can. */
bool sandbox_refuse_programs(void);

/* From now on this thread, the only one of its process, can only compute: use memory, and
 * read and write files that are open. On Linux, any other system call ends the process. */
bool sandbox_only_compute(void);

/* What this system offers; changes nothing. */
struct sandbox_state sandbox_probe(void);
