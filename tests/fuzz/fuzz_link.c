/* Any link means a file of the vault or none, and always the same one. */
#include "base/err.h"
#include "vault/index/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {
        "Note.md",    "a/Note.md",     "a/b/note.md", "Ä/Ö.md",
        "v1.2.md",    "p.png",         "a/p.png",     "x.md.md",
        "readme.txt", "readme.txt.md", "c d/e.md",    ".hidden/Note.md",
    };
    struct names *n = names_create();
    for (file_id id = 0; id < COUNT_OF(files); id++)
        names_add(n, id, str_c(files[id]));

    /* the link, then a line break and the source */
    struct arena a = {0};
    str source = {(const char *)data, size}, link;
    (void)str_next(&source, '\n', &link);
    struct names_answer plain, explained;
    names_resolve(n, NULL, link, source, 5, &plain);
    names_resolve(n, &a, link, source, 5, &explained);
    if (plain.file != explained.file || plain.rule != explained.rule)
        BUG("%u by rule %d, then %u by rule %d", plain.file, plain.rule, explained.file,
            explained.rule);
    if ((plain.file == NO_FILE) != (plain.rule >= NAMES_UNRESOLVED))
        BUG("file %u by rule %d", plain.file, plain.rule);
    if (plain.file != NO_FILE && plain.rule != NAMES_SELF &&
        names_key(n, link) != names_key(n, names_path(n, plain.file)))
        BUG("the keys of link and file differ");
    for (size_t i = 0; i < explained.n_others; i++)
        if (explained.others[i] == explained.file ||
            names_path(n, explained.others[i]).n == 0)
            BUG("%u is not another file", explained.others[i]);
    arena_release(&a);
    names_free(n);
    return 0;
}
