#include "app/answers/why_none.h"

#include "base/path.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"
#include "vault/vault.h"

str why_none(struct vault *v, const struct index *x, struct arena *a, str folder, str tag)
{
    struct fs_info info;
    struct err ignored;
    struct tag found;
    str clean;
    if (folder.n > 0 && (!path_clean(a, folder, &clean, &ignored) ||
                         !vault_stat_held(v, x, clean, &info, &ignored)))
        return arena_printf(
            a, "No such folder '" STR_FMT "'; use vault_list to see the folders",
            STR_ARG(folder));
    if (tag.n > 0 && !tags_find(x->tags, tag, &found))
        return arena_printf(
            a, "No note has the tag '" STR_FMT "'; use vault_tags to see the tags",
            STR_ARG(tag));
    return (str){0};
}
