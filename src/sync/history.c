#include "sync/history.h"

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sync/git.h"
#include "sync/message.h"
#include "sync/sync_parts.h"
#include "sync/tree_path.h"
#include "vault/text/diff.h"
#include "vault/text/encoding.h"
#include "vault/vault.h"

enum { REVISION_MAX = 200, LOG_MAX = 1000 };

/* --- parsing --- */

/* A commit starts with U+0001 and its id: no path in a vault does. */
static bool starts_commit(str part)
{
    for (size_t i = 1; i < part.n; i++)
        if (!is_hex(part.p[i]))
            return false;
    return (part.n == 41 || part.n == 65) && part.p[0] == '\1';
}

static str valid(struct arena *a, str s)
{
    return arena_str(a, str_slice(s, 0, utf8_valid_prefix(s)));
}

static void take_commit(struct arena *a, str id, str *rest, struct sync_commit *c)
{
    str when;
    str *const texts[] = {&c->author, &c->email, &when,     &c->subject,
                          &c->change, &c->tool,  &c->client};
    c->id = id;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (!str_next(rest, '\0', texts[i]))
            *texts[i] = (str){0};
        *texts[i] = valid(a, str_trim_line(*texts[i]));
    }
    if (!str_to_int(when, &c->when))
        c->when = 0;
}

static size_t count_parts(str out, size_t *commits)
{
    size_t n = 0;
    str part;
    for (*commits = 0; str_next(&out, '\0', &part); n++)
        *commits += starts_commit(str_trim_line(part));
    return n;
}

void history_parse(struct arena *a, str out, struct sync_commit **commits, size_t *n)
{
    size_t most, parts = count_parts(out, &most);
    str *paths = ARENA_ARRAY(a, str, parts + 1), part;
    struct sync_commit *c = NULL;
    *commits = ARENA_ARRAY(a, struct sync_commit, most + 1);
    *n = 0;
    while (str_next(&out, '\0', &part)) {
        part = str_trim_line(part);
        if (starts_commit(part)) {
            c = &(*commits)[(*n)++];
            take_commit(a, str_skip(part, 1), &out, c);
            c->paths = paths;
        } else if (c != NULL && part.n > 0 && utf8_valid(part)) {
            c->paths[c->n_paths++] = part;
            paths++;
        }
    }
}

/* --- revisions and dates --- */

bool history_is_revision(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool letter = is_alnum(c);
        if (!letter && strchr("._/~^@{}-", c) == NULL)
            return false;
    }
    return s.n > 0 && s.n <= REVISION_MAX && s.p[0] != '-' &&
           str_find(s, STR("..")) == STR_NONE;
}

bool history_is_date(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool digit = is_digit(s.p[i]);
        bool dash = i == 4 || i == 7;
        if (i < 10 ? (dash ? s.p[i] != '-' : !digit)
                   : !digit && strchr(":T Z+-", s.p[i]) == NULL)
            return false;
    }
    return s.n >= 10 && s.n <= 25;
}

/* A day starts at its first second and ends at its last. */
static str date_for_git(struct arena *a, str date, bool end)
{
    return date.n > 10 ? arena_str(a, date)
                       : arena_printf(a, STR_FMT "T%s", STR_ARG(date),
                                      end ? "23:59:59" : "00:00:00");
}

static bool is_unknown(str revision, struct err *err)
{
    return err_named(err, E_UNKNOWN_REVISION,
                     "'" STR_FMT
                     "' is not a revision or a date: give a commit, HEAD~3 or "
                     "2026-11-01",
                     STR_ARG(utf8_cut(revision, REVISION_MAX)));
}

/* The commit that a revision or date means. */
static bool commit_at(struct sync *s, struct arena *a, str revision, str *id,
                      struct err *err)
{
    *id = (str){0};
    if (history_is_date(revision)) {
        const char *before =
            arena_printf(a, "--before=" STR_FMT, STR_ARG(date_for_git(a, revision, true)))
                .p;
        if (!git_line(&s->git, a, GIT_ARGS("rev-list", "-1", before, "HEAD"), id, err))
            return false;
        return id->n > 0 ||
               err_set(err, ERR_NOT_FOUND, "there is no commit before " STR_FMT,
                       STR_ARG(revision));
    }
    if (!history_is_revision(revision))
        return is_unknown(revision, err);
    struct err unknown;
    return (git_commit_of(&s->git, a, arena_str(a, revision).p, id, &unknown) &&
            id->n > 0) ||
           is_unknown(revision, err);
}

