/* Names that match a regular expression, then lines, as rg finds them. */
#include "base/path.h"
#include "base/text.h"
#include "vault/ask/search_parts.h"
#include "vault/index/file.h"
#include "vault/text/regex.h"

enum { NAMES, LINES, GROUPS };

static bool open_regex(struct search_job *job, struct err *err)
{
    const struct search *s = job->search;
    const str *literals;
    unsigned flags = (s->ignore_case ? (unsigned)REGEX_NOCASE : 0) |
                     (s->literal ? (unsigned)REGEX_LITERAL : 0) |
                     (s->all_marks ? (unsigned)REGEX_GROUPS : 0);
    if (!regex_compile(s->query, flags, &job->regex, err))
        return false;
    size_t n = regex_literals(job->regex, &literals);
    search_prefilter(job, literals, n);
    return s->lines_only || search_prefilter_names(job, literals, n, err);
}

static bool search_regex_takes(const struct search_job *job, const struct file *f)
{
    return f->text.n > 0 || !job->search->lines_only;
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

/* A limit that was hit makes the result partial. */
static void each_line(struct search_worker *w, str text,
                      bool (*fn)(void *arg, const struct regex_hit *hit), void *arg)
{
    struct search_job *job = w->job;
    if (!regex_lines(job->regex, w->scratch, text, fn, arg, search_stopped, job))
        atomic_store_explicit(&job->limited, true, memory_order_relaxed);
}

/* A folder would match for all files in it, so it does only if the expression asks for
 * folders. */
static bool match_name(struct search_worker *w, const struct file *f, uint32_t *start,
                       uint32_t *end)
{
    bool whole = str_find_char(w->job->search->query, '/') != STR_NONE;
    str name = whole ? f->path : path_name(f->path);
    uint32_t folder = (uint32_t)(f->path.n - name.n);
    if (text_has_break(f->path) ||
        !regex_find(w->job->regex, w->scratch, name, start, end))
        return false;
    *start += folder;
    *end += folder;
    return true;
}

static void search_regex_count(struct search_worker *w, struct search_file *f)
{
    uint32_t offset, start, end;
    f->counts[NAMES] =
        !w->job->search->lines_only && match_name(w, f->file, &start, &end);
    if (f->bytes > 0)
        each_line(w, file_searched(f->file, &offset), count_line, &f->counts[LINES]);
}

struct shown {
    struct search_worker *worker;
    struct search_job *job;
    const struct file *file;
    str text;
    size_t skip, take;
};

static void mark_line(struct search_worker *w, str text)
{
    struct regex_group groups[REGEX_GROUPS_MAX + 1];
    bool limited;
    for (size_t at = 0;
         regex_captures(w->job->regex, w->scratch, text, at, groups, &limited);
         at = groups[0].end)
        if (!search_add_mark(w->job, groups[0].start, groups[0].end))
            return;
}

static bool show_line(void *arg, const struct regex_hit *hit)
{
    struct shown *s = arg;
    if (s->skip > 0) {
        s->skip--;
        return true;
    }
    const struct search_hit *added =
        search_add_line(s->job, s->file, s->text, hit->line, hit->start, hit->end);
    if (s->job->search->all_marks)
        mark_line(s->worker, added->text);
    return --s->take > 0;
}

static void search_regex_show(struct search_worker *w, const struct search_file *f,
                              size_t group, size_t skip, size_t take)
{
    uint32_t offset, start, end;
    if (group == NAMES) {
        if (match_name(w, f->file, &start, &end))
            search_add_name(w->job, f->file, start, end);
        return;
    }
    str text = file_searched(f->file, &offset);
    struct shown s = {w, w->job, f->file, text, skip, take};
    each_line(w, text, show_line, &s);
}

const struct search_engine search_regex = {
    .groups = GROUPS,
    .names = LINES,
    .open = open_regex,
    .takes = search_regex_takes,
    .prepare = search_regex_prepare,
    .count = search_regex_count,
    .show = search_regex_show,
};
