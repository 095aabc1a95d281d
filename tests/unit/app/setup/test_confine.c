/*
 * A server that tries to escape: each attempt runs in a child process that confines
 * itself as vaultd serve does with the same settings.
 */
#include "app/setup/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "app/setup/reach.h"
#include "app/setup/vaults.h"
#include "base/process.h"
#include "fake_poppler.h"
#include "pdf/pdf.h"
#include "state/vault_table.h"
#include "vault_place.h"

struct world {
    struct place *place;
    struct app app;
    struct app_vault served;
    char outside[128], file[160], link[160];
};

static void write_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, "x\n", 2) == 2);
    close(fd);
}

static int setup(void **state)
{
    void *place;
    struct world *w = mem_zero(sizeof(*w));
    struct err err = {0};
    place_setup(&place);
    w->place = place;
    place_put(w->place, "Note.md", STR("text"));
    snprintf(w->outside, sizeof(w->outside), "%s/home", w->place->top);
    assert_int_equal(mkdir(w->outside, 0700), 0);
    snprintf(w->file, sizeof(w->file), "%s/diary", w->outside);
    write_file(w->file);
    assert_int_equal(symlinkat(w->file, w->place->fd, "Link.md"), 0);
    snprintf(w->link, sizeof(w->link), "%s/Link.md", w->place->folder);
    if (!vault_open(w->place->folder, &w->served.vault, &err))
        fail_msg("%s", err.msg);
    w->app = (struct app){.state_dir = w->place->state,
                          .vaults = &w->served,
                          .n_vaults = 1,
                          .settings = {.listen_addr = STR("127.0.0.1:0")}};
    setenv("HOME", w->outside, 1);
    log_setup(LOG_ERROR, LOG_TEXT);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    void *place = w->place;
    vault_close(w->served.vault);
    place_teardown(&place);
    free(w);
    return 0;
}

