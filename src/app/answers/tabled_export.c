/* A table as a file: for spreadsheets, for notes, for scripts. */
#include "app/answers/tabled_parts.h"
#include "base/sbuf.h"

/* --- CSV (RFC 4180) --- */

void tabled_csv_field(struct sbuf *out, str text, bool first)
{
    bool quote = false;
    if (!first)
        sbuf_char(out, ',');
    for (size_t i = 0; i < text.n && !quote; i++)
        quote = text.p[i] == '\0' || strchr(",\"\r\n", text.p[i]) != NULL;
    if (!quote) {
        sbuf_add(out, text);
        return;
    }
    sbuf_char(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"')
            sbuf_char(out, '"');
        sbuf_char(out, text.p[i]);
    }
    sbuf_char(out, '"');
}

static void export_csv(struct sbuf *out, const struct tabled *t)
{
    tabled_csv_field(out, STR("path"), true);
    for (size_t k = 0; k < t->table.n_columns; k++)
        tabled_csv_field(out, t->table.columns[k].name, false);
    sbuf_char(out, '\n');
    for (size_t i = 0; i < t->n; i++) {
        tabled_csv_field(out, t->rows[i].row.file->path, true);
        for (size_t k = 0; k < t->table.n_columns; k++)
            tabled_csv_field(out, tabled_cell(t->arena, &t->rows[i].cells[k]), false);
        sbuf_char(out, '\n');
    }
}

/* --- Markdown --- */

/* The columns of the view; a link to the file comes first. */
static void markdown_head(struct sbuf *out, const struct tabled *t)
{
    sbuf_add(out, STR("| file |"));
    for (size_t k = 0; k < t->table.n_columns; k++)
        if (!tabled_in_path(t, k))
            sbuf_cell(out, t->table.columns[k].name);
    sbuf_add(out, STR("\n| --- |"));
    for (size_t k = 0; k < t->table.n_columns; k++)
        sbuf_add(out, tabled_in_path(t, k) ? STR("") : STR(" --- |"));
    sbuf_char(out, '\n');
}

str tabled_markdown_link(struct arena *a, str path)
{
    str target = str_ends(path, STR(".md")) ? str_slice(path, 0, path.n - 3) : path;
    return arena_printf(a, "[[" STR_FMT "]]", STR_ARG(target));
}

static void export_markdown(struct sbuf *out, const struct tabled *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct plan_group *g = tabled_group_at(t, i);
        str key = g != NULL ? tabled_cell(t->arena, &g->key) : STR("");
        if (g != NULL)
            sbuf_printf(out, "%s### " STR_FMT "\n\n", i > 0 ? "\n" : "",
                        STR_ARG(key.n > 0 ? key : STR("None")));
        if (g != NULL || i == 0)
            markdown_head(out, t);
        sbuf_add(out, STR("|"));
        sbuf_cell(out, tabled_markdown_link(t->arena, t->rows[i].row.file->path));
        for (size_t k = 0; k < t->table.n_columns; k++)
            if (!tabled_in_path(t, k))
                sbuf_cell(out, tabled_cell(t->arena, &t->rows[i].cells[k]));
        sbuf_char(out, '\n');
    }
}

/* --- paths --- */

static void export_paths(struct sbuf *out, const struct tabled *t)
{
    for (size_t i = 0; i < t->n; i++)
        sbuf_printf(out, STR_FMT "\n", STR_ARG(t->rows[i].row.file->path));
}

str tabled_export(const struct tabled *t, enum tabled_form form)
{
    static void (*const forms[])(struct sbuf * out, const struct tabled *t) = {
        [TABLED_CSV] = export_csv,
        [TABLED_MARKDOWN] = export_markdown,
        [TABLED_PATHS] = export_paths,
    };
    struct sbuf out = SBUF_ON(t->arena);
    forms[form](&out, t);
    return sbuf_str(&out);
}
