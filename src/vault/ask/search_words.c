/* Ranked notes: words.h finds and orders them. */
#include "vault/ask/search_parts.h"
#include "vault/ask/search_passage.h"
#include "vault/eval/filter.h"
#include "vault/index/file.h"
#include "vault/index/words.h"

/* Caches the fields of one file, because words.h asks for them one after the other. */
struct fields {
    struct search_job *job;
    struct arena arena;
    struct words_doc doc;
    bool filled;
};

/* Empty if the search has to stop: then no further phrase is found, and it ends soon. */
static str field_of(void *arg, uint32_t id, enum words_field field)
{
    struct fields *f = arg;
    const struct file *file = index_file(f->job->index, id);
    bool other = !f->filled || f->doc.id != id;
    if (file == NULL || (other && search_stopped(f->job)))
        return (str){0};
    if (other) {
        arena_reset(&f->arena);
        file_words(&f->arena, file, &f->doc);
        f->filled = true;
    }
    return f->doc.fields[field];
}

/* Keep the hits that pass the filter. */
static void filter_hits(struct search_job *job, struct words_result *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (filter_takes(&job->filter, index_file(job->index, r->hits[i].id)))
            r->hits[n++] = r->hits[i];
    r->total = r->n = n;
}

void search_find_words(struct search_job *job, search_words_fn find, size_t offset,
                       size_t limit, struct words_result *out)
{
    struct fields fields = {.job = job};
    bool all = filter_is_open(&job->filter);
    find(job->index->words, job->arena, &job->plan->words, all ? offset : 0,
         all ? limit : SIZE_MAX, field_of, &fields, out);
    arena_release(&fields.arena);
    if (all)
        return;
    filter_hits(job, out);
    size_t skip = offset < out->n ? offset : out->n;
    out->hits = out->n > 0 ? out->hits + skip : NULL;
    out->n = out->n - skip < limit ? out->n - skip : limit;
}

bool search_words(struct search_job *job, struct err *err)
{
    const struct search *s = job->search;
    struct wanted_words wanted;
    struct words_result r = {0};
    struct search_result *out = job->out;
    if (!job->plan->has_words) {
        *err = job->plan->no_words;
        return false;
    }
    search_read_wanted(&job->plan->words, &wanted);
    search_unread(job);
    if (search_stopped(job))
        return true;
    search_find_words(job, words_search, s->offset, s->limit, &r);
    if (wanted.excludes && atomic_load(&job->stopped))
        r = (struct words_result){0}; /* hits with excluded words may be among them */
    search_prepare_wanted(job->arena, &r, &wanted);
    search_begin_grace(job);
    out->total = out->files = r.total;
    out->any = r.any && r.total > 0;
    out->more = s->offset < r.total && r.total - s->offset > r.n;
    out->hits = ARENA_ARRAY(job->arena, struct search_hit, r.n);
    for (size_t i = 0; i < r.n && !search_stopped(job); i++) {
        const struct file *f = index_file(job->index, r.hits[i].id);
        search_show_words(job, &wanted, f)->score = r.hits[i].score;
    }
    return true;
}

struct words_set search_filter_words(struct search_job *job)
{
    struct words_set set = {0};
    struct fields fields = {.job = job};
    words_filter(job->index->words, job->arena, &job->plan->words, field_of, &fields,
                 &set);
    arena_release(&fields.arena);
    return set;
}
