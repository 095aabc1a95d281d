/*
 * After an edit, the text is scanned again: what was outside of it, headings, links, tags,
 * tasks, ids, footnotes, code, math, comments and tables, must be what and where it was.
 * Above the edit, things are compared by their starts: a table or an open block may grow.
 * Below it, regions are compared by their ends, too: what the edit opens may not swallow them.
 */
#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"
#include "vault/note/note.h"

enum { REST_SHOWN = 60 }; /* bytes of a line in a message */

enum edit_rest_thing {
    THING_HEADING,
    THING_LINK,
    THING_TAG,
    THING_TASK,
    THING_ID,
    THING_FOOTNOTE,
    THING_REGION,
};

static const char *const thing_names[] = {
    "a heading",          "a link", "a tag", "a task", "a block id", "a footnote",
    "a block of its own",
};

struct rest_item {
    enum edit_rest_thing thing;
    unsigned kind; /* the level of a heading, the kind of a region */
    size_t at;     /* from the start of the text, or from its end */
    size_t end;    /* of a region below, from the end of the text */
    size_t start;  /* for messages */
};

/* What is outside of a range of a text, in the order of the scan. */
struct rest {
    struct arena *arena;
    size_t size;
    struct edit_range out; /* the range */
    struct rest_item *above, *below;
    size_t n_above, n_below;
};

static void rest_add(struct rest *r, enum edit_rest_thing thing, unsigned kind,
                     struct span s)
{
    bool region = thing == THING_REGION;
    struct rest_item item = {.thing = thing, .kind = kind, .start = s.start};
    if (s.start < r->out.start) {
        item.at = s.start;
        *ARRAY_ADD(r->arena, r->above, r->n_above) = item;
    }
    item.at = s.start >= r->out.end ? r->size - s.start : 0; /* 0: it begins above */
    item.end = region ? r->size - s.end : 0;
    if (s.start >= r->out.end || (region && s.end > r->out.end))
        *ARRAY_ADD(r->arena, r->below, r->n_below) = item;
}

/* Code and math in a line end with it, and indented code is known by what precedes it. */
static bool is_block_region(enum note_region_kind kind)
{
    return kind != NOTE_INLINE_CODE && kind != NOTE_INLINE_MATH &&
           kind != NOTE_INDENTED_CODE;
}

/* References are links only while they have a definition, which may be in the edit. */
static void rest_collect(struct rest *r, const struct note *n)
{
    for (uint32_t i = 0; i < n->n_headings; i++)
        rest_add(r, THING_HEADING, n->headings[i].level, n->headings[i].title);
    for (uint32_t i = 0; i < n->n_links; i++)
        if (n->links[i].kind != NOTE_REFERENCE)
            rest_add(r, THING_LINK, n->links[i].kind, n->links[i].whole);
    for (uint32_t i = 0; i < n->n_tags; i++)
        rest_add(r, THING_TAG, 0, n->tags[i].name);
    for (uint32_t i = 0; i < n->n_tasks; i++)
        rest_add(r, THING_TASK, 0, n->tasks[i].mark);
    for (uint32_t i = 0; i < n->n_blocks; i++)
        rest_add(r, THING_ID, 0, n->blocks[i].id);
    for (uint32_t i = 0; i < n->n_footnotes; i++)
        rest_add(r, THING_FOOTNOTE, n->footnotes[i].definition, n->footnotes[i].whole);
    for (uint32_t i = 0; i < n->n_regions; i++)
        if (is_block_region(n->regions[i].kind))
            rest_add(r, THING_REGION, n->regions[i].kind, n->regions[i].span);
}

/* The first item that is not the same in both; NULL: there is none. */
static const struct rest_item *first_other(const struct rest_item *was, size_t n_was,
                                           const struct rest_item *is, size_t n_is,
                                           bool *lost)
{
    for (size_t i = 0; i < n_was || i < n_is; i++) {
        bool same = i < n_was && i < n_is && was[i].thing == is[i].thing &&
                    was[i].kind == is[i].kind && was[i].at == is[i].at &&
                    was[i].end == is[i].end;
        *lost = i < n_was;
        if (!same)
            return *lost ? &was[i] : &is[i];
    }
    return NULL;
}

/* The lines of an edit, and the white space after them: nothing begins or ends in it. */
static struct edit_range rest_range(str text, struct edit_range r)
{
    r.start = text_line_start(text, r.start);
    if (r.end > edit_text_start(text) && !text_begins_line(text, r.end))
        r.end = text_next_line(text, r.end);
    while (r.end < text.n && is_space(text.p[r.end]))
        r.end++;
    return r;
}

