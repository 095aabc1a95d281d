/* A literal, ignoring case: in paths, in tags, in lines. */
#include "base/text.h"
#include "vault/ask/search_parts.h"
#include "vault/index/file.h"
#include "vault/note/frontmatter.h"
#include "vault/text/needles.h"
#include "vault/text/textscan.h"

/* Folders come last, as they say little about each of their files. */
enum { IS, BEGINS, CONTAINS, TAGS, LINES, FOLDERS, GROUPS, NAMES = TAGS };

static bool search_text_takes(const struct search_job *job, const struct file *f)
{
    return true;
}

/* "#work" means tags that begin with it; other texts may occur anywhere in a tag. */
static bool asks_tag(const struct search_job *job)
{
    return str_starts(job->search->query, STR("#"));
}

static bool open_text(struct search_job *job, struct err *err)
{
    str query = job->search->query;
    search_prefilter(job, &query, 1);
    return job->search->lines_only || search_prefilter_names(job, &query, 1, err);
}

static bool search_text_prepare(struct search_worker *w, struct err *err)
{
    str query = w->job->search->query, tag = str_skip(query, asks_tag(w->job) ? 1 : 0);
    return textscan_create(query, &w->scan, err) &&
           (tag.n == 0 || textscan_create(tag, &w->tag_scan, err));
}

/* --- tags --- */

static bool find_in_tag(struct search_worker *w, str tag, struct textscan_mark *out)
{
    return w->tag_scan != NULL &&
           textscan_find(w->tag_scan, tag, 0, &out->start, &out->end) &&
           (out->start == 0 || !asks_tag(w->job));
}

/* The tag's position in the body, in bytes of the text. */
static bool find_in_body(struct search_worker *w, const struct note *note, str tag,
                         struct textscan_mark *out)
{
    for (uint32_t i = 0; i < note->n_tags; i++) {
        struct span s = note->tags[i].name;
        if (!str_eq(span_of(note->text, s), tag))
            continue;
        find_in_tag(w, tag, out);
        out->start += s.start - asks_tag(w->job);
        out->end += s.start;
        return true;
    }
    return false;
}

/* The tag as written in the properties; values are short. */
static bool find_in_properties(struct search_worker *w, const struct file *f, str tag,
                               struct textscan_mark *out)
{
    const struct frontmatter fm = {.props = (struct prop *)f->props};
    const struct prop *p = frontmatter_get(&fm, STR("tags"));
    if (p == NULL)
        return false;
    uint32_t from = f->note.frontmatter.start;
    str value = str_slice(f->text, from + p->start, from + p->end);
    size_t at = str_find(value, tag);
    if (at == STR_NONE)
        return false;
    find_in_tag(w, tag, out);
    out->start += from + p->start + at;
    out->end += from + p->start + at;
    return true;
}

static bool find_tag(struct search_worker *w, const struct file *f, str *tag)
{
    struct textscan_mark ignored;
    for (size_t i = 0; i < f->tags.n; i++)
        if (find_in_tag(w, f->tags.items[i], &ignored)) {
            *tag = f->tags.items[i];
            return true;
        }
    return false;
}

/* Show the line with the tag, or just the tag if no line contains it literally. */
static void show_tag(struct search_worker *w, const struct file *f)
{
    struct search_job *job = w->job;
    struct textscan_mark mark = {0};
    uint32_t bom;
    str tag, text = file_searched(f, &bom);
    if (!find_tag(w, f, &tag))
        return;
    struct search_hit *hit;
    if (find_in_properties(w, f, tag, &mark) || find_in_body(w, &f->note, tag, &mark)) {
        size_t start = mark.start - bom, from = text_line_start(text, start);
        uint32_t line = 1 + (uint32_t)text_count_ends(text, 0, start);
        str whole = str_slice(text, from, text_line_end(text, start));
        if (str_ends(whole, STR("\r")))
            whole.n--;
        hit = search_add_line(job, f, text, line, start, mark.end - bom);
        hit->snippet =
            textscan_snippet(job->arena, whole, start - from, mark.end - bom - from);
    } else {
        hit = search_add_name(job, f, 0, 0);
        hit->line = 1;
        hit->match = tag;
        hit->snippet = arena_printf(job->arena, "#**" STR_FMT "**", STR_ARG(tag));
    }
    hit->where = SEARCH_TAG;
}

