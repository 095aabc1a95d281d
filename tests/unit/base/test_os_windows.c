/*
 * What Windows alone needs, and no header of base/os shows: command lines, pumps of pipes, requests by event, and the
 * attributes of placeholders. With base.h first, because windows.h names what tests define.
 */
#include "base/os/windows/base.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/os/folder.h"
#include "base/os/machine.h"
#include "base/os/ready.h"
#include "base/os/signal.h"
#include "base/os/windows/arguments.h"
#include "base/os/windows/file_parts.h"
#include "base/os/windows/pump.h"
#include "base/os/windows/stop_event.h"
#include "base/os/windows/wide.h"
#include "check.h"
#include "random.h"
#include "systems.h"

/* --- command lines --- */

enum { WORDS_MAX = 6 };

static void check_split(const char *row, const wchar_t *line, const char *const *want)
{
    int n;
    char **got = arguments_split(line, &n);
    for (int i = 0; want[i] != NULL; i++)
        CHECK_STR(row, str_c(i < n ? got[i] : "(none)"), want[i]);
    CHECK(row, got[n] == NULL);
}

static void test_joined(void **state)
{
    static const struct {
        const char *argv[WORDS_MAX], *line;
    } rows[] = {
        {{"git", "status"}, "git status"},
        {{"C:\\Program Files\\Git\\git.exe", "log"},
         "\"C:\\Program Files\\Git\\git.exe\" log"},
        {{"x", ""}, "x \"\""},
        {{"x", "a b", "c\td"}, "x \"a b\" \"c\td\""},
        {{"x", "say \"yes\""}, "x \"say \\\"yes\\\"\""},
        {{"x", "C:\\notes\\"}, "x C:\\notes\\"},
        {{"x", "C:\\my notes\\"}, "x \"C:\\my notes\\\\\""},
        {{"x", "a\\\"b"}, "x \"a\\\\\\\"b\""},
        {{"x", "a\\\\b"}, "x a\\\\b"},
        {{"x", "%PATH%", "&", "|", "^"}, "x %PATH% & | ^"},
        {{"x", "*.md", "Grüße 👍"}, "x *.md \"Grüße 👍\""},
        {{"x", "--format=%H%x00", "-"}, "x --format=%H%x00 -"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        wchar_t *line = arguments_join(rows[i].argv);
        char *text = wide_text(line, wcslen(line));
        CHECK_STR(rows[i].line, str_c(text), rows[i].line);
        check_split(rows[i].line, line, rows[i].argv);
        free(text);
        free(line);
    }
}

static void test_split(void **state)
{
    static const struct {
        const wchar_t *line;
        const char *argv[WORDS_MAX];
    } rows[] = {
        {L"x  a\t b ", {"x", "a", "b"}},
        {L"\"C:\\a b\\x.exe\" \"\"", {"C:\\a b\\x.exe", ""}},
        {L"x a\"b c\"d", {"x", "ab cd"}},
        {L"x \"a\"\"b\"", {"x", "a\"b"}},
        {L"x \"a\\\\\" b", {"x", "a\\", "b"}},
        {L"x a\\\"b", {"x", "a\"b"}},
        {L"x \"open", {"x", "open"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_split(rows[i].argv[1], rows[i].line, rows[i].argv);
}

/* What Windows itself makes of a line is what was joined. */
static void test_as_windows_splits(void **state)
{
    static const char letters[] = "ab \t\"\\\\";
    typedef LPWSTR *(WINAPI * splitter)(LPCWSTR line, int *n);
    HMODULE shell = LoadLibraryW(L"shell32.dll");
    splitter split = (splitter)(void *)GetProcAddress(shell, "CommandLineToArgvW");
    struct random random = {5};
    assert_non_null(split);
    for (int round = 0; round < 2000; round++) {
        char words[3][8] = {{0}};
        const char *argv[] = {"x", words[0], words[1], words[2], NULL};
        for (int i = 0; i < 3; i++)
            for (size_t k = random_below(&random, 8); k-- > 0;)
                words[i][k] = letters[random_below(&random, sizeof(letters) - 1)];
        int n;
        wchar_t *line = arguments_join(argv);
        LPWSTR *theirs = split(line, &n);
        check_split("ours", line, argv);
        CHECK_INT("words", n, 4);
        for (int i = 0; i < n; i++) {
            char *text = wide_text(theirs[i], wcslen(theirs[i]));
            CHECK_STR("theirs", str_c(text), argv[i]);
            free(text);
        }
        LocalFree(theirs);
        free(line);
    }
}

/* --- pumps --- */

enum { MANY = 200000 };

static void check_set(HANDLE event)
{
    assert_int_equal(WaitForSingleObject(event, 60000), WAIT_OBJECT_0);
}

/* Bytes that tell where they belong. */
static char *many_bytes(void)
{
    char *bytes = mem_alloc(MANY);
    for (size_t i = 0; i < MANY; i++)
        bytes[i] = (char)(i * 31 >> 3);
    return bytes;
}

static void test_pump_writes(void **state)
{
    HANDLE in, out;
    size_t done = 0, put, n = 0;
    bool waited = false;
    char *bytes = many_bytes(), *got = mem_alloc(MANY);
    assert_true(CreatePipe(&in, &out, NULL, 4096));
    struct pump *p = pump_start(out, PUMP_WRITES, false);
    for (DWORD part; n < MANY; n += part) {
        while (done < MANY &&
               pump_write(p, (str){bytes + done, MANY - done}, false, &put))
            done += put;
        waited |= done < MANY;
        CHECK_INT("without waiting", done < MANY ? errno : EAGAIN, EAGAIN);
        assert_true(ReadFile(in, got + n, (DWORD)(MANY - n), &part, NULL));
    }
    CHECK("its buffer was full", waited);
    assert_true(pump_flush(p));
    assert_memory_equal(got, bytes, MANY);
    pump_leave(p);
    DWORD none;
    CHECK("the end",
          !ReadFile(in, got, 1, &none, NULL) && GetLastError() == ERROR_BROKEN_PIPE);
    CloseHandle(in);
    free(bytes);
    free(got);
}

static void test_pump_without_reader(void **state)
{
    HANDLE in, out;
    size_t put;
    assert_true(CreatePipe(&in, &out, NULL, 4096));
    CloseHandle(in);
    struct pump *p = pump_start(out, PUMP_WRITES, false);
    (void)!pump_write(p, STR("lost"), false, &put);
    CHECK("not written", !pump_flush(p));
    CHECK_INT("no reader", errno, EPIPE);
    CHECK("later", !pump_write(p, STR("lost"), false, &put));
    CHECK_INT("still none", errno, EPIPE);
    pump_leave(p);
}

static void test_pump_reads(void **state)
{
    HANDLE in, out;
    DWORD put;
    char got[8];
    size_t n;
    assert_true(CreatePipe(&in, &out, NULL, 4096));
    struct pump *p = pump_start(in, PUMP_READS, false);
    CHECK("nothing yet", !pump_read(p, got, sizeof(got), false, &n));
    CHECK_INT("nothing yet", errno, EAGAIN);
    assert_true(WriteFile(out, "hello", 5, &put, NULL));
    check_set(pump_ready(p));
    assert_true(pump_read(p, got, 2, false, &n));
    CHECK_STR("a part", ((str){got, n}), "he");
    assert_true(pump_read(p, got, sizeof(got), true, &n));
    CHECK_STR("the rest", ((str){got, n}), "llo");
    CloseHandle(out);
    check_set(pump_ready(p));
    assert_true(pump_read(p, got, sizeof(got), false, &n));
    CHECK_INT("the end", n, 0);
    pump_leave(p);
}

/* Its thread waits in a call that never ends by itself. */
static void test_pump_is_left(void **state)
{
    HANDLE in, out;
    DWORD put;
    assert_true(CreatePipe(&in, &out, NULL, 4096));
    pump_leave(pump_start(in, PUMP_READS, false));
    CHECK("nobody reads", !WriteFile(out, "x", 1, &put, NULL));
    CloseHandle(out);
}

/* --- requests by event --- */

static void ask(enum signal_request request)
{
    HANDLE event = stop_event_open(GetCurrentProcessId(), request);
    assert_non_null(event);
    assert_true(SetEvent(event));
    CloseHandle(event);
}

static enum signal_request next(struct signal_queue *q)
{
    assert_true(ready_wait(&(struct ready){.fd = signal_queue_fd(q)}, 1, 60000));
    return signal_queue_take(q);
}

static void test_stop_event(void **state)
{
    static const enum signal_request rows[] = {SIGNAL_STOP, SIGNAL_RELOAD, SIGNAL_STOP};
    CHECK("not before", stop_event_open(GetCurrentProcessId(), SIGNAL_STOP) == NULL);
    struct signal_queue *q = signal_queue_open();
    assert_non_null(q);
    CHECK_INT("nothing at first", signal_queue_take(q), SIGNAL_NONE);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ask(rows[i]);
        CHECK_INT("request", next(q), rows[i]);
        CHECK_INT("once", signal_queue_take(q), SIGNAL_NONE);
    }
    signal_queue_close(q);
    CHECK("not afterwards", stop_event_open(GetCurrentProcessId(), SIGNAL_STOP) == NULL);
}

/* --- files and the program --- */

static void test_placeholders(void **state)
{
    static const struct {
        const char *what;
        DWORD attributes;
        bool is;
    } rows[] = {
        {"a usual file", FILE_ATTRIBUTE_ARCHIVE, false},
        {"OneDrive, not downloaded", FILE_ATTRIBUTE_ARCHIVE | 0x400000, true},
        {"OneDrive, with its link to the cloud", FILE_ATTRIBUTE_REPARSE_POINT | 0x400400,
         true},
        {"OneDrive, downloaded", FILE_ATTRIBUTE_ARCHIVE | FILE_ATTRIBUTE_REPARSE_POINT,
         false},
        {"always on this device", FILE_ATTRIBUTE_ARCHIVE | 0x80000, false},
        {"to be opened by recall", 0x40000, true},
        {"on a tape", FILE_ATTRIBUTE_OFFLINE, true},
        {"a folder of OneDrive", FILE_ATTRIBUTE_DIRECTORY | 0x400000, false},
        {"read-only", FILE_ATTRIBUTE_READONLY, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_INT(rows[i].what, file_is_placeholder(rows[i].attributes), rows[i].is);
}

static void test_build(void **state)
{
    static const char none[16];
    char once[16] = {0}, again[16] = {0};
    machine_build(once, sizeof(once));
    machine_build(again, sizeof(again));
    CHECK("the linker has named the program", memcmp(once, none, sizeof(none)) != 0);
    assert_memory_equal(once, again, sizeof(once));
}

/* --- names --- */

struct names_place {
    struct arena arena;
    str path;
    int dir;
};

static int names_setup(void **state)
{
    struct names_place *p = mem_zero(sizeof(*p));
    char temp[MAX_PATH];
    assert_true(GetTempPathA(sizeof(temp), temp) > 0);
    p->path = arena_printf(&p->arena, "%svaultd-names-%lu", temp, GetCurrentProcessId());
    assert_true(folder_make(FILE_CWD, p->path.p, 0));
    p->dir = folder_open(FILE_CWD, p->path.p);
    assert_true(p->dir >= 0);
    *state = p;
    return 0;
}

static int names_teardown(void **state)
{
    struct names_place *p = *state;
    file_close(p->dir);
    CHECK("left as it was", folder_remove(FILE_CWD, p->path.p));
    arena_release(&p->arena);
    free(p);
    return 0;
}

static void names_put(const struct names_place *p, const char *name)
{
    AUTO_CLOSE int fd = file_create(p->dir, name, 0600);
    assert_true(fd >= 0 && file_write(fd, str_c(name)));
}

/* The only name in the folder, or how many there are. */
static str names_listed(struct names_place *p)
{
    struct folder_names names = folder_names(FILE_CWD, p->path.p);
    str last = {0};
    size_t n = 0;
    for (const char *name; (name = folder_next(&names)) != NULL; n++)
        last = arena_str(&p->arena, str_c(name));
    assert_true(folder_end(&names));
    return n == 1 ? last : arena_printf(&p->arena, "%zu names", n);
}

static void names_check_refused(int dir, const char *name, const char *there)
{
    struct file_stat st;
    int fd;
    CHECK(name, file_open(dir, name, FILE_FOLLOW) < 0);
    CHECK(name, file_open(dir, name, FILE_NO_LINK) < 0);
    CHECK(name, file_create(dir, name, 0600) < 0);
    CHECK(name, file_open_own(dir, name, FILE_KEPT) < 0);
    CHECK(name, file_guard(dir, name) < 0);
    CHECK(name, folder_open(dir, name) < 0);
    CHECK(name, folder_enter(dir, name) < 0);
    CHECK(name, !folder_make(dir, name, 0));
    CHECK(name, !folder_remove(dir, name));
    CHECK(name, !file_stat_at(dir, name, FILE_FOLLOW, &st));
    CHECK(name, !file_rename(dir, there, dir, name, FILE_REPLACE));
    CHECK(name, !file_rename(dir, name, dir, there, FILE_REPLACE));
    CHECK(name, !file_add_name(dir, there, name));
    CHECK(name, !file_remove(dir, name));
    if (dir != FILE_CWD)
        CHECK(name, !file_beneath(dir, name, FILE_READ, &fd, &st));
}

/* Devices, streams, and what Windows would find by another name, in every call. */
static void test_names_refused(void **state)
{
    static const char *const everywhere[] = {
        "NUL",    "nul.md", "Com1",        "com9.txt", "LPT\u00b9.md", "CON .md",
        "CONIN$", "a.md:b", "a.md::$DATA", "a.",       "a ",           "NUL/a",
        "a*",     "a?b",    "<",           "x|y",      "\"q\"",        "tab\t"};
    static const char *const below[] = {"..", "../a", "/a", "C:a", "a\\b", "a/../b"};
    struct names_place *p = *state;
    str there = arena_printf(&p->arena, STR_FMT "/there.md", STR_ARG(p->path));
    names_put(p, "there.md");
    for (size_t i = 0; i < COUNT_OF(everywhere); i++) {
        str path =
            arena_printf(&p->arena, STR_FMT "/%s", STR_ARG(p->path), everywhere[i]);
        names_check_refused(p->dir, everywhere[i], "there.md");
        names_check_refused(FILE_CWD, path.p, there.p);
    }
    for (size_t i = 0; i < COUNT_OF(below); i++)
        names_check_refused(p->dir, below[i], "there.md");
    CHECK_STR("nothing else", names_listed(p), "there.md");
    assert_true(file_remove(p->dir, "there.md"));
}

/* Longer than the 260 characters of older calls, by a path and below a folder. */
static void test_long_paths(void **state)
{
    enum { LEVELS = 4, LETTERS = 100 };
    struct names_place *p = *state;
    str paths[LEVELS + 1] = {p->path}, name = {0};
    for (size_t i = 0; i < LETTERS; i++)
        name = arena_printf(&p->arena, STR_FMT "n", STR_ARG(name));
    for (size_t i = 0; i < LEVELS; i++) {
        paths[i + 1] = arena_printf(&p->arena, STR_FMT "/" STR_FMT, STR_ARG(paths[i]),
                                    STR_ARG(name));
        assert_true(folder_make(FILE_CWD, paths[i + 1].p, 0));
    }
    str path = arena_printf(&p->arena, STR_FMT "/a.md", STR_ARG(paths[LEVELS]));
    str other = arena_printf(&p->arena, STR_FMT "/b.md", STR_ARG(paths[LEVELS]));
    const char *below = path.p + p->path.n + 1;
    int fd = file_create(FILE_CWD, path.p, 0600);
    assert_true(fd >= 0 && file_write(fd, STR("x")));
    file_close(fd);
    struct file_stat by_path, by_folder;
    assert_true(file_stat_at(FILE_CWD, path.p, FILE_NO_LINK, &by_path));
    assert_true(file_stat_at(p->dir, below, FILE_NO_LINK, &by_folder));
    CHECK("the same file", file_is_same(&by_path, &by_folder));
    char *real = file_real_path(path.p);
    if (!UNDER_WINE) /* its GetFinalPathNameByHandleW() has room for 260 */
        CHECK("whole",
              real != NULL && str_ends(str_c(real), str_skip(path, path.n - 300)));
    free(real);
    CHECK("renamed", file_rename(FILE_CWD, path.p, FILE_CWD, other.p, FILE_NOREPLACE));
    CHECK("removed", file_remove(FILE_CWD, other.p));
    for (size_t i = LEVELS; i > 0; i--)
        assert_true(folder_remove(FILE_CWD, paths[i].p));
}

/* A read-only file is replaced and removed, as on other systems. */
static void test_read_only(void **state)
{
    struct names_place *p = *state;
    struct file_stat st;
    names_put(p, "fixed.md");
    names_put(p, "new.md");
    int fd = file_open_own(p->dir, "fixed.md", FILE_OLD);
    assert_true(fd >= 0 && file_set_mode(fd, 0400));
    file_close(fd);
    assert_true(file_stat_at(p->dir, "fixed.md", FILE_NO_LINK, &st));
    CHECK_INT("read-only", st.mode, 0400);
    CHECK("replaced", file_rename(p->dir, "new.md", p->dir, "fixed.md", FILE_REPLACE));
    fd = file_open_own(p->dir, "fixed.md", FILE_OLD);
    assert_true(fd >= 0 && file_set_mode(fd, 0400));
    file_close(fd);
    CHECK("removed", file_remove(p->dir, "fixed.md"));
}

static void test_case_of_names(void **state)
{
    struct names_place *p = *state;
    struct file_stat st;
    names_put(p, "Note.md");
    CHECK("found", file_stat_at(p->dir, "NOTE.MD", FILE_NO_LINK, &st));
    CHECK("renamed", file_rename(p->dir, "Note.md", p->dir, "NOTE.md", FILE_REPLACE));
    CHECK_STR("as it is listed", names_listed(p), "NOTE.md");
    int again = folder_open(FILE_CWD, p->path.p);
    CHECK("itself", !file_rename(p->dir, "NOTE.md", again, "NOTE.md", FILE_NOREPLACE));
    CHECK_INT("itself", errno, EEXIST);
    file_close(again);
    CHECK("in the way", file_create(p->dir, "note.md", 0600) < 0);
    assert_true(file_remove(p->dir, "note.md"));
}

#define NAMES_TEST(test)                                                                 \
    cmocka_unit_test_setup_teardown(test, names_setup, names_teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_as_windows_splits),
        cmocka_unit_test(test_pump_writes),
        cmocka_unit_test(test_pump_without_reader),
        cmocka_unit_test(test_pump_reads),
        cmocka_unit_test(test_pump_is_left),
        cmocka_unit_test(test_stop_event),
        cmocka_unit_test(test_placeholders),
        cmocka_unit_test(test_build),
        NAMES_TEST(test_names_refused),
        NAMES_TEST(test_long_paths),
        NAMES_TEST(test_read_only),
        NAMES_TEST(test_case_of_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
