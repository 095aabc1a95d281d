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

/* The links of f that mean target, in order; in the arena. */
size_t link_find(const struct index *x, struct arena *a, const struct file *f,
                 file_id target, struct file_link **out);

/* The line of f that contains the link, trimmed; empty for files whose lines are not
 * meant for people. */
str link_line(const struct file *f, const struct file_link *l);

/* The files that link to a file, by path, except itself. */
struct link_source {
    const struct file *file;
    uint32_t links;
};
size_t link_sources(const struct index *x, struct arena *a, file_id target,
                    struct link_source **out);
