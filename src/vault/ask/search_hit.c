/* Hits as they are shown. */
#include "base/array.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/search_parts.h"
#include "vault/index/file.h"
#include "vault/text/textscan.h"

/* At most SEARCH_LINE_MAX bytes of a line, without cutting a character in two. */
static str cut_line(str line)
{
    size_t n = SEARCH_LINE_MAX;
    if (line.n <= n)
        return line;
    while (n > SEARCH_LINE_MAX - 3 && ((unsigned char)line.p[n] & 0xC0) == 0x80)
        n--;
    return str_slice(line, 0, n);
}

static uint32_t count_chars(str s)
{
    uint32_t count = 0;
    for (size_t i = 0, n; i < s.n; i += n, count++)
        utf8_decode(str_skip(s, i), &n);
    return count;
}

static struct search_hit *search_hit_add(struct search_job *job, struct search_hit hit)
{
    struct search_hit *at = &job->out->hits[job->out->n++];
    *at = hit;
    return at;
}

struct search_hit *search_add_line(struct search_job *job, const struct file *f, str text,
                                   uint32_t line, size_t start, size_t end)
{
    size_t from = text_line_start(text, start), to = text_line_end(text, start);
    str shown = cut_line(str_slice(text, from, to));
    return search_hit_add(job,
                          (struct search_hit){
                              .file = f,
                              .where = SEARCH_CONTENT,
                              .line = line,
                              .column = count_chars(str_slice(text, from, start)) + 1,
                              .snippet = textscan_snippet(job->arena, text, start, end),
                              .text = shown,
                              .match = str_slice(shown, start - from, end - from),
                          });
}

bool search_add_mark(struct search_job *job, size_t start, size_t end)
{
    enum { MARKS_MAX = 200 }; /* in one line */
    struct search_hit *hit = &job->out->hits[job->out->n - 1];
    struct textscan_mark *marks = (struct textscan_mark *)hit->marks;
    if (start >= end || end > hit->text.n || hit->n_marks == MARKS_MAX)
        return false;
    *ARRAY_ADD(job->arena, marks, hit->n_marks) = (struct textscan_mark){start, end};
    hit->marks = marks;
    return true;
}

enum search_rank search_rank_path(struct textscan *scan, str path,
                                  struct textscan_mark *mark)
{
    str name = path_name(path);
    size_t folder = path.n - name.n;
    if (!textscan_find(scan, path, 0, &mark->start, &mark->end))
        return SEARCH_NOT;
    if (!textscan_find(scan, path, folder, &mark->start, &mark->end)) {
        textscan_find(scan, path, 0, &mark->start, &mark->end);
        return mark->end > folder ? SEARCH_CONTAINS : SEARCH_FOLDER;
    }
    if (mark->start > folder)
        return SEARCH_CONTAINS;
    size_t n = mark->end - folder;
    return n == name.n || n == file_title(path).n ? SEARCH_IS : SEARCH_BEGINS;
}

struct search_hit *search_add_name(struct search_job *job, const struct file *f,
                                   size_t start, size_t end)
{
    struct sbuf b = SBUF_ON(job->arena);
    str bold = start < end ? STR("**") : STR("");
    sbuf_add(&b, str_slice(f->path, 0, start));
    sbuf_add(&b, bold);
    sbuf_add(&b, str_slice(f->path, start, end));
    sbuf_add(&b, bold);
    sbuf_add(&b, str_skip(f->path, end));
    return search_hit_add(job,
                          (struct search_hit){.file = f,
                                              .where = SEARCH_FILENAME,
                                              .snippet = sbuf_str(&b),
                                              .match = str_slice(f->path, start, end)});
}
