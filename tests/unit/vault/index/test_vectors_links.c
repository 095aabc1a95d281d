/* tests/vectors/links.json: which file a link means. */
#include "base/encode.h"
#include "vault/index/names.h"
#include "vault/note/note.h"
#include "vectors.h"

/* The path part of a link, for the resolver. */
static str link_path(struct arena *a, const struct note *note, const struct note_link *l)
{
    str path = span_of(note->text, l->path), decoded;
    if (l->kind != NOTE_WIKILINK && decode_percent(a, path, &decoded))
        return decoded;
    return path;
}

static file_id resolve(struct arena *a, const struct names *names, const struct json *c)
{
    struct note note;
    struct names_answer answer;
    str from = json_get_str(c, STR("from"));
    size_t twins;
    note_scan(a, json_get_str(c, STR("link")), &note);
    const struct note_link *link = note.links;
    if (note.n_links == 0 || link->external)
        return NO_FILE;
    names_resolve(names, NULL, link_path(a, &note, link), from,
                  names_find_path(names, from, &twins), &answer);
    return answer.file;
}

static void test_links(void **state)
{
    struct arena *a = *state;
    const struct json *cases = vectors_read(a, "links.json");
    CHECK("enough cases", cases->n >= 103);
    for (const struct json *c = cases->child; c != NULL; c = c->next) {
        str id = arena_str(a, json_get_str(c, STR("id")));
        struct names *names = names_create();
        file_id n = 0;
        const struct json *vault = json_get(c, STR("vault"));
        for (const struct json *path = vault->child; path != NULL; path = path->next)
            names_add(names, n++, path->text);
        str want = arena_str(a, json_get_str(c, STR("resolves_to"))); /* null: empty */
        CHECK_STR(id.p, names_path(names, resolve(a, names, c)), want);
        names_free(names);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
