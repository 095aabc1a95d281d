/* Pictures, sounds and PDF files that vault_read answers with: which block a client gets, and what is refused. */
#include "app/tools/attachment.h"

#include "fake_poppler.h"
#include "notes.h"
#include "png.h"

struct row {
    const char *arguments;
    const char *want; /* part of the answer, in the form of quoted.h */
};

enum { WIDE = PICTURE_SIDE_MAX * 2 };

/* A header that promises more pixels than are decoded. */
static str bomb(struct arena *a)
{
    struct sbuf out = SBUF_ON(a);
    str small = png_make(a, 1, 1, false);
    sbuf_add(&out, str_slice(small, 0, 16));
    png_add_big(&out, 60000);
    png_add_big(&out, 60000);
    sbuf_add(&out, str_skip(small, 24));
    return sbuf_str(&out);
}

static void fill(struct place *p)
{
    str wide = png_make(&p->arena, WIDE, 4, false);
    place_put(p, "small.png", png_make(&p->arena, 2, 1, false));
    place_put(p, "wide.png", wide);
    place_put(p, "cut.png", str_slice(wide, 0, 100));
    place_put(p, "bomb.png", bomb(&p->arena));
    place_put(p, "text.png", STR("hello\n"));
    place_put(p, "text.mp3", STR("hello\n"));
    place_put(p, "song.mp3", STR("ID3 song"));
    place_put(p, "big.mp3", png_make(&p->arena, 1000, 400, true));
    place_put(p, "A.pdf", FAKE_PDF("A"));
    place_put(p, "damaged.pdf", FAKE_PDF("damaged"));
    place_put(p, "locked.pdf", FAKE_PDF("locked"));
    place_put(p, "book.mp3", FAKE_PDF("a book"));
    place_put(p, "song.pdf", STR("ID3 song"));
    place_put(p, "video.mp3",
              STR("\0\0\0\x18"
                  "ftypmp42"));
    place_put(p, "voice.m4a",
              STR("\0\0\0\x18"
                  "ftypM4A "));
}

static bool is_right(struct app_place *p, const struct row *r)
{
    struct arena *a = &p->peer.arena;
    const char *members =
        arena_printf(a, "'name':'vault_read','arguments':{%s}", r->arguments).p;
    str got = peer_answer(peer_send(&p->peer, "tools/call", members));
    bool right = str_find(got, quoted(a, r->want)) != STR_NONE;
    if (!right)
        print_error("%s:\n  got  '" STR_FMT "'\n  want '%s'\n", r->arguments,
                    STR_ARG(str_slice(got, 0, 2000)), r->want);
    return right;
}

static void check(const char *flags, const struct row *rows, size_t n)
{
    struct app_place *p = app_place_open(flags, fill);
    size_t wrong = 0;
    app_look(p);
    for (size_t i = 0; i < n; i++)
        wrong += !is_right(p, &rows[i]);
    app_place_close(p);
    if (wrong > 0)
        fail_msg("%zu of %zu rows are wrong", wrong, n);
}

static void test_as_they_are(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"'path':'small.png'", "'mimeType':'image/png'"},
        {"'path':'small.png'", "small.png (image/png, 75 bytes)"},
        {"'path':'song.mp3'",
         "{'type':'audio','data':'SUQzIHNvbmc=','mimeType':'audio/mpeg'}"},
        {"'path':'A.pdf'", "'uri':'vault:///A.pdf'"},
        {"'path':'text.png'", "is neither a text file nor a picture"},
        {"'path':'text.mp3'", " is not audio/mpeg"},
        {"'path':'book.mp3'", "book.mp3 (application/pdf, "},
        {"'path':'book.mp3'", "'type':'resource','resource':{'uri':'vault:///book.mp3',"
                              "'mimeType':'application/pdf'"},
        {"'path':'song.pdf'",
         "{'type':'audio','data':'SUQzIHNvbmc=','mimeType':'audio/mpeg'}"},
        {"'path':'video.mp3'", "'mimeType':'video/mp4'"},
        {"'path':'voice.m4a'", "'mimeType':'audio/mp4'}"},
        {"'path':'bomb.png'", "60000 x 60000 pixels"},
        {"'path':'big.mp3'", "the limit is --attachment-max of the server"},
        {"'path':'none.png'", "File not found: none.png"},
        {"'path':'small.png','paths':['song.mp3'],'view':'file'",
         "view file shows one file: leave out paths"},
    };
    check("--pdf off --attachment-max 1", rows, COUNT_OF(rows));
}

static void test_scaled(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"'path':'wide.png'", "3136"},
        {"'path':'wide.png'", "1568"},
        {"'path':'wide.png'", "'type':'image','data':'iVBOR"},
        {"'path':'cut.png'", "the picture is damaged, or cannot be decoded"},
    };
    if (!png_has_gd())
        SKIP("libgd is not installed");
    check("", rows, COUNT_OF(rows));
}

static void test_pdf(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"'path':'A.pdf'", "pages 1 to"},
        {"'path':'A.pdf','section':'page=2-3'", "--- page 2 ---"},
        {"'path':'A.pdf','section':'x'", "a PDF has pages instead of headings"},
        {"'path':'A.pdf','view':'file'", "'mimeType':'application/pdf','blob':'JVBERi"},
        {"'path':'A.pdf','view':'image'", "page 1 of "},
        {"'path':'A.pdf','view':'image','section':'page=2'", "page 2 of "},
        {"'path':'damaged.pdf'", "damaged"},
        {"'path':'damaged.pdf'", "view file gives the file as it is"},
        {"'path':'locked.pdf'", "view file gives the file as it is"},
    };
    check("", rows, COUNT_OF(rows));
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool is;
    } rows[] = {{"a.png", true},  {"a.PNG", true},  {"a.jpg", true},  {"a.webp", true},
                {"a.mp3", true},  {"a.pdf", true},  {"a.svg", false}, {"a.md", false},
                {"a.zip", false}, {"a.mp4", false}, {"png", false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_INT(rows[i].path, attachment_is(str_c(rows[i].path)), rows[i].is);
}

/* Before the first app: it confines what may be started, for the whole process. */
static int install_poppler(void **state)
{
    (void)state;
    fake_poppler_install();
    return 0;
}

static int remove_poppler(void **state)
{
    (void)state;
    fake_poppler_remove();
    return 0;
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_as_they_are),
        cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_pdf),
    };
    return cmocka_run_group_tests(tests, install_poppler, remove_poppler);
}
