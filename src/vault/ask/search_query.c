/* Obsidian's search language: the spans that a query finds, line by line. */
#include "base/text.h"
#include "vault/ask/query.h"
#include "vault/ask/query_match.h"
#include "vault/ask/search_parts.h"
#include "vault/index/file.h"
#include "vault/text/needles.h"
#include "vault/text/regex.h"

/* Whether the query is about names of any kind of file: file: or path:. */
static bool asks_names(const struct query *q)
{
    if (q->kind == QUERY_OPERATOR &&
        (str_eq(q->text, STR("file")) || str_eq(q->text, STR("path"))))
        return true;
    for (const struct query *c = q->child; c != NULL; c = c->next)
        if (asks_names(c))
            return true;
    return false;
}

static bool open_query(struct search_job *job, struct err *err)
{
    const struct query *q = job->plan->query;
    if (q == NULL) {
        *err = job->plan->no_query;
        return false;
    }
    job->every_kind = asks_names(q);
    return query_compile(q, &job->matcher, err);
}

static bool search_query_takes(const struct search_job *job, const struct file *f)
{
    return f->kind <= FILE_BASE || job->every_kind;
}

static bool search_query_prepare(struct search_worker *w, struct err *err)
{
    w->scratch = regex_scratch_create();
    return true;
}

/* The text that spans refer to; of other files, a query sees only the name. */
static str seen_text(const struct file *f)
{
    return f->kind <= FILE_CANVAS ? str_slice(f->text, 0, f->searched) : (str){0};
}

static bool search_query_match(struct search_worker *w, const struct file *f,
                               struct query_hits *hits)
{
    struct frontmatter fm = {.props = (struct prop *)f->props};
    struct query_file file = {
        .path = f->path,
        .text = seen_text(f),
        .note = f->kind == FILE_NOTE ? &f->note : NULL,
        .frontmatter = f->props != NULL ? &fm : NULL,
        .tags = f->tags,
        .stop = search_stopped,
        .stop_arg = w->job,
    };
    arena_reset(&w->arena);
    bool found = query_match(w->job->matcher, w->scratch, &w->arena, &file, hits);
    if (hits->limited || hits->n == QUERY_SPANS_MAX)
        atomic_store_explicit(&w->job->limited, true, memory_order_relaxed);
    return found;
}

/* The next span from *at on that begins on another line. */
static bool search_query_next_line(str text, const struct query_hits *hits, size_t *at,
                                   size_t *end, struct span *out)
{
    while (*at < hits->n && hits->spans[*at].start < *end)
        ++*at;
    if (*at == hits->n)
        return false;
    *out = hits->spans[*at];
    *end = text_line_end(text, out->start) + 1;
    return true;
}

static void search_query_count(struct search_worker *w, struct search_file *f)
{
    struct query_hits hits;
    struct span span;
    if (!search_query_match(w, f->file, &hits))
        return;
    str text = seen_text(f->file);
    for (size_t at = 0, end = 0; search_query_next_line(text, &hits, &at, &end, &span);)
        f->counts[0]++;
    if (f->counts[0] == 0)
        f->counts[0] = 1; /* by its name, a property, or a negation */
}

/* Mark the spans from i on that begin on the line of the last hit, which starts there. */
static void mark_spans(struct search_job *job, const struct query_hits *hits, size_t i,
                       size_t line)
{
    for (; i < hits->n; i++)
        if (hits->spans[i].start >= line &&
            !search_add_mark(job, hits->spans[i].start - line, hits->spans[i].end - line))
            return;
}

static void search_query_show(struct search_worker *w, const struct search_file *f,
                              size_t group, size_t skip, size_t take)
{
    struct query_hits hits;
    struct span span;
    uint32_t bom, line = 1;
    search_query_match(w, f->file, &hits);
    if (hits.n == 0) {
        search_add_name(w->job, f->file, 0, 0);
        return;
    }
    str text = file_searched(f->file, &bom);
    for (size_t at = 0, end = 0, last = 0;
         take > 0 && search_query_next_line(f->file->text, &hits, &at, &end, &span);) {
        size_t start = span.start > bom ? span.start - bom : 0;
        size_t to = span.end > bom ? span.end - bom : 0;
        line += (uint32_t)text_count_ends(text, last, start);
        last = start;
        if (skip > 0) {
            skip--;
            continue;
        }
        search_add_line(w->job, f->file, text, line, start, to);
        if (w->job->search->all_marks)
            mark_spans(w->job, &hits, at, bom + text_line_start(text, start));
        take--;
    }
}

const struct search_engine search_query = {
    .groups = 1,
    .open = open_query,
    .takes = search_query_takes,
    .prepare = search_query_prepare,
    .count = search_query_count,
    .show = search_query_show,
};
