/*
 * rename - what has to be written when files, headings, blocks or tags get another name.
 *
 * A planner: it looks at an index, reads and writes no disk, and says which file gets
 * which new text. Links are followed by what they mean, never by what they say
 * (obsidian.md 15): one is rewritten when its target moves, or when what it says would
 * mean another file afterwards. All bytes but those of rewritten links stay what they
 * were. Excluded files are rewritten, too; code, math, HTML and bases never are.
 *
 * A plan lives in the arena and borrows from the index: it is good as long as nobody
 * changes that. Whoever carries it out checks that the files are still as indexed.
 * Safe for any number of threads while nobody changes the index.
 */
#pragma once

#include "base/err.h"
#include "vault/index/index.h"

enum { RENAME_MAX_WARNINGS = 100 }; /* further ones are left out */

struct rename_move {
    str from, to; /* paths of a file */
};

struct rename_rewrite {
    const struct file *file;
    str path;     /* where it will be */
    str text;     /* all of its new content */
    size_t links; /* links (of a tag: tags) that were rewritten in it */
};

struct rename_plan {
    struct rename_move *moves; /* to be done all at once: files may change places */
    size_t n_moves;
    struct rename_rewrite *rewrites; /* by path */
    size_t n_rewrites;
    size_t links;  /* of all rewrites */
    str *warnings; /* one sentence each */
    size_t n_warnings;
};

/*
 * Move n files. Fails with ERR_NOT_FOUND when one is not there; with ERR_EXISTS when a
 * target is (case ignored) and does not move away itself; with ERR_INVALID when one is
 * moved twice or to where it is. Targets are clean paths (path.h). format: how links are
 * spelt.
 */
MUST_CHECK bool rename_files(const struct index *x, enum obsidian_link_format format,
                             struct arena *a, const struct rename_move *moves, size_t n,
                             struct rename_plan *out, struct err *err);

/*
 * Move all files below a folder, attachments included. Fails as rename_files(); also with
 * ERR_EXISTS when there is something below to, and ERR_INVALID when to is inside from.
 */
MUST_CHECK bool rename_folder(const struct index *x, enum obsidian_link_format format,
                              struct arena *a, str from, str to, struct rename_plan *out,
                              struct err *err);

/*
 * Give the heading that subpath ("#A" or "#A#B") means in f another title, and all links
 * to it or to what is below it. When there are several, line chooses one; if it is 0 the
 * call fails with ERR_INVALID (AMBIGUOUS) and names the lines. ERR_NOT_FOUND when there
 * is none, ERR_INVALID when title would not be read back as that heading.
 */
MUST_CHECK bool rename_heading(const struct index *x, struct arena *a,
                               const struct file *f, str subpath, uint32_t line,
                               str title, struct rename_plan *out, struct err *err);

/* The same for a block id, with or without '^'. ERR_EXISTS when f has new_id already. */
MUST_CHECK bool rename_block(const struct index *x, struct arena *a, const struct file *f,
                             str id, str new_id, struct rename_plan *out,
                             struct err *err);

/*
 * Rename a tag and all tags below it, with or without '#', case ignored, in properties
 * and bodies. That the new one exists is a warning. ERR_NOT_FOUND when no note has it,
 * ERR_INVALID when new_tag is no tag.
 */
MUST_CHECK bool rename_tag(const struct index *x, struct arena *a, str tag, str new_tag,
                           struct rename_plan *out, struct err *err);

/*
 * Before f is deleted: links to it become the text they show, embeds its name. Cards of
 * canvases stay, with a warning. f itself is left alone.
 */
void rename_unlink(const struct index *x, struct arena *a, const struct file *f,
                   struct rename_plan *out);
