/*
 * tool_many - changes of many notes in one call: which notes, and how many places the
 * caller expects to be changed.
 *
 * Without a number a mistaken query would change a vault before anybody has looked, so it
 * is asked for: a dry run shows what would be changed, and a refusal says how many places
 * there are.
 */
#pragma once

#include "app/tool_support/tool_change.h"

enum { TOOL_MANY_MAX = 500 }; /* notes changed in one call */

struct tool_many {
    struct mcp_strs paths; /* or names, or globs */
    str where;             /* as in vault_query */
    int64_t expect;
};

/* Whether a call is about several notes: it gives where or paths. */
bool tool_many_asked(const struct tool_many *m);

/* Fails unless exactly one of path, and where or paths, is given, and no etag for several. */
MUST_CHECK bool tool_many_check(const struct tool_many *m, str path,
                                const struct tool_change *change, struct err *err);

/*
 * The paths of the notes that are meant, as the draft has them: those that match where and
 * are among paths, which may also name other files. takes (NULL: all) is asked about notes
 * of the index, while it is held. Fails with FILE_NOT_FOUND if there is none.
 */
typedef bool tool_many_takes(void *arg, const struct file *f);
MUST_CHECK bool tool_many_find(struct tool_changing *c, const struct tool_many *m,
                               tool_many_takes *takes, void *arg, struct mcp_strs *out,
                               struct err *err);

/* The files that paths mean, sorted, and whether a path is among them. */
MUST_CHECK bool tool_many_paths(struct tool_changing *c, const struct tool_many *m,
                                struct mcp_strs *files, struct err *err);
bool tool_many_has(const struct mcp_strs *sorted, str path);

/* ERR_LIMIT above TOOL_MANY_MAX notes. */
MUST_CHECK bool tool_many_limit(size_t notes, struct err *err);

/* Whether the places, such as "match", "matches", are as many as the caller expects; a dry
 * run need not. NOT_CONFIRMED says how many there are. */
MUST_CHECK bool tool_many_expect(const struct tool_changing *c, const struct tool_many *m,
                                 size_t n, const char *one, const char *several,
                                 struct err *err);

/* What each note was changed to, for the answer; notes: without those of several steps. */
void tool_many_done(struct tool_changing *c, struct changed_step *steps, size_t n,
                    str question);
