/* All commands, as the program has them: rows of cli_place.h, whose words follow "vaultd". */
#pragma once

#include "app/commands.h"
#include "app_place.h"
#include "cli_place.h"

static inline int run_whole(int argc, char **argv)
{
    static char program[] = "vaultd";
    char *words[CLI_WORDS_MAX + 2] = {program};
    for (int i = 0; i < argc; i++)
        words[i + 1] = argv[i];
    return commands_run(argc + 1, words);
}

/* The state folder is @/state, and nothing else is set. */
static inline void prepare(struct place *p)
{
    app_place_clean_environment(p);
    setenv("STATE_DIR", p->state, 1);
}

static inline void check_whole(struct place *p, const struct cli_row *rows, size_t n)
{
    static const struct cli_verb *const none[] = {NULL};
    cli_check_rows(&(struct cli_place){p, none, run_whole}, rows, n);
}
