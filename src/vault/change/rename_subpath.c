/* Links to headings and blocks of one file, and renaming of block ids. */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/index/names.h"
#include "vault/note/note.h"

struct rename_subpath_place {
    const struct index *index;
    const struct file *target, *source;
    rename_site_fn *fn;
    void *arg;
};

static bool means_target(void *arg, const struct rename_site *site)
{
    const struct rename_subpath_place *p = arg;
    struct names_answer answer;
    if (site->subpath.n < 2)
        return false;
    names_resolve(p->index->names, NULL, site->path, p->source->path, p->source->id,
                  &answer);
    return answer.file == p->target->id && p->fn(p->arg, site);
}

void rename_follow_subpaths(struct planner *p, const struct file *f,
                            const struct splices *own, rename_site_fn *fn, void *arg)
{
    file_id next = 0;
    planner_mark_sources(p, f->id);
    planner_mark_bases(p);
    for (const struct file *source; (source = planner_next(p, &next)) != NULL;) {
        struct rename_visit v = {
            .arena = p->arena,
            .file = source,
            .only = p,
            .splices = {.arena = p->arena},
            .retitles = source == f,
        };
        struct rename_subpath_place place = {p->index, f, v.file, fn, arg};
        for (size_t i = 0; v.file == f && i < own->n; i++)
            rename_splice_add(&v.splices, own->items[i].start, own->items[i].end,
                              own->items[i].text);
        rename_visit_links(&v, means_target, &place);
        rename_visit_base_links(&v, p->index->names, means_target, &place);
        planner_add(p, &v, v.file->path);
    }
}

bool rename_set_subpath(const struct rename_site *site, struct arena *a, str subpath)
{
    if (str_eq(subpath, site->subpath))
        return false;
    if (site->link == NULL) {
        if (site->canvas_subpath != NULL)
            *site->canvas_subpath = subpath;
        return site->canvas_subpath != NULL;
    }
    const struct note_link *l = site->link;
    if (!site_is_wiki(site)) {
        struct sbuf out = SBUF_ON(a);
        str part, rest = str_skip(subpath, 1);
        while (str_next(&rest, '#', &part)) {
            sbuf_char(&out, '#');
            sbuf_add(&out, spell_destination(a, part, l->angle));
        }
        subpath = sbuf_str(&out);
    }
    rename_splice_add(site->splices, l->subpath.start, l->subpath.end, subpath);
    return true;
}

/* --- block ids --- */

struct block_job {
    struct arena *arena;
    str id, new_id;
};

static bool follow_block(void *arg, const struct rename_site *site)
{
    const struct block_job *j = arg;
    if (!str_starts(site->subpath, STR("#^")) ||
        !str_eq_nocase(str_trim(str_skip(site->subpath, 2)), j->id))
        return false;
    return rename_set_subpath(site, j->arena,
                              arena_printf(j->arena, "#^" STR_FMT, STR_ARG(j->new_id)));
}

static bool is_id(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!is_alnum(s.p[i]) && s.p[i] != '-')
            return false;
    }
    return s.n > 0;
}

static str without_caret(str id)
{
    return str_starts(id, STR("^")) ? str_skip(id, 1) : id;
}

bool rename_block(const struct index *x, struct arena *a, const struct file *f, str id,
                  str new_id, const struct stop *stop, struct rename_plan *out,
                  struct err *err)
{
    id = without_caret(id);
    new_id = arena_str(a, without_caret(new_id));
    const struct note_block *block = note_find_block(&f->note, id);
    const struct note_block *other = note_find_block(&f->note, new_id);
    if (block == NULL)
        return err_named(err, E_BLOCK_NOT_FOUND,
                         "'" STR_FMT "' has no block '^" STR_FMT "'",
                         STR_ARG(utf8_cut(f->path, 100)), STR_ARG(utf8_cut(id, 80)));
    if (!is_id(new_id))
        return err_set(err, ERR_INVALID,
                       "'" STR_FMT "' is not a block id: use only Latin letters, digits "
                       "and '-'",
                       STR_ARG(utf8_cut(new_id, 80)));
    if (other != NULL && other != block)
        return err_set(err, ERR_EXISTS,
                       "'" STR_FMT "' already has a block '^" STR_FMT "'",
                       STR_ARG(utf8_cut(f->path, 100)), STR_ARG(utf8_cut(new_id, 80)));
    struct planner p = planner_on(x, a, stop);
    struct splices own = {.arena = a};
    struct block_job j = {a, span_of(f->text, block->id), new_id};
    rename_splice_add(&own, block->id.start, block->id.end, new_id);
    rename_follow_subpaths(&p, f, &own, follow_block, &j);
    return planner_done(&p, out, err);
}
