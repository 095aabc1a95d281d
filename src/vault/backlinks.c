#include "vault/backlinks.h"

#include "base/utf8.h"

static int by_path(const void *a, const void *b)
{
    return str_cmp((*(const struct file *const *)a)->path,
                   (*(const struct file *const *)b)->path);
}

/* The files that link to f, by path; *links is how many links they have at most. */
static size_t find_sources(const struct index *x, struct arena *a, const struct file *f,
                           const struct file ***out, size_t *links)
{
    struct graph_edge *edges;
    size_t n = graph_backlinks(x->graph, a, f->id, &edges);
    *out = ARENA_ARRAY(a, const struct file *, n);
    *links = 0;
    for (size_t i = 0; i < n; i++) {
        (*out)[i] = index_file(x, edges[i].file);
        *links += edges[i].count;
    }
    if (n > 1)
        qsort(*out, n, sizeof(**out), by_path);
    return n;
}

size_t backlinks_to(const struct index *x, struct arena *a, const struct file *f,
                    struct backlink **out)
{
    const struct file **sources;
    size_t max, n_sources = find_sources(x, a, f, &sources, &max), n = 0;
    *out = ARENA_ARRAY(a, struct backlink, max);
    for (size_t i = 0; i < n_sources; i++) {
        struct file_link *links;
        size_t n_links = file_links(a, sources[i], &links);
        for (size_t k = 0; k < n_links && n < max; k++) {
            struct names_answer answer;
            names_resolve(x->names, NULL, links[k].path, sources[i]->path, sources[i]->id,
                          &answer);
            if (answer.file == f->id)
                (*out)[n++] = (struct backlink){sources[i], links[k]};
        }
    }
    return n;
}

str backlinks_line(const struct file *f, const struct file_link *l)
{
    str rest = f->text, line = {0};
    if (l->place == FILE_IN_CANVAS)
        return line;
    if (l->written != NULL) {
        size_t before =
            str_find_last(str_slice(f->text, 0, l->written->whole.start), '\n');
        rest = str_skip(f->text, before == STR_NONE ? 0 : before + 1);
        str_next(&rest, '\n', &line);
    } else {
        for (uint32_t i = 0; i < l->line && str_next(&rest, '\n', &line); i++)
            ;
    }
    return utf8_cut(str_trim_line(line), BACKLINKS_LINE_MAX);
}
