/* The page of a note and the files beside it: what is shown to whom, and where another address leads. */
#include "app/web/note_page.h"

#include "page_asked.h"

static void fill(struct place *p)
{
    place_put(p, "Home.md",
              STR("---\ntags: [a, <b>]\nmore: {x: 1}\nempty:\n---\n# One\n[[Plan]]\n## "
                  "Two\n<script>alert(1)</script>\n"));
    place_put(p, "Sub/Plan.md", STR("plan\n"));
    place_put(p, "Links.md",
              STR("---\nup: \"[[Plan|the plan]]\"\nno: \"[[Secret]] [[\"\nweb: "
                  "https://a.example/\nbad: javascript:x\nyes: true\n---\n"
                  "%% a comment about [[Plan]] %%\n- about [[Plan]] here\n"));
    place_put(p, "Ü & ü.md", STR("[[Plan]]\n"));
    place_put(p, "Broken.md", STR("---\na: [\n---\ntext\n"));
    place_put(p, "Private/_policy.md", STR("---\nai: hidden\n---\n"));
    place_put(p, "Private/Secret.md", STR("secret [[Plan]]\n"));
    place_put(p, "Private/key.png", STR("secret"));
    place_put(p, "a.png", STR("\x89PNG"));
    place_put(p, "b.svg", STR("<svg><script/></svg>"));
    place_put(p, "c.html", STR("<script>alert(1)</script>"));
    place_put(p, "d.pdf", STR("%PDF-1.4"));
    place_put(p, "../second/Plan.md", STR("the other plan\n"));
}

struct row {
    struct page_asked ask;
    int status;
    const char *has, *lacks;
    const char *header, *value; /* one of the answer */
};

static const struct row notes[] = {
    {{"/note/Home.md"}, 200, "<h1>Home</h1>", "<script>alert"},
    {{"/note/Home.md"},
     200,
     ">a</a>, <a class=\"tag\" href=\"/search?q=tag:%23%3Cb%3E\">&lt;b&gt;</a>",
     NULL},
    {{"/note/Links.md"},
     200,
     "<a class=\"inside\" href=\"/note/Sub/Plan.md\">the plan</a>",
     NULL},
    {{"/note/Links.md"}, 200, "title=\"not written yet\">Secret</span>", "/Secret.md"},
    {{"/note/Links.md"}, 200, "href=\"https://a.example/\"", "href=\"javascript"},
    {{"/note/Links.md"}, 200, "disabled checked aria-label=\"yes\"", NULL},
    {{"/note/Sub/Plan.md"}, 200, "dir=\"auto\">about Plan here</span>", "a comment"},
    {{"/note/Home.md"}, 200, "x: <bdi>1</bdi>", NULL},
    {{"/note/Home.md"}, 200, "aria-label=\"Outline\"", "Secret"},
    {{"/note/Home.md"}, 200, "No links to it", NULL},
    {{"/note/Home.md"}, 200, "href=\"/changes?note=Home.md\"", NULL},
    {{"/note/Home.md", .program = true}, 200, "# One\n[[Plan]]", "<h1>"},
    {{"/note/Sub/Plan.md"}, 200, "<p class=\"soft small folder\">Sub</p>", "Outline"},
    {{"/note/Sub/Plan.md"}, 200, "3 notes link to it", "Secret"},
    {{"/note/Sub/Plan.md", .user = "ann"}, 200, "4 notes link to it", NULL},
    {{"/note/%C3%9C%20%26%20%C3%BC.md"}, 200, "<h1>Ü &amp; ü</h1>", NULL},
    {{"/note/Broken.md"}, 200, "The properties cannot be read: ", NULL},
    {{"/note/Plan"}, 302, NULL, NULL, "Location", "/note/Sub/Plan.md"},
    {{"/note/plan.md"}, 302, NULL, NULL, "Location", "/note/Sub/Plan.md"},
    {{"/note/a.png"}, 302, NULL, NULL, "Location", "/file/a.png"},
    {{"/note/None"}, 404, "cannot be shown", "Secret"},
    {{"/note/%3Cb%3E"}, 404, "&lt;b&gt;", "<b>"},
    {{"/note/"}, 404, "Check the address", NULL},
    {{"/note/%zz"}, 404, "Check the address", NULL},
    {{"/note/%FF.md"}, 404, "Check the address", NULL},
    {{"/note/../Home.md"}, 302, NULL, NULL, "Location", "/note/Home.md"},
    {{"/note/../../etc/passwd"}, 404, NULL, "root:"},
    {{"/note/.obsidian/app.json"}, 404, NULL, NULL},
    {{"/note/Home.md", "vault=none"}, 404, "Check the address", NULL},
    {{"/note/Home.md", "vault=vault"}, 200, "<h1>Home</h1>", NULL},
};

