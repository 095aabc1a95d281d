#include "vault/index/tags.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "base/path.h"
#include "vault/ask/find.h"

struct options {
    struct cli_common common;
    bool by_count;
};

static const struct option table[] = {
    OPTION(struct options, by_count, OPTION_SWITCH, "by-count", NULL, NULL, NULL,
           "The most used first, as a flat list"),
    CLI_COMMON,
};

static int most_first(const void *a, const void *b)
{
    const struct tag *x = a, *y = b;
    if (x->all != y->all)
        return x->all < y->all ? 1 : -1;
    return str_cmp(x->name, y->name);
}

static void cli_tags_put_json(struct cli *c, const struct tag *tags, size_t n)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_array(w, STR("tags"));
    for (size_t i = 0; i < n; i++) {
        jsonw_object(w);
        jsonw_put_str(w, STR("tag"), tags[i].name);
        jsonw_put_int(w, STR("notes"), (int64_t)tags[i].notes);
        jsonw_put_int(w, STR("with_nested"), (int64_t)tags[i].all);
        jsonw_end(w);
    }
    jsonw_end(w);
    jsonw_put_int(w, STR("total"), (int64_t)n);
    jsonw_end(w);
    cli_json_print(c, &json);
}

static void put_tree(struct cli *c, const struct tag *tags, size_t n, bool flat)
{
    enum { COUNT_WIDTH = 6 };
    for (size_t i = 0; i < n; i++) {
        size_t depth = flat ? 0 : tags[i].depth;
        str name = flat || depth == 0 ? tags[i].name : path_name(tags[i].name);
        term_right(&c->out, TERM_FAINT, arena_printf(c->arena, "%zu", tags[i].all),
                   COUNT_WIDTH);
        term_printf(&c->out, TERM_PLAIN, "%*s", (int)(2 + 2 * depth), "");
        term_printf(&c->out, TERM_PATH, "%s" STR_FMT, depth == 0 ? "#" : "/",
                    STR_ARG(name));
        term_put(&c->out, TERM_PLAIN, STR("\n"));
    }
}

static void list_tags(struct cli *c, bool by_count)
{
    size_t n = tags_count(c->index->tags);
    struct tag *tags = ARENA_ARRAY(c->arena, struct tag, n);
    for (size_t i = 0; i < n; i++)
        tags[i] = tags_at(c->index->tags, i);
    c->status = n == 0;
    if (by_count && n > 1)
        qsort(tags, n, sizeof(*tags), most_first);
    if (c->json)
        cli_tags_put_json(c, tags, n);
    else
        put_tree(c, tags, n, by_count);
}

static bool list_notes(struct cli *c, str name, struct err *err)
{
    struct tag tag;
    struct cli_json json;
    if (!find_tag(c->index, c->arena, name, &tag, err))
        return err_hint(err, "vaultd tags lists all");
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_str(w, STR("tag"), tag.name);
    jsonw_put_array(w, STR("notes"));
    for (size_t i = 0; i < tag.all; i++) {
        str path = index_file(c->index, tag.files[i])->path;
        jsonw_str(w, path);
        if (!c->json)
            term_printf(&c->out, TERM_PATH, STR_FMT "\n", STR_ARG(path));
    }
    jsonw_end(w);
    jsonw_put_int(w, STR("total"), (int64_t)tag.all);
    jsonw_end(w);
    if (c->json)
        cli_json_print(c, &json);
    return true;
}

static bool cli_tags_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    if (c->words.n > 0)
        return list_notes(c, c->words.items[0], err);
    list_tags(c, o->by_count);
    return true;
}

const struct cli_verb cli_tags = {
    .name = "tags",
    .arguments = "[TAG]",
    .about = "List all tags with how many notes have them, or the notes of a tag",
    .help = "  vaultd tags                    the tree of tags\n"
            "  vaultd tags project            notes tagged #project or #project/...\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 1,
    .run = cli_tags_run,
};
