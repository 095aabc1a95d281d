#include "app/web/note_page.h"

#include "app/setup/vaults.h"
#include "app/tools/chatgpt.h"
#include "app/web/frame.h"
#include "app/web/note_html.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "http/form.h"
#include "http/request.h"
#include "http/response.h"
#include "oauth/html.h"
#include "oauth/page.h"
#include "oauth/pages.h"
#include "vault/ask/find.h"
#include "vault/ask/related.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"
#include "vault/text/media.h"
#include "vault/text/visible.h"
#include "vault/vault.h"

struct note_page {
    struct frame f;
    struct vault *v;
    struct html *h;
    struct note_html to;
    str path;
    str text; /* of the note, at most NOTE_PAGE_TEXT bytes */
    bool cut;
    struct note note;
    const struct index *x; /* while it is held */
};

/* --- the text --- */

/* A link in the text of a property: [[Note#Part|label]]. */
static void put_property_link(struct note_page *p, str inside)
{
    struct names_answer answer;
    str path = inside, label = inside, bar;
    size_t at = str_find_char(inside, '|');
    if (at != STR_NONE) {
        path = str_slice(inside, 0, at);
        label = str_skip(inside, at + 1);
    }
    bar = path;
    size_t hash = str_find_char(path, '#');
    if (hash != STR_NONE)
        bar = str_slice(path, 0, hash);
    names_resolve(p->x->names, NULL, str_trim(bar), p->path, NO_FILE, &answer);
    const struct file *f = answer.file != NO_FILE ? index_file(p->x, answer.file) : NULL;
    if (f != NULL)
        html_open(p->h, "a", {"class", STR("inside")},
                  {"href", note_html_address(&p->to, f->path)});
    else
        html_open(p->h, "span", {"class", STR("missing")},
                  {"title", STR("not written yet")});
    html_text(p->h, label);
    html_end(p->h);
}

static void put_property_text(struct note_page *p, str text)
{
    bool web = str_starts(text, STR("https://")) || str_starts(text, STR("http://"));
    if (web && str_find_char(text, ' ') == STR_NONE) {
        html_open(p->h, "a", {"class", STR("outside")}, {"href", text},
                  {"rel", STR("noreferrer noopener nofollow")});
        html_text(p->h, text);
        html_end(p->h);
        return;
    }
    for (size_t links = 0; links < NOTE_PAGE_LINKS; links++) {
        size_t from = str_find(text, STR("[["));
        size_t to =
            from == STR_NONE ? STR_NONE : str_find(str_skip(text, from), STR("]]"));
        if (to == STR_NONE)
            break;
        html_text(p->h, str_slice(text, 0, from));
        put_property_link(p, str_slice(text, from + 2, from + to));
        text = str_skip(text, from + to + 2);
    }
    html_text(p->h, text);
}

static bool holds_tags(str key)
{
    return str_eq_nocase(key, STR("tags")) || str_eq_nocase(key, STR("tag"));
}

/* One value: a tag is a search for it, a yes or no a box. */
static void put_scalar(struct note_page *p, const struct prop *value, bool is_tag)
{
    str tag = value->text;
    if (value->n > 0) {
        html_text(p->h, STR("…"));
    } else if (value->type == PROP_BOOL) {
        html_void(p->h, "input", {"type", STR("checkbox")}, {"disabled"},
                  {value->flag ? "checked" : NULL},
                  {"aria-label", value->flag ? STR("yes") : STR("no")});
        html_text(p->h, STR(" "));
        html_line(p->h, "bdi", NULL, value->text);
    } else if (is_tag && tag.n > 0) {
        tag = str_skip(tag, str_starts(tag, STR("#")));
        html_open(p->h, "a", {"class", STR("tag")},
                  {"href",
                   arena_printf(p->f.a, STR_FMT STR_FMT, STR_ARG(p->f.site.base),
                                STR_ARG(frame_path(
                                    &p->f, STR("/search"),
                                    arena_printf(p->f.a, "?q=tag:%%23" STR_FMT,
                                                 STR_ARG(form_encode(p->f.a, tag))))))});
        html_text(p->h, value->text);
        html_end(p->h);
    } else {
        html_open(p->h, "bdi");
        put_property_text(p, value->text);
        html_end(p->h);
    }
}

