/*
 * rename_parts - the inside of rename.h. Private to rename*.c and link.c.
 *
 * A visit goes through all links of a file, wherever they stand, and collects splices; a
 * world knows what every link will mean when the moves are done.
 */
#pragma once

#include "base/map.h"
#include "base/sbuf.h"
#include "vault/change/rename.h"

/* --- rename_splice.c: other text for some bytes --- */

struct splice {
    size_t start, end; /* the bytes that are replaced */
    str text;
};

struct splices {
    struct arena *arena;
    struct splice *items;
    size_t n;
};

void rename_splice_add(struct splices *s, size_t start, size_t end, str text);

/* By place; of those that overlap or say the same only the first is left. */
void rename_splice_sort(struct splices *s);

/* text with all splices done, which are sorted. */
str rename_splice_apply(const struct splices *s, str text);

/* --- rename_quote.c: splices of a value as splices of what is written for it --- */

/* raw is a JSON string with its quotes. The splices are sorted. */
str quote_json(struct arena *a, str raw, const struct splices *s);

/*
 * raw is a YAML scalar that means value, after is what it is to mean. Quotes are kept and
 * set where they are needed. False for an alias: what it repeats changes instead.
 */
bool quote_yaml(struct arena *a, str raw, str value, str after, str *out);

/* --- rename_visit.c --- */

struct planner;

/* One link, and where to put splices for it. */
struct rename_site {
    enum file_place place;
    const struct note_link *link; /* NULL: a path of a canvas, which is text as a whole */
    str text;                     /* that the spans of link are in */
    str path, subpath;            /* decoded */
    struct splices *splices;      /* of text */
    str *canvas_subpath;          /* of a canvas's card with a subpath; else NULL */
};

/* True when it changed something. */
typedef bool rename_site_fn(void *arg, const struct rename_site *site);

/* The file that is gone through. */
struct rename_visit {
    struct arena *arena;
    const struct file *file;
    const struct planner *only; /* if set: leave out links that cannot mean a target */
    struct splices splices;     /* of its text */
    size_t links;               /* for which fn was true */
};

void rename_visit_links(struct rename_visit *v, rename_site_fn *fn, void *arg);

static inline str site_display(const struct rename_site *s)
{
    return s->link != NULL ? span_of(s->text, s->link->display) : STR("");
}

static inline bool site_is_wiki(const struct rename_site *s)
{
    return s->link != NULL && s->link->kind == NOTE_WIKILINK;
}

/* --- rename_plan.c --- */

/* A file name that was met: many files may have it, so nothing is done twice. */
struct seen_name {
    uint64_t hash; /* of the folded name; that two names share one never happens */
    uint8_t marks; /* of SEEN_... */
};

enum {
    SEEN = 1,
    SEEN_WATCHED = 2,
    SEEN_KNOWN = 4,  /* to the world */
    SEEN_UNIQUE = 8, /* after the moves; with SEEN_COUNTED */
    SEEN_COUNTED = 16,
};

/* A plan that grows. Files are visited once. */
struct planner {
    const struct index *index;
    struct arena *arena;
    struct rename_plan plan;
    uint64_t keys[64]; /* a bit for the names_key() of every target */
    struct seen_name *seen;
    size_t n_seen;
    struct map_index seen_index; /* by hash */
    uint8_t *marks;              /* by file: of enum */
};

enum { MARK_SOURCE = 1, MARK_MOVED = 2, MARK_WATCHED = 4 };

struct planner planner_on(const struct index *x, struct arena *a);
void planner_warn(struct planner *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The marks of a name, folded, which may be changed until the next call. */
uint8_t *planner_seen(struct planner *p, str folded);

/* Mark all files that link to target, and itself. */
void planner_mark_sources(struct planner *p, file_id target);

/* False when a link with that path means none of the targets so far: most do not, and
 * this is much cheaper than to resolve them. */
bool planner_may_mean(const struct planner *p, str path);

/* The file's new text is in the plan from now on; NULL when nothing changed. */
const struct rename_rewrite *planner_add(struct planner *p, struct rename_visit *v,
                                         str path);

/* Order, and hand over. */
void planner_done(struct planner *p, struct rename_plan *out);

/* --- rename_world.c: the files after the moves --- */

struct world {
    struct planner *planner;
    const struct index *index;
    enum obsidian_link_format format;
    struct names *after; /* those that somebody asked for, with ids of its own */
    file_id *real;       /* by id in after */
    file_id *inside;     /* by id of the index: that in after, or NO_FILE */
    size_t n;
    struct arena scratch;
};

void world_open(struct world *w, struct planner *p, enum obsidian_link_format format);
void world_close(struct world *w);

/* The file will be there. */
void world_move(struct world *w, file_id file, str to);

/* Where it will be. */
str world_path(const struct world *w, file_id file);

/* names_resolve() after the moves; source is where the link will stand. */
void world_resolve(struct world *w, str path, str source, struct names_answer *out);

/* No other file will have that name, extension included. */
bool world_is_unique(struct world *w, file_id file);

/* --- rename_spell.c --- */

/*
 * The path that means target in a link of source, as format wants it or, where that means
 * another file, the next best. False when there is none. with_md: as Markdown links have
 * it. *out may be what a wikilink cannot hold.
 */
bool spell_path(struct world *w, file_id target, str source,
                enum obsidian_link_format format, bool with_md, str *out);

/* From a folder to a file: "../x/y.md"; without "./". */
str spell_relative(struct arena *a, str folder, str path);

bool spell_fits_wikilink(str path);

/* As a Markdown destination or a piece of one, where '#' is not the separator. */
str spell_destination(struct arena *a, str s, bool angle);

/* A Markdown link that shows label. */
void spell_markdown(struct sbuf *out, str label, str path);

/* A heading's title as links write it. */
str spell_heading(struct arena *a, str title);

/* Splices that put path, and if it is not NULL, display, into a site; a wikilink that
 * cannot hold it becomes a Markdown link, which then is true. */
bool spell_into(const struct rename_site *site, struct arena *a, str path,
                const str *display);

/* --- rename_links.c --- */

/* Rewrite what has to be in all marked files, now that w knows the moves. */
void rename_links(struct planner *p, struct world *w);

/* --- rename_subpath.c --- */

/* Call fn for all links with a subpath to f, whose own splices are own. */
void rename_follow_subpaths(struct planner *p, const struct file *f,
                            const struct splices *own, rename_site_fn *fn, void *arg);

/* Write another subpath, decoded and with its '#'; false when it is the same. */
bool rename_set_subpath(const struct rename_site *site, struct arena *a, str subpath);
