/*
 * What git prints: trees, lists, changes, contents and logs. Names in a tree are chosen
 * by any client that pushes; one that the vault accepts is a path in it.
 */
#include "base/path.h"
#include "base/process.h"
#include "sync/git.h"
#include "sync/history.h"
#include "sync/mask.h"
#include "sync/tree_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static str input;

/* git answers with the bytes of the input (the linker puts these in its place). */
bool __wrap_git_run(const struct git *g, struct arena *a, const struct git_how *how,
                    const char *const *args, str *out, struct err *err);
bool __wrap_git_run(const struct git *g, struct arena *a, const struct git_how *how,
                    const char *const *args, str *out, struct err *err)
{
    *out = input;
    return true;
}

bool __wrap_git_line(const struct git *g, struct arena *a, const char *const *args,
                     str *out, struct err *err);
bool __wrap_git_line(const struct git *g, struct arena *a, const char *const *args,
                     str *out, struct err *err)
{
    *out = STR("0123456789012345678901234567890123456789");
    return true;
}

bool __wrap_git_start(const struct git *g, const char *const *args,
                      struct process_session **out, struct err *err);
bool __wrap_git_start(const struct git *g, const char *const *args,
                      struct process_session **out, struct err *err)
{
    static char running;
    *out = (struct process_session *)(void *)&running;
    return true;
}

/* The input as an answer that arrives byte by byte, and then the program exits. */
bool __wrap_process_ask(struct process_session *s, struct arena *a, str request,
                        bool (*is_whole)(void *arg, str answer), void *arg, str *answer,
                        struct err *err);
bool __wrap_process_ask(struct process_session *s, struct arena *a, str request,
                        bool (*is_whole)(void *arg, str answer), void *arg, str *answer,
                        struct err *err)
{
    *answer = input;
    for (size_t n = 0; n <= input.n; n++)
        if (is_whole(arg, str_slice(input, 0, n)))
            return true;
    return err_set(err, ERR_BUSY, "it has exited");
}

void __wrap_process_close(struct process_session *s, struct arena *a,
                          struct process_result *out);
void __wrap_process_close(struct process_session *s, struct arena *a,
                          struct process_result *out)
{
    if (out != NULL)
        *out = (struct process_result){0};
}

static void check_path(struct arena *a, str path)
{
    struct err err;
    str clean;
    (void)tree_path_is_noise(path);
    if (tree_path_problem(path) == NULL && path_is_visible(path) &&
        (!path_clean(a, path, &clean, &err) || !str_eq(clean, path)))
        BUG("'" STR_FMT "' is not a path of the vault", STR_ARG(path));
}

static void read_lists(struct git_reader *r, struct arena *a, str id)
{
    struct git_entry *entries;
    struct git_diff *diffs;
    struct err err;
    size_t n;
    if (git_list(r, a, id, &entries, &n, &err))
        for (size_t i = 0; i < n; i++)
            check_path(a, entries[i].path);
    if (git_diff(r->g, a, id, id, true, &diffs, &n, &err))
        for (size_t i = 0; i < n; i++)
            check_path(a, diffs[i].path);
}

static void read_objects(struct git_reader *r, struct arena *a, str id)
{
    struct git_entry edits[] = {{STR("a.md"), id, GIT_FILE}, {STR("b/c.md"), id, 0}};
    str ids[] = {id, id}, texts[COUNT_OF(ids)] = {{0}}, last, tree;
    struct git_import m;
    struct git_commit_info commit;
    struct git_entry found;
    size_t sizes[COUNT_OF(ids)];
    struct err err;
    bool ok = git_get_blobs(r, a, ids, COUNT_OF(ids), texts, &err);
    ok = git_blob_sizes(r, a, ids, COUNT_OF(ids), sizes, &err) || ok;
    ok = git_read_commit(r, a, id, &commit, &err) || ok;
    ok = git_find(r, a, id, STR("notes/a.md"), &found, &err) || ok;
    ok = git_put_blobs(r->g, a, texts, ok ? 0 : 1, ids, &err) || ok;
    git_import_begin(&m, r->g, a);
    git_import_commit(&m, &(struct git_commit){.message = STR("m")}, edits,
                      COUNT_OF(edits));
    ok = git_import_end(&m, &last, &tree, &err) || ok;
    git_import_release(&m);
    (void)ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct git g = {.prefix = STR("notes/")};
    str id = STR("0123456789012345678901234567890123456789");
    struct sync_commit *commits;
    size_t n;
    input = (str){(const char *)data, size};
    struct git_reader r;
    git_reader_init(&r, &g);
    read_lists(&r, &a, id);
    read_objects(&r, &a, id);
    git_reader_close(&r);
    history_parse(&a, input, &commits, &n);
    check_path(&a, input);
    if (mask_reason(&a, input).n > MASK_REASON_MAX)
        BUG("a long reason");
    arena_release(&a);
    return 0;
}