/* 0: it worked; else errno. */
static int outcome(struct world *w, bool (*attempt)(struct world *w))
{
    pid_t pid = fork();
    if (pid == 0) {
        struct err err;
        if (!confine_enter(&w->app, &err))
            _exit(254);
        errno = 0;
        _exit(attempt(w) ? 0 : errno != 0 ? errno : 255);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool can_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    return fd >= 0 && close(fd) == 0;
}

static bool is_log(struct world *w, const char *name, int flags)
{
    char path[192];
    snprintf(path, sizeof(path), "%s/logs/%s", w->place->top, name);
    return can_open(path, flags);
}
static bool reopens_log(struct world *w)
{
    return is_log(w, "log", O_WRONLY | O_APPEND | O_CREAT);
}
static bool creates_log(struct world *w)
{
    return is_log(w, "next", O_WRONLY | O_APPEND | O_CREAT);
}
static bool reads_log(struct world *w)
{
    return is_log(w, "other", O_RDONLY);
}
static bool truncates_log(struct world *w)
{
    return is_log(w, "other", O_WRONLY | O_TRUNC);
}
static bool removes_log(struct world *w)
{
    char path[192];
    snprintf(path, sizeof(path), "%s/logs/other", w->place->top);
    return unlink(path) == 0;
}

static bool reads_diary(struct world *w)
{
    return can_open(w->file, O_RDONLY);
}
static bool reads_home(struct world *w)
{
    return can_open(w->outside, O_RDONLY);
}
static bool reads_by_link(struct world *w)
{
    return can_open(w->link, O_RDONLY);
}
static bool reads_shadow(struct world *w)
{
    return can_open("/etc/shadow", O_RDONLY);
}
static bool writes_tmp(struct world *w)
{
    return can_open("/tmp/vaultd-test-escape", O_WRONLY | O_CREAT);
}
static bool writes_note(struct world *w)
{
    return faccessat(w->place->fd, "Note.md", W_OK, 0) == 0 &&
           openat(w->place->fd, "Note.md", O_WRONLY | O_CLOEXEC) >= 0;
}
static bool reads_note(struct world *w)
{
    return openat(w->place->fd, "Note.md", O_RDONLY | O_CLOEXEC) >= 0;
}
static bool runs_git_in(struct world *w, const char *folder)
{
    static const char *const argv[] = {"git", "version", NULL};
    static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    struct process_result r;
    struct err err;
    return process_run(&w->place->arena,
                       &(struct process){.argv = argv,
                                         .env = env,
                                         .folder = folder,
                                         .out_max = 1000,
                                         .ms = 60000},
                       &r, &err) &&
           r.code == 0;
}
static bool runs_git(struct world *w)
{
    return runs_git_in(w, w->place->folder);
}
static bool runs_git_in_vaults(struct world *w)
{
    return runs_git_in(w, arena_printf(&w->place->arena, "%s/vaults", w->place->top).p);
}
static bool runs_itself(struct world *w)
{
    char *argv[] = {(char[]){"true"}, NULL};
    execv("/bin/true", argv);
    return false;
}
/* The text of a PDF that has a program print the file at this path. */
static bool reads_pdf(struct world *w, const char *path, str *text)
{
    struct pdf pdf;
    struct err err;
    str bytes = arena_printf(&w->place->arena, "%%PDF-1.4 spy %s", path);
    bool ok = pdf_read(&w->place->arena, bytes, 1, 0, &(struct pdf_how){0}, &pdf, &err);
    *text = ok ? pdf.text : (str){0};
    return ok;
}
static bool reads_a_pdf(struct world *w)
{
    str text;
    return reads_pdf(w, "/nonexistent", &text);
}
static bool pdf_shows_a_note(struct world *w)
{
    char note[160];
    str text;
    snprintf(note, sizeof(note), "%s/Note.md", w->place->folder);
    return reads_pdf(w, note, &text) && str_find(text, STR("text")) != STR_NONE;
}
static bool connects_to(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 ||
           errno == ECONNREFUSED;
}
static bool connects(struct world *w)
{
    return connects_to(9);
}
static bool connects_elsewhere(struct world *w)
{
    return connects_to(10);
}
static bool keeps_database(struct world *w)
{
    sqlite3 *db;
    char path[160];
    snprintf(path, sizeof(path), "%s/test.db", w->place->state);
    bool ok = sqlite3_open(path, &db) == SQLITE_OK &&
              sqlite3_exec(db,
                           "PRAGMA journal_mode=WAL; CREATE TABLE t(x);"
                           "INSERT INTO t VALUES(1)",
                           NULL, NULL, NULL) == SQLITE_OK;
    return sqlite3_close(db) == SQLITE_OK && ok;
}
static bool finds_certificates(struct world *w)
{
    return access("/etc/ssl/certs", F_OK) != 0 || can_open("/etc/ssl/certs", O_RDONLY);
}
static bool finds_names(struct world *w)
{
    return can_open("/etc/hosts", O_RDONLY);
}
static bool replaces_state(struct world *w)
{
    struct err err;
    char path[160];
    snprintf(path, sizeof(path), "%s/small", w->place->state);
    return fs_replace_file(path, STR("a"), &err) && fs_replace_file(path, STR("b"), &err);
}

static bool lacks_landlock(void)
{
    return !sandbox_probe().files;
}

static void test_SEC_95_denied(void **state)
{
    struct world *w = *state;
    if (lacks_landlock())
        SKIP("this kernel has no Landlock");
    CHECK_INT("a file", outcome(w, reads_diary), EACCES);
    CHECK_INT("a folder", outcome(w, reads_home), EACCES);
    CHECK_INT("by a link in the vault", outcome(w, reads_by_link), EACCES);
    CHECK_INT("passwords", outcome(w, reads_shadow), EACCES);
    CHECK_INT("/tmp", outcome(w, writes_tmp), EACCES);
    assert_int_not_equal(outcome(w, runs_git), 0);
    if (sandbox_probe().ports)
        CHECK_INT("connecting", outcome(w, connects), EACCES);
}

static void test_allowed(void **state)
{
    struct world *w = *state;
    CHECK_INT("a note", outcome(w, reads_note), 0);
    CHECK_INT("a note", outcome(w, writes_note), 0);
    CHECK_INT("SQLite", outcome(w, keeps_database), 0);
    CHECK_INT("state", outcome(w, replaces_state), 0);
    CHECK_INT("TLS", outcome(w, finds_certificates), 0);
    CHECK_INT("DNS", outcome(w, finds_names), 0);
    w->app.settings.signs_in = true; /* client metadata is fetched */
    CHECK_INT("connecting", outcome(w, connects), 0);
}

static void test_read_only(void **state)
{
    struct world *w = *state;
    if (lacks_landlock())
        SKIP("this kernel has no Landlock");
    w->app.access.read_only = true;
    CHECK_INT("a note", outcome(w, reads_note), 0);
    CHECK_INT("a note", outcome(w, writes_note), EACCES);
}

static void test_SEC_95_git(void **state)
{
    struct world *w = *state;
    w->served.sync.config = (struct sync_config){.kind = SYNC_GIT,
                                                 .vault_folder = w->place->folder,
                                                 .state_folder = w->place->state};
    CHECK_INT("git", outcome(w, runs_git), 0);
    CHECK_INT("connecting", outcome(w, connects), 0);
    if (!lacks_landlock())
        CHECK_INT("a file", outcome(w, reads_diary), EACCES);
    w->app.settings.sync.git_token_file = str_c(w->file); /* in $HOME: only the file */
    CHECK_INT("the token", outcome(w, reads_diary), 0);
    if (!lacks_landlock())
        CHECK_INT("its folder", outcome(w, reads_home), EACCES);
    w->served.sync.found.remote = str_c(w->outside);
    CHECK_INT("a remote on this machine", outcome(w, reads_home), 0);
}

/* --- hosted vaults --- */

/* Vaults in their folder may come at any time; one elsewhere must be in the table at the
 * start. */
static void open_hosted(struct world *w)
{
    struct arena *a = &w->place->arena;
    struct vault_table_row row = {.name = STR("old"),
                                  .folder = arena_printf(a, "%s/old", w->place->top)};
    struct settings *s = &w->app.settings;
    struct store *store;
    struct err err = {0};
    assert_int_equal(mkdir(row.folder.p, 0700), 0);
    assert_int_equal(mkdir(w->place->state, 0700), 0);
    s->state_dir = str_c(w->place->state);
    s->vaults_dir = arena_printf(a, "%s/vaults", w->place->top);
    w->app.n_vaults = 0;
    w->app.vaults = NULL;
    if (!store_open(reach_state(a, s), &store, &err) ||
        !vault_table_add(store, &row, &err))
        fail_msg("%s", err.msg);
    store_close(store);
    if (!vaults_open(&w->app, &err))
        fail_msg("%s", err.msg);
}
static bool makes_in(struct world *w, const char *folder)
{
    return mkdir(arena_printf(&w->place->arena, "%s/%s/new", w->place->top, folder).p,
                 0700) == 0;
}
static bool makes_a_vault(struct world *w)
{
    return makes_in(w, "vaults");
}
static bool makes_in_old(struct world *w)
{
    return makes_in(w, "old");
}
static bool makes_in_other(struct world *w)
{
    return makes_in(w, "other");
}

static void test_SEC_95_hosted(void **state)
{
    struct world *w = *state;
    open_hosted(w);
    assert_int_equal(
        mkdir(arena_printf(&w->place->arena, "%s/other", w->place->top).p, 0700), 0);
    CHECK_INT("a new vault", outcome(w, makes_a_vault), 0);
    CHECK_INT("a vault elsewhere", outcome(w, makes_in_old), 0);
    CHECK_INT("SQLite", outcome(w, keeps_database), 0);
    CHECK_INT("git", outcome(w, runs_git_in_vaults), 0);
    CHECK_INT("connecting", outcome(w, connects), 0);
    if (!lacks_landlock()) {
        CHECK_INT("a folder that is not in the table", outcome(w, makes_in_other),
                  EACCES);
        CHECK_INT("a file", outcome(w, reads_diary), EACCES);
    }
    vaults_close(&w->app);
    arena_release(&w->app.arena);
}

/* Programs that read PDF files have less access than we do, and no other thread can run
 * any. */
static void test_SEC_98_pdf(void **state)
{
    struct world *w = *state;
    if (!sandbox_probe().calls)
        SKIP("system calls cannot be confined here");
    static const struct mcp_tool tool = {.flags = APP_READS_PDF};
    static const struct mcp_tool *const tools[] = {&tool, NULL};
    fake_poppler_install();
    w->app.tools = tools;
    assert_int_not_equal(outcome(w, reads_a_pdf), 0); /* --pdf off */
    w->app.settings.pdf = PDF_ON;
    CHECK_INT("a PDF", outcome(w, reads_a_pdf), 0);
    assert_int_not_equal(outcome(w, runs_git), 0);
    CHECK_INT("a program", outcome(w, runs_itself), EPERM);
    if (!lacks_landlock()) {
        assert_int_not_equal(outcome(w, pdf_shows_a_note), 0);
        CHECK_INT("a file", outcome(w, reads_diary), EACCES);
    }
    w->served.sync.config = (struct sync_config){.kind = SYNC_GIT,
                                                 .vault_folder = w->place->folder,
                                                 .state_folder = w->place->state};
    CHECK_INT("with git, a PDF", outcome(w, reads_a_pdf), 0);
    CHECK_INT("git", outcome(w, runs_git), 0);
    if (!lacks_landlock())
        assert_int_not_equal(outcome(w, pdf_shows_a_note), 0);
    fake_poppler_remove();
}

static void test_SEC_95_endpoint(void **state)
{
    struct world *w = *state;
    w->app.settings.embeddings.where = STR("http://127.0.0.1:9/v1");
    CHECK_INT("the endpoint", outcome(w, connects), 0);
    if (!sandbox_probe().ports)
        SKIP("this kernel cannot confine ports");
    CHECK_INT("another port", outcome(w, connects_elsewhere), EACCES);
    w->app.settings.embeddings.where = STR("auto");
    CHECK_INT("without an endpoint", outcome(w, connects), EACCES);
    w->app.settings.stdio = true;
    w->app.settings.embeddings.where = STR("http://127.0.0.1:9/v1");
    CHECK_INT("over stdio", outcome(w, connects), 0);
}

static void test_command(void **state)
{
    struct world *w = *state;
    struct err err = {0};
    w->served.sync.config = (struct sync_config){.kind = SYNC_COMMAND,
                                                 .vault_folder = w->place->folder,
                                                 .state_folder = w->place->state};
    CHECK_INT("any file", outcome(w, reads_diary), 0);
    w->app.settings.sandbox = SANDBOX_REQUIRED;
    CHECK_INT("refused", outcome(w, reads_diary), 254);
    w->app.settings.sandbox = SANDBOX_OFF;
    assert_true(confine_enter(&w->app, &err)); /* confines nothing here */
    assert_true(reads_diary(w));
    CHECK_STR("words", confine_words(&w->place->arena, &w->app.sandbox), "nothing");
}

/* What rotation of the log needs in its folder, and nothing else. */
static void test_SEC_95_log(void **state)
{
    static const struct {
        const char *name;
        bool (*attempt)(struct world *w);
        int result;
    } cases[] = {
        {"reopen", reopens_log, 0},          {"create", creates_log, 0},
        {"read another", reads_log, EACCES}, {"truncate", truncates_log, EACCES},
        {"remove", removes_log, EACCES},
    };
    struct world *w = *state;
    char folder[160], path[192];
    int before = dup(STDERR_FILENO);
    snprintf(folder, sizeof(folder), "%s/logs", w->place->top);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof(path), "%s/other", folder);
    write_file(path);
    snprintf(path, sizeof(path), "%s/log", folder);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    log_setup(LOG_ERROR, LOG_TEXT);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].name, outcome(w, cases[i].attempt), cases[i].result);
    dup2(before, STDERR_FILENO);
    close(before);
    close(fd);
    log_setup(LOG_ERROR, LOG_TEXT);
}

