/*
 * A section or block moves to another note. Links to it follow; links in it are written
 * so that they mean the same file in their new place.
 */
#include "base/array.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/index/names.h"
#include "vault/note/note.h"

struct rename_part_job {
    const struct rename_part *part;
    struct world *world;
    const struct file *source; /* whose links are visited */
    bool moving;               /* from: its links as they are written in the other note */
    size_t lost;               /* links that cannot be written */
    struct map seen;           /* links to headings and blocks of both notes */
    struct rename_parted *out;
};

static bool is_in_part(const struct rename_part *p, size_t at)
{
    return at >= p->start && at < p->end;
}

/* Whether a link is visited as one that moves. Those of the note itself are visited twice,
 * because a definition may be needed in both notes. */
static bool is_moving(const struct rename_part_job *j, const struct rename_site *site)
{
    return j->moving && site->place == FILE_IN_BODY;
}

/* Whether it is written that way: one of the two visits. */
static bool counts(const struct rename_part_job *j, const struct rename_site *site)
{
    bool in_body = j->source == j->part->from && site->place == FILE_IN_BODY;
    return j->moving == (in_body && is_in_part(j->part, site->link->whole.start));
}

/* Whether a subpath means something in what moves. *after is the subpath without the
 * headings above it, which stay. */
static bool means_part(const struct rename_part_job *j, str subpath, str *after)
{
    const struct note *n = &j->part->from->note;
    const struct note_heading *chain[NOTE_SUBPATH_MAX];
    *after = subpath;
    if (subpath.n < 2)
        return false;
    if (str_starts(subpath, STR("#^"))) {
        const struct note_block *b = note_find_block(n, subpath);
        return b != NULL && is_in_part(j->part, b->body.start);
    }
    size_t count = note_find_headings(n, subpath, chain), first = 0;
    while (first < count && !is_in_part(j->part, chain[first]->title.start))
        first++;
    if (first == count || first == 0)
        return first < count;
    struct sbuf out = SBUF_ON(j->world->planner->arena);
    for (size_t i = first; i < count; i++) {
        sbuf_char(&out, '#');
        sbuf_add(&out, spell_heading(out.arena, span_of(n->text, chain[i]->title)));
    }
    *after = sbuf_str(&out);
    return true;
}

/* Whether the path of a link in what moves still means the same in the other note; one
 * that is spelled as a path from its note must also be right as that. */
static bool still_means(const struct rename_part_job *j, const struct rename_site *site,
                        file_id target)
{
    const struct file *to = j->part->to;
    struct names_answer answer;
    bool by_path = spell_format(site, LINKS_SHORTEST) == LINKS_RELATIVE;
    names_resolve(j->world->index->names, NULL, site->path, to->path, to->id, &answer);
    return answer.file == target && (!by_path || answer.rule == NAMES_RELATIVE);
}

static bool rename_part_spell(struct rename_part_job *j, const struct rename_site *site,
                              const struct file *target, str source)
{
    struct world *w = j->world;
    str path = target->path;
    if (site->link != NULL &&
        !spell_path(w, target->id, source, spell_format(site, w->format),
                    !site_is_wiki(site), &path)) {
        j->lost += counts(j, site);
        return false;
    }
    spell_into(site, w->planner->arena, path, NULL);
    return true;
}

/* Remember what a link to a heading or block of either note has to mean afterwards. */
static void expect(struct rename_part_job *j, const struct file *target, str was, str is)
{
    struct arena *a = j->world->planner->arena;
    const struct rename_part *p = j->part;
    bool in_from = target == p->from;
    str key = arena_printf(a, "%c" STR_FMT, in_from ? 'f' : 't', STR_ARG(was));
    struct rename_expected e;
    if (was.n < 2 || (!in_from && target != p->to) || !map_add_new(&j->seen, key) ||
        !rename_part_identify(&target->note, was, p->start, in_from ? p->end : p->start,
                              &e))
        return;
    e.there = !in_from;
    e.subpath = is;
    e.source = j->source->path;
    *ARRAY_ADD(a, j->out->expected, j->out->n_expected) = e;
}

static bool rewrite_part(struct rename_part_job *j, const struct rename_site *site,
                         const struct file *target, bool moves, str after)
{
    struct arena *a = j->world->planner->arena;
    const struct file *source = is_moving(j, site) ? j->part->to : j->source;
    if (is_moving(j, site) && moves && site->path.n == 0)
        return rename_set_subpath(site, a, after);
    if (!rename_part_spell(j, site, target, source->path))
        return false;
    if (moves)
        (void)rename_set_subpath(site, a, after);
    return true;
}

static bool follow_part(void *arg, const struct rename_site *site)
{
    struct rename_part_job *j = arg;
    struct names_answer answer;
    str after;
    names_resolve(j->world->index->names, NULL, site->path, j->source->path,
                  j->source->id, &answer);
    if (answer.file == NO_FILE)
        return false;
    const struct file *target = index_file(j->world->index, answer.file);
    bool moves = target == j->part->from && means_part(j, site->subpath, &after);
    expect(j, target, site->subpath, moves ? after : site->subpath);
    if (is_moving(j, site) ? !moves && still_means(j, site, answer.file) : !moves)
        return false;
    return rewrite_part(j, site, moves ? j->part->to : target, moves, after) &&
           counts(j, site);
}

static struct rename_visit visit_of(struct rename_part_job *j, const struct planner *only)
{
    struct planner *p = j->world->planner;
    struct rename_visit v = {.arena = p->arena,
                             .file = j->source,
                             .only = only,
                             .splices = {.arena = p->arena}};
    rename_visit_links(&v, follow_part, j);
    rename_visit_base_links(&v, p->index->names, follow_part, j);
    return v;
}

/* The note that loses the part. */
static void visit_from(struct rename_part_job *j)
{
    struct planner *p = j->world->planner;
    struct rename_visit stay = visit_of(j, NULL);
    j->moving = true;
    struct rename_visit moved = visit_of(j, NULL);
    j->moving = false;
    p->plan.links += stay.links + moved.links;
    rename_splice_sort(&stay.splices);
    rename_splice_sort(&moved.splices);
    j->out->rest = rename_splice_apply(&stay.splices, j->source->text);
    rename_defs_part(p->arena, j->part, &moved.splices, &stay.splices, j->out);
}

static void rename_part_visit(struct rename_part_job *j)
{
    struct planner *p = j->world->planner;
    if (j->source == j->part->from) {
        visit_from(j);
        return;
    }
    struct rename_visit v = visit_of(j, p);
    if (j->source != j->part->to) {
        planner_add(p, &v, j->source->path);
        return;
    }
    p->plan.links += v.links;
    rename_splice_sort(&v.splices);
    j->out->there = rename_splice_apply(&v.splices, j->source->text);
}

bool rename_part(const struct index *x, enum obsidian_link_format format, struct arena *a,
                 const struct rename_part *part, const struct stop *stop,
                 struct rename_parted *out, struct err *err)
{
    struct planner p = planner_on(x, a, stop);
    struct world w;
    struct rename_part_job j = {.part = part, .world = &w, .seen.arena = a, .out = out};
    file_id next = 0;
    *out = (struct rename_parted){.there = part->to->text};
    world_open(&w, &p, format);
    planner_mark_sources(&p, part->from->id);
    planner_mark_sources(&p, part->to->id);
    planner_mark_bases(&p);
    while ((j.source = planner_next(&p, &next)) != NULL)
        rename_part_visit(&j);
    world_close(&w);
    if (j.lost > 0)
        planner_warn(&p, "links that cannot be written: %zu", j.lost);
    return planner_done(&p, &out->plan, err);
}
