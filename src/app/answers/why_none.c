#include "app/answers/why_none.h"

#include "base/utf8.h"
#include "vault/ask/find.h"
#include "vault/index/tags.h"

str why_none(const struct index *x, struct arena *a, str folder, str tag)
{
    enum { SHOWN = 80 };
    struct err none;
    struct tag found;
    if (!find_folder(x, a, folder, &none)) {
        str near = find_meant_folder(x, a, folder);
        return arena_printf(
            a, "No such folder '" STR_FMT "', or it is empty" STR_FMT,
            STR_ARG(utf8_cut(folder, SHOWN)),
            STR_ARG(near.n > 0 ? near : STR("; list the folders to see what there is")));
    }
    if (tag.n == 0 || tags_find(x->tags, tag, &found))
        return (str){0};
    str meant = find_meant_tags(x, a, tag);
    return arena_printf(
        a, "No note has the tag '" STR_FMT "'" STR_FMT, STR_ARG(utf8_cut(tag, SHOWN)),
        STR_ARG(meant.n > 0 ? meant : STR("; list the tags to see what there is")));
}
