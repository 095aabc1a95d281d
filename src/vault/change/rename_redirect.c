/* Links to a file that is deleted lead to another one. */
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/index/names.h"
#include "vault/note/note.h"

struct rename_redirect_job {
    struct world *world;
    const struct file *from, *to, *source;
    enum obsidian_link_format format;
    size_t lost; /* links that cannot be written */
};

/* Whether the other file has the heading or block that a link names, too. */
static bool has_subpath(const struct file *f, str subpath)
{
    if (subpath.n < 2)
        return true;
    return str_starts(subpath, STR("#^")) ? note_find_block(&f->note, subpath) != NULL
                                          : note_find_heading(&f->note, subpath) != NULL;
}

static void warn_subpath(const struct rename_redirect_job *j,
                         const struct rename_site *site)
{
    if (!has_subpath(j->to, site->subpath))
        planner_warn(
            j->world->planner,
            "'" STR_FMT "' links to '" STR_FMT "', which '" STR_FMT "' does not have",
            STR_ARG(utf8_cut(j->source->path, 150)), STR_ARG(utf8_cut(site->subpath, 80)),
            STR_ARG(utf8_cut(j->to->path, 150)));
}

static bool redirect_one(void *arg, const struct rename_site *site)
{
    struct rename_redirect_job *j = arg;
    struct planner *p = j->world->planner;
    struct names_answer answer;
    bool markdown = site->link != NULL && !site_is_wiki(site);
    str path = j->to->path;
    names_resolve(p->index->names, NULL, site->path, j->source->path, j->source->id,
                  &answer);
    if (answer.file != j->from->id || answer.rule == NAMES_SELF)
        return false;
    enum obsidian_link_format format = spell_format(site, j->format);
    if (site->link != NULL &&
        !spell_path(j->world, j->to->id, j->source->path, format, markdown, &path)) {
        j->lost++;
        return false;
    }
    warn_subpath(j, site);
    spell_into(site, p->arena, path, NULL);
    return true;
}

static void redirect_in(struct rename_redirect_job *j)
{
    struct planner *p = j->world->planner;
    struct rename_visit v = {
        .arena = p->arena, .file = j->source, .only = p, .splices = {.arena = p->arena}};
    j->lost = 0;
    rename_visit_links(&v, redirect_one, j);
    rename_visit_base_links(&v, p->index->names, redirect_one, j);
    planner_add(p, &v, j->source->path);
    if (j->lost > 0)
        planner_warn(p, "links in '" STR_FMT "' that cannot be written: %zu",
                     STR_ARG(utf8_cut(j->source->path, 200)), j->lost);
}

bool rename_redirect(const struct index *x, enum obsidian_link_format format,
                     struct arena *a, const struct file *f, const struct file *to,
                     const struct stop *stop, struct rename_plan *out, struct err *err)
{
    struct planner p = planner_on(x, a, stop);
    struct world w;
    struct rename_redirect_job j = {&w, f, to, .format = format};
    file_id next = 0;
    world_open(&w, &p, format);
    planner_mark_sources(&p, f->id);
    planner_mark_bases(&p);
    while ((j.source = planner_next(&p, &next)) != NULL)
        if (j.source != f)
            redirect_in(&j);
    world_close(&w);
    return planner_done(&p, out, err);
}
