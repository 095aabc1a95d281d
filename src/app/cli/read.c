#include "app/answers/read.h"
#include "app/answers/reading.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "base/path.h"
#include "pdf/pdf_cache.h"
#include "vault/forms/canvas_map.h"
#include "vault/index/file.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    str section, block;
    int64_t from, lines;
    bool outline;
};

static const struct option table[] = {
    OPTION(
        struct options, section, OPTION_STR, "section", NULL, NULL, "HEADING",
        "Only the section below that heading, as in a link: \"A\" or \"A#B\"; of a PDF "
        "pages: \"page=3\""),
    OPTION(struct options, block, OPTION_STR, "block", NULL, NULL, "ID",
           "Only the block with that id"),
    OPTION(struct options, from, OPTION_INT, "from", NULL, "1", "LINE", "First line",
           .min = 1, .max = INT32_MAX),
    OPTION(struct options, lines, OPTION_INT, "lines", NULL, "0", "COUNT",
           "How many lines; 0: all", .min = 0, .max = INT32_MAX, .letter = 'n'),
    CLI_SWITCH(struct options, outline, "outline",
               "Only the headings, or the nodes and edges of a canvas"),
    CLI_COMMON,
};

static bool asks_one_thing(const struct options *o, struct err *err)
{
    bool lines = o->from != 1 || o->lines != 0;
    int asked = (o->section.n > 0) + (o->block.n > 0) + o->outline + lines;
    return asked <= 1 ||
           err_set(
               err, ERR_INVALID,
               "give only one of --section, --block, --outline, and --from or --lines");
}

/* The text of a file, or of a PDF. */
static bool cli_read_load(struct cli *c, struct reading *r, struct err *err)
{
    struct pdf_how how = {0};
    struct pdf pdf;
    str bytes;
    if (c->pdf == NULL || file_kind_of(r->path) != FILE_PDF)
        return reading_load(r, c->vault, c->arena, err);
    if (!vault_bytes(c->vault, c->arena, r->path, PDF_FILE_MAX, &bytes, err) ||
        !pdf_cache_read(c->pdf, c->arena, bytes, &how, &pdf, err))
        return false;
    r->text = r->bytes = pdf.text;
    r->pages = (struct reading_pages){pdf.pages, 1, pdf.title, pdf.cut};
    return true;
}

/* On a terminal, a canvas is shown as its nodes and edges unless lines are asked for. */
static bool is_shown_as_outline(struct cli *c, const struct options *o,
                                const struct read_file *f)
{
    struct canvas_map map;
    struct err broken;
    return o->from == 1 && o->lines == 0 &&
           str_eq_nocase(path_extension(f->text.path), STR("canvas")) &&
           canvas_map_read(c->arena, f->text.text, &map, &broken);
}

static bool cli_read_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct reading_request request = {.section = o->section,
                                      .block = o->block,
                                      .first = (size_t)o->from,
                                      .limit = (size_t)o->lines};
    struct read_file read = {.view = o->outline ? READ_OUTLINE : READ_TEXT,
                             .arena = c->arena};
    const struct file *f;
    if (!asks_one_thing(o, err) || !cli_find(c, c->words.items[0], &f, err))
        return false;
    read.text.path = arena_str(c->arena, f->path);
    cli_unlock(c); /* the note may have to be read from disk */
    if (!cli_read_load(c, &read.text, err))
        return false;
    bool piped = !c->json && c->out.width == 0;
    if (piped && !o->outline) /* byte for byte */
        read.text.text = read.text.bytes;
    if (!piped && !c->json && is_shown_as_outline(c, o, &read))
        read.view = READ_OUTLINE;
    request.no_drawing = !piped && !c->json && o->lines == 0;
    if (!piped)
        reading_draw(&read.text, c->arena);
    return reading_cut(&read.text, c->arena, &request, err) &&
           cli_answer(c, &read_shape, &read);
}

const struct cli_verb cli_read = {
    .name = "read",
    .arguments = "NOTE",
    .about = "Print a note or a PDF, or a section, block or page of it",
    .help = "NOTE is a path, with or without .md, or a name as in a link.\n\n"
            "  vaultd read Plan\n"
            "  vaultd read Projects/Plan.md --section \"Next steps\"\n"
            "  vaultd read Plan --block goal      the block that ends with ^goal\n"
            "  vaultd read Plan --from 10 -n 5    lines 10 to 14\n"
            "  vaultd read plan.pdf --section page=3-5\n"
            "  vaultd read Map.canvas             its nodes and edges; in a pipe, the "
            "file\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 1,
    .run = cli_read_run,
};
