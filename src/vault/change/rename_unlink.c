/* Links to a file that is deleted become plain text. */
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/index/names.h"

struct rename_unlink_job {
    struct planner *planner;
    const struct file *target, *source;
    size_t cards; /* of the source */
};

/* Remove everything around the display; links inside it stay. */
static void keep_display(const struct rename_site *site, struct span display)
{
    const struct note_link *l = site->link;
    rename_splice_add(site->splices, l->whole.start, display.start, STR(""));
    rename_splice_add(site->splices, display.end, l->whole.end, STR(""));
}

static bool unlink_one(void *arg, const struct rename_site *site)
{
    struct rename_unlink_job *j = arg;
    const struct note_link *l = site->link;
    struct names_answer answer;
    names_resolve(j->planner->index->names, NULL, site->path, j->source->path,
                  j->source->id, &answer);
    if (answer.file != j->target->id)
        return false;
    if (l == NULL) {
        j->cards++;
        return false;
    }
    if (!l->embed && l->display.end > l->display.start) /* of an embed it may be a size */
        keep_display(site, l->display);
    else
        rename_splice_add(site->splices, l->whole.start, l->whole.end,
                          file_title(j->target->path));
    return true;
}

static void unlink_in(struct planner *p, const struct file *target,
                      const struct file *source)
{
    struct rename_unlink_job j = {.planner = p, .target = target, .source = source};
    struct rename_visit v = {.arena = p->arena,
                             .file = source,
                             .only = p,
                             .splices = {.arena = p->arena},
                             .unlinks = true};
    rename_visit_links(&v, unlink_one, &j);
    rename_visit_base_links(&v, p->index->names, unlink_one, &j);
    planner_add(p, &v, source->path);
    if (j.cards > 0)
        planner_warn(p,
                     source->kind == FILE_CANVAS
                         ? "the canvas '" STR_FMT "' still has a card for it"
                         : "a base or query in '" STR_FMT "' still names it",
                     STR_ARG(utf8_cut(source->path, 200)));
}

bool rename_unlink(const struct index *x, struct arena *a, const struct file *f,
                   const struct stop *stop, struct rename_plan *out, struct err *err)
{
    struct planner p = planner_on(x, a, stop);
    file_id next = 0;
    planner_mark_sources(&p, f->id);
    planner_mark_bases(&p);
    for (const struct file *source; (source = planner_next(&p, &next)) != NULL;)
        if (source != f)
            unlink_in(&p, f, source);
    return planner_done(&p, out, err);
}
