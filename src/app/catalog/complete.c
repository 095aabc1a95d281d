#include "app/catalog/complete.h"

#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/tool_support/tool_support.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "vault/index/tags.h"

enum fit { FIT_TITLE, FIT_START, FIT_SEGMENT, FIT_ALIAS, FIT_NOT };

struct offer {
    str text;
    enum fit fit;
    size_t weight; /* lower is better */
};

static int by_fit(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    if (x->fit != y->fit)
        return x->fit < y->fit ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return str_cmp(x->text, y->text);
}

static void suggest(struct mcp_call *call, struct offer *offers, size_t n)
{
    if (n > 1)
        sort_items(offers, n, sizeof(*offers), by_fit);
    for (size_t i = 0; i < n; i++)
        mcp_suggest(call, offers[i].text);
}

/* Whether a segment after the first begins with it. */
static bool starts_inside(str path, str typed)
{
    for (size_t at; (at = str_find_char(path, '/')) != STR_NONE;) {
        path = str_skip(path, at + 1);
        if (str_starts(path, typed))
            return true;
    }
    return false;
}

static enum fit fit_of(struct arena *a, const struct file *f, str typed)
{
    str path = utf8_fold(a, f->path);
    if (str_starts(path_name(path), typed))
        return FIT_TITLE;
    if (str_starts(path, typed))
        return FIT_START;
    if (starts_inside(path, typed))
        return FIT_SEGMENT;
    for (size_t i = 0; i < f->aliases.n; i++)
        if (str_starts(utf8_fold(a, f->aliases.items[i]), typed))
            return FIT_ALIAS;
    return FIT_NOT;
}

bool complete_path(struct mcp_call *call, str typed, bool notes_only, struct err *err)
{
    struct arena *a = call->arena;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    str key = utf8_fold(a, typed);
    struct offer *offers = ARENA_ARRAY(a, struct offer, x->count);
    size_t n = 0;
    for (file_id id = 0; id < x->n; id++) {
        const struct file *f = index_file(x, id);
        if (f == NULL || (notes_only && f->kind != FILE_NOTE))
            continue;
        enum fit fit = fit_of(a, f, key);
        if (fit != FIT_NOT)
            offers[n++] = (struct offer){f->path, fit, f->path.n};
    }
    suggest(call, offers, n);
    tool_unlock(call);
    return true;
}

bool complete_tag(struct mcp_call *call, str typed, struct err *err)
{
    struct arena *a = call->arena;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    str key = utf8_fold(a, str_starts(typed, STR("#")) ? str_skip(typed, 1) : typed);
    size_t all = tags_count(x->tags), n = 0;
    struct offer *offers = ARENA_ARRAY(a, struct offer, all);
    for (size_t i = 0; i < all; i++) {
        struct tag tag = tags_at(x->tags, i);
        str name = utf8_fold(a, tag.name);
        bool start = str_starts(name, key);
        if (start || starts_inside(name, key))
            offers[n++] = (struct offer){tag.name, start ? FIT_START : FIT_SEGMENT,
                                         SIZE_MAX - tag.all};
    }
    suggest(call, offers, n);
    tool_unlock(call);
    return true;
}

bool complete_vault(struct mcp_call *call, str typed)
{
    struct app_vault **vaults;
    size_t n = vaults_seen(app_of(call), call->arena, call->caller, &vaults);
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(str_slice(vaults[i]->name, 0, typed.n), typed))
            mcp_suggest(call, vaults[i]->name);
    return true;
}