static bool has_git(const struct sync *s, struct err *err)
{
    return (s != NULL && s->config.kind == SYNC_GIT) ||
           err_named(err, E_NO_HISTORY, "this vault is not in git: there is no history");
}

static str full_path(struct sync *s, struct arena *a, str path)
{
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(s->git.prefix), STR_ARG(path));
}

/* --- the log --- */

struct log_args {
    const char *list[24];
    size_t n;
};

static void history_add(struct log_args *l, const char *arg)
{
    l->list[l->n++] = arg;
}

static bool add_range(struct sync *s, struct arena *a, struct log_args *l,
                      const struct sync_log *q, struct err *err)
{
    str id;
    if (q->since.n > 0 && history_is_date(q->since)) {
        str date = date_for_git(a, q->since, false);
        history_add(l, arena_printf(a, "--since=" STR_FMT, STR_ARG(date)).p);
    } else if (q->since.n > 0) {
        if (!commit_at(s, a, q->since, &id, err))
            return false;
        history_add(l, arena_printf(a, "^" STR_FMT, STR_ARG(id)).p);
    }
    if (q->until.n > 0 && history_is_date(q->until)) {
        str date = date_for_git(a, q->until, true);
        history_add(l, arena_printf(a, "--until=" STR_FMT, STR_ARG(date)).p);
    } else if (q->until.n > 0) {
        if (!commit_at(s, a, q->until, &id, err))
            return false;
        history_add(l, arena_str(a, id).p);
        return true;
    }
    history_add(l, "HEAD");
    return true;
}

static bool collect_args(struct sync *s, struct arena *a, struct log_args *l,
                         const struct sync_log *q, str path, struct err *err)
{
    size_t limit = q->limit > 0 && q->limit < LOG_MAX ? q->limit : LOG_MAX;
    struct fs_info info;
    struct err ignored;
    bool folder =
        fs_stat(vault_root(s->v), path, &info, &ignored) && info.type == FS_FOLDER;
    history_add(l, "log");
    history_add(l, "-z");
    history_add(l, "-c");
    history_add(l, "--name-only");
    history_add(l, HISTORY_FORMAT);
    history_add(l, arena_printf(a, "--skip=%zu", q->skip).p);
    history_add(l, arena_printf(a, "--max-count=%zu", limit).p);
    if (s->git.prefix.n > 0)
        history_add(l, arena_printf(a, "--relative=" STR_FMT, STR_ARG(s->git.prefix)).p);
    if (q->whole) {
        history_add(l, "--full-diff");
        history_add(l, "--no-renames");
        history_add(l, "--no-merges");
    } else if (path.n > 0 && !folder) {
        history_add(l, "--follow");
        history_add(l, "--no-merges"); /* with --follow all merges would be listed */
    }
    if (q->key.n > 0)
        history_add(l, arena_printf(a, "--grep=^Vaultd-Key: " STR_FMT "$",
                                    STR_ARG(message_key(a, q->key)))
                           .p);
    if (!add_range(s, a, l, q, err))
        return false;
    history_add(l, "--");
    if (path.n > 0 || s->git.prefix.n > 0)
        history_add(l, full_path(s, a, path).p);
    return true;
}

bool sync_history(struct sync *s, struct arena *a, const struct sync_log *q,
                  struct sync_commit **out, size_t *n, struct err *err)
{
    struct log_args l = {0};
    str lines, head, path = {0};
    if (!has_git(s, err) || (q->path.n > 0 && !path_clean(a, q->path, &path, err)) ||
        !git_commit_of(&s->git, a, "HEAD", &head, err))
        return false;
    *n = 0;
    *out = NULL;
    if (head.n == 0)
        return true;
    if (!collect_args(s, a, &l, q, path, err) ||
        !git_run(&s->git, a, GIT_HOW(0), l.list, &lines, err))
        return false;
    history_parse(a, lines, out, n);
    return true;
}

/* --- one file --- */

/* The id of a file; empty if there is none. A symbolic link is not a file: its blob is
 * the path that it leads to. */
