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

/* --- lists --- */

static size_t count_zeros(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\0';
    return n;
}

unsigned git_mode(str digits)
{
    unsigned mode = 0;
    for (size_t i = 0; i < digits.n; i++)
        mode = mode * 8 + (unsigned)(digits.p[i] - '0');
    return mode;
}

bool git_list(struct git_reader *r, struct arena *a, str commit, struct git_entry **out,
              size_t *n, struct err *err)
{
    str lines, line, prefix = r->g->prefix;
    struct git_entry folder;
    *n = 0;
    *out = NULL;
    if (!git_find(r, a, commit, str_slice(prefix, 0, prefix.n - (prefix.n > 0)), &folder,
                  err))
        return false;
    if (folder.mode != GIT_TREE)
        return true; /* it does not contain the vault's folder */
    if (!git_run(
            r->g, a, GIT_HOW(0),
            GIT_ARGS("ls-tree", "-r", "-z", "--full-tree", arena_str(a, folder.id).p),
            &lines, err))
        return false;
    *out = ARENA_ARRAY(a, struct git_entry, count_zeros(lines) + 1);
    while (str_next(&lines, '\0', &line) && line.n > 0) {
        struct git_entry *e = &(*out)[(*n)++];
        str mode = {0}, type;
        str_next(&line, ' ', &mode);
        str_next(&line, ' ', &type);
        str_next(&line, '\t', &e->id);
        e->mode = git_mode(mode);
        e->path = line;
    }
    return true;
}

/* ":100644 100644 ID ID M\0path\0", and for R and C a second path. */
static bool take_diff(str *lines, struct git_diff *d)
{
    str line, old_mode = {0}, mode = {0}, status = {0};
    if (!str_next(lines, '\0', &line) || line.n == 0)
        return false;
    line = str_skip(line, 1);
    str_next(&line, ' ', &old_mode);
    str_next(&line, ' ', &mode);
    str_next(&line, ' ', &d->old_id);
    str_next(&line, ' ', &d->id);
    str_next(&line, ' ', &status);
    d->old_mode = git_mode(old_mode);
    d->mode = git_mode(mode);
    d->status = status.n > 0 ? status.p[0] : '?';
    str_next(lines, '\0', &d->old_path);
    d->path = d->old_path;
    if (d->status == 'R')
        str_next(lines, '\0', &d->path);
    return true;
}

/* The tree without names, which git knows without being told. */
static str empty_tree(const struct git *g)
{
    return g->sha256
               ? STR("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321")
               : STR("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
}

bool git_diff(const struct git *g, struct arena *a, str from, str to, bool renames,
              struct git_diff **out, size_t *n, struct err *err)
{
    str lines;
    if (from.n == 0)
        from = empty_tree(g);
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
