/* How links are written. */
#include "base/path.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"

enum { PARENS_MAX = 8 }; /* nested; deeper ones are encoded */

/* --- paths --- */

str spell_relative(struct arena *a, str folder, str path)
{
    struct sbuf out = SBUF_ON(a);
    while (folder.n > 0 && !path_is_below(folder, path)) {
        sbuf_add(&out, STR("../"));
        folder = path_folder(folder);
    }
    sbuf_add(&out, str_skip(path, folder.n > 0 ? folder.n + 1 : 0));
    return sbuf_str(&out);
}

static str without_md(str path)
{
    bool note = str_eq_nocase(path_extension(path), STR("md"));
    return note ? str_slice(path, 0, path.n - 3) : path;
}

static str prefixed(struct arena *a, str prefix, str path)
{
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, prefix);
    sbuf_add(&out, path);
    return sbuf_str(&out);
}

bool spell_path(struct world *w, file_id target, str source,
                enum obsidian_link_format format, bool with_md, str *out)
{
    str full = world_path(w, target), choices[4];
    struct arena *a = w->planner->arena;
    size_t n = 0;
    if (format == LINKS_RELATIVE) {
        str relative = spell_relative(a, path_folder(source), full);
        choices[n++] = relative;
        choices[n++] = prefixed(a, STR("./"), relative);
    } else if (format == LINKS_SHORTEST && world_is_unique(w, target)) {
        choices[n++] = path_name(full);
    }
    choices[n++] = full;
    choices[n++] = prefixed(a, STR("/"), full);
    /* first all choices without .md, unless it is wanted; then all with it, because
     * "a.txt" may be found before "a.txt.md" */
    for (size_t i = with_md ? n : 0; i < 2 * n; i++) {
        struct names_answer answer;
        *out = i < n ? without_md(choices[i]) : choices[i - n];
        world_resolve(w, *out, source, &answer);
        if (answer.file == target)
            return true;
    }
    return false;
}

enum obsidian_link_format spell_format(const struct rename_site *site,
                                       enum obsidian_link_format usual)
{
    bool dots = str_starts(site->path, STR("./")) || str_starts(site->path, STR("../"));
    bool as_written = usual == LINKS_AS_WRITTEN;
    if (site->link != NULL && dots && (as_written || !site_is_wiki(site)))
        return LINKS_RELATIVE;
    if (!as_written)
        return usual;
    return str_find_char(site->path, '/') != STR_NONE ? LINKS_ABSOLUTE : LINKS_SHORTEST;
}

/* --- wikilinks --- */

bool spell_fits_wikilink(str path)
{
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] == '\0' || strchr("[]|#\\\r\n", path.p[i]) != NULL)
            return false;
    return true;
}

str spell_heading(struct arena *a, str title)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < title.n; i++) {
        char c = title.p[i];
        bool percents = c == '%' && ((i + 1 < title.n && title.p[i + 1] == '%') ||
                                     (i > 0 && title.p[i - 1] == '%'));
        bool blank = percents || c == '\0' || strchr("#|^:[]\\\r\n\t ", c) != NULL;
        if (!blank)
            sbuf_char(&out, c);
        else if (out.n > 0 && out.p[out.n - 1] != ' ')
            sbuf_char(&out, ' ');
    }
    return str_trim(sbuf_str(&out));
}

/* --- Markdown --- */

static bool has_paired_parens(str s)
{
    int open = 0;
    for (size_t i = 0; i < s.n; i++) {
        open += s.p[i] == '(';
        if (open > PARENS_MAX || (s.p[i] == ')' && open-- == 0))
            return false;
    }
    return open == 0;
}

str spell_destination(struct arena *a, str s, bool angle)
{
    /* characters that would end or split it, begin other markup, or make it a URL */
    const char *never = "<>\\%#|`:";
    bool parens = angle || has_paired_parens(s);
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool edge = i == 0 || i + 1 == s.n; /* spaces there would be trimmed */
        if (c < ' ' || c == 0x7F || strchr(never, c) != NULL ||
            (c == ' ' && (!angle || edge)) || (!parens && (c == '(' || c == ')')))
            sbuf_printf(&out, "%%%02X", c);
        else
            sbuf_char(&out, (char)c);
    }
    return sbuf_str(&out);
}

/* The text of a link, escaped so that brackets do not end it. */
static void add_label(struct sbuf *out, str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\0' && strchr("[]\\`|", s.p[i]) != NULL)
            sbuf_char(out, '\\');
        sbuf_char(out, s.p[i]);
    }
}

void spell_markdown(struct sbuf *out, str label, str path)
{
    sbuf_char(out, '[');
    add_label(out, label);
    sbuf_add(out, STR("]("));
    sbuf_add(out, spell_destination(out->arena, path, false));
    sbuf_char(out, ')');
}

/* --- into a link --- */

static void become_markdown(const struct rename_site *site, struct arena *a, str path,
                            const str *display)
{
    const struct note_link *l = site->link;
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, l->embed ? STR("![") : STR("["));
    if (l->display.end > l->display.start && display == NULL)
        sbuf_add(&out, site_display(site));
    else
        add_label(&out, display != NULL ? *display : file_title(path));
    sbuf_add(&out, STR("]("));
    sbuf_add(&out, spell_destination(a, path, false));
    if (site->subpath.n > 0) {
        sbuf_char(&out, '#');
        sbuf_add(&out, spell_destination(a, str_skip(site->subpath, 1), false));
    }
    sbuf_char(&out, ')');
    rename_splice_add(site->splices, l->whole.start, l->whole.end, sbuf_str(&out));
}

/* Whether the display can be replaced: it is not the label of a reference link. */
static bool has_own_display(const struct rename_site *site)
{
    const struct note_link *l = site->link;
    return l->kind != NOTE_REFERENCE || l->whole.end > l->display.end + 3;
}

static bool fits_display(const struct rename_site *site, str display)
{
    const char *bad = site_is_wiki(site) ? "[]|" : "[]\\`$<|";
    for (size_t i = 0; i < display.n; i++)
        if (display.p[i] == '\0' || strchr(bad, display.p[i]) != NULL)
            return false;
    return true;
}

bool spell_into(const struct rename_site *site, struct arena *a, str path,
                const str *display)
{
    const struct note_link *l = site->link;
    if (l == NULL) {
        rename_splice_add(site->splices, 0, site->text.n, path);
        return false;
    }
    if (site_is_wiki(site) && !spell_fits_wikilink(path)) {
        become_markdown(site, a, path, display);
        return true;
    }
    if (!site_is_wiki(site))
        path = spell_destination(a, path, l->angle);
    if (!str_eq(path, span_of(site->text, l->path)))
        rename_splice_add(site->splices, l->path.start, l->path.end, path);
    if (display != NULL && has_own_display(site) && fits_display(site, *display))
        rename_splice_add(site->splices, l->display.start, l->display.end, *display);
    return false;
}
