/*
 * Several commits in one run of git: fast-import reads contents and commits in order.
 * Names that a commit does not mention stay in the tree unchanged, however strange.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "sync/git.h"

str git_blob_id(const struct git *g, struct arena *a, str text)
{
    uint8_t id[HASH_SIZE];
    size_t n = hash_git_blob(text, g->sha256, id);
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, "%02x", (unsigned)id[i]);
    return sbuf_str(&b);
}

void git_import_begin(struct git_import *m, const struct git *g, struct arena *a)
{
    *m = (struct git_import){.g = g, .a = a, .commits = SBUF_ON(a)};
    m->blobs = (struct sbuf)SBUF_ON(&m->contents);
}

void git_import_release(struct git_import *m)
{
    arena_release(&m->contents);
}

static bool git_import_run(struct git_import *m, str input, str *out, struct err *err)
{
    return git_run(m->g, m->a, GIT_HOW(.input = input),
                   GIT_ARGS("fast-import", "--quiet", "--force"), out, err);
}

bool git_import_text(struct git_import *m, str text, struct err *err)
{
    str ignored;
    sbuf_printf(&m->blobs, "blob\ndata %zu\n", text.n);
    sbuf_add(&m->blobs, text);
    sbuf_char(&m->blobs, '\n');
    if (m->blobs.n < GIT_BATCH_BYTES)
        return true;
    bool ok = git_import_run(m, sbuf_str(&m->blobs), &ignored, err);
    arena_reset(&m->contents);
    m->blobs = (struct sbuf)SBUF_ON(&m->contents);
    return ok;
}

static void add_person(struct sbuf *b, const char *role, const struct git_person *p,
                       int64_t when)
{
    int minutes = clock_utc_offset(when) / 60, size = minutes < 0 ? -minutes : minutes;
    sbuf_printf(b, "%s " STR_FMT " <" STR_FMT "> %lld %c%02d%02d\n", role,
                STR_ARG(p->name), STR_ARG(p->email), (long long)when,
                minutes < 0 ? '-' : '+', size / 60, size % 60);
}

static void git_import_add_quoted(struct sbuf *b, str path)
{
    sbuf_char(b, '"');
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] == '"' || path.p[i] == '\\')
            sbuf_char(b, '\\');
        if (path.p[i] == '\n')
            sbuf_add(b, STR("\\n"));
        else
            sbuf_char(b, path.p[i]);
    }
    sbuf_add(b, STR("\"\n"));
}

/* A folder replaces a file: remove the file first, then add the files in the folder. */
static void add_edits(struct sbuf *b, const struct git_entry *edits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (edits[i].mode == 0) {
            sbuf_add(b, STR("D "));
            git_import_add_quoted(b, edits[i].path);
        }
    for (size_t i = 0; i < n; i++)
        if (edits[i].mode != 0) {
            sbuf_printf(b, "M %o " STR_FMT " ", edits[i].mode, STR_ARG(edits[i].id));
            git_import_add_quoted(b, edits[i].path);
        }
}

void git_import_commit(struct git_import *m, const struct git_commit *c,
                       const struct git_entry *edits, size_t n)
{
    struct sbuf *b = &m->commits;
    struct git_person author = git_author(m->g, m->a, c), we = git_ourselves(m->g, m->a);
    int64_t now = clock_now();
    sbuf_printf(b, "commit " GIT_NEXT "\nmark :%zu\n", ++m->n);
    add_person(b, "author", &author, c->when > 0 ? c->when : now);
    add_person(b, "committer", &we, now);
    sbuf_printf(b, "data %zu\n" STR_FMT "\n", c->message.n, STR_ARG(c->message));
    for (size_t i = 0; i < c->n; i++)
        sbuf_printf(b, "%s " STR_FMT "\n", i == 0 ? "from" : "merge",
                    STR_ARG(c->parents[i]));
    if (c->tree != NULL && c->tree->n > 0)
        sbuf_printf(b, "M %o " STR_FMT " \"\"\n", GIT_TREE, STR_ARG(*c->tree));
    else if (c->tree != NULL)
        sbuf_add(b, STR("deleteall\n"));
    add_edits(b, edits, n);
}

/* "040000 tree ID\t" */
static str tree_of(str line)
{
    str word, id = {0};
    for (int i = 0; i < 2; i++)
        str_next(&line, ' ', &word);
    str_next(&line, '\t', &id);
    return id;
}

bool git_import_end(struct git_import *m, str *last, str *tree, struct err *err)
{
    str out, line = {0};
    sbuf_add(&m->blobs, sbuf_str(&m->commits));
    sbuf_printf(&m->blobs, "\nget-mark :%zu\nls :%zu \"\"\n", m->n,
                m->n); /* the empty line ends the commit */
    if (!git_import_run(m, sbuf_str(&m->blobs), &out, err))
        return false;
    str_next(&out, '\n', &line);
    *last = arena_str(m->a, line);
    *tree = arena_str(m->a, tree_of(out));
    return last->n > 0 || err_set(err, ERR_INTERNAL, "git did not create a commit");
}
