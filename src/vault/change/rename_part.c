/*
 * A section or block moves to another note. Links to it follow; links in it are written
 * so that they mean the same file in their new place.
 */
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/index/names.h"
#include "vault/note/note.h"

struct rename_part_job {
    const struct rename_part *part;
    struct world *world;
    const struct file *source; /* whose links are visited */
    size_t lost;               /* links that cannot be written */
};

static bool is_in_part(const struct rename_part *p, size_t at)
{
    return at >= p->start && at < p->end;
}

/* Whether a link is in what moves. */
static bool rename_part_has_site(const struct rename_part_job *j,
                                 const struct rename_site *site)
{
    return j->source == j->part->from && site->place == FILE_IN_BODY &&
           is_in_part(j->part, site->link->whole.start);
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
        j->lost++;
        return false;
    }
    spell_into(site, w->planner->arena, path, NULL);
    return true;
}

static bool follow_part(void *arg, const struct rename_site *site)
{
    struct rename_part_job *j = arg;
    struct names_answer answer;
    bool inside = rename_part_has_site(j, site);
    str after;
    names_resolve(j->world->index->names, NULL, site->path, j->source->path,
                  j->source->id, &answer);
    if (answer.file == NO_FILE)
        return false;
    bool moves = answer.file == j->part->from->id && means_part(j, site->subpath, &after);
    if (inside ? (moves ? site->path.n == 0 : still_means(j, site, answer.file)) : !moves)
        return false;
    const struct file *target =
        moves ? j->part->to : index_file(j->world->index, answer.file);
    if (!rename_part_spell(j, site, target, inside ? j->part->to->path : j->source->path))
        return false;
    if (moves)
        (void)rename_set_subpath(site, j->world->planner->arena, after);
    return true;
}

/* The file that loses the part: its links in what moves, and the others. */
static void split_source(const struct rename_part *p, struct rename_visit *v,
                         struct rename_parted *out)
{
    struct splices moved = {.arena = v->arena}, stay = moved;
    rename_splice_sort(&v->splices);
    for (size_t i = 0; i < v->splices.n; i++) {
        const struct splice *s = &v->splices.items[i];
        if (is_in_part(p, s->start))
            rename_splice_add(&moved, s->start - p->start, s->end - p->start, s->text);
        else
            rename_splice_add(&stay, s->start, s->end, s->text);
    }
    str text = v->file->text;
    out->piece = rename_splice_apply(&moved, str_slice(text, p->start, p->end));
    out->rest = rename_splice_apply(&stay, text);
}

static void rename_part_visit(struct rename_part_job *j, struct rename_parted *out)
{
    struct planner *p = j->world->planner;
    bool from = j->source == j->part->from;
    struct rename_visit v = {.arena = p->arena,
                             .file = j->source,
                             .only = from ? NULL : p,
                             .splices = {.arena = p->arena}};
    rename_visit_links(&v, follow_part, j);
    rename_visit_base_links(&v, p->index->names, follow_part, j);
    if (!from && j->source != j->part->to) {
        planner_add(p, &v, j->source->path);
        return;
    }
    p->plan.links += v.links;
    if (from) {
        split_source(j->part, &v, out);
        return;
    }
    rename_splice_sort(&v.splices);
    out->there = rename_splice_apply(&v.splices, j->source->text);
}

bool rename_part(const struct index *x, enum obsidian_link_format format, struct arena *a,
                 const struct rename_part *part, const struct stop *stop,
                 struct rename_parted *out, struct err *err)
{
    struct planner p = planner_on(x, a, stop);
    struct world w;
    struct rename_part_job j = {.part = part, .world = &w};
    file_id next = 0;
    *out = (struct rename_parted){.there = part->to->text};
    world_open(&w, &p, format);
    planner_mark_sources(&p, part->from->id);
    planner_mark_bases(&p);
    while ((j.source = planner_next(&p, &next)) != NULL)
        rename_part_visit(&j, out);
    world_close(&w);
    if (j.lost > 0)
        planner_warn(&p, "links that cannot be written: %zu", j.lost);
    return planner_done(&p, &out->plan, err);
}
