/* Names only: names, aliases and folders with the query, then those with all its words. */
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/ask/near_names.h"
#include "vault/ask/search_parts.h"
#include "vault/index/file.h"
#include "vault/text/textscan.h"

enum { IS, BEGINS, CONTAINS, ALIASES, FOLDERS, WORDS, GROUPS };

static bool open_names(struct search_job *job, struct err *err)
{
    str *words = ARENA_ARRAY(job->arena, str, NEAR_NAMES_WORDS);
    str folded = utf8_fold(job->arena, job->search->query);
    job->n_name_words = near_names_split(folded, words);
    job->name_words = words;
    search_no_texts(job);
    return true;
}

static bool search_names_takes(const struct search_job *job, const struct file *f)
{
    return true;
}

static bool search_names_prepare(struct search_worker *w, struct err *err)
{
    return textscan_create(w->job->search->query, &w->scan, err);
}

/* The first alias with the query, or NULL. */
static const str *find_alias(struct search_worker *w, const struct file *f)
{
    for (size_t i = 0; i < f->aliases.n; i++)
        if (textscan_in(w->scan, f->aliases.items[i]))
            return &f->aliases.items[i];
    return NULL;
}

static bool has_words(struct search_worker *w, const struct file *f)
{
    arena_reset(&w->arena);
    struct sbuf names = SBUF_ON(&w->arena);
    sbuf_add(&names, f->path);
    for (size_t i = 0; i < f->aliases.n; i++)
        sbuf_printf(&names, "\n" STR_FMT, STR_ARG(f->aliases.items[i]));
    return near_names_contains(utf8_fold(&w->arena, sbuf_str(&names)), w->job->name_words,
                               w->job->n_name_words);
}

static void search_names_count(struct search_worker *w, struct search_file *f)
{
    static const size_t groups[] = {[SEARCH_IS] = IS,
                                    [SEARCH_BEGINS] = BEGINS,
                                    [SEARCH_CONTAINS] = CONTAINS,
                                    [SEARCH_FOLDER] = FOLDERS};
    struct textscan_mark mark;
    enum search_rank rank = search_rank_path(w->scan, f->file->path, &mark);
    if (rank >= SEARCH_FOLDER && find_alias(w, f->file) != NULL)
        f->counts[ALIASES] = 1;
    else if (rank != SEARCH_NOT)
        f->counts[groups[rank]] = 1;
    else
        f->counts[WORDS] = has_words(w, f->file);
}

static void show_alias(struct search_worker *w, const struct file *f, str alias)
{
    size_t start, end;
    if (!textscan_find(w->scan, alias, 0, &start, &end))
        return;
    str bold = textscan_snippet(w->job->arena, alias, start, end);
    search_add_name(w->job, f, 0, 0)->snippet = arena_printf(
        w->job->arena, STR_FMT " (alias: " STR_FMT ")", STR_ARG(f->path), STR_ARG(bold));
}

static void search_names_show(struct search_worker *w, const struct search_file *f,
                              size_t group, size_t skip, size_t take)
{
    struct textscan_mark mark = {0};
    if (group == ALIASES) {
        show_alias(w, f->file, *find_alias(w, f->file));
        return;
    }
    if (group != WORDS)
        search_rank_path(w->scan, f->file->path, &mark);
    search_add_name(w->job, f->file, mark.start, mark.end);
}

const struct search_engine search_names = {
    .groups = GROUPS,
    .open = open_names,
    .takes = search_names_takes,
    .prepare = search_names_prepare,
    .count = search_names_count,
    .show = search_names_show,
};
