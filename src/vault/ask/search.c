/*
 * Two passes: first the hits of all files are counted, in pieces of similar size that any
 * thread may take. Then the files whose hits are requested are searched again for their
 * snippets. Only files that can have hits are looked at (search_prefilter.c).
 */
#include "vault/ask/search.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "vault/ask/query_match.h"
#include "vault/ask/search_parts.h"
#include "vault/eval/filter.h"
#include "vault/index/words.h"
#include "vault/text/regex.h"
#include "vault/text/textscan.h"

enum {
    PIECE_BYTES = 256 << 10, /* of text in one piece of work */
    FILE_COST = 256,         /* bytes that a file counts in addition to its text */
};

bool search_stopped(void *arg)
{
    struct search_job *job = arg;
    const struct search *s = job->search;
    if (atomic_load_explicit(&job->stopped, memory_order_relaxed))
        return true;
    if (!stop_now(&s->stop) && (job->deadline == 0 || clock_ns() < job->deadline))
        return false;
    atomic_store_explicit(&job->stopped, true, memory_order_relaxed);
    return true;
}

/* --- counting --- */

/* The start of each piece of job->files, and the end of the last. */
struct search_pieces {
    struct search_job *job;
    uint32_t *starts;
    size_t n;
};

static struct search_pieces cut_pieces(struct search_job *job)
{
    struct search_pieces p = {.job = job,
                              .starts = ARENA_ARRAY(job->arena, uint32_t, job->n + 1)};
    size_t bytes = 0;
    for (size_t i = 0; i < job->n; i++) {
        if (bytes == 0)
            p.starts[p.n++] = (uint32_t)i;
        bytes += job->files[i].bytes + FILE_COST;
        if (bytes >= PIECE_BYTES)
            bytes = 0;
    }
    p.starts[p.n] = (uint32_t)job->n;
    return p;
}

/* Files are scattered in memory, so load the next ones into the cache early. */
static void prefetch(const struct search_job *job, size_t k, size_t end)
{
    if (k + 2 >= end)
        return;
    const struct file *f = job->files[k + 2].file, *next = job->files[k + 1].file;
    __builtin_prefetch(f);
    __builtin_prefetch(&f->text);
    __builtin_prefetch(&f->tags);
    __builtin_prefetch(next->path.p);
    if (job->files[k + 1].bytes > 0)
        file_prefetch_text(next);
}

static void count_piece(void *arg, size_t i, size_t worker)
{
    struct search_pieces *p = arg;
    struct search_worker *w = &p->job->workers[worker];
    struct err err;
    if (search_stopped(p->job))
        return;
    if (!w->ready && !p->job->engine->prepare(w, &err))
        BUG("cannot continue a search: %s", err.msg);
    w->ready = true;
    size_t end = p->starts[i + 1];
    for (size_t k = p->starts[i]; k < end; k++) {
        prefetch(p->job, k, end);
        p->job->engine->count(w, &p->job->files[k]);
    }
}

static bool count_all(struct search_job *job, struct err *err)
{
    struct search_worker *first = &job->workers[0];
    if (!job->engine->prepare(first, err))
        return false;
    first->ready = true;
    struct search_pieces p = cut_pieces(job);
    parallel_each(job->search->pool, p.n, count_piece, &p);
    return true;
}

/* --- showing --- */

static size_t hits_of(const struct search_file *f)
{
    size_t n = 0;
    for (size_t g = 0; g < SEARCH_GROUPS; g++)
        n += f->counts[g];
    return n;
}

/* A range of a file's hits, counted over all groups. */
struct hit_range {
    size_t from, to;
};

/* Parts of the result, one after the other. Each has the hits of one range of every file,
 * so that with spread no file hides others. */
enum { SEARCH_PARTS = 3 };

static struct hit_range range_of(const struct search *s, size_t part)
{
    size_t end = s->per_file > 0 ? s->per_file : SIZE_MAX;
    size_t starts[SEARCH_PARTS + 1] = {0, end, end, end};
    if (s->spread > 0) {
        starts[1] = 1;
        starts[2] = s->spread;
    }
    return (struct hit_range){starts[part], starts[part + 1]};
}

/* The hits of a file in the groups before that one. */
static size_t hits_before(const struct search_file *f, size_t group)
{
    size_t n = 0;
    for (size_t g = 0; g < group; g++)
        n += f->counts[g];
    return n;
}

/* The part of a group's hits that is in a range, counted from the group's first hit. */
static struct hit_range of_group(const struct search_file *f, size_t group,
                                 struct hit_range r)
{
    size_t before = hits_before(f, group), n = f->counts[group];
    size_t from = r.from > before ? r.from - before : 0;
    size_t to = r.to > before ? r.to - before : 0;
    return (struct hit_range){from < n ? from : n, to < n ? to : n};
}

