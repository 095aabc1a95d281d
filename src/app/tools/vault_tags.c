#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "vault/ask/find.h"
#include "vault/index/tags.h"

struct args {
    str tag;
    int64_t limit, offset, budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, tag, MCP_STR, 0, "Notes with this tag or one below"),
    KIT_PAGE_FIELDS(struct args),
    {0},
};

static void put_tag(struct jsonw *out, const struct tag *tag)
{
    jsonw_object(out);
    jsonw_put_str(out, STR("tag"), tag->name);
    jsonw_put_int(out, STR("notes"), (int64_t)tag->notes);
    jsonw_put_int(out, STR("with_nested"), (int64_t)tag->all);
    jsonw_end(out);
}

static void put_tags(struct mcp_call *call, const struct index *x, struct kit_page *page)
{
    struct jsonw *out = call->out;
    size_t n = tags_count(x->tags);
    jsonw_object(out);
    jsonw_put_int(out, STR("total"), (int64_t)n);
    jsonw_put_array(out, STR("tags"));
    for (size_t i = 0; i < n; i++) {
        struct tag tag = tags_at(x->tags, i);
        if (kit_page_takes(page))
            put_tag(out, &tag);
    }
    kit_page_done(page);
    jsonw_end(out);
}

static int vault_tags_by_path(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

static void put_notes(struct mcp_call *call, const struct index *x, const struct tag *tag,
                      struct kit_page *page)
{
    struct jsonw *out = call->out;
    str *paths = ARENA_ARRAY(call->arena, str, tag->all);
    for (size_t i = 0; i < tag->all; i++)
        paths[i] = index_file(x, tag->files[i])->path;
    if (tag->all > 1)
        qsort(paths, tag->all, sizeof(*paths), vault_tags_by_path);
    jsonw_object(out);
    jsonw_put_str(out, STR("tag"), tag->name);
    jsonw_put_int(out, STR("total"), (int64_t)tag->all);
    jsonw_put_array(out, STR("notes"));
    for (size_t i = 0; i < tag->all; i++)
        if (kit_page_takes(page))
            jsonw_str(out, paths[i]);
    kit_page_done(page);
    jsonw_end(out);
}

static bool vault_tags_put_answer(struct mcp_call *call, const struct index *x,
                                  const struct args *in, struct err *err)
{
    struct kit_page page = kit_page(call, in->offset, in->limit, in->budget);
    struct tag tag;
    if (in->tag.n == 0)
        put_tags(call, x, &page);
    else if (find_tag(x, call->arena, in->tag, &tag, err))
        put_notes(call, x, &tag, &page);
    else
        return err_hint(err, "without tag all are listed");
    kit_put_next(call->out, page.end, page.total);
    jsonw_end(call->out);
    return true;
}

static bool vault_tags_run(struct mcp_call *call, struct err *err)
{
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool ok = vault_tags_put_answer(call, x, call->args, err);
    kit_let_go(call);
    return ok;
}

const struct mcp_tool tool_vault_tags = {
    .name = "vault_tags",
    .title = "List tags",
    .about = "All tags with how many notes have them (with_nested: or one below). With "
             "tag: its notes. Look here before you invent a tag.",
    .flags = MCP_READ_ONLY | MCP_BRIEF,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_tags_run,
};