static void put_value(struct note_page *p, str key, const struct prop *value)
{
    if (value->type != PROP_LIST && value->type != PROP_MAP) {
        put_scalar(p, value, holds_tags(key));
        return;
    }
    size_t n = 0;
    const struct prop *item = value->child;
    for (; item != NULL && n < NOTE_PAGE_VALUES; item = item->next) {
        html_text(p->h, n++ > 0 ? STR(", ") : STR(""));
        if (item->key.n > 0 && value->type == PROP_MAP)
            html_text(p->h, arena_printf(p->f.a, STR_FMT ": ", STR_ARG(item->key)));
        put_scalar(p, item, holds_tags(key));
    }
    if (item != NULL)
        html_text(p->h, arena_printf(p->f.a, " and %zu more", (size_t)value->n - n));
}

static void note_page_put_properties(struct note_page *p)
{
    struct frontmatter matter;
    str block = span_of(p->text, p->note.frontmatter);
    if (block.n == 0)
        return;
    frontmatter_read(p->f.a, block, 2, &matter);
    if (matter.broken) {
        html_line(
            p->h, "p", "warning",
            arena_printf(p->f.a, "The properties cannot be read: %s.", matter.why.msg));
        return;
    }
    if (matter.props == NULL || matter.props->child == NULL)
        return;
    size_t n = 0;
    html_open(p->h, "dl", {"class", STR("facts properties")});
    for (const struct prop *m = matter.props->child;
         m != NULL && n < NOTE_PAGE_PROPERTIES; m = m->next, n++) {
        html_open(p->h, "div");
        html_line(p->h, "dt", NULL, m->key);
        html_open(p->h, "dd");
        put_value(p, m->key, m);
        html_end(p->h);
        html_end(p->h);
    }
    html_end(p->h);
}

static void note_page_put_text(struct note_page *p)
{
    html_open(p->h, "article", {"class", STR("note")});
    note_page_put_properties(p);
    note_html_put(&p->to, p->path, &p->note);
    html_end(p->h);
    if (p->cut || p->to.cut)
        html_line(p->h, "p", "warning",
                  STR("The note is too long for this page: the rest is not shown."));
}

/* --- beside it --- */

/* The line that a byte is in, as far as it is near. */
static str line_around(str text, size_t at)
{
    size_t from = at, to = at;
    while (from > 0 && text.p[from - 1] != '\n' && at - from < NOTE_PAGE_CONTEXT / 2)
        from--;
    while (to < text.n && text.p[to] != '\n' && to - from < NOTE_PAGE_CONTEXT)
        to++;
    while (from < to && ((unsigned char)text.p[from] & 0xc0) == 0x80)
        from++; /* no part of a character */
    return str_trim_line(utf8_cut(str_slice(text, from, text.n), to - from));
}

/* Without the brackets of links, and the mark of a list or quote. */
static str plain_line(struct arena *a, str line)
{
    struct sbuf out = SBUF_ON(a);
    size_t i = 0;
    while (i < line.n && strchr("-*+># \t", line.p[i]) != NULL && line.p[i] != '\0')
        i++;
    for (; i < line.n; i++) {
        bool pair = i + 1 < line.n && line.p[i] == line.p[i + 1];
        if (pair && (line.p[i] == '[' || line.p[i] == ']' || line.p[i] == '*'))
            i++;
        else
            sbuf_char(&out, line.p[i]);
    }
    return sbuf_str(&out);
}

static void put_outline(struct note_page *p)
{
    size_t n = p->note.n_headings;
    if (n < 2)
        return;
    html_open(p->h, "nav", {"class", STR("outlined")}, {"aria-label", STR("Outline")});
    html_line(p->h, "h2", NULL, STR("Outline"));
    html_open(p->h, "ul", {"class", STR("outline")});
    for (size_t i = 0; i < n && i < NOTE_PAGE_HEADINGS; i++) {
        const struct note_heading *heading = &p->note.headings[i];
        html_open(p->h, "li", {"class", arena_printf(p->f.a, "l%u", heading->level)});
        html_open(p->h, "a",
                  {"href", arena_printf(p->f.a, "#" STR_FMT,
                                        STR_ARG(note_html_heading_id(p->f.a, i)))});
        html_text(p->h, span_of(p->text, heading->title));
        html_end(p->h);
        html_end(p->h);
    }
    html_end(p->h);
    html_end(p->h);
}

