/*
 * link - a new link to a file, written as the vault's settings say: a
 * wikilink or a Markdown link, with the shortest, a relative or the full path.
 */
#pragma once

#include "base/err.h"
#include "vault/index/index.h"

struct link_style {
    enum obsidian_link_format format;
    bool markdown;
};

/*
 * The text of a link, in the note at path source, that means target and shows display (if
 * empty: what Obsidian would show). Fails with ERR_INVALID if no link in that note can
 * mean the target, or display cannot be part of a link. In the arena.
 */
MUST_CHECK bool link_write(const struct index *x, struct arena *a,
                           const struct link_style *style, str source,
                           const struct file *target, str display, str *out,
                           struct err *err);

/* A link that link_write() made, to a heading (its title) or block ("^id") of its target. */
str link_to_part(struct arena *a, str link, str part);

/* The links of f that mean target, in order; in the arena. */
size_t link_find(const struct index *x, struct arena *a, const struct file *f,
                 file_id target, struct file_link **out);

/* The line of f that contains the link, trimmed; empty for files whose lines are not
 * meant for people. */
str link_line(const struct file *f, const struct file_link *l);

/* A heading or block that a note had, to which links still lead. */
struct link_lost {
    str subpath; /* as the first of these links has it: "#A", "#^id" */
    uint32_t links;
    str file; /* the path of the first one's note */
};

/* Those that f had when its text was before, and that it does not have now; in the arena. */
size_t link_lost(const struct index *x, struct arena *a, const struct file *f, str before,
                 struct link_lost **out);

/* The files that link to a file, by path, except itself. */
struct link_source {
    const struct file *file;
    uint32_t links;
};
size_t link_sources(const struct index *x, struct arena *a, file_id target,
                    struct link_source **out);
