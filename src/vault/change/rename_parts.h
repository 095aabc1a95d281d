/*
 * rename_parts - the parts of rename.h. Private to rename*.c and link.c.
 *
 * A visit goes through all links of a file, in any place, and collects splices; a world
 * knows what every link will mean after the moves.
 */
#pragma once

#include "base/map.h"
#include "base/sbuf.h"
#include "vault/change/rename.h"
#include "vault/eval/uses.h"

/* --- rename_splice.c: replacements in a text --- */

struct rename_splice {
    size_t start, end; /* the bytes to replace */
    str text;
};

struct splices {
    struct arena *arena;
    struct rename_splice *items;
    size_t n;
};

void rename_splice_add(struct splices *s, size_t start, size_t end, str text);

/* Sort by position; of overlapping or equal splices, keep only the first. */
void rename_splice_sort(struct splices *s);

/* text with all splices applied; they must be sorted. */
str rename_splice_apply(const struct splices *s, str text);

/* --- rename_quote.c: from splices of a value to its new source text --- */

struct prop;

/* raw is a JSON string including its quotes. The splices are sorted. */
str quote_json(struct arena *a, str raw, const struct splices *s);

/*
 * raw is a YAML scalar whose value is `value`; after is its new value. Quotes are kept,
 * and added if needed. False for an alias: its anchor changes instead.
 */
bool quote_yaml(struct arena *a, str raw, str value, str after, str *out);

/*
 * The key of a member of a map in YAML: where it is in the text, and what to write there
 * for another name. Keys have no end in the tree, so those with escapes are not found:
 * false.
 */
bool quote_yaml_key(struct arena *a, str yaml, const struct prop *member, str name,
                    struct span *key, str *out);

/* --- rename_visit.c --- */

struct planner;

/* One link, and where its splices go. */
struct rename_site {
    enum file_place place;
    const struct note_link *link; /* NULL: a path in a canvas, which is the whole text */
    str text;                     /* that the spans of link refer to */
    str path, subpath;            /* decoded */
    struct splices *splices;      /* of text */
    str *canvas_subpath;          /* of a canvas card with a subpath; else NULL */
};

/* Returns true if it changed something. */
typedef bool rename_site_fn(void *arg, const struct rename_site *site);

/* The file whose links are visited. */
struct rename_visit {
    struct arena *arena;
    const struct file *file;
    const struct planner *only; /* if set: skip links that cannot mean a target */
    struct splices splices;     /* of its text */
    size_t links;               /* for which fn was true */
    size_t left;                /* queries that stay as they are (rename_query.c), */
    size_t drawn;               /* and links of a drawing, which only Excalidraw writes */
    bool unlinks;               /* links become text */
    bool retitles;              /* a title becomes any text */
    bool odd;     /* the new names may be read as markup: the caller warns of it */
    bool garbled; /* set by planner_add(): they were */
};

void rename_visit_links(struct rename_visit *v, rename_site_fn *fn, void *arg);

/* --- rename_base.c, rename_base_link.c, rename_query.c --- */

/* Whether something that a base names gets another name, which is *out: a folder, path,
 * link text, tag or property (uses.h). */
typedef bool rename_name_fn(void *arg, enum use_kind kind, str value, str *out);

/* Change the names in all bases of the file; they count as links. */
void rename_visit_bases(struct rename_visit *v, rename_name_fn *fn, void *arg);

/* Visit the links that bases and queries name, as cards of a canvas are visited. */
void rename_visit_base_links(struct rename_visit *v, const struct names *names,
                             rename_site_fn *fn, void *arg);

/* The same as for bases, for notes with queries of Dataview. In those that are not
 * understood nothing is changed; visit.left counts the ones that have the name. */
void rename_visit_queries(struct rename_visit *v, const struct names *names,
                          rename_name_fn *fn, void *arg);

static inline str site_display(const struct rename_site *s)
{
    return s->link != NULL ? span_of(s->text, s->link->display) : STR("");
}

