/*
 * checkup_parts - private to checkup*.c: what is checked, and what was found.
 */
#pragma once

#include "app/doctor/checkup.h"
#include "app/setup/settings.h"
#include "app/setup/vault_config.h"

enum finding_status { FINDING_GOOD, FINDING_WARN, FINDING_BAD };

struct checkup_finding {
    const struct check *check;
    enum finding_status status;
    str got; /* a sentence without the full stop */
    str fix; /* what to do; empty if there is no problem */
};

enum { FINDINGS_MAX = 256 };

struct checkup {
    struct arena *arena;
    const struct settings *settings;
    const struct err *problem;       /* of the settings; or NULL */
    struct configured_vaults vaults; /* empty: the settings name none */
    const char *state_dir;
    const struct check *now; /* the running check */
    struct checkup_finding findings[FINDINGS_MAX];
    size_t n;
    size_t folders; /* of all vaults, once they have been checked */
};

struct check {
    const char *id, *title;
    void (*run)(struct checkup *c);
};

/* Records a finding of the running check. The fix is empty only if the status is good. */
void checkup_found(struct checkup *c, enum finding_status status, str got, str fix);
#define FOUND_GOOD(c, ...)                                                               \
    checkup_found(c, FINDING_GOOD, arena_printf((c)->arena, __VA_ARGS__), STR(""))
#define FOUND(c, status, fix, ...)                                                       \
    checkup_found(c, status, arena_printf((c)->arena, __VA_ARGS__), fix)
#define FOUND_WARN(c, fix, ...) FOUND(c, FINDING_WARN, fix, __VA_ARGS__)
#define FOUND_BAD(c, fix, ...) FOUND(c, FINDING_BAD, fix, __VA_ARGS__)

/* Reads a file of /proc, whose size is not known; empty if it cannot be read. */
enum { CHECKUP_READ_MAX = 4 << 20 };
str checkup_read(struct arena *a, const char *path);

typedef void check_fn(struct checkup *c);
check_fn checkup_vault, checkup_watches, checkup_index; /* checkup_vault.c */
check_fn checkup_state, checkup_database;               /* checkup_state.c */
check_fn checkup_sign_in, checkup_audit;                /* checkup_state.c */
check_fn checkup_sync;                                  /* checkup_sync.c */
check_fn checkup_meaning;                               /* checkup_meaning.c */
check_fn checkup_clients;                               /* checkup_clients.c */
check_fn checkup_port, checkup_proxy, checkup_clock;    /* checkup_net.c */

/* Whether that many folders can be watched with that limit. */
enum finding_status checkup_judge_watches(size_t folders, int64_t limit);
