/*
 * link - a new link to a file, spelt as the vault's settings want it (obsidian.md 14): a
 * wikilink or a Markdown one, with the shortest, a relative or the whole path.
 */
#pragma once

#include "base/err.h"
#include "vault/index/index.h"

struct link_style {
    enum obsidian_link_format format;
    bool markdown;
};

/*
 * The text of a link in the note at source, a path, that means target and shows display,
 * or what the app would if that is empty. Fails with ERR_INVALID when no link can mean
 * the target there, or display cannot stand in one. In the arena.
 */
MUST_CHECK bool link_write(const struct index *x, struct arena *a,
                           const struct link_style *style, str source,
                           const struct file *target, str display, str *out,
                           struct err *err);

/* The links of f, in its order, that mean target; in the arena. */
size_t link_find(const struct index *x, struct arena *a, const struct file *f,
                 file_id target, struct file_link **out);

/* The line of f that a link stands in, without blanks around it; empty where lines say
 * nothing to people. */
str link_line(const struct file *f, const struct file_link *l);

/* Who links to a file, by path; itself left out. */
struct link_source {
    const struct file *file;
    uint32_t links;
};
size_t link_sources(const struct index *x, struct arena *a, file_id target,
                    struct link_source **out);
