#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/draft.h"
#include "vault/note/edit.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/prop.h"
#include "vault/ops.h"

struct options {
    struct cli_changing changing;
};

static const struct option table[] = {CLI_CHANGING};

enum { BATCH_LINES_MAX = 10000 };

/* --- one line: each adds its step to the draft --- */

static bool batch_write(struct cli *c, struct draft *d, const struct json *j,
                        struct err *err)
{
    str path, text = json_get_str(j, STR("content"));
    bool create = json_get_true(j, STR("create")), added;
    return ops_write_path(d, json_get_str(j, STR("path")), &path, &added, err) &&
           draft_write(d, path, text, create ? DRAFT_CREATE : DRAFT_OVERWRITE, err);
}

static bool batch_edit(struct cli *c, struct draft *d, const struct json *j,
                       struct err *err)
{
    struct draft_file f;
    struct edit_result r = {0};
    struct edit_swap swap = {json_get_str(j, STR("old_text")),
                             json_get_str(j, STR("new_text")),
                             json_get_true(j, STR("replace_all"))};
    if (!ops_open(d, json_get_str(j, STR("path")), &f, err))
        return false;
    return cli_edited(edit_replace(c->arena, f.text, &swap, 1, &r, err), &f, &r, err) &&
           draft_write(d, f.path, r.text, DRAFT_EDIT, err);
}

static bool batch_insert(struct cli *c, struct draft *d, const struct json *j,
                         struct err *err)
{
    struct draft_file f;
    struct edit_result r = {0};
    str word = json_get_str(j, STR("path"));
    bool create = json_get_true(j, STR("create")), created,
         prepend = json_get_true(j, STR("prepend"));
    str content = json_get_str(j, STR("content"));
    if (!(create ? ops_open_or_create(d, word, &f, &created, err)
                 : ops_open(d, word, &f, err)))
        return false;
    struct edit_section section = {.heading = json_get_str(j, STR("section")),
                                   .action = prepend ? EDIT_PREPEND_TO : EDIT_APPEND_TO,
                                   .create_level = create ? 2 : 0,
                                   .content = content};
    struct edit_insert insert = {.where = prepend ? EDIT_PREPEND : EDIT_APPEND,
                                 .content = content};
    bool ok = section.heading.n > 0 ? edit_section(c->arena, f.text, &section, &r, err)
                                    : edit_insert(c->arena, f.text, &insert, &r, err);
    return cli_edited(ok, &f, &r, err) && draft_write(d, f.path, r.text, DRAFT_EDIT, err);
}

static bool batch_frontmatter(struct cli *c, struct draft *d, const struct json *j,
                              struct err *err)
{
    static const struct {
        const char *member;
        enum frontmatter_op op;
    } kinds[] = {{"set", FRONTMATTER_SET},
                 {"add", FRONTMATTER_ADD},
                 {"take", FRONTMATTER_TAKE},
                 {"remove", FRONTMATTER_UNSET}};
    struct frontmatter_edit edits[FRONTMATTER_EDITS_MAX];
    struct draft_file f;
    struct frontmatter_edited r;
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const struct json *list = json_get(j, str_c(kinds[i].member));
        const struct json *m = list != NULL ? list->child : NULL;
        for (; m != NULL && n < COUNT_OF(edits); m = m->next) {
            struct prop *value = NULL;
            bool unset = kinds[i].op == FRONTMATTER_UNSET;
            if (!unset && !prop_of_json(c->arena, m, &value, err))
                return false;
            edits[n++] = (struct frontmatter_edit){
                .op = kinds[i].op, .key = unset ? m->text : m->key, .value = value};
        }
    }
    return ops_open(d, json_get_str(j, STR("path")), &f, err) &&
           frontmatter_edit(c->arena, f.text, edits, n, &r, err) &&
           draft_write(d, f.path, r.text, DRAFT_EDIT, err);
}

static bool batch_move(struct cli *c, struct draft *d, const struct json *j,
                       struct err *err)
{
    struct ops_report r;
    return ops_rename(d, json_get_str(j, STR("from")), json_get_str(j, STR("to")), true,
                      &r, err);
}

static bool batch_delete(struct cli *c, struct draft *d, const struct json *j,
                         struct err *err)
{
    struct ops_delete how = {.recursive = json_get_true(j, STR("recursive")),
                             .unlink = json_get_true(j, STR("unlink")),
                             .forever = json_get_true(j, STR("forever"))};
    struct ops_report r;
    return ops_delete(d, json_get_str(j, STR("path")), &how, &r, err);
}

static const struct {
    const char *name;
    bool (*add)(struct cli *c, struct draft *d, const struct json *j, struct err *err);
} steps[] = {
    {"write", batch_write},   {"edit", batch_edit},
    {"insert", batch_insert}, {"frontmatter", batch_frontmatter},
    {"move", batch_move},     {"delete", batch_delete},
};

static bool add_step(struct cli *c, struct draft *d, str line, struct err *err)
{
    const struct json *j;
    if (!json_parse(c->arena, line, &j, err))
        return false;
    str name = json_get_str(j, STR("op"));
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        if (str_eq(name, str_c(steps[i].name)))
            return steps[i].add(c, d, j, err);
    return err_set(err, ERR_INVALID,
                   "op must be one of write, edit, insert, frontmatter, move, delete");
}

static bool cli_batch_steps(struct cli *c, const void *options, struct draft *d,
                            struct changed *out, struct err *err)
{
    str text = c->text, line;
    out->parts = CHANGED_FILES;
    for (size_t number = 1; text.n > 0 && str_next(&text, '\n', &line); number++) {
        if (number > BATCH_LINES_MAX)
            return err_set(err, ERR_LIMIT, "a batch can have at most %d lines",
                           BATCH_LINES_MAX);
        if (str_trim_line(line).n > 0 && !add_step(c, d, line, err))
            return err_reword(err, "line %zu: %s; nothing was done", number, err->msg);
    }
    return true;
}

static bool cli_batch_run(struct cli *c, const void *options, struct err *err)
{
    return cli_run_text(c, 0, options, err);
}

const struct cli_verb cli_batch = {
    .name = "batch",
    .arguments = "",
    .about = "Make changes from JSON lines on stdin: all of them as one change, or none",
    .help =
        "  {\"op\":\"write\",\"path\":\"A.md\",\"content\":\"# A\",\"create\":true}\n"
        "  {\"op\":\"edit\",\"path\":\"B.md\",\"old_text\":\"x\",\"new_text\":\"y\"}\n"
        "  {\"op\":\"insert\",\"path\":\"C.md\",\"content\":\"- "
        "z\",\"section\":\"Log\"}\n"
        "  {\"op\":\"frontmatter\",\"path\":\"A.md\",\"set\":{\"status\":\"done\"}}\n"
        "  {\"op\":\"move\",\"from\":\"D.md\",\"to\":\"Archive/\"}\n"
        "  {\"op\":\"delete\",\"path\":\"E.md\"}\n",
    .options = table,
    .options_size = sizeof(struct options),
    .changes = true,
    .run = cli_batch_run,
    .steps = cli_batch_steps,
};