/* The audit log is rotated, in a folder of its own. */
static bool is_renamed(struct world *w)
{
    char from[192], to[192];
    snprintf(from, sizeof(from), "%s/calls/log", w->place->top);
    snprintf(to, sizeof(to), "%s/calls/log.1", w->place->top);
    return rename(from, to) == 0;
}
static bool appends_audit(struct world *w)
{
    char path[192];
    snprintf(path, sizeof(path), "%s/calls/log", w->place->top);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 && close(fd) == 0;
}

static void test_SEC_95_audit(void **state)
{
    struct world *w = *state;
    char path[192];
    snprintf(path, sizeof(path), "%s/calls", w->place->top);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/calls/log", w->place->top);
    write_file(path);
    CHECK_INT("another folder", outcome(w, is_renamed), EACCES);
    CHECK_INT("not even appended", outcome(w, appends_audit), EACCES);
    w->app.settings.audit.to = str_c(path);
    CHECK_INT("append", outcome(w, appends_audit), 0);
    CHECK_INT("rotate", outcome(w, is_renamed), 0);
    CHECK_INT("nothing else", outcome(w, reads_diary), EACCES);
    w->app.settings.audit.to = STR("");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_SEC_95_denied, setup, teardown),
        cmocka_unit_test_setup_teardown(test_allowed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_only, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_95_git, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_95_hosted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_98_pdf, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_95_endpoint, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_95_log, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_95_audit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_command, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
