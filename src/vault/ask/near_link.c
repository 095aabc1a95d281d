#include "vault/ask/near_link.h"

#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/ask/near_names.h"
#include "vault/index/file.h"
#include "vault/index/names.h"
#include "vault/note/note.h"

size_t near_link_find(struct near_link *n, str path, file_id out[NEAR_LINK_MAX])
{
    if (n->names == NULL)
        n->names = near_names_of(n->index, n->arena, n->stop);
    return near_names_suggest(n->names, file_title(str_trim(path)), out, NEAR_LINK_MAX);
}

str near_link_text(struct near_link *n, str path)
{
    file_id near[NEAR_LINK_MAX];
    struct sbuf b = SBUF_ON(n->arena);
    size_t found = near_link_find(n, path, near);
    for (size_t i = 0; i < found; i++)
        sbuf_printf(&b, "%s'" STR_FMT "'", i > 0 ? ", " : "; did you mean ",
                    STR_ARG(names_path(n->index->names, near[i])));
    sbuf_add(&b, found > 0 ? STR("?") : STR(""));
    return sbuf_str(&b);
}

/* The heading or block id of the target that is spelt like the end of subpath. */
static str near_link_subpath(struct arena *a, const struct file *target, str subpath)
{
    const struct note *note = &target->note;
    bool block = str_starts(subpath, STR("#^"));
    size_t last = str_find_last(subpath, '#');
    struct near_search s;
    str nearest = {0};
    near_names_search(&s, utf8_fold(a, str_skip(subpath, last + (block ? 2 : 1))));
    for (uint32_t i = 0; i < (block ? note->n_blocks : note->n_headings); i++) {
        str name =
            span_of(target->text, block ? note->blocks[i].id : note->headings[i].title);
        if (near_offer(&s, utf8_fold(a, name)))
            nearest = name;
    }
    return nearest.p == NULL
               ? (str){0}
               : arena_printf(a, "%s" STR_FMT, block ? "#^" : "#", STR_ARG(nearest));
}

bool near_link_has(struct arena *a, const struct file *target, str subpath, str *nearest)
{
    if (subpath.n < 2 || target->kind != FILE_NOTE || target->unread)
        return true;
    bool there = str_starts(subpath, STR("#^"))
                     ? note_find_block(&target->note, subpath) != NULL
                     : note_find_heading(&target->note, subpath) != NULL;
    if (!there)
        *nearest = near_link_subpath(a, target, subpath);
    return there;
}