static void put_file_link(struct note_page *p, str path, str more)
{
    html_open(p->h, "li");
    html_open(p->h, "a", {"href", note_html_address(&p->to, path)}, {"title", path});
    html_text(p->h, file_title(path));
    html_end(p->h);
    if (more.n > 0)
        html_line(p->h, "small", "soft", more);
    html_end(p->h);
}

/* The line of a note in which it links to this one, without markup of the line; empty: none of
 * the first ones does. */
static str link_context(struct note_page *p, const struct file *from, file_id to)
{
    const struct note *n = &from->note;
    for (uint32_t i = 0; i < n->n_links && i < NOTE_PAGE_CONTEXT_LINKS; i++) {
        const struct note_link *l = &n->links[i];
        struct names_answer answer;
        str path = span_of(n->text, l->path);
        if (l->external || path.n == 0)
            continue;
        if (l->kind != NOTE_WIKILINK)
            path = file_decoded(p->f.a, path);
        names_resolve(p->x->names, NULL, path, from->path, from->id, &answer);
        if (answer.file != to || l->whole.start < n->body)
            continue;
        str line = line_around(n->text, l->whole.start);
        if (str_find(line, STR("%%")) == STR_NONE) /* a comment is not shown */
            return line;
    }
    return STR("");
}

static void put_backlink(struct note_page *p, const struct graph_edge *edge, file_id to)
{
    const struct file *from = index_find(p->x, edge->path);
    str line =
        from != NULL && from->kind == FILE_NOTE ? link_context(p, from, to) : STR("");
    html_open(p->h, "li");
    html_open(p->h, "a", {"href", note_html_address(&p->to, edge->path)},
              {"title", edge->path});
    html_text(p->h, file_title(edge->path));
    html_end(p->h);
    if (line.n > 0) {
        html_open(p->h, "span", {"class", STR("context")}, {"dir", STR("auto")});
        html_text(p->h, visible_text(p->f.a, plain_line(p->f.a, line)));
        html_end(p->h);
    }
    html_end(p->h);
}

static void put_backlinks(struct note_page *p, const struct file *f)
{
    struct graph_edge *edges;
    size_t n = graph_backlinks(p->x->graph, p->f.a, f->id, &edges);
    html_line(p->h, "h2", NULL,
              n == 0   ? STR("No links to it")
              : n == 1 ? STR("1 note links to it")
                       : arena_printf(p->f.a, "%zu notes link to it", n));
    if (n == 0)
        return;
    html_open(p->h, "ul", {"class", STR("links-in")});
    for (size_t i = 0; i < n && i < NOTE_PAGE_LINKS; i++)
        put_backlink(p, &edges[i], f->id);
    html_end(p->h);
    if (n > NOTE_PAGE_LINKS)
        html_line(p->h, "p", "soft small",
                  arena_printf(p->f.a, "and %zu more", n - NOTE_PAGE_LINKS));
}

static void put_related(struct note_page *p, const struct file *f)
{
    struct related_notes related = {0};
    struct err ignored; /* it is only a suggestion */
    if (!related_find(p->x, vault_meaning(p->v), p->f.a, f, false, NULL, &related,
                      &ignored) ||
        related.n == 0)
        return;
    html_line(p->h, "h2", NULL, STR("Related"));
    html_open(p->h, "ul", {"class", STR("links-in")});
    for (size_t i = 0; i < related.n && i < NOTE_PAGE_RELATED; i++)
        put_file_link(p, related.items[i].file->path, STR(""));
    html_end(p->h);
}

