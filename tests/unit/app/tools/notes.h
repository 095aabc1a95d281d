/* The vault of the tools' tests. */
#pragma once

#include "app_place.h"

#define PLAN                                                                             \
    "---\nstatus: active\ntags: [work]\n---\n# Plan\n\nalpha beta\n\n## Next\n\n- one\n" \
    "- two ^b1\n\n## Later\n\ngamma\n"
#define HOME                                                                             \
    "# Home\n\n[[Plan]] and [[Missing]] #open\n\n- [ ] call Ann 📅 2026-03-01\n- [x] " \
    "done\n"
#define BOARD                                                                            \
    "---\nkanban-plugin: board\n---\n\n## Todo\n\n- [ ] first\n\n## Done\n\n- [x] old\n"
#define TABLE "| Name | Age |\n|---|---|\n| Ann | 30 |\n| Bob | 40 |\n"
#define MAP                                                                              \
    "{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":\"Alpha\",\"x\":0,\"y\":0,"    \
    "\"width\":100,\"height\":60}],\"edges\":[]}"

static inline void fill_notes(struct place *p)
{
    static const char *const files[][2] = {
        {"Home.md", HOME},
        {"Work/Plan.md", PLAN},
        {"Work/Log.md", "alpha\nalpha\n"},
        {"Board.md", BOARD},
        {"Table.md", TABLE},
        {"Map.canvas", MAP},
        {"Templates/Daily.md", "# {{title}}\n\n## Notes\n"},
    };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        place_put(p, files[i][0], str_c(files[i][1]));
}

/* Every row with the files that fill makes, in an app with these flags, for a caller with this grant. */
static inline void check_filled(void (*fill)(struct place *p), const char *flags,
                                const char *grant, const struct app_row *rows, size_t n)
{
    struct app_place *p = app_place_open(flags, fill);
    p->peer.caller.grant = str_c(grant);
    app_check_rows(p, fill, rows, n);
    app_place_close(p);
}

/* The same with these files. */
static inline void check_notes(const char *flags, const char *grant,
                               const struct app_row *rows, size_t n)
{
    check_filled(fill_notes, flags, grant, rows, n);
}