static bool blob_at(struct sync *s, struct git_reader *r, struct arena *a, str commit,
                    str path, str *id, struct err *err)
{
    enum { KIND = 0170000, FILE_KIND = 0100000 };
    struct git_entry found;
    if (!git_find(r, a, commit, full_path(s, a, path), &found, err))
        return false;
    *id = (found.mode & KIND) == FILE_KIND ? found.id : (str){0};
    return true;
}

/* Try the names it had before, newest first. */
static bool blob_before(struct sync *s, struct git_reader *r, struct arena *a, str commit,
                        str path, str *id, struct err *err)
{
    struct sync_commit *list;
    size_t n;
    if (!sync_history(s, a, &(struct sync_log){.path = path}, &list, &n, err))
        return false;
    str last = path;
    for (size_t i = 0; i < n && id->n == 0; i++)
        for (size_t j = 0; j < list[i].n_paths && id->n == 0; j++)
            if (!str_eq(list[i].paths[j], last)) {
                last = list[i].paths[j];
                if (!blob_at(s, r, a, commit, last, id, err))
                    return false;
            }
    return true;
}

static bool did_not_exist(str path, str revision, struct err *err)
{
    return err_named(err, E_FILE_NOT_FOUND, "'" STR_FMT "' did not exist at " STR_FMT,
                     STR_ARG(path), STR_ARG(revision));
}

static bool read_at(struct sync *s, struct git_reader *r, struct arena *a, str path,
                    str revision, str commit, str *text, struct err *err)
{
    str id;
    size_t size;
    if (!blob_at(s, r, a, commit, path, &id, err) ||
        (id.n == 0 && !blob_before(s, r, a, commit, path, &id, err)))
        return false;
    if (id.n == 0)
        return did_not_exist(path, revision, err);
    if (!git_blob_sizes(r, a, &id, 1, &size, err))
        return false;
    if (size > TREE_BLOB_MAX)
        return err_named(err, E_FILE_TOO_LARGE,
                         "'" STR_FMT "' was larger than %d bytes then", STR_ARG(path),
                         TREE_BLOB_MAX);
    return git_get_blobs(r, a, &id, 1, text, err);
}

bool sync_file_at(struct sync *s, struct arena *a, str path, str revision, str *text,
                  str *commit, struct err *err)
{
    str clean, at;
    if (!has_git(s, err) || !path_clean(a, path, &clean, err) ||
        !commit_at(s, a, revision, &at, err))
        return false;
    struct git_reader r;
    git_reader_init(&r, &s->git);
    bool ok = read_at(s, &r, a, clean, revision, at, text, err);
    git_reader_close(&r);
    if (ok)
        *commit = at;
    return ok;
}

bool sync_missing_at(struct sync *s, struct arena *a, str path, str revision,
                     struct err *err)
{
    str clean, at;
    return has_git(s, err) && path_clean(a, path, &clean, err) &&
           commit_at(s, a, revision, &at, err) && did_not_exist(clean, revision, err);
}

/* As UTF-8. A file that did not exist, or does not exist now, counts as empty. */
static bool text_at(struct sync *s, struct arena *a, struct vault *as, str path,
                    str revision, str *text, bool *there, struct err *err)
{
    str commit;
    bool ok = revision.n > 0 ? sync_file_at(s, a, path, revision, text, &commit, err)
                             : vault_bytes(as, a, path, TREE_BLOB_MAX, text, err);
    enum encoding ignored;
    *there = ok;
    *text = ok ? encoding_read(a, *text, &ignored) : (str){0};
    return ok || err->code == ERR_NOT_FOUND;
}

bool sync_diff(struct sync *s, struct arena *a, struct vault *as, str path, str from,
               str to, str *out, struct err *err)
{
    str clean, before, after;
    bool was, is;
    struct diff d;
    if (!has_git(s, err) || !path_clean(a, path, &clean, err) ||
        !text_at(s, a, as, clean, from.n > 0 ? from : STR("HEAD"), &before, &was, err) ||
        !text_at(s, a, as, clean, to, &after, &is, err))
        return false;
    if (!was && !is)
        return false; /* err says what is missing */
    diff_make(a, before, after, &d);
    *out = diff_print(a, &d, was ? clean : STR("/dev/null"),
                      is ? clean : STR("/dev/null"), 0);
    return true;
}