/* What differs, as a sentence with one of the verbs; empty: nothing. */
static str rest_problem(struct edit_job *j, const struct note *is, const char *is_lost,
                        const char *is_new)
{
    struct arena work = {0}, *scratch = &work;
    struct edit_result *out = j->out;
    bool lost;
    if (out->text.p == j->text.p)
        return (str){0};
    if (j->note.text.p != j->text.p) /* edits of exact text have not needed it */
        note_scan(j->arena, j->text, &j->note);
    struct rest old = {scratch, j->text.n, rest_range(j->text, out->was)};
    struct rest now = {scratch, out->text.n, rest_range(out->text, out->is)};
    rest_collect(&old, &j->note);
    rest_collect(&now, is);
    const struct rest_item *other =
        first_other(old.above, old.n_above, now.above, now.n_above, &lost);
    if (other == NULL)
        other = first_other(old.below, old.n_below, now.below, now.n_below, &lost);
    str problem = {0};
    if (other != NULL) {
        str text = lost ? j->text : out->text;
        str line = str_slice(text, edit_line_start(text, other->start),
                             text_find_break(text, other->start));
        problem = arena_printf(j->arena, "line %u, '" STR_FMT "', %s %s",
                               text_line_number(text, other->start),
                               STR_ARG(utf8_cut(str_trim(line), REST_SHOWN)),
                               lost ? is_lost : is_new, thing_names[other->thing]);
    }
    arena_release(&work);
    return problem;
}

/* --- the new text --- */

/* The items that begin in a range of the text; at is from its start. */
static void rest_within(struct rest *r, const struct note *n, struct edit_range in)
{
    struct rest all = {
        .arena = r->arena, .size = n->text.n, .out = {n->text.n, n->text.n}};
    rest_collect(&all, n);
    for (size_t i = 0; i < all.n_above; i++) {
        struct rest_item item = all.above[i];
        if (item.at < in.start || item.at >= in.end)
            continue;
        item.at -= in.start;
        *ARRAY_ADD(r->arena, r->above, r->n_above) = item;
    }
}

/* Whether a block that begins above has taken up the new text; tables may. */
static bool is_swallowed(const struct edit_job *j, const struct note *n)
{
    for (uint32_t i = 0; i < n->n_regions; i++) {
        const struct note_region *r = &n->regions[i];
        if (is_block_region(r->kind) && r->kind != NOTE_TABLE_REGION &&
            r->span.start < j->put.start && r->span.end > j->put.start)
            return true;
    }
    return false;
}

static bool is_read_as_meant(struct edit_job *j, const struct note *there)
{
    struct arena scratch = {0};
    struct note alone;
    struct sbuf apart = SBUF_ON(&scratch);
    struct rest meant = {.arena = &scratch}, is = {.arena = &scratch};
    bool lost;
    if (j->put.start == j->note.bom)
        return true;
    sbuf_char(&apart, '\n'); /* properties are only at the start of a note */
    sbuf_add(&apart, str_slice(j->out->text, j->put.start, j->put.end));
    note_scan(&scratch, sbuf_str(&apart), &alone);
    rest_within(&meant, &alone, (struct edit_range){1, apart.n});
    rest_within(&is, there, j->put);
    bool same =
        !is_swallowed(j, there) &&
        first_other(meant.above, meant.n_above, is.above, is.n_above, &lost) == NULL;
    arena_release(&scratch);
    return same;
}

bool edit_is_sound(struct edit_job *j)
{
    struct arena scratch = {0};
    struct note is;
    note_scan(&scratch, j->out->text, &is);
    j->sound = rest_problem(j, &is, "", "").n == 0 && is_read_as_meant(j, &is);
    arena_release(&scratch);
    return j->sound;
}

bool edit_check_rest(struct edit_job *j)
{
    struct arena scratch = {0};
    struct note is;
    if (j->sound)
        return true;
    note_scan(&scratch, j->out->text, &is);
    str problem = rest_problem(j, &is, "would no longer be", "would become");
    if (problem.n == 0 && !j->raw && !is_read_as_meant(j, &is))
        edit_warn(j->out, STR("at this place, the new text is read as part of what is "
                              "around it"));
    arena_release(&scratch);
    return problem.n == 0 ||
           err_named(j->err, E_INVALID_CONTENT,
                     "the rest of the note would mean something else: " STR_FMT
                     "; close what the text opens (code, math, comments), or change both "
                     "as exact text",
                     STR_ARG(problem));
}

void edit_warn_rest(struct edit_job *j)
{
    struct arena scratch = {0};
    struct note is;
    note_scan(&scratch, j->out->text, &is);
    str problem = rest_problem(j, &is, "is no longer", "is now");
    arena_release(&scratch);
    if (problem.n > 0)
        edit_warn(j->out,
                  arena_printf(j->arena,
                               "the rest of the note means something else now: " STR_FMT,
                               STR_ARG(problem)));
}