static const struct row files[] = {
    {{"/file/a.png"},
     200,
     "PNG",
     NULL,
     "Content-Security-Policy",
     "default-src 'none'; style-src 'unsafe-inline'; sandbox"},
    {{"/file/a.png"}, 200, NULL, NULL, "Content-Disposition", ""},
    {{"/file/b.svg"},
     200,
     NULL,
     NULL,
     "Content-Security-Policy",
     "default-src 'none'; style-src 'unsafe-inline'; sandbox"},
    {{"/file/c.html"}, 200, NULL, NULL, "Content-Disposition", "attachment"},
    {{"/file/d.pdf"}, 200, NULL, NULL, "Content-Disposition", "attachment"},
    {{"/file/Home.md"}, 200, NULL, NULL, "Content-Disposition", "attachment"},
    {{"/file/none.png"}, 404, "cannot be shown", NULL},
    {{"/file/Private/key.png"}, 404, "cannot be shown", NULL},
    {{"/file/Private/key.png", .user = "ann"}, 200, "secret", NULL},
    {{"/file/..%2Fstate"}, 404, NULL, NULL},
    {{"/file/%00"}, 404, NULL, NULL},
};

static void check_rows(struct app_place *p, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        struct http_response out = page_ask(p, &r->ask);
        page_check(r->ask.path, &out, r->status, r->has, r->lacks);
        if (r->header != NULL)
            CHECK_STR(r->ask.path, page_header(&out, r->header), r->value);
    }
}

static void fill_many(struct place *p)
{
    struct arena a = {0};
    struct sbuf text = SBUF_ON(&a);
    sbuf_add(&text, STR("---\nmany:\n"));
    for (int i = 0; i < 3000; i++)
        sbuf_add(&text, STR("  - \"[[Plan]]\"\n"));
    sbuf_add(&text, STR("---\n"));
    place_put(p, "Many.md", sbuf_str(&text));
    arena_release(&a);
}

/* A list of any length is a page of bounded size, which says how much is left out. */
static void test_many_values(void **state)
{
    (void)state;
    struct app_place *p = app_place_open("", fill_many);
    app_look(p);
    struct http_response out = page_ask(p, &(struct page_asked){"/note/Many.md"});
    page_check("many", &out, 200, " and 2800 more", NULL);
    CHECK("small", out.body.n < 100000);
    app_place_close(p);
}

static struct app_place *open_place(const char *flags)
{
    struct app_place *p = app_place_open(flags, fill);
    app_look(p);
    return p;
}

static void test_notes(void **state)
{
    (void)state;
    struct app_place *p = open_place("");
    check_rows(p, notes, COUNT_OF(notes));
    app_place_close(p);
}

static void test_files(void **state)
{
    (void)state;
    struct app_place *p = open_place("");
    check_rows(p, files, COUNT_OF(files));
    struct http_response html = page_ask(p, &(struct page_asked){"/file/c.html"});
    CHECK("not a page", str_find(html.content_type, STR("html")) == STR_NONE);
    app_place_close(p);
}

/* A note that is hidden is answered as one that does not exist, but for its name. */
static void test_hidden(void **state)
{
    static const char *const paths[][2] = {
        {"/note/Private/Secret.md", "/note/Private/Xecret.md"},
        {"/note/Secret", "/note/Xecret"},
        {"/file/Private/key.png", "/file/Private/xey.png"},
    };
    (void)state;
    struct app_place *p = open_place("");
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct http_response hidden = page_ask(p, &(struct page_asked){paths[i][0]}),
                             missing = page_ask(p, &(struct page_asked){paths[i][1]});
        CHECK_INT(paths[i][0], hidden.status, 404);
        CHECK_INT(paths[i][0], missing.status, 404);
        CHECK_INT(paths[i][0], hidden.body.n, missing.body.n);
        CHECK_INT(paths[i][0], hidden.n_headers, missing.n_headers);
    }
    app_place_close(p);
}

/* With several vaults, links stay in the vault that is shown. */
static void test_several(void **state)
{
    (void)state;
    struct app_place *p = open_place("--vault one=@/vault --vault two=@/second");
    static const struct row rows[] = {
        {{"/note/Home.md"}, 200, "href=\"/note/Sub/Plan.md\"", NULL},
        {{"/note/Plan.md", "vault=two"}, 200, "<h1>Plan</h1>", "No such"},
        {{"/note/Plan.md", "vault=two"},
         200,
         "/changes?note=Plan.md&amp;vault=two",
         NULL},
        {{"/note/Home.md", "vault=two"}, 404, "cannot be shown", "the other"},
        {{"/note/plan", "vault=two"},
         302,
         NULL,
         NULL,
         "Location",
         "/note/Plan.md?vault=two"},
    };
    check_rows(p, rows, COUNT_OF(rows));
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notes),   cmocka_unit_test(test_files),
        cmocka_unit_test(test_hidden),  cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
