#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "base/clock.h"
#include "base/path.h"
#include "vault/index/index.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    bool recursive;
};

static const struct option table[] = {
    OPTION(struct options, recursive, OPTION_SWITCH, "recursive", NULL, NULL, NULL,
           "Everything below the folder, not only what is directly in it", .letter = 'r'),
    CLI_COMMON,
};

/* One line: a file, or a folder with how many entries it has. */
struct row {
    str name;
    const struct fs_info *info;
    size_t children;
};

static void cli_list_put_json(struct jsonw *w, const struct row *r)
{
    char when[CLOCK_ISO_SIZE];
    jsonw_object(w);
    jsonw_put_str(w, STR("name"), r->name);
    if (r->info->type == FS_FOLDER) {
        jsonw_put_str(w, STR("type"), STR("folder"));
        jsonw_put_int(w, STR("children"), (int64_t)r->children);
    } else {
        jsonw_put_str(w, STR("type"), STR("file"));
        jsonw_put_int(w, STR("size"), r->info->size);
        jsonw_put_str(w, STR("modified"), clock_iso(r->info->mtime, when));
    }
    jsonw_end(w);
}

static void cli_list_put_line(struct cli *c, const struct row *r)
{
    enum { SIZE_COLUMNS = 9, TIME_COLUMNS = 16 };
    struct arena *a = c->arena;
    bool folder = r->info->type == FS_FOLDER;
    term_right(&c->out, TERM_FAINT,
               folder ? arena_printf(a, "%zu", r->children) : term_size(a, r->info->size),
               SIZE_COLUMNS);
    term_put(&c->out, TERM_PLAIN, STR("  "));
    term_left(&c->out, TERM_FAINT, folder ? STR("") : term_time(a, r->info->mtime),
              TIME_COLUMNS);
    term_put(&c->out, TERM_PLAIN, STR("  "));
    term_put(&c->out, folder ? TERM_STRONG : TERM_PLAIN, r->name);
    term_put(&c->out, TERM_PLAIN, folder ? STR("/\n") : STR("\n"));
}

static void cli_list_put_rows(struct cli *c, str path, const struct row *rows, size_t n)
{
    struct cli_json json;
    if (!c->json) {
        for (size_t i = 0; i < n; i++)
            cli_list_put_line(c, &rows[i]);
        return;
    }
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_str(w, STR("path"), path);
    jsonw_put_array(w, STR("entries"));
    for (size_t i = 0; i < n; i++)
        cli_list_put_json(w, &rows[i]);
    jsonw_end(w);
    jsonw_put_int(w, STR("total_entries"), (int64_t)n);
    jsonw_end(w);
    cli_json_print(c, &json);
}

static void list_all(struct cli *c, str folder)
{
    const struct file **files;
    size_t n = index_sorted(c->index, c->arena, &files), shown = 0;
    struct row *rows = ARENA_ARRAY(c->arena, struct row, n);
    for (size_t i = 0; i < n; i++) {
        str path = files[i]->path;
        if (path_is_below(folder, path))
            rows[shown++] = (struct row){path, &files[i]->info, 0};
    }
    cli_list_put_rows(c, folder, rows, shown);
}

static bool cli_list_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    str path = c->words.n > 0 ? c->words.items[0] : STR("");
    struct vault_listing list;
    if (!vault_list(c->vault, c->arena, path, &list, err))
        return false;
    if (o->recursive) {
        list_all(c, list.path);
        return true;
    }
    struct row *rows = ARENA_ARRAY(c->arena, struct row, list.n);
    for (size_t i = 0; i < list.n; i++)
        rows[i] = (struct row){list.entries[i].name, &list.entries[i].info,
                               list.entries[i].children};
    cli_list_put_rows(c, list.path, rows, list.n);
    return true;
}

const struct cli_verb cli_list = {
    .name = "list",
    .arguments = "[FOLDER]",
    .about = "List a folder of the vault",
    .help = "  vaultd list                    the vault's root\n"
            "  vaultd list Projects -r        everything below Projects\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 1,
    .run = cli_list_run,
};