static inline bool site_is_wiki(const struct rename_site *s)
{
    return s->link != NULL && s->link->kind == NOTE_WIKILINK;
}

/* --- rename_plan.c --- */

/* A file name that was seen: many files may share it, so no work is repeated. */
struct seen_name {
    uint64_t hash; /* of the folded name; collisions do not occur in practice */
    uint8_t marks; /* SEEN_... */
};

enum {
    SEEN = 1,
    SEEN_WATCHED = 2,
    SEEN_KNOWN = 4,  /* to the world */
    SEEN_UNIQUE = 8, /* after the moves; with SEEN_COUNTED */
    SEEN_COUNTED = 16,
};

/* Files for a warning: the first few by name. */
struct named_files {
    struct sbuf names;
    size_t n;
};

/* A plan under construction. Each file is visited once. */
struct planner {
    const struct index *index;
    struct arena *arena;
    const struct stop *stop;
    bool stopped; /* the plan is not complete */
    struct rename_plan plan;
    uint64_t keys[64]; /* a bit for the names_key() of every target */
    struct seen_name *seen;
    size_t n_seen;
    struct map_index seen_index; /* by hash */
    str folder, folder_to;       /* the folder that moves as a whole; or empty */
    uint8_t *marks;              /* by file: MARK_... */
    struct named_files left;     /* with queries that stay as they are, */
    struct named_files drawn;    /* and with links that do */
    str problem; /* what else would change in a file; or empty (rename_readback.c) */
};

enum { MARK_SOURCE = 1, MARK_MOVED = 2, MARK_WATCHED = 4 };

struct planner planner_on(const struct index *x, struct arena *a,
                          const struct stop *stop);
