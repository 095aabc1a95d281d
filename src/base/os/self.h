/*
 * self - this process.
 */
#pragma once

#include "base/str.h"

/* At the start of main(): the arguments, in UTF-8. From now on stdin, stdout and stderr take
 * bytes as they are, and a terminal shows UTF-8. */
char **self_start(int *argc, char **argv);

int self_pid(void);

/* "NAME=value", in UTF-8; ends with NULL. */
const char *const *self_environment(void);

/* As getenv(): the value of a variable of the environment, in UTF-8; NULL if there is none.
 * It stays valid until the variable is forgotten. */
const char *self_variable(const char *name);

/* Remove a variable; its value is overwritten first. */
void self_forget_variable(const char *name);

/* Descriptors that this process was started with: no program that it starts inherits
 * them. */
void self_adopt(int first, int n);

/* End at once, without writing what is buffered. */
_Noreturn void self_end(int code);

/* Other processes of this user cannot read our memory, if the system can do that. */
void self_hide_memory(void);

/*
 * As the first process of a container, be a small init: the kernel treats process 1
 * specially. Signals without a handler do not end it, and orphaned processes (such as a
 * helper of a git command that was stopped) become its children and stay zombies until it
 * waits for them.
 *
 * Call it before any thread is started. Returns immediately, unless this is process 1:
 * then it returns in a child, and process 1 forwards its signals, waits for orphans and
 * ends as the child does.
 */
void self_init_if_first(void);

/* --- the process that started this one --- */

struct parent {
    int fd; /* becomes ready for reading when it ends; -1 if the system has no such thing */
    int pid;
};

enum { PARENT_LOOK_MS = 1000 }; /* how often to ask, without a descriptor */

void parent_watch(struct parent *p);
bool parent_has_ended(const struct parent *p);
void parent_forget(struct parent *p);