/* Where else it is: its changes, the map, Obsidian. */
static void put_elsewhere(struct note_page *p)
{
    const struct frame *f = &p->f;
    str name = form_encode(f->a, p->path);
    html_open(p->h, "p", {"class", STR("links small")});
    page_link(p->h, &f->site, NULL,
              frame_path(f, STR("/changes"),
                         arena_printf(f->a, "?note=" STR_FMT, STR_ARG(name))),
              STR("History"));
    page_link(p->h, &f->site, NULL,
              frame_path(f, STR("/graph"),
                         arena_printf(f->a, "?path=" STR_FMT "&depth=1", STR_ARG(name))),
              STR("Map"));
    html_open(p->h, "a", {"href", chatgpt_url(f->a, f->served, p->path)});
    html_text(p->h, STR("Open in Obsidian"));
    html_end(p->h);
    html_end(p->h);
}

static void put_aside(struct note_page *p)
{
    const struct file *f = index_find(p->x, p->path);
    html_open(p->h, "aside", {"aria-label", STR("About this note")});
    if (f != NULL) {
        put_backlinks(p, f);
        put_related(p, f);
    }
    html_end(p->h);
}

static void note_page_put_title(struct note_page *p, int64_t modified)
{
    size_t slash = str_find_last(p->path, '/');
    if (slash != STR_NONE)
        html_line(p->h, "p", "soft small folder", str_slice(p->path, 0, slash));
    html_line(p->h, "h1", NULL, file_title(p->path));
    if (p->f.use.seen.stale)
        page_alert(p->h, STR(RYW_STALE));
    html_open(p->h, "p", {"class", STR("soft small")});
    html_text(p->h, STR("Changed "));
    page_time(p->h, modified);
    html_end(p->h);
    put_elsewhere(p);
}

/* --- finding and reading it --- */

/* The path after the page's own; false if it is not one. */
static bool path_after(const struct frame *f, const char *prefix, str *out)
{
    return decode_percent(f->a, str_skip(f->asked->request->path, strlen(prefix)), out) &&
           out->n > 0 && utf8_valid(*out);
}

static const struct index *note_page_hold(struct note_page *p, struct err *err)
{
    if (!vault_wait(p->v, NULL, NULL, err) || !vault_prepare(p->v, err))
        return NULL;
    return p->x = p->to.x = vault_lock(p->v);
}

/* A path, or a name as in a link; *kind is that of the file. */
static bool note_page_find(struct note_page *p, str word, enum file_kind *kind,
                           struct fs_info *info, struct err *err)
{
    const struct file *f;
    const struct index *x = note_page_hold(p, err);
    if (x == NULL)
        return false;
    bool ok = find_file(x, p->f.a, word, &f, err);
    if (ok) {
        p->path = arena_str(p->f.a, f->path);
        *kind = f->kind;
        *info = f->info;
    }
    vault_unlock(p->v);
    return ok;
}

/* From the disk if it has changed: the gate of the vault decides. */
static bool note_page_read(struct note_page *p, struct err *err)
{
    struct vault_text text;
    if (!vault_read(p->v, p->f.a, p->path, 1, 0, &text, err))
        return false;
    p->text = utf8_cut(text.content, NOTE_PAGE_TEXT);
    p->cut = p->text.n < text.content.n;
    note_scan(p->f.a, p->text, &p->note);
    return true;
}

static void note_page_redirect(const struct note_page *p, str to,
                               struct http_response *out)
{
    out->status = 302;
    http_add_header(out, STR("Location"), to);
    page_add_headers(p->f.a, out);
}

static void note_page_fail(struct note_page *p, const struct err *err,
                           struct http_response *out)
{
    bool missing =
        err->code == ERR_NOT_FOUND || err->code == ERR_DENIED || err->code == ERR_INVALID;
    frame_refuse(&p->f, missing ? 404 : 503, STR("This note cannot be shown"),
                 arena_printf(p->f.a, "%s.", err->msg), out);
}