/* --- lines --- */

static uint32_t search_text_count_lines(struct textscan *scan, str text)
{
    uint32_t n = 0;
    for (size_t at = 0, start, end; textscan_find(scan, text, at, &start, &end); n++)
        at = text_line_end(text, start) + 1;
    return n;
}

static void mark_line(struct search_worker *w, str text)
{
    for (size_t at = 0, start, end; textscan_find(w->scan, text, at, &start, &end);
         at = end)
        if (!search_add_mark(w->job, start, end))
            return;
}

static void show_lines(struct search_worker *w, const struct file *f, size_t skip,
                       size_t take)
{
    uint32_t bom, line = 1;
    str text = file_searched(f, &bom);
    size_t last = 0, at = 0, start, end;
    for (; take > 0 && textscan_find(w->scan, text, at, &start, &end);
         at = text_line_end(text, start) + 1) {
        line += (uint32_t)text_count_ends(text, last, start);
        last = start;
        if (skip > 0) {
            skip--;
            continue;
        }
        struct search_hit *hit = search_add_line(w->job, f, text, line, start, end);
        if (w->job->search->all_marks)
            mark_line(w, hit->text);
        take--;
    }
}

/* --- names --- */

/* Those that are the query come first, if the order is one by use. */
static void count_name(struct search_worker *w, struct search_file *f)
{
    static const size_t groups[] = {[SEARCH_IS] = IS,
                                    [SEARCH_BEGINS] = BEGINS,
                                    [SEARCH_CONTAINS] = CONTAINS,
                                    [SEARCH_FOLDER] = FOLDERS};
    struct textscan_mark mark;
    enum search_rank rank = search_rank_path(w->scan, f->file->path, &mark);
    if (rank != SEARCH_NOT)
        f->counts[w->job->search->spread > 0 ? groups[rank] : IS] = 1;
}

static void show_name(struct search_worker *w, const struct file *f)
{
    struct textscan_mark mark;
    if (w->job->search->spread > 0)
        search_rank_path(w->scan, f->path, &mark);
    else if (!textscan_find(w->scan, f->path, 0, &mark.start, &mark.end))
        return;
    search_add_name(w->job, f, mark.start, mark.end);
}

/* --- all three --- */

/* If a text does not contain the needle, tags that are pieces of it do not either. */
static bool may_have_tag(const struct search_worker *w, const struct search_file *f)
{
    const struct file *file = f->file;
    bool apart = asks_tag(w->job) || f->counts[LINES] > 0;
    for (size_t i = 0; !apart && i < file->tags.n; i++)
        apart =
            (uintptr_t)file->tags.items[i].p - (uintptr_t)file->text.p >= file->text.n;
    return apart && file->tags.n > 0;
}

static void search_text_count(struct search_worker *w, struct search_file *f)
{
    uint32_t bom;
    str tag;
    bool all = !w->job->search->lines_only;
    if (all)
        count_name(w, f);
    if (f->bytes > 0)
        f->counts[LINES] = search_text_count_lines(w->scan, file_searched(f->file, &bom));
    f->counts[TAGS] = all && may_have_tag(w, f) && find_tag(w, f->file, &tag);
}

static void search_text_show(struct search_worker *w, const struct search_file *f,
                             size_t group, size_t skip, size_t take)
{
    if (group == LINES)
        show_lines(w, f->file, skip, take);
    else if (group == TAGS)
        show_tag(w, f->file);
    else
        show_name(w, f->file);
}

const struct search_engine search_text = {
    .groups = GROUPS,
    .names = NAMES,
    .open = open_text,
    .takes = search_text_takes,
    .prepare = search_text_prepare,
    .count = search_text_count,
    .show = search_text_show,
};