static int best_then_path(const void *a, const void *b)
{
    const struct search_file *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->last != y->last)
        return x->last ? 1 : -1;
    return str_cmp(x->file->path, y->file->path);
}

/* The scores of the first n files by the words of the query. */
static void score_files(struct search_job *job, size_t n)
{
    struct words_result r;
    float *scores = ARENA_ARRAY(job->arena, float, job->index->n);
    search_find_words(job, words_rank, 0, SIZE_MAX, &r);
    for (size_t i = 0; i < r.n; i++)
        scores[r.hits[i].id] = r.hits[i].score;
    for (size_t i = 0; i < n; i++)
        job->files[i].score = scores[job->files[i].file->id];
}

static bool is_attachment(const struct file *f)
{
    return f->kind == FILE_TEXT || f->kind == FILE_PDF || f->kind == FILE_OTHER;
}

/* Move the files with hits to the front, in order. Returns their number; *shown is the
 * number of hits that may be shown. */
static size_t keep_found(struct search_job *job, size_t *shown)
{
    struct search_file *files = job->files;
    size_t n = 0, most = job->search->per_file;
    bool sorted = true;
    *shown = 0;
    for (size_t i = 0; i < job->n; i++) {
        size_t hits = hits_of(&files[i]);
        if (hits == 0)
            continue;
        job->out->total += hits;
        *shown += most == 0 || hits < most ? hits : most;
        files[i].last = job->search->spread > 0 && is_attachment(files[i].file);
        sorted = sorted && (n == 0 || best_then_path(&files[n - 1], &files[i]) < 0);
        files[n++] = files[i];
    }
    if (job->search->by_score && n > 1)
        score_files(job, n);
    if (!sorted || job->search->by_score)
        sort_items(files, n, sizeof(*files), best_then_path);
    job->out->files = n;
    return n;
}

void search_begin_grace(struct search_job *job)
{
    uint64_t grace = clock_ns() + SEARCH_GRACE_MS * UINT64_C(1000000);
    job->out->partial = atomic_load(&job->stopped);
    if (job->deadline != 0 && job->deadline < grace)
        job->deadline = grace;
    atomic_store(&job->stopped, false);
}

/* What to show of the hits that come next. */
struct search_walk {
    size_t skip; /* hits before the offset */
    size_t pass; /* hits that have another place in the order */
    size_t take; /* after those, the rest has another place */
};

/* Reduce a range to its hits that come next. */
static void limit_range(struct search_walk *walk, struct hit_range *r)
{
    size_t hits = r->to - r->from, pass = hits < walk->pass ? hits : walk->pass;
    walk->pass -= pass;
    r->from += pass;
    hits -= pass;
    r->to = r->from + (hits < walk->take ? hits : walk->take);
    walk->take -= r->to - r->from;
}

/* The last hit is the file's number nth. */
static void count_more(struct search_job *job, const struct search_file *f, size_t nth)
{
    struct search_result *out = job->out;
    if (nth == job->search->per_file && out->n > 0 && hits_of(f) > nth)
        out->hits[out->n - 1].more_in_file = (uint32_t)(hits_of(f) - nth);
}

static void show_group(struct search_job *job, size_t n, size_t group,
                       struct hit_range part, struct search_walk *walk)
{
    const struct search_file *files = job->files;
    size_t limit = job->search->limit;
    for (size_t i = 0; i < n && job->out->n < limit; i++) {
        struct hit_range r = of_group(&files[i], group, part);
        limit_range(walk, &r);
        size_t hits = r.to - r.from, left = limit - job->out->n;
        if (walk->skip >= hits) {
            walk->skip -= hits;
            continue;
        }
        if (search_stopped(job))
            return;
        hits -= walk->skip;
        size_t first = r.from + walk->skip, take = hits < left ? hits : left;
        job->engine->show(&job->workers[0], &files[i], group, first, take);
        count_more(job, &files[i], hits_before(&files[i], group) + first + take);
        walk->skip = 0;
    }
}

/* Names, which are in the first part, are shown in two pieces. */
struct search_piece {
    size_t part, from, to; /* groups */
    size_t pass, take;     /* hits */
};

