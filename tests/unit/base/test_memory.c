#include "base/os/memory.h"

#include "tree.h"

static void test_map(void **state)
{
    struct tree *t = *state;
    put(t->fd, "a", "text");
    AUTO_CLOSE int fd = file_open_own(t->fd, "a", FILE_OLD);
    char *own = memory_map(fd, 4, MEMORY_OWN, UINT64_C(0x200000000000));
    char *shared = memory_map(fd, 4, MEMORY_SHARED, 0);
    const char *read = memory_map(fd, 4, MEMORY_READ, 0);
    const char *all = memory_map(fd, 4, MEMORY_READ, 0);
    assert_true(own != NULL && shared != NULL && read != NULL && all != NULL);
    own[0] = 'n';
    CHECK_STR("it is private", content(&t->arena, t->fd, "a"), "text");
    shared[0] = 'T';
    CHECK("the others do", read[0] == 'T' && all[0] == 'T');
    CHECK_STR("and the file", content(&t->arena, t->fd, "a"), "Text");
    CHECK("not what it has written", own[0] == 'n');
    memory_unmap(own, 4);
    memory_unmap(shared, 4);
    memory_unmap(read, 4);
    memory_unmap(all, 4);
    CHECK("not a file", memory_map(-1, 4, MEMORY_READ, 0) == NULL);
}

/* Only whole pages are let go. */
static void test_let_go(void **state)
{
    enum { SIZE = 3 << 16 };
    struct tree *t = *state;
    AUTO_CLOSE int fd = file_open_own(t->fd, "a", FILE_KEPT);
    assert_true(file_resize(fd, SIZE));
    char *p = memory_map(fd, SIZE, MEMORY_OWN, 0);
    memset(p, 'x', SIZE);
    memory_drop_pages(p + 1, SIZE - 1);
    CHECK("the part before stays", p[0] == 'x' && p[1] == 'x');
    CHECK("the rest is as in the file", p[1 << 16] == 0 && p[SIZE - 1] == 0);
    memory_unmap(p, SIZE);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {TREE_TEST(test_map), TREE_TEST(test_let_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
