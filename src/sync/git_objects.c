/* Contents and lists, as git stores them. */
#include "base/sbuf.h"
#include "sync/git.h"

/* --- blobs --- */

/* How many of the texts, starting with first, are passed to git in one run. */
static size_t batch(const str *texts, size_t n)
{
    size_t bytes = 0, i = 0;
    while (i < n && (i == 0 || bytes + texts[i].n <= GIT_BATCH_BYTES))
        bytes += texts[i++].n;
    return i;
}

/* fast-import stores any number of contents in one run, and prints their ids. */
static bool put_batch(const struct git *g, struct arena *a, const str *texts, size_t n,
                      str *ids, struct err *err)
{
    struct sbuf in = SBUF_ON(a);
    str out;
    for (size_t i = 0; i < n; i++) {
        sbuf_printf(&in, "blob\nmark :%zu\ndata %zu\n", i + 1, texts[i].n);
        sbuf_add(&in, texts[i]);
        sbuf_printf(&in, "\nget-mark :%zu\n", i + 1);
    }
    if (!git_run(g, a, GIT_HOW(.input = sbuf_str(&in)),
                 GIT_ARGS("fast-import", "--quiet"), &out, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!str_next(&out, '\n', &ids[i]) || ids[i].n == 0)
            return err_set(err, ERR_INTERNAL, "git stored only %zu of %zu contents", i,
                           n);
    return true;
}

bool git_put_blobs(const struct git *g, struct arena *a, const str *texts, size_t n,
                   str *ids, struct err *err)
{
    for (size_t i = 0, m; i < n; i += m) {
        m = batch(texts + i, n - i);
        if (!put_batch(g, a, texts + i, m, ids + i, err))
            return false;
    }
    return true;
}

static str id_lines(struct arena *a, const str *ids, size_t n)
{
    struct sbuf in = SBUF_ON(a);
    for (size_t i = 0; i < n; i++) {
        sbuf_add(&in, ids[i]);
        sbuf_char(&in, '\n');
    }
    return sbuf_str(&in);
}

/* For each: "ID TYPE SIZE\n", the content and "\n". */
static bool take_object(str *out, str *text)
{
    str line, word, size = {0};
    int64_t n;
    if (!str_next(out, '\n', &line))
        return false;
    while (str_next(&line, ' ', &word))
        size = word;
    if (!str_to_int(size, &n) || n < 0 || (size_t)n >= out->n)
        return false;
    *text = str_slice(*out, 0, (size_t)n);
    *out = str_skip(*out, (size_t)n + 1);
    return true;
}

bool git_get_blobs(const struct git *g, struct arena *a, const str *ids, size_t n,
                   str *texts, struct err *err)
{
    str out;
    if (n == 0)
        return true;
    if (!git_run(g, a, GIT_HOW(.input = id_lines(a, ids, n)),
                 GIT_ARGS("cat-file", "--batch"), &out, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!take_object(&out, &texts[i]))
            return err_set(err, ERR_INTERNAL, "missing from the repository: " STR_FMT,
                           STR_ARG(ids[i]));
    return true;
}

bool git_blob_sizes(const struct git *g, struct arena *a, const str *ids, size_t n,
                    size_t *sizes, struct err *err)
{
    str out, line;
    int64_t size;
    if (n == 0)
        return true;
    if (!git_run(g, a, GIT_HOW(.input = id_lines(a, ids, n)),
                 GIT_ARGS("cat-file", "--batch-check=%(objectsize)"), &out, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!str_next(&out, '\n', &line) || !str_to_int(line, &size))
            return err_set(err, ERR_INTERNAL, "missing from the repository: " STR_FMT,
                           STR_ARG(ids[i]));
        sizes[i] = (size_t)size;
    }
    return true;
}

/* --- lists --- */

static size_t count_zeros(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\0';
    return n;
}

static unsigned mode_of(str digits)
{
    unsigned mode = 0;
    for (size_t i = 0; i < digits.n; i++)
        mode = mode * 8 + (unsigned)(digits.p[i] - '0');
    return mode;
}

bool git_list(const struct git *g, struct arena *a, str commit, struct git_entry **out,
              size_t *n, struct err *err)
{
    str lines, line;
    str folder = str_slice(g->prefix, 0, g->prefix.n > 0 ? g->prefix.n - 1 : 0);
    const char *tree =
        arena_printf(a, STR_FMT ":" STR_FMT, STR_ARG(commit), STR_ARG(folder)).p;
    str known;
    *n = 0;
    *out = NULL;
    if (folder.n > 0 &&
        !git_line(g, a, GIT_ARGS("rev-parse", "--verify", "--quiet", tree), &known, err))
        return false;
    if (folder.n > 0 && known.n == 0)
        return true; /* it does not contain the vault's folder */
    if (!git_run(g, a, GIT_HOW(0), GIT_ARGS("ls-tree", "-r", "-z", "--full-tree", tree),
                 &lines, err))
        return false;
    *out = ARENA_ARRAY(a, struct git_entry, count_zeros(lines) + 1);
    while (str_next(&lines, '\0', &line) && line.n > 0) {
        struct git_entry *e = &(*out)[(*n)++];
        str mode, type;
        str_next(&line, ' ', &mode);
        str_next(&line, ' ', &type);
        str_next(&line, '\t', &e->id);
        e->mode = mode_of(mode);
        e->path = line;
    }
    return true;
}

/* ":100644 100644 ID ID M\0path\0", and for R and C a second path. */
static bool take_diff(str *lines, struct git_diff *d)
{
    str line, old_mode, mode, status;
    if (!str_next(lines, '\0', &line) || line.n == 0)
        return false;
    line = str_skip(line, 1);
    str_next(&line, ' ', &old_mode);
    str_next(&line, ' ', &mode);
    str_next(&line, ' ', &d->old_id);
    str_next(&line, ' ', &d->id);
    str_next(&line, ' ', &status);
    d->old_mode = mode_of(old_mode);
    d->mode = mode_of(mode);
    d->status = status.n > 0 ? status.p[0] : '?';
    str_next(lines, '\0', &d->old_path);
    d->path = d->old_path;
    if (d->status == 'R')
        str_next(lines, '\0', &d->path);
    return true;
}

static bool empty_tree(const struct git *g, struct arena *a, str *id, struct err *err)
{
    return git_line(g, a, GIT_ARGS("hash-object", "-t", "tree", "--stdin"), id, err);
}

bool git_diff(const struct git *g, struct arena *a, str from, str to, bool renames,
              struct git_diff **out, size_t *n, struct err *err)
{
    str lines;
    if (from.n == 0 && !empty_tree(g, a, &from, err))
        return false;
    if (!git_run(g, a, GIT_HOW(0),
                 GIT_ARGS("diff-tree", "-r", "-z", "--raw", "--no-abbrev",
                          renames ? "-M" : "--no-renames", arena_str(a, from).p,
                          arena_str(a, to).p),
                 &lines, err))
        return false;
    *out = ARENA_ARRAY(a, struct git_diff, count_zeros(lines) / 2 + 1);
    *n = 0;
    while (take_diff(&lines, &(*out)[*n]))
        ++*n;
    return true;
}