static void show_in_order(struct search_job *job, size_t n)
{
    size_t names = job->engine->names, groups = job->engine->groups;
    const size_t first = job->search->spread > 0 ? SEARCH_NAMES_FIRST : SIZE_MAX;
    const struct search_piece pieces[] = {
        {0, 0, names, 0, first},     {0, names, groups, 0, SIZE_MAX},
        {1, 0, groups, 0, SIZE_MAX}, {0, 0, names, first, SIZE_MAX},
        {2, 0, groups, 0, SIZE_MAX},
    };
    struct search_walk walk = {.skip = job->search->offset};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        walk.pass = pieces[i].pass;
        walk.take = pieces[i].take;
        for (size_t g = pieces[i].from; g < pieces[i].to; g++)
            show_group(job, n, g, range_of(job->search, pieces[i].part), &walk);
    }
}

static void show_some(struct search_job *job)
{
    size_t skip = job->search->offset, limit = job->search->limit, shown;
    size_t n = keep_found(job, &shown);
    size_t left = skip < shown ? shown - skip : 0;
    job->out->more = limit < left;
    job->out->hits =
        ARENA_ARRAY(job->arena, struct search_hit, limit < left ? limit : left);
    if (left > 0)
        show_in_order(job, n);
}

/* The files with hits, in the order of the result. */
static void list_files(struct search_job *job)
{
    struct search_result *out = job->out;
    size_t n = job->engine != NULL ? out->files : out->n;
    out->by_file = ARENA_ARRAY(job->arena, struct search_count, n);
    for (size_t i = 0; i < n; i++)
        out->by_file[i] =
            job->engine != NULL
                ? (struct search_count){job->files[i].file, hits_of(&job->files[i])}
                : (struct search_count){out->hits[i].file, 1};
    out->n_by_file = n;
}

/* --- all of it --- */

static bool run_engine(struct search_job *job, struct err *err)
{
    if (job->engine->open != NULL && !job->engine->open(job, err))
        return false;
    search_select(job);
    if (!count_all(job, err))
        return false;
    search_begin_grace(job);
    show_some(job);
    return true;
}

static void close_worker(struct search_worker *w)
{
    textscan_free(w->scan);
    textscan_free(w->tag_scan);
    regex_scratch_free(w->scratch);
    arena_release(&w->arena);
}

bool search_open_job(struct search_job *job, const struct index *x,
                     const struct search_plan *p, const struct search *s,
                     struct search_result *out, struct err *err)
{
    struct filter_request request = {s->folder, s->globs, s->n_globs, s->tag};
    *out = (struct search_result){.mode = s->mode};
    *job = (struct search_job){.index = x,
                               .plan = p,
                               .search = s,
                               .arena = p->arena,
                               .deadline = p->deadline,
                               .out = out};
    job->stop = (struct stop){.asked = search_stopped, .arg = job};
    job->n_workers = parallel_workers(s->pool);
    job->workers = ARENA_ARRAY(job->arena, struct search_worker, job->n_workers);
    for (size_t i = 0; i < job->n_workers; i++)
        job->workers[i].job = job;
    if (s->limit > SEARCH_LIMIT_MAX && s->limit != SIZE_MAX)
        return err_set(err, ERR_LIMIT, "limit: at most %d hits", SEARCH_LIMIT_MAX);
    return filter_open(&job->filter, x, job->arena, &request, err);
}

void search_close_job(struct search_job *job)
{
    for (size_t i = 0; i < job->n_workers; i++)
        close_worker(&job->workers[i]);
    regex_free(job->regex);
    query_matcher_free(job->matcher);
    filter_release(&job->filter);
}

bool search_finish(struct search_job *job, struct err *err)
{
    const struct search *s = job->search;
    if (stop_is_large(&s->stop))
        return stop_fail(&s->stop, "the search",
                         "narrow it down, or ask for fewer results", err);
    if (atomic_load(&job->stopped) || atomic_load(&job->limited))
        job->out->partial = true;
    if (s->by_file)
        list_files(job);
    if (job->out->total == 0 && !job->out->partial && !s->no_suggestions)
        search_suggest(job);
    return true;
}

bool search_in_mode(const struct index *x, const struct search_plan *p,
                    const struct search *s, struct search_result *out, struct err *err)
{
    static const struct search_engine *const engines[] = {
        [SEARCH_TEXT] = &search_text,   [SEARCH_REGEX] = &search_regex,
        [SEARCH_QUERY] = &search_query, [SEARCH_NAMES] = &search_names,
        [SEARCH_FUSED] = NULL,
    };
    struct search_job job;
    bool ok = search_open_job(&job, x, p, s, out, err);
    job.engine = engines[s->mode];
    ok = ok && (job.engine != NULL ? run_engine(&job, err) : search_words(&job, err)) &&
         search_finish(&job, err);
    search_close_job(&job);
    return ok;
}
