#include "app/answers/put.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "vault/note/note.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    str section, block;
    int64_t from, lines;
    bool outline;
};

static const struct option table[] = {
    OPTION(struct options, section, OPTION_STR, "section", NULL, NULL, "HEADING",
           "Only the section below that heading, as in a link: \"A\" or \"A#B\""),
    OPTION(struct options, block, OPTION_STR, "block", NULL, NULL, "ID",
           "Only the block with that id"),
    OPTION(struct options, from, OPTION_INT, "from", NULL, "1", "LINE", "First line",
           .min = 1, .max = INT32_MAX),
    OPTION(struct options, lines, OPTION_INT, "lines", NULL, "0", "COUNT",
           "How many lines; 0: all", .min = 0, .max = INT32_MAX, .letter = 'n'),
    OPTION(struct options, outline, OPTION_SWITCH, "outline", NULL, NULL, NULL,
           "Only the headings"),
    CLI_COMMON,
};

static void cli_read_put_text(struct cli *c, str path, str text, size_t first)
{
    struct cli_json json;
    if (!c->json) {
        if (c->out.width > 0)
            term_text(&c->out, text);
        else
            sbuf_add(&c->out.out, text); /* into a pipe: byte for byte */
        return;
    }
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_str(w, STR("path"), path);
    jsonw_put_int(w, STR("line"), (int64_t)first);
    jsonw_put_str(w, STR("content"), text);
    jsonw_end(w);
    cli_json_print(c, &json);
}

static void put_outline(struct cli *c, const struct file *f)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_str(w, STR("path"), f->path);
    jsonw_put_array(w, STR("headings"));
    for (uint32_t i = 0; i < f->note.n_headings; i++) {
        const struct note_heading *h = &f->note.headings[i];
        str title = span_of(f->text, h->title);
        put_heading(w, f->text, h);
        if (c->json)
            continue;
        term_right(&c->out, TERM_LINE, arena_printf(c->arena, "%u", h->line), 5);
        term_printf(&c->out, TERM_PLAIN, "%*s", 2 * h->level, "");
        term_put(&c->out, TERM_STRONG, title);
        term_put(&c->out, TERM_PLAIN, STR("\n"));
    }
    jsonw_end(w);
    jsonw_end(w);
    if (c->json)
        cli_json_print(c, &json);
}

static bool read_section(struct cli *c, const struct file *f, str heading,
                         struct err *err)
{
    str subpath = arena_printf(c->arena, "#" STR_FMT, STR_ARG(heading));
    const struct note_heading *h = note_find_heading(&f->note, subpath);
    if (h == NULL)
        return err_set(err, ERR_NOT_FOUND,
                       "'" STR_FMT "' has no heading '" STR_FMT "'; --outline lists them",
                       STR_ARG(f->path), STR_ARG(heading));
    cli_read_put_text(c, f->path, span_of(f->text, h->section), h->line);
    return true;
}

static bool read_block(struct cli *c, const struct file *f, str id, struct err *err)
{
    const struct note_block *b = note_find_block(&f->note, id);
    if (b == NULL)
        return err_set(err, ERR_NOT_FOUND, "'" STR_FMT "' has no block '" STR_FMT "'",
                       STR_ARG(f->path), STR_ARG(id));
    cli_read_put_text(c, f->path, span_of(f->text, b->body), b->line_start);
    if (!c->json)
        term_put(&c->out, TERM_PLAIN, STR("\n"));
    return true;
}

/* What the index does not keep is read from disk, for which it must not be held. */
static bool read_lines(struct cli *c, const struct file *f, const struct options *o,
                       struct vault_text *out, struct err *err)
{
    size_t first = (size_t)o->from, limit = (size_t)o->lines;
    if (!f->unread)
        return vault_cut(f->path, f->text, first, limit, out, err);
    str path = arena_str(c->arena, f->path);
    cli_let_go(c);
    return vault_read(c->vault, c->arena, path, first, limit, out, err);
}

static bool asks_one_thing(const struct options *o, struct err *err)
{
    bool lines = o->from != 1 || o->lines != 0;
    int asked = (o->section.n > 0) + (o->block.n > 0) + o->outline + lines;
    return asked <= 1 ||
           err_set(err, ERR_INVALID,
                   "a section, a block, the outline or some lines: ask for one of them");
}

static bool cli_read_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    const struct file *f;
    struct vault_text text;
    if (!asks_one_thing(o, err))
        return false;
    if (!cli_find(c, c->words.items[0], &f, err))
        return false;
    if (o->section.n > 0)
        return read_section(c, f, o->section, err);
    if (o->block.n > 0)
        return read_block(c, f, o->block, err);
    if (o->outline) {
        put_outline(c, f);
        return true;
    }
    if (!read_lines(c, f, o, &text, err))
        return false;
    cli_read_put_text(c, text.path, text.content, text.first);
    return true;
}

const struct cli_verb cli_read = {
    .name = "read",
    .arguments = "NOTE",
    .about = "Print a note, a section or a block of it",
    .help = "NOTE is a path, with or without .md, or a name as in a link.\n\n"
            "  vaultd read Plan\n"
            "  vaultd read Projects/Plan.md --section \"Next steps\"\n"
            "  vaultd read Plan --block goal      the block that ends with ^goal\n"
            "  vaultd read Plan --from 10 -n 5    lines 10 to 14\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 1,
    .run = cli_read_run,
};
