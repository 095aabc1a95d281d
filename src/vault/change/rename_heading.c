/*
 * A new title for a heading. A link "#A#B" names a chain of headings; the part that means
 * this heading is rewritten. Then the link is looked up in the new text: if it finds
 * another heading (one further up already has the new title), it is written with all
 * headings above its own.
 */
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/note/note.h"

enum { CANDIDATES_SHOWN = 8 };

struct rename_heading_job {
    struct planner *planner;
    const struct file *file;
    uint32_t heading; /* its index among the headings */
    str written;      /* the new title as written in links */
    struct note after;
    size_t lost; /* links that now find another heading */
};

/* --- which heading --- */

static bool ambiguous(const struct file *f, const uint32_t *found, size_t n, str subpath,
                      struct err *err)
{
    struct arena scratch = {0};
    struct sbuf lines = SBUF_ON(&scratch);
    for (size_t i = 0; i < n && i < CANDIDATES_SHOWN; i++)
        sbuf_printf(&lines, "%s%u", i > 0 ? ", " : "", f->note.headings[found[i]].line);
    err_named(err, E_AMBIGUOUS,
              "%zu headings are '" STR_FMT "', on lines " STR_FMT
              "%s: include the headings above it (#A#B), or its number among them "
              "(" STR_FMT "#2)",
              n, STR_ARG(utf8_cut(subpath, 60)), STR_ARG(sbuf_str(&lines)),
              n > CANDIDATES_SHOWN ? ", ..." : "", STR_ARG(utf8_cut(subpath, 60)));
    arena_release(&scratch);
    return false;
}

/* Whether subpath is "#A#B#2", and two headings or more are "#A#B". */
static bool find_numbered(const struct file *f, str subpath, uint32_t *found,
                          size_t *number)
{
    str rest;
    *number = note_heading_number(subpath, &rest);
    if (*number == 0)
        return false;
    size_t n = note_find_all_headings(&f->note, rest, found);
    return n > 1 && *number <= n;
}

static bool rename_heading_choose(struct arena *a, const struct file *f, str subpath,
                                  uint32_t line, uint32_t *out, struct err *err)
{
    uint32_t *found = ARENA_ARRAY(a, uint32_t, f->note.n_headings);
    size_t n = note_find_all_headings(&f->note, subpath, found), number;
    if (n == 0 && line == 0 && find_numbered(f, subpath, found, &number)) {
        *out = found[number - 1];
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        if (line == 0 ? n > 1 : f->note.headings[found[i]].line != line)
            continue;
        *out = found[i];
        return true;
    }
    if (n > 1 && line == 0)
        return ambiguous(f, found, n, subpath, err);
    return err_named(err, E_HEADING_NOT_FOUND,
                     "'" STR_FMT "' has no heading '" STR_FMT "'%s",
                     STR_ARG(utf8_cut(f->path, 100)), STR_ARG(utf8_cut(subpath, 80)),
                     n > 0 ? " on that line" : "");
}

/* The note with the new title; false if that is not read back as the same heading. */
static bool retitle(struct rename_heading_job *j, str title, struct splices *splices)
{
    const struct note *n = &j->file->note;
    struct arena *a = j->planner->arena;
    struct span old = n->headings[j->heading].title;
    rename_splice_add(splices, old.start, old.end, title);
    note_scan(a, rename_splice_apply(splices, j->file->text), &j->after);
    if (title.n == 0 || j->after.n_headings != n->n_headings)
        return false;
    const struct note_heading *h = &j->after.headings[j->heading];
    return h->level == n->headings[j->heading].level &&
           str_eq(span_of(j->after.text, h->title), title);
}

/* --- links --- */

/* The chain as indexes of headings. */
static size_t rename_heading_find(const struct note *n, str subpath,
                                  uint32_t places[NOTE_SUBPATH_MAX])
{
    const struct note_heading *chain[NOTE_SUBPATH_MAX];
    size_t count = note_find_headings(n, subpath, chain);
    for (size_t i = 0; i < count; i++)
        places[i] = (uint32_t)(chain[i] - n->headings);
    return count;
}

static bool finds(const struct rename_heading_job *j, str subpath, uint32_t heading)
{
    uint32_t places[NOTE_SUBPATH_MAX];
    size_t n = rename_heading_find(&j->after, subpath, places);
    return n > 0 && places[n - 1] == heading;
}

/* The subpath with the new title in the parts that mean the heading. */
static str with_title(const struct rename_heading_job *j, str subpath,
                      const uint32_t *places)
{
    struct sbuf out = SBUF_ON(j->planner->arena);
    str part, rest = subpath;
    for (size_t i = 0; str_next(&rest, '#', &part);) {
        if (str_trim_line(part).n == 0)
            continue;
        sbuf_char(&out, '#');
        sbuf_add(&out, places[i++] == j->heading ? j->written : part);
    }
    return sbuf_str(&out);
}

/* The subpath of a heading with all headings above it. */
static str with_all_above(const struct rename_heading_job *j, uint32_t heading)
{
    const struct note *n = &j->after;
    struct sbuf out = SBUF_ON(j->planner->arena);
    for (uint32_t i = 0; i <= heading; i++) {
        if (i < heading &&
            n->headings[i].section.end <= n->headings[heading].section.start)
            continue;
        sbuf_char(&out, '#');
        sbuf_add(&out, spell_heading(j->planner->arena,
                                     span_of(n->text, n->headings[i].title)));
    }
    return sbuf_str(&out);
}

static bool follow(void *arg, const struct rename_site *site)
{
    struct rename_heading_job *j = arg;
    uint32_t places[NOTE_SUBPATH_MAX];
    size_t n = rename_heading_find(&j->file->note, site->subpath, places);
    if (n == 0 || str_starts(site->subpath, STR("#^")))
        return false;
    uint32_t heading = places[n - 1];
    bool touched = false;
    for (size_t i = 0; i < n; i++)
        touched = touched || places[i] == j->heading;
    str subpath = touched ? with_title(j, site->subpath, places) : site->subpath;
    if (!finds(j, subpath, heading)) {
        str longer = with_all_above(j, heading);
        if (finds(j, longer, heading))
            subpath = longer;
        else
            j->lost++;
    }
    return rename_set_subpath(site, j->planner->arena, subpath);
}

bool rename_heading(const struct index *x, struct arena *a, const struct file *f,
                    str subpath, uint32_t line, str title, const struct stop *stop,
                    struct rename_plan *out, struct err *err)
{
    struct planner p = planner_on(x, a, stop);
    struct rename_heading_job j = {
        .planner = &p, .file = f, .written = spell_heading(a, title)};
    struct splices own = {.arena = a};
    title = arena_str(a, str_trim(title));
    if (!rename_heading_choose(a, f, subpath, line, &j.heading, err))
        return false;
    if (!retitle(&j, title, &own))
        return err_set(err, ERR_INVALID, "'" STR_FMT "' cannot be the title of a heading",
                       STR_ARG(utf8_cut(title, 120)));
    rename_follow_subpaths(&p, f, &own, follow, &j);
    if (j.lost > 0)
        planner_warn(&p, "links that now find another heading with that title: %zu",
                     j.lost);
    return planner_done(&p, out, err);
}
