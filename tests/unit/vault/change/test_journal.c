#include "vault/change/journal.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include "base/log.h"
#include "tree.h"

static struct journal *open_journal(struct tree *t)
{
    struct journal *j;
    struct err err;
    if (!journal_open(t->state, &j, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return j;
}

/* A change of one file, whose old content is text. */
static uint64_t append(struct journal *j, str path, str old, str key)
{
    struct journal_op op = {.kind = JOURNAL_WRITE,
                            .path = path,
                            .existed = true,
                            .before = hash_content(old),
                            .after = hash_content(STR("new")),
                            .old = old,
                            .mode = 0640};
    struct journal_change c = {
        .time = 1000, .tool = STR("test"), .key = key, .ops = &op, .n = 1};
    struct err err;
    if (!journal_append(j, &c, &err))
        fail_msg("%s (%s)", err.msg, err.detail);
    return c.number;
}

static uint64_t append_done(struct journal *j, str path, str old)
{
    uint64_t number = append(j, path, old, (str){0});
    journal_end(j, number, JOURNAL_DONE);
    return number;
}

static bool verifies(struct journal *j, size_t want)
{
    size_t n;
    struct err err;
    return journal_verify(j, &n, &err) && n == want;
}

static str old_of(struct tree *t, struct journal *j, uint64_t number)
{
    struct journal_change c;
    struct err err;
    if (!journal_read(j, &t->arena, number, true, &c, &err))
        fail_msg("change %d: %s", (int)number, err.msg);
    assert_int_equal(c.number, number);
    return c.ops[0].old;
}

/* A newer version may have left a change half done, in a way that this one cannot
 * read. */
static void test_newer(void **state)
{
    struct tree *t = *state;
    static const char *const records[] = {
        "{\"v\":2,\"n\":2,\"time\":1,\"ops\":[{\"op\":\"link\",\"path\":\"a\"}]}\n\n#",
        "{\"v\":2}\n", /* cut off, or of another form */
    };
    struct journal *j = open_journal(t);
    append_done(j, STR("a.md"), STR("old"));
    journal_close(j);
    int dir = open(t->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    str good = content(&t->arena, dir, "journal-000000000001");
    for (size_t i = 0; i < COUNT_OF(records); i++) {
        struct err err;
        str both = arena_printf(&t->arena, STR_FMT "%s", STR_ARG(good), records[i]);
        put_bytes(dir, "journal-000000000001", both);
        CHECK(records[i], !journal_open(t->state, &j, &err));
        CHECK(records[i], strstr(err.msg, "newer vaultd") != NULL);
        CHECK(records[i], str_eq(content(&t->arena, dir, "journal-000000000001"), both));
    }
    put_bytes(dir, "journal-000000000001", good);
    close(dir);
    j = open_journal(t);
    assert_true(verifies(j, 1));
    journal_close(j);
}

static void test_comes_back(void **state)
{
    struct tree *t = *state;
    struct journal *j = open_journal(t);
    assert_true(verifies(j, 0));
    str odd = STR("\0\xff\xfe nul\0 and\n#broken\n\xc3(");
    struct journal_op ops[] = {
        {JOURNAL_WRITE, STR("a \"b\"\n\\ ü\xf0\x9f\x98\x80.md"), .existed = true,
         .before = hash_content(odd), .after = {1, UINT64_MAX}, .old = odd, .mode = 0600},
        {JOURNAL_WRITE, STR("new.md"), .after = {3, 4}},
        {JOURNAL_MOVE, STR("x"), .to = STR("y\t/z")},
        {JOURNAL_DELETE, STR("gone.md"), .existed = true, .before = hash_content(STR("")),
         .old = STR("")},
        {JOURNAL_MAKE_FOLDER, STR("f")},
        {JOURNAL_REMOVE_FOLDER, STR("g"), .mode = 0750},
    };
    struct journal_change c = {.time = 77,
                               .tool = STR("t\"ool"),
                               .who = STR("me"),
                               .client = STR("c"),
                               .key = STR("k"),
                               .request = STR("{\"a\":1}"),
                               .answer = STR("line\nline \xc3\xbc"),
                               .ops = ops,
                               .n = COUNT_OF(ops)},
                          back;
    struct err err;
    assert_true(journal_append(j, &c, &err));
    assert_int_equal(c.number, 1);
    for (int again = 0; again < 2; again++) {
        assert_true(journal_read(j, &t->arena, 1, true, &back, &err));
        assert_int_equal(back.time, 77);
        assert_true(str_eq(back.tool, c.tool) && str_eq(back.who, c.who));
        assert_true(str_eq(back.client, c.client) && str_eq(back.key, c.key));
        assert_true(str_eq(back.request, c.request) && str_eq(back.answer, c.answer));
        assert_int_equal(back.n, COUNT_OF(ops));
        for (size_t i = 0; i < back.n; i++) {
            const struct journal_op *got = &back.ops[i], *want = &ops[i];
            assert_int_equal(got->kind, want->kind);
            assert_true(str_eq(got->path, want->path) && str_eq(got->to, want->to));
            assert_true(str_eq(got->old, want->old) && got->existed == want->existed);
            assert_true(!want->existed || hash_same(got->before, want->before));
            assert_true(hash_same(got->after, want->after));
            assert_int_equal(got->mode, want->mode);
        }
        journal_close(j);
        j = open_journal(t);
    }
    assert_true(verifies(j, 1));
    assert_false(journal_read(j, &t->arena, 2, true, &back, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    journal_close(j);
}

/* Which changes say where something in the trash is from, also after a restart. */
static void test_hidden(void **state)
{
    static const struct {
        struct journal_op op;
        bool hidden;
    } rows[] = {
        {{JOURNAL_WRITE, STR("a.md")}, false},
        {{JOURNAL_MOVE, STR("a.md"), .to = STR("b.md")}, false},
        {{JOURNAL_MOVE, STR("b.md"), .to = STR(".trash/b.md")}, true},
        {{JOURNAL_MOVE, STR(".trash/b.md"), .to = STR("b.md")}, true},
        {{JOURNAL_DELETE, STR(".trash/c.md"), .existed = true}, true},
    };
    struct tree *t = *state;
    struct journal *j = open_journal(t);
    struct err err;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct journal_op op = rows[i].op;
        op.before = hash_content(STR(""));
        struct journal_change c = {.tool = STR("t"), .ops = &op, .n = 1};
        assert_true(journal_append(j, &c, &err));
    }
    for (int again = 0; again < 2; again++) {
        const struct journal_entry *all;
        assert_int_equal(journal_entries(j, &all), COUNT_OF(rows));
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            CHECK_INT("hidden", all[i].hidden, rows[i].hidden);
        journal_close(j);
        j = open_journal(t);
    }
    journal_close(j);
}

static void test_list(void **state)
{
    struct tree *t = *state;
    struct journal *j = open_journal(t);
    append_done(j, STR("a"), STR("1"));
    journal_end(j, append(j, STR("b"), STR("2"), STR("key")), JOURNAL_ABORTED);
    append(j, STR("c"), STR("3"), STR("key"));
    struct journal_change undo = {.time = 2000, .undoes = 1};
    struct journal_op op = {.kind = JOURNAL_MAKE_FOLDER, .path = STR("f")};
    struct err err;
    undo.ops = &op;
    undo.n = 1;
    assert_true(journal_append(j, &undo, &err));
    journal_end(j, undo.number, JOURNAL_DONE);
    for (int again = 0; again < 2; again++) {
        const struct journal_entry *e;
        assert_int_equal(journal_entries(j, &e), 4);
        static const enum journal_state states[] = {JOURNAL_DONE, JOURNAL_ABORTED,
                                                    JOURNAL_OPEN, JOURNAL_DONE};
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(e[i].number, i + 1);
            assert_int_equal(e[i].state, states[i]);
        }
        assert_int_equal(e[0].undone_by, 4);
        assert_int_equal(e[3].undoes, 1);
        assert_int_equal(journal_with_key(j, STR("key"), 0)->number, 3);
        assert_int_equal(journal_with_key(j, STR("key"), 1000)->number, 3);
        assert_null(journal_with_key(j, STR("key"), 1001));
        assert_null(journal_with_key(j, STR("other"), 0));
        assert_null(journal_with_key(j, STR(""), 0));
        assert_null(journal_find(j, 0));
        assert_null(journal_find(j, 5));
        journal_close(j);
        j = open_journal(t);
    }
    journal_close(j);
}

/* --- damage --- */

static const char segment_1[] = "state/journal-000000000001";

static str three_changes(struct tree *t)
{
    struct journal *j = open_journal(t);
    append_done(j, STR("a.md"), STR("alpha"));
    append_done(
        j, STR("b.md"),
        STR("# A heading that is as long as the line at the end of each record..\n"
            "text\n"));
    append_done(j, STR("c.md"), STR("gamma\n"));
    assert_true(verifies(j, 3));
    journal_close(j);
    return content(&t->arena, t->top_fd, segment_1);
}

static void put_segment(struct tree *t, str text)
{
    remove_tree(t->top_fd, "state");
    assert_int_equal(mkdirat(t->top_fd, "state", 0700), 0);
    put_bytes(t->top_fd, segment_1, text);
}

/* The end offset of each record. */
static size_t find_ends(str text, size_t ends[16])
{
    size_t n = 0;
    for (size_t at = 0; at + 66 < text.n; at++)
        if (text.p[at] == '\n' && text.p[at + 1] == '#' && text.p[at + 66] == '\n' &&
            strspn(text.p + at + 2, "0123456789abcdef") == 64)
            ends[n++] = at + 67;
    return n;
}

static void test_every_truncation(void **state)
{
    struct tree *t = *state;
    str whole = arena_str(&t->arena, three_changes(t));
    size_t ends[16], n_ends = find_ends(whole, ends);
    assert_int_equal(n_ends, 6);
    for (size_t cut = 0; cut <= whole.n; cut++) {
        char row[32];
        snprintf(row, sizeof(row), "cut at %zu", cut);
        put_segment(t, str_slice(whole, 0, cut));
        struct journal *j = open_journal(t);
        size_t records = 0;
        while (records < n_ends && ends[records] <= cut)
            records++;
        const struct journal_entry *e;
        size_t n = journal_entries(j, &e);
        CHECK_INT(row, n, (records + 1) / 2);
        for (size_t i = 0; i < n; i++)
            CHECK_INT(row, e[i].state, 2 * i + 1 < records ? JOURNAL_DONE : JOURNAL_OPEN);
        uint64_t number = append_done(j, STR("next.md"), STR("next"));
        CHECK_INT(row, number, n + 1);
        CHECK(row, verifies(j, n + 1));
        journal_close(j);
        j = open_journal(t);
        CHECK(row, verifies(j, n + 1));
        CHECK_STR(row, old_of(t, j, number), "next");
        journal_close(j);
    }
}

static void test_every_flip(void **state)
{
    struct tree *t = *state;
    str whole = arena_str(&t->arena, three_changes(t));
    size_t ends[16], last = ends[find_ends(whole, ends) - 2];
    for (size_t at = 0; at < whole.n; at++) {
        for (int bit = 0; bit < 8; bit += 3) {
            char row[48], *bytes = arena_alloc(&t->arena, whole.n);
            snprintf(row, sizeof(row), "bit %d of byte %zu", bit, at);
            memcpy(bytes, whole.p, whole.n);
            bytes[at] ^= (char)(1 << bit);
            put_segment(t, (str){bytes, whole.n});
            struct journal *j = open_journal(t);
            bool cut = content(&t->arena, t->top_fd, segment_1).n < whole.n;
            CHECK(row, cut ? at >= last : !verifies(j, 3));
            const struct journal_entry *e;
            for (size_t i = 0, n = journal_entries(j, &e); i < n; i++) {
                struct journal_change c; /* read correctly, or not at all */
                struct err err;
                if (journal_read(j, &t->arena, e[i].number, true, &c, &err))
                    CHECK(row, hash_same(hash_content(c.ops[0].old), c.ops[0].before));
            }
            uint64_t number = append_done(j, STR("next.md"), STR("next"));
            journal_close(j);
            j = open_journal(t);
            CHECK_STR(row, old_of(t, j, number), "next");
            str now = content(&t->arena, t->top_fd, segment_1);
            CHECK(row, cut || str_eq(str_slice(now, 0, whole.n), (str){bytes, whole.n}));
            journal_close(j);
        }
        arena_reset(&t->arena);
        whole = arena_str(&t->arena, three_changes((put_segment(t, STR("")), t)));
    }
}

static void test_numbers_in_damage_are_not_reused(void **state)
{
    struct tree *t = *state;
    struct journal *j = open_journal(t);
    for (int i = 0; i < 20; i++)
        append_done(j, STR("a"), STR("x"));
    journal_close(j);
    str text = content(&t->arena, t->top_fd, segment_1);
    ((char *)text.p)[0] = '[';
    put_segment(t, text);
    uint64_t next = 0;
    for (int again = 0; again < 3; again++) {
        j = open_journal(t);
        uint64_t number = append_done(j, STR("b"), STR("y"));
        assert_true(number > 20 && number > next);
        next = number;
        journal_close(j);
    }
    j = open_journal(t);
    const struct journal_entry *e;
    assert_int_equal(journal_entries(j, &e), 3);
    /* a record that cannot be read is not dropped */
    journal_prune(j, 1000);
    assert_true(str_eq(content(&t->arena, t->top_fd, segment_1), text));
    journal_close(j);
}

/* Until the parent is gone, but not for ever. */
static void rewrite_again_and_again(int fd, str text)
{
    pid_t parent = getppid();
    for (int i = 0; i < 1000000 && getppid() == parent; i++)
        if (ftruncate(fd, 0) != 0 || pwrite(fd, text.p, text.n, 0) < 0)
            break;
    _exit(0);
}

/* Another program truncates the segment and writes it again, again and again. Whatever is
 * read meanwhile is the record, or refused. */
static void test_truncated_meanwhile(void **state)
{
    enum { READS = 300, KIB = 256 };
    struct tree *t = *state;
    struct journal *j = open_journal(t);
    char *big = arena_alloc(&t->arena, KIB << 10);
    memset(big, 'x', KIB << 10);
    uint64_t number = append_done(j, STR("a.md"), (str){big, KIB << 10});
    str text = content(&t->arena, t->top_fd, segment_1);
    pid_t other = fork();
    if (other == 0)
        rewrite_again_and_again(openat(t->top_fd, segment_1, O_RDWR | O_CLOEXEC), text);
    size_t read = 0, n;
    for (int i = 0; i < READS; i++) {
        struct arena a = {0};
        struct journal_change c;
        struct err err = {0};
        if (journal_read(j, &a, number, true, &c, &err)) {
            CHECK_INT("all of it", c.ops[0].old.n, KIB << 10);
            read++;
        } else {
            CHECK_STR("refused", str_c(err_name_text(err.name)), "JOURNAL_DAMAGED");
        }
        (void)!journal_verify(j, &n, &err);
        arena_release(&a);
    }
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, NULL, 0), other);
    print_message("# %zu of %d reads found the record\n", read, (int)READS);
    journal_close(j);
}

/* --- segments --- */

enum { DAY = 24 * 60 * 60 };

static void test_segments(void **state)
{
    struct tree *t = *state;
    enum { SIZE = 5 << 20, CHANGES = 9 };
    char *big = mem_zero(SIZE);
    struct journal *j = open_journal(t);
    for (int i = 0; i < CHANGES; i++) {
        memset(big, 'a' + i, SIZE);
        append_done(j, STR("big"), (str){big, SIZE});
    }
    assert_true(verifies(j, CHANGES));
    assert_false(there(t->top_fd, "state/journal-000000000002"));
    assert_true(there(t->top_fd, "state/journal-000000000005"));
    struct journal *other = open_journal(t);
    for (int i = 0; i < CHANGES; i++) {
        str old = old_of(t, other, (uint64_t)i + 1);
        assert_true(old.n == SIZE && old.p[0] == 'a' + i && old.p[SIZE - 1] == 'a' + i);
        arena_reset(&t->arena);
    }
    /* one process prunes, both continue */
    struct err err;
    assert_true(journal_lock(j, NULL, &err));
    struct journal_change next = {.dated = 1001 + JOURNAL_SAFE_DAYS * DAY};
    assert_true(journal_make_room(j, &next, 3 * JOURNAL_SEGMENT_MAX, &err));
    const struct journal_entry *e;
    size_t kept = journal_entries(j, &e);
    assert_true(kept > 0 && kept < CHANGES);
    assert_true(verifies(j, kept));
    journal_unlock(j);
    assert_true(journal_lock(other, NULL, &err));
    assert_int_equal(journal_entries(other, &e), kept);
    assert_true(verifies(other, kept));
    assert_int_equal(append_done(other, STR("x"), STR("y")), CHANGES + 1);
    journal_unlock(other);
    journal_close(other);
    /* by age; the segment in use stays */
    assert_true(journal_lock(j, NULL, &err));
    journal_prune(j, 1000);
    assert_int_equal(journal_entries(j, &e), kept + 1);
    journal_prune(j, 1001);
    assert_true(journal_entries(j, &e) > 0);
    assert_non_null(journal_find(j, CHANGES + 1));
    journal_unlock(j);
    journal_close(j);
    free(big);
}

/* Damage at the end of an older segment is not an incomplete record. */
static void test_damage_in_an_older_segment(void **state)
{
    struct tree *t = *state;
    enum { SIZE = 17 << 20 };
    char *big = mem_zero(SIZE);
    struct journal *j = open_journal(t);
    append(j, STR("big"), (str){big, SIZE}, (str){0});
    journal_end(j, 1, JOURNAL_DONE);
    append_done(j, STR("a"), STR("b"));
    journal_close(j);
    free(big);
    int fd = openat(t->top_fd, segment_1, O_RDWR | O_CLOEXEC);
    off_t size = lseek(fd, 0, SEEK_END);
    assert_int_equal(pwrite(fd, "x", 1, size - 66), 1);
    assert_int_equal(ftruncate(fd, size - 1), 0);
    j = open_journal(t);
    assert_int_equal(lseek(fd, 0, SEEK_END), size - 1);
    assert_false(verifies(j, 2));
    assert_true(str_eq(old_of(t, j, 2), STR("b")));
    assert_int_equal(append_done(j, STR("c"), STR("d")), 3);
    journal_close(j);
    close(fd);
}

/* The last byte of the file is the last byte of a page. */
static void test_ends_with_a_page(void **state)
{
    struct tree *t = *state;
    struct journal *j = open_journal(t);
    append_done(j, STR("a.md"), STR(""));
    journal_close(j);
    str text = content(&t->arena, t->top_fd, segment_1);
    long page = sysconf(_SC_PAGESIZE);
    size_t rest = 4 * (size_t)page - text.n;
    for (size_t pad = rest - 500; pad < rest; pad++) {
        struct stat st;
        put_segment(t, text);
        j = open_journal(t);
        char *old = arena_zero(&t->arena, pad);
        memset(old, 'x', pad);
        append(j, STR("b.md"), (str){old, pad}, (str){0});
        assert_int_equal(fstatat(t->top_fd, segment_1, &st, 0), 0);
        journal_close(j);
        j = open_journal(t);
        assert_true(verifies(j, 2));
        assert_int_equal(old_of(t, j, 2).n, pad);
        journal_close(j);
        if (st.st_size == 4 * page)
            return;
    }
    fail_msg("no journal of exactly some pages was tried");
}

/* The folder was emptied while the server was running. */
static void test_removed_while_open(void **state)
{
    struct tree *t = *state;
    struct journal *j = open_journal(t);
    struct journal_change c;
    struct err err;
    append_done(j, STR("a"), STR("1"));
    assert_int_equal(unlinkat(t->top_fd, segment_1, 0), 0);
    assert_true(journal_lock(j, NULL, &err));
    uint64_t number = append_done(j, STR("b"), STR("2"));
    assert_false(journal_read(j, &t->arena, 1, true, &c, &err));
    journal_unlock(j);
    journal_close(j);
    j = open_journal(t);
    CHECK_STR("new", old_of(t, j, number), "2");
    assert_true(verifies(j, 1));
    journal_close(j);
}

/* Only an empty journal begins elsewhere, even if another process writes to it first. */
static void test_begin_at(void **state)
{
    struct tree *t = *state;
    struct err err;
    struct journal *j = open_journal(t);
    journal_begin_at(j, 7000001);
    assert_int_equal(journal_next(j), 7000001);
    assert_int_equal(append_done(j, STR("a.md"), STR("old")), 7000001);
    assert_int_equal(append_done(j, STR("a.md"), STR("new")), 7000002);
    assert_true(verifies(j, 2));
    CHECK_STR("old", old_of(t, j, 7000001), "old");
    journal_close(j);
    j = open_journal(t);
    journal_begin_at(j, 5);
    assert_int_equal(journal_next(j), 7000003);
    assert_true(journal_lock(j, NULL, &err));
    journal_unlock(j);
    journal_close(j);
}

static void test_begin_at_too_late(void **state)
{
    struct tree *t = *state;
    struct err err;
    struct journal *one = open_journal(t), *other = open_journal(t);
    journal_begin_at(one, 7000001);
    assert_int_equal(append_done(other, STR("a.md"), STR("old")), 1);
    assert_true(journal_lock(one, NULL, &err));
    assert_int_equal(append_done(one, STR("a.md"), STR("new")), 2);
    journal_unlock(one);
    assert_true(verifies(one, 2));
    journal_close(one);
    journal_close(other);
}

/* A key is found even if a later entry has an earlier time. */
static void test_clock_set_back(void **state)
{
    struct tree *t = *state;
    struct journal *j = open_journal(t);
    struct journal_op op = {.kind = JOURNAL_MAKE_FOLDER, .path = STR("f")};
    struct journal_change early = {.time = 5, .ops = &op, .n = 1};
    struct err err;
    append(j, STR("a"), STR("1"), STR("key"));
    assert_true(journal_append(j, &early, &err));
    assert_non_null(journal_with_key(j, STR("key"), 900));
    journal_close(j);
}

/* --- several processes --- */

static void append_many(struct tree *t, int n, char name)
{
    struct journal *j = open_journal(t);
    struct err err;
    for (int i = 0; i < n; i++) {
        char path[16];
        snprintf(path, sizeof(path), "%c%d", name, i);
        assert_true(journal_lock(j, NULL, &err));
        append_done(j, str_c(path), str_c(path));
        journal_unlock(j);
    }
    journal_close(j);
}

static void test_processes(void **state)
{
    struct tree *t = *state;
    enum { PROCESSES = 4, EACH = 50 };
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0) {
            append_many(t, EACH, (char)('a' + i));
            _exit(0);
        }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    struct journal *j = open_journal(t);
    assert_true(verifies(j, PROCESSES * EACH));
    const struct journal_entry *e;
    assert_int_equal(journal_entries(j, &e), PROCESSES * EACH);
    int seen[PROCESSES] = {0};
    for (size_t i = 0; i < PROCESSES * EACH; i++) {
        str old = old_of(t, j, e[i].number);
        char want[16];
        int *own = &seen[old.p[0] - 'a'];
        snprintf(want, sizeof(want), "%c%d", old.p[0], (*own)++);
        CHECK_STR("in order", old, want);
        assert_int_equal(e[i].state, JOURNAL_DONE);
    }
    journal_close(j);
}

