/*
 * sandbox - the process gives up, for good and for all its children, what it will never
 * need: files (Landlock), ports (Landlock, from Linux 6.7 on), system calls (seccomp)
 * and, if it is root, most of what makes root.
 *
 * Nothing here needs a privilege. What the kernel does not know is left out and told, so
 * the caller decides whether that will do. Landlock binds the calling thread and those it
 * starts later: enter before there are others. What is open stays open.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What may be done with a file, or with a folder and all that is beneath it. */
enum sandbox_right {
    SANDBOX_READ = 1 << 0,
    SANDBOX_RUN = 1 << 1,    /* programs */
    SANDBOX_USE = 1 << 2,    /* write to what is there, such as /dev/null */
    SANDBOX_CHANGE = 1 << 3, /* make, write, move, remove; also between such places */
    SANDBOX_SOCKET = 1 << 4, /* make sockets, and remove them */
};

struct sandbox_rule {
    const char *path; /* links are followed; one that is not there is skipped */
    unsigned rights;  /* enum sandbox_right */
};

struct sandbox {
    const struct sandbox_rule *rules;
    size_t n_rules;
    bool all_files;        /* for programs nobody knows: neither files nor ports */
    bool programs;         /* other programs are run */
    bool connects;         /* to other machines, any port */
    bool abstract;         /* to sockets of other programs that have no file */
    const uint16_t *ports; /* to listen on; 0: any free one */
    size_t n_ports;
};

/* What is confined, or could be. */
struct sandbox_state {
    int landlock; /* the kernel's version of it; 0: it has none */
    bool files, ports, calls;
};

/* Never fails: whatever did not work is false in the state. */
struct sandbox_state sandbox_enter(const struct sandbox *wish);

/* What this kernel offers; changes nothing. */
struct sandbox_state sandbox_probe(void);

/* --- private to sandbox*.c --- */

/* The filter for system calls, on all threads (sandbox_calls.c). */
bool sandbox_filter_calls(bool programs);
