/* With fake programs: tests/e2e/e2e/pdf.test.mjs has real PDF files and the real ones. */
#include "pdf/pdf.h"

#include "fake_poppler.h"

static const struct pdf_how call = {0};

static void test_read(void **state)
{
    struct pdf p = {0};
    struct err err = {0};
    assert_true(pdf_is_installed());
    assert_true(pdf_read(*state, FAKE_PDF("plain"), 1, 0, &call, &p, &err));
    CHECK_INT("pages", p.pages, 3);
    CHECK_STR("title", p.title, "A title");
    CHECK_STR("text", p.text, "\f\npages 1 to 3\n\f\nTwo\n\f\nThree\n");
    CHECK("whole", !p.cut);
    assert_true(pdf_read(*state, FAKE_PDF("plain"), 2, 9, &call, &p, &err));
    CHECK("a range", str_starts(p.text, STR("\f\npages 2 to 3\n")));
    assert_true(pdf_read(*state, FAKE_PDF("breaks"), 1, 0, &call, &p, &err));
    CHECK_INT("not the pages of the title", p.pages, 3);
}

static void test_fails(void **state)
{
    static const struct {
        const char *row;
        str bytes;
        uint32_t first, last;
        enum err_name name;
        const char *message;
    } rows[] = {
        {"text", STR("# A note"), 1, 0, E_NOT_TEXT, "the file is not a PDF"},
        {"password", FAKE_PDF("locked"), 1, 0, E_NOT_TEXT,
         "the PDF is encrypted and needs a password"},
        {"damaged", FAKE_PDF("damaged"), 1, 0, E_NOT_TEXT, "the PDF is damaged"},
        {"memory", FAKE_PDF("greedy"), 1, 0, E_FILE_TOO_LARGE,
         "reading the PDF takes more than 1024 MiB of memory"},
        {"killed", FAKE_PDF("looping"), 1, 0, E_NOT_TEXT,
         "reading the PDF failed: it is damaged, or needs more than 15 seconds or 1024 "
         "MiB of memory"},
        {"after the end", FAKE_PDF("plain"), 4, 0, E_INVALID_RANGE,
         "there is no page 4: the PDF has 3 pages"},
        {"backwards", FAKE_PDF("plain"), 3, 2, E_INVALID_RANGE,
         "page 3 comes after page 2"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pdf p = {0};
        struct err err = {0};
        CHECK(rows[i].row, !pdf_read(*state, rows[i].bytes, rows[i].first, rows[i].last,
                                     &call, &p, &err));
        CHECK_INT(rows[i].row, err.name, rows[i].name);
        CHECK_STR(rows[i].row, str_c(err.msg), rows[i].message);
    }
}

static void test_too_large(void **state)
{
    struct pdf p;
    struct err err = {0};
    str bytes = {mem_zero(PDF_FILE_MAX + 1), PDF_FILE_MAX + 1};
    assert_false(pdf_read(*state, bytes, 1, 0, &call, &p, &err));
    CHECK_INT("name", err.name, E_FILE_TOO_LARGE);
    free((void *)bytes.p);
}

static void test_endless(void **state)
{
    struct pdf p;
    struct err err = {0};
    assert_true(pdf_read(*state, FAKE_PDF("endless"), 1, 0, &call, &p, &err));
    CHECK("cut", p.cut && p.text.n <= PDF_TEXT_MAX && p.text.n > PDF_TEXT_MAX / 2);
    CHECK("at a line", str_ends(p.text, STR("repeated\n")));
}

static void test_stop(void **state)
{
    atomic_bool stop = true;
    struct pdf p;
    struct err err = {0};
    struct pdf_how how = {.background = true, .stop = &stop};
    assert_false(pdf_read(*state, FAKE_PDF("plain"), 1, 0, &how, &p, &err));
    CHECK_INT("code", err.code, ERR_BUSY);
}

/* Not even world-readable files. */
static void test_SEC_98_confined(void **state)
{
    char secret[] = "/tmp/vaultd-test-secret-XXXXXX";
    int fd = mkstemp(secret);
    struct pdf p;
    struct err err = {0};
    assert_true(fd >= 0 && write(fd, "secret\n", 7) == 7);
    close(fd);
    str bytes = arena_printf(*state, "%%PDF-1.4 spy %s", secret);
    assert_true(pdf_read(*state, bytes, 1, 0, &call, &p, &err));
    unlink(secret);
    if (!sandbox_probe().files)
        SKIP("this kernel has no Landlock");
    CHECK_STR("text", p.text, "\f\ndone\n\f\n\f\n");
}

static void test_picture(void **state)
{
    str png;
    struct err err = {0};
    assert_true(pdf_picture(*state, FAKE_PDF("plain"), 3, 1000, &call, &png, &err));
    CHECK_STR("arguments", png, "-png -singlefile -f 3 -l 3 -scale-to 1000 -\n");
    assert_false(pdf_picture(*state, FAKE_PDF("plain"), 0, 1000, &call, &png, &err));
    CHECK_INT("no such page", err.name, E_INVALID_RANGE);
}

static void test_missing(void **state)
{
    struct pdf p;
    struct err err = {0};
    char *before = mem_str(str_c(getenv("PATH")));
    setenv("PATH", "/nonexistent", 1);
    assert_false(pdf_is_installed());
    assert_false(pdf_read(*state, FAKE_PDF("plain"), 1, 0, &call, &p, &err));
    CHECK_STR("message", str_c(err.msg),
              "PDF files cannot be read on this machine: install poppler-utils");
    setenv("PATH", before, 1);
    free(before);
}

TEST_MAIN(argc, argv)
{
    fake_poppler_install();
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_read),      ARENA_TEST(test_fails),
        ARENA_TEST(test_too_large), ARENA_TEST(test_endless),
        ARENA_TEST(test_stop),      ARENA_TEST(test_SEC_98_confined),
        ARENA_TEST(test_picture),   ARENA_TEST(test_missing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fake_poppler_remove();
    return failed;
}