/* Without file descriptors the journal cannot be read, so nothing is written. */
static void test_no_descriptors(void **state)
{
    struct tree *t = *state;
    str whole = arena_str(&t->arena, three_changes(t));
    int held[256], n = 0;
    struct rlimit before, few = {.rlim_cur = COUNT_OF(held)};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int spare = 0; spare < 6; spare++) {
        struct journal *j;
        struct err err;
        while ((held[n] = dup(t->fd)) >= 0)
            n++;
        for (int i = 0; i < spare; i++)
            close(held[--n]);
        bool open = journal_open(t->state, &j, &err);
        struct journal_op op = {.kind = JOURNAL_MAKE_FOLDER, .path = STR("f")};
        struct journal_change c = {.ops = &op, .n = 1};
        bool appended =
            open && journal_lock(j, NULL, &err) && journal_append(j, &c, &err);
        while (n > 0)
            close(held[--n]);
        if (open)
            journal_close(j);
        str now = content(&t->arena, t->top_fd, segment_1);
        assert_true(str_starts(now, whole));
        assert_true(appended || now.n == whole.n);
        whole = arena_str(&t->arena, now);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_MAIN(argc, argv)
{
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_newer),
        TREE_TEST(test_comes_back),
        TREE_TEST(test_hidden),
        TREE_TEST(test_list),
        TREE_TEST(test_every_truncation),
        TREE_TEST(test_every_flip),
        TREE_TEST(test_numbers_in_damage_are_not_reused),
        TREE_TEST(test_truncated_meanwhile),
        TREE_TEST(test_segments),
        TREE_TEST(test_damage_in_an_older_segment),
        TREE_TEST(test_ends_with_a_page),
        TREE_TEST(test_removed_while_open),
        TREE_TEST(test_begin_at),
        TREE_TEST(test_begin_at_too_late),
        TREE_TEST(test_clock_set_back),
        TREE_TEST(test_processes),
        TREE_TEST(test_no_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