void planner_warn(struct planner *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The marks of a folded name; the pointer is valid until the next call. */
uint8_t *planner_seen(struct planner *p, str folded);

/* Mark all files with bases and queries: what they name is not in the graph. */
void planner_mark_bases(struct planner *p);

/* Mark target and all files that link to it. */
void planner_mark_sources(struct planner *p, file_id target);

/* False if a link with that path cannot mean any target so far: most cannot, and this is
 * much cheaper than resolving them. */
bool planner_may_mean(const struct planner *p, str path);

/* Add the file's new text to the plan; NULL if nothing changed. If more than the names
 * changes, the plan fails, or the visit is garbled. */
const struct rename_rewrite *planner_add(struct planner *p, struct rename_visit *v,
                                         str path);

/* The next file from *id on that is marked MARK_SOURCE, or NULL. Ends early, too, if the
 * planner is to stop. */
const struct file *planner_next(struct planner *p, file_id *id);

/* Sort the plan and hand it over. Fails if it was stopped, or with INVALID_CONTENT if a
 * file would mean something else. */
MUST_CHECK bool planner_done(struct planner *p, struct rename_plan *out, struct err *err);

/* --- rename_readback.c --- */

/* Scan the new text of a note and compare it with the old one: what differs, beside the
 * sorted splices; empty: nothing. In the arena of the visit. */
str rename_readback(const struct rename_visit *v, str text);

/* --- rename_world.c: the files after the moves --- */

struct world {
    struct planner *planner;
    const struct index *index;
    enum obsidian_link_format format;
    struct names *after; /* the names needed so far, with ids of its own */
    file_id *real;       /* the id in the index, by id in after */
    file_id *inside;     /* the id in after or NO_FILE, by id in the index */
    size_t n;
    struct arena scratch;
};

void world_open(struct world *w, struct planner *p, enum obsidian_link_format format);
void world_close(struct world *w);

/* The file moves to that path. */
void world_move(struct world *w, file_id file, str to);

/* Its path after the moves. */
str world_path(const struct world *w, file_id file);

/* names_resolve() after the moves; source is the link's file, also after the moves. */
void world_resolve(struct world *w, str path, str source, struct names_answer *out);

/* No other file will have that name, including the extension. */
bool world_is_unique(struct world *w, file_id file);

/* --- rename_spell.c --- */

/*
 * The path that means target in a link of source, in the given format or, if that means
 * another file, the next best. False if there is none. with_md: with the extension, as
 * Markdown links have it. *out may have characters that a wikilink cannot contain.
 */
bool spell_path(struct world *w, file_id target, str source,
                enum obsidian_link_format format, bool with_md, str *out);

/*
 * The format for a link that is rewritten, where `usual` is that of the vault. A Markdown
 * link that is spelled as a path from its note, [x](../y.md), is read by other programs,
 * too, and stays one. Wikilinks are for Obsidian alone and are written as it does; with
 * LINKS_AS_WRITTEN, every path stays a path, as the vault's setting does not say otherwise.
 */
enum obsidian_link_format spell_format(const struct rename_site *site,
                                       enum obsidian_link_format usual);

/* From a folder to a file: "../x/y.md"; without "./". */
str spell_relative(struct arena *a, str folder, str path);

bool spell_fits_wikilink(str path);

/* As a Markdown destination or part of one, in which '#' is not a separator. */
str spell_destination(struct arena *a, str s, bool angle);

/* A Markdown link that shows label. */
void spell_markdown(struct sbuf *out, str label, str path);

/* The title of a heading as written in links. */
str spell_heading(struct arena *a, str title);

/* Add splices that put path and (if not NULL) display into a site. A wikilink that cannot
 * contain the path becomes a Markdown link: then the result is true. */
bool spell_into(const struct rename_site *site, struct arena *a, str path,
                const str *display);

/* --- rename_links.c --- */

/* Rewrite the links of all marked files; w knows all moves. */
void rename_links(struct planner *p, struct world *w);

/* --- rename_defs.c: definitions of footnotes and references, and their uses --- */

enum { RENAME_NO_DEF = UINT32_MAX };

/* A definition that counts: the first with its label. */
struct rename_def {
    struct span whole, label;
    bool footnote;
    bool inner;     /* it is inside of another one */
    uint32_t cover; /* the end of it and of all before it */
};

struct rename_use {
    struct span whole;
    struct span
        label;    /* what to replace for another label, with [ and ] of a reference */
    uint32_t def; /* its number, or RENAME_NO_DEF */
    bool within;  /* a definition */
    bool footnote;
};

/* Both by position; they borrow from the note. */
struct rename_defs {
    const struct note *note;
    struct rename_def *defs;
    struct rename_use *uses;
    size_t n_defs, n_uses;
    struct map keys; /* of the definitions, by number; footnotes begin with ^ */
};

void rename_defs_read(struct arena *a, const struct note *n, struct rename_defs *out);

str rename_defs_key(struct arena *a, const struct note *n, bool footnote,
                    struct span label);

/* The first use at or after a byte. */
size_t rename_defs_first(const struct rename_defs *d, size_t at);

/*
 * Decide for each definition whether it moves with the part, stays, or both, and under
 * which label. moved and stay: the sorted splices for what moves and what stays; labels
 * are added to those that move. Fills piece, defs, kept and gone of out.
 */
void rename_defs_part(struct arena *a, const struct rename_part *p, struct splices *moved,
                      const struct splices *stay, struct rename_parted *out);

/* --- rename_part_settle.c --- */

/*
 * The heading or block that a subpath means: fills in block, nth, and moved, if it is in
 * [start, end). nth counts those inside, or those outside. False if there is none.
 */
bool rename_part_identify(const struct note *n, str subpath, size_t start, size_t end,
                          struct rename_expected *out);

/* --- rename_subpath.c --- */

/* Call fn for all links to f that have a subpath; own are the splices of f itself. */
void rename_follow_subpaths(struct planner *p, const struct file *f,
                            const struct splices *own, rename_site_fn *fn, void *arg);

/* Change the subpath (decoded, with its '#'); false if it is the same. */
bool rename_set_subpath(const struct rename_site *site, struct arena *a, str subpath);
