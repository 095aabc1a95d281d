/*
 * The files that a search has to look at. For a text or regex with letters or digits, the
 * word index knows which files may contain them (words_may_hold); of these, only few are
 * read in vain. Everything else in a path than the title is not in the word index: the
 * folders, and the extension of notes.
 */
#include "base/path.h"
#include "vault/ask/search_parts.h"
#include "vault/eval/filter.h"
#include "vault/index/file.h"
#include "vault/index/ids.h"
#include "vault/index/index.h"
#include "vault/index/words.h"
#include "vault/text/textscan.h"

/* --- sets of files, as bits by id --- */

static size_t set_words(const struct search_job *job)
{
    return job->index->n / 64 + (size_t)1;
}

static void set_add(uint64_t *bits, file_id id)
{
    bits[id / 64] |= UINT64_C(1) << (id % 64);
}

static bool set_has(const uint64_t *bits, file_id id)
{
    return (bits[id / 64] >> (id % 64) & 1) != 0;
}

/* --- narrowing --- */

void search_prefilter(struct search_job *job, const str *texts, size_t n)
{
    struct words_set found;
    if (job->index->wordless ||
        !words_may_hold(job->index->words, job->arena, texts, n, &found))
        return;
    job->texts = ARENA_ARRAY(job->arena, uint64_t, set_words(job));
    for (size_t i = 0; i < set_words(job) && i <= found.n / 64; i++)
        job->texts[i] = found.bits[i];
    const struct ids *unworded = &job->index->unworded;
    for (uint32_t i = 0; i < unworded->n; i++)
        set_add(job->texts, unworded->at[i]);
}

/* Whether a text can be in a path, but neither within its folder nor within the title. */
static bool spans_parts(str text)
{
    static const str ends[] = {STR("."), STR(".m"), STR(".md")};
    bool spans = str_find_char(text, '/') != STR_NONE || str_eq_nocase(text, STR("md")) ||
                 str_eq_nocase(text, STR("m")) || str_eq_nocase(text, STR("d"));
    for (size_t i = 0; i < COUNT_OF(ends) && !spans; i++)
        spans = text.n >= ends[i].n &&
                str_eq_nocase(str_skip(text, text.n - ends[i].n), ends[i]);
    return spans;
}

static void add_below(struct search_job *job, str folder)
{
    const struct index *x = job->index;
    const struct file *f;
    str prefix = arena_printf(job->arena, STR_FMT "/", STR_ARG(folder));
    for (size_t i = index_after(x, prefix);
         (f = index_nth(x, i)) != NULL && str_starts(f->path, prefix); i++)
        set_add(job->names, f->id);
}

/* The last of n starts that is not after at. */
static size_t start_before(const uint32_t *starts, size_t n, size_t at)
{
    size_t from = 0;
    while (n - from > 1) {
        size_t middle = from + (n - from) / 2;
        if (starts[middle] <= at)
            from = middle;
        else
            n = middle;
    }
    return from;
}

/* Add the files below folders with the text in their own names, or in those of folders
 * that they are in: these come before them. */
static void search_prefilter_add_folders(struct search_job *job, struct textscan *scan)
{
    const str *folders;
    const uint32_t *starts;
    size_t n = index_folders(job->index, &folders);
    str names = index_folder_names(job->index, &starts), last = {0};
    for (size_t at = 0, start, end; textscan_find(scan, names, at, &start, &end);) {
        size_t i = start_before(starts, n, start);
        at = i + 1 < n ? starts[i + 1] : names.n;
        if (last.n > 0 && path_is_below(last, folders[i]))
            continue;
        last = folders[i];
        add_below(job, last);
    }
}

static void add_all_names(struct search_job *job)
{
    const struct file *f;
    for (file_id id = 0; (f = index_next(job->index, &id, &job->stop)) != NULL;)
        set_add(job->names, f->id);
}

bool search_prefilter_names(struct search_job *job, const str *texts, size_t n,
                            struct err *err)
{
    bool all = false;
    if (job->texts == NULL)
        return true;
    job->names = ARENA_ARRAY(job->arena, uint64_t, set_words(job));
    for (size_t i = 0; i < n && !all; i++) {
        struct textscan *scan;
        if (!textscan_create(texts[i], &scan, err))
            return false;
        all = spans_parts(texts[i]);
        if (!all)
            search_prefilter_add_folders(job, scan);
        textscan_free(scan);
    }
    if (all)
        add_all_names(job);
    return true;
}

void search_no_texts(struct search_job *job)
{
    job->texts = ARENA_ARRAY(job->arena, uint64_t, set_words(job));
    job->names = ARENA_ARRAY(job->arena, uint64_t, set_words(job));
    add_all_names(job);
}

/* --- selecting --- */

bool search_asks(struct search_job *job, const struct file *f)
{
    return f != NULL && (!f->excluded || job->search->excluded) &&
           filter_takes(&job->filter, f) &&
           (job->engine == NULL || job->engine->takes(job, f));
}

void search_unread(struct search_job *job)
{
    const struct index *x = job->index;
    struct search_result *out = job->out;
    out->unread = 0;
    if (job->engine == &search_names || (!job->search->excluded && x->unread == 0))
        return;
    const struct file *f;
    for (file_id i = 0; (f = index_next(x, &i, &job->stop)) != NULL;) {
        if (!f->unread || file_read_max(f->kind) == 0 ||
            (f->excluded && !job->search->excluded) || !filter_takes(&job->filter, f))
            continue;
        if (out->unread < SEARCH_UNREAD)
            out->unread_in[out->unread] = f->path;
        out->unread++;
    }
}

static void select_file(struct search_job *job, file_id id)
{
    const struct file *f = job->index->files[id];
    if (!search_asks(job, f))
        return;
    size_t n = job->texts == NULL || set_has(job->texts, id) ? f->text.n : 0;
    job->files[job->n++] = (struct search_file){
        .file = f, .bytes = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX};
}

/* The files with id 64 * i and those after it that can match. */
static uint64_t may_match(const struct search_job *job, size_t i)
{
    return job->texts[i] | (job->names != NULL ? job->names[i] : 0);
}

static void select_all(struct search_job *job)
{
    const struct index *x = job->index;
    job->files = arena_alloc(job->arena, size_mul(x->count, sizeof(*job->files)));
    const struct file *f;
    for (file_id i = 0; (f = index_next(x, &i, &job->stop)) != NULL;)
        select_file(job, f->id);
}

static void select_some(struct search_job *job)
{
    size_t n = 0;
    for (size_t i = 0; i < set_words(job); i++)
        n += (size_t)__builtin_popcountll(may_match(job, i));
    job->files = arena_alloc(job->arena, size_mul(n, sizeof(*job->files)));
    for (size_t i = 0; i < set_words(job); i++)
        for (uint64_t left = may_match(job, i); left != 0; left &= left - 1)
            select_file(job, (file_id)(64 * i + (size_t)__builtin_ctzll(left)));
}

void search_select(struct search_job *job)
{
    search_unread(job);
    if (job->texts == NULL)
        select_all(job);
    else
        select_some(job);
}
