/* Lines that match a regular expression, as rg finds them. */
#include "vault/ask/search_parts.h"
#include "vault/index/file.h"
#include "vault/text/regex.h"

static bool open_regex(struct search_job *job, struct err *err)
{
    const struct search *s = job->search;
    const str *literals;
    unsigned flags = (s->ignore_case ? (unsigned)REGEX_NOCASE : 0) |
                     (s->literal ? (unsigned)REGEX_LITERAL : 0);
    if (!regex_compile(s->query, flags, &job->regex, err))
        return false;
    size_t n = regex_literals(job->regex, &literals);
    search_narrow(job, literals, n);
    return true;
}

static bool search_regex_takes(const struct search_job *job, const struct file *f)
{
    return f->text.n > 0;
}

static bool search_regex_prepare(struct search_worker *w, struct err *err)
{
    w->scratch = regex_scratch_create();
    return true;
}

static bool count_line(void *arg, const struct regex_hit *hit)
{
    uint32_t *n = arg;
    ++*n;
    return true;
}

static void search_regex_count(struct search_worker *w, struct search_file *f)
{
    struct search_job *job = w->job;
    uint32_t offset;
    if (f->bytes == 0)
        return;
    if (!regex_lines(job->regex, w->scratch, file_searched(f->file, &offset), count_line,
                     &f->counts[0], search_stopped, job))
        atomic_store_explicit(&job->limited, true, memory_order_relaxed);
}

struct shown {
    struct search_job *job;
    const struct file *file;
    str text;
    size_t skip, take;
};

static bool show_line(void *arg, const struct regex_hit *hit)
{
    struct shown *s = arg;
    if (s->skip > 0) {
        s->skip--;
        return true;
    }
    search_add_line(s->job, s->file, s->text, hit->line, hit->start, hit->end);
    return --s->take > 0;
}

static void search_regex_show(struct search_worker *w, const struct search_file *f,
                              size_t group, size_t skip, size_t take)
{
    uint32_t offset;
    str text = file_searched(f->file, &offset);
    struct shown s = {w->job, f->file, text, skip, take};
    if (!regex_lines(w->job->regex, w->scratch, text, show_line, &s, search_stopped,
                     w->job))
        atomic_store(&w->job->limited, true);
}

const struct search_engine search_regex = {
    .groups = 1,
    .open = open_regex,
    .takes = search_regex_takes,
    .prepare = search_regex_prepare,
    .count = search_regex_count,
    .show = search_regex_show,
};
