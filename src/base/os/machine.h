/*
 * machine - what this process has: the program, its user, cores, memory and disks.
 */
#pragma once

#include "base/arena.h"

/* For what users see of it: paths, other programs, advice. */
enum machine_system { MACHINE_LINUX, MACHINE_MACOS, MACHINE_WINDOWS };
enum machine_system machine_system(void);

unsigned machine_cores(void); /* at least 1 */

/* Whether the processor has instructions that not every x86-64 has; fast. False for other
 * processors. */
enum machine_skill { MACHINE_SSSE3, MACHINE_AVX2, MACHINE_FMA };
bool machine_can(enum machine_skill skill);

/* Bytes of memory that the process uses, or has used at most, if the system says only that;
 * 0: not known. */
uint64_t machine_memory(void);

/* How many descriptors are open; 0: not known. */
size_t machine_descriptors(void);

/* Bytes free for this user on the file system of path; false if unknown. */
MUST_CHECK bool machine_disk_free(const char *path, int64_t *out);

/* --- the program --- */

/* The path of the running program, links resolved; empty if it is not known. */
str machine_program(struct arena *a);

/* What the linker called the program: another build has other bytes. Writes at most size
 * bytes; out stays as it is if there is no such name. */
void machine_build(void *out, size_t size);

/* --- users --- */

bool machine_is_root(void);
unsigned machine_user(void); /* who this process runs as */

/* The home folder of the user, as the environment says; empty if it does not. */
str machine_home(struct arena *a);

/* Where this program keeps its state, its settings, and a copy of itself: as the XDG base
 * directories say ("~/.local/state/vaultd"); on Windows below %USERPROFILE%/.vaultd, because
 * packaged clients see another AppData. */
str machine_state_folder(struct arena *a);
str machine_config_folder(struct arena *a);
str machine_data_folder(struct arena *a);

struct machine_account {
    str name, home;
};
MUST_CHECK bool machine_find_account(struct arena *a, unsigned user,
                                     struct machine_account *out);