static void note_page_show(struct note_page *p, const struct fs_info *info,
                           struct http_response *out)
{
    struct err err = {0};
    if (note_page_hold(p, &err) == NULL) {
        note_page_fail(p, &err, out);
        return;
    }
    struct html h = page_begin(p->f.a, &p->f.site, file_title(p->path), PAGE_FULL);
    p->h = p->to.h = &h;
    html_open(p->h, "div", {"class", STR("heading")});
    note_page_put_title(p, info->mtime);
    html_end(p->h);
    html_open(p->h, "div", {"class", STR("reader")});
    html_open(p->h, "div");
    note_page_put_text(p);
    html_end(p->h);
    put_outline(p);
    put_aside(p);
    html_end(p->h);
    vault_unlock(p->v);
    page_answer(p->f.a, 200, page_end(&h), out);
}

/* Programs get the text as it is. */
static void note_page_send(const struct note_page *p, struct http_response *out)
{
    out->status = 200;
    out->content_type = STR("text/markdown; charset=utf-8");
    out->body = p->text;
    page_add_headers(p->f.a, out);
}

static void note_page_open(struct note_page *p, str word, struct http_response *out)
{
    struct err err = {0};
    struct fs_info info;
    enum file_kind kind;
    p->v = frame_vault(&p->f);
    if (!note_page_find(p, word, &kind, &info, &err))
        note_page_fail(p, &err, out);
    else if (kind != FILE_NOTE || !str_eq(p->path, word))
        note_page_redirect(p, note_html_address(&p->to, p->path), out);
    else if (!note_page_read(p, &err))
        note_page_fail(p, &err, out);
    else if (http_wants_html(p->f.asked->request))
        note_page_show(p, &info, out);
    else
        note_page_send(p, out);
}

/* False: answered. The vault is open then. */
static bool note_page_begin(struct note_page *p, struct app *app, struct arena *a,
                            const struct oauth_asked *asked, const char *prefix,
                            str *path, struct form *query, struct http_response *out)
{
    struct err err = {0};
    if (!frame_init(&p->f, app, a, asked, query) || p->f.served == NULL ||
        !path_after(&p->f, prefix, path)) {
        frame_refuse(&p->f, 404, STR("Page not found"), STR("Check the address."), out);
        return false;
    }
    frame_offer_vaults(&p->f, "/search");
    p->to = (struct note_html){
        .a = a, .site = &p->f.site, .query = frame_path(&p->f, STR(""), STR(""))};
    if (frame_open(&p->f, &err))
        return true;
    note_page_fail(p, &err, out);
    return false;
}

void note_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                      struct http_response *out)
{
    struct note_page p = {0};
    struct form query = {0};
    str word;
    if (!note_page_begin(&p, app, a, asked, NOTE_PATH, &word, &query, out))
        return;
    note_page_open(&p, word, out);
    frame_close(&p.f);
}

/* --- files --- */

/* Only pictures are shown by the browser, where nothing in them can run or load. */
static void file_page_send(const struct note_page *p, str bytes,
                           struct http_response *out)
{
    str type = media_type(p->path);
    bool picture = media_is(type, STR("image"));
    out->status = 200;
    out->content_type = picture ? type : STR(MEDIA_UNKNOWN);
    out->body = bytes;
    http_add_header(out, STR("Cache-Control"), STR("private, no-cache"));
    http_add_header(out, STR("Content-Security-Policy"),
                    STR("default-src 'none'; style-src 'unsafe-inline'; sandbox"));
    http_add_header(out, STR("Cross-Origin-Resource-Policy"), STR("same-origin"));
    http_add_header(out, STR("Referrer-Policy"), STR("same-origin"));
    if (!picture)
        http_add_header(out, STR("Content-Disposition"), STR("attachment"));
}

void file_page_answer(void *app, struct arena *a, const struct oauth_asked *asked,
                      struct http_response *out)
{
    struct note_page p = {0};
    struct form query = {0};
    struct err err = {0};
    struct fs_info info;
    enum file_kind kind;
    str word, bytes;
    if (!note_page_begin(&p, app, a, asked, FILE_PATH, &word, &query, out))
        return;
    p.v = frame_vault(&p.f);
    if (note_page_find(&p, word, &kind, &info, &err) &&
        vault_bytes(p.v, a, p.path, NOTE_PAGE_FILE, &bytes, &err))
        file_page_send(&p, bytes, out);
    else
        note_page_fail(&p, &err, out);
    frame_close(&p.f);
}
