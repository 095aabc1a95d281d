/* Which links a move changes, and to what. */
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/change/rename_parts.h"
#include "vault/eval/uses.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"

/* The file whose links are rewritten, before and after the moves. */
struct source {
    struct planner *planner;
    struct world *world;
    file_id id;
    str was, is; /* its path */
    bool moved;
    size_t lost;      /* links that cannot be written */
    size_t converted; /* wikilinks that had to become Markdown links */
    bool odd;         /* something was written that could be markup */
    bool garbled;     /* and it was read as markup */
};

/* Whether path, with or without .md, is the relative path from the source to target. */
static bool is_relative(const struct source *s, str path, file_id target)
{
    struct arena scratch = {0};
    str to = names_path(s->world->index->names, target);
    str exact = utf8_fold(&scratch, spell_relative(&scratch, path_folder(s->was), to));
    path = utf8_fold(&scratch, path);
    bool same = str_eq(path, exact) || (str_ends(exact, STR(".md")) &&
                                        str_eq(path, str_slice(exact, 0, exact.n - 3)));
    arena_release(&scratch);
    return same;
}

/*
 * Whether to rewrite a link, and how. A link that still means the same file is left
 * alone, unless it is relative and its note moves to another folder.
 */
static bool wants_change(struct source *s, const struct rename_site *site,
                         const struct names_answer *before,
                         enum obsidian_link_format *format)
{
    struct world *w = s->world;
    str path = site->path;
    uint8_t mark = s->planner->marks[before->file];
    *format = spell_format(site, w->format);
    if (mark & MARK_MOVED)
        return true;
    if (!s->moved && !(mark & MARK_WATCHED))
        return false;
    struct names_answer after;
    world_resolve(w, path, s->is, &after);
    bool relative = !str_eq(path_folder(s->was), path_folder(s->is)) &&
                    (before->rule == NAMES_RELATIVE ||
                     (w->format == LINKS_RELATIVE && is_relative(s, path, before->file)));
    if (relative)
        *format = LINKS_RELATIVE;
    bool still = before->rule == NAMES_RELATIVE && after.rule == NAMES_RELATIVE;
    return after.file != before->file || (relative && !still);
}

/* The new display text of a link that shows the file's old name; false for others. */
static bool new_display(const struct source *s, str display, file_id target, str *out)
{
    str was = names_path(s->world->index->names, target);
    str is = world_path(s->world, target);
    if (display.n == 0 || str_eq(path_name(was), path_name(is)))
        return false;
    if (str_eq(display, file_title(was)))
        *out = file_title(is);
    else if (str_eq(display, path_name(was)))
        *out = path_name(is);
    else
        return false;
    return true;
}

/* The path for the link; if a wikilink cannot contain it, one for a Markdown link. */
static bool spell(struct source *s, const struct rename_site *site, file_id target,
                  enum obsidian_link_format format, str *out)
{
    struct world *w = s->world;
    if (site->link == NULL) {
        *out = world_path(w, target);
        return true;
    }
    bool wiki = site_is_wiki(site);
    if (!spell_path(w, target, s->is, format, !wiki, out))
        return false;

    return !wiki || spell_fits_wikilink(*out) ||
           spell_path(w, target, s->is, format, true, out);
}

/* Whether s contains more than words and harmless punctuation. */
static bool is_odd(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool word = c >= 0x80 || is_alnum(c);
        if (!word && (c == '\0' || strchr(" -_.,'()+/@", c) == NULL))
            return true;
    }
    return false;
}

static bool rewrite(void *arg, const struct rename_site *site)
{
    struct source *s = arg;
    struct names_answer before;
    enum obsidian_link_format format;
    names_resolve(s->world->index->names, NULL, site->path, s->was, s->id, &before);
    if (before.file == NO_FILE || before.rule == NAMES_SELF ||
        !wants_change(s, site, &before, &format))
        return false;
    str path, display;
    if (!spell(s, site, before.file, format, &path)) {
        s->lost++;
        return false;
    }
    size_t n = site->splices->n;
    bool renamed = new_display(s, site_display(site), before.file, &display);
    s->odd = s->odd || is_odd(path);
    s->converted += spell_into(site, s->planner->arena, path, renamed ? &display : NULL);
    bool changed = site->splices->n > n;
    if (changed && site->link != NULL)
        s->planner->plan.formats |= 1u << format;
    return changed;
}

/* Whether the new text has the same links as before, with the same meaning. */
static bool reads_back(struct source *s, const struct file *before, str text)
{
    struct arena scratch = {0}, a = {0};
    struct file *after = file_make(&scratch, s->is, &before->info, text);
    struct file_link *old, *now;
    size_t n = file_links(&a, before, &old);
    bool same = file_links(&a, after, &now) == n;
    for (size_t i = 0; same && i < n; i++) {
        struct names_answer was, is;
        names_resolve(s->world->index->names, NULL, old[i].path, s->was, s->id, &was);
        world_resolve(s->world, now[i].path, s->is, &is);
        same = was.file == NO_FILE || was.rule == NAMES_SELF || was.file == is.file;
    }
    file_free(after);
    arena_release(&scratch);
    arena_release(&a);
    return same;
}

/* --- names in bases --- */

/* The text of a link in an expression: "a", "a#b", "[[a|c]]". path is a part of it. */
static str path_in_link(str text)
{
    if (str_starts(text, STR("[[")) && str_ends(text, STR("]]")))
        text = str_slice(text, 2, text.n - 2);
    text = str_slice(text, 0, str_find_char(text, '|'));
    return str_slice(text, 0, str_find_char(text, '#'));
}

/* Whether path is that of the file, not only its name; with or without .md. */
static bool is_whole_path(str path, str file)
{
    return str_find_char(path, '/') != STR_NONE &&
           (str_eq(path, file) ||
            (str_ends(file, STR(".md")) && str_eq(path, str_slice(file, 0, file.n - 3))));
}

static bool new_link(struct source *s, str text, str *out)
{
    struct world *w = s->world;
    struct names_answer before;
    enum obsidian_link_format format;
    str path = path_in_link(text), now;
    const struct rename_site site = {.place = FILE_IN_PROPERTY, .path = path};
    if (path.n == 0 || names_is_external(path))
        return false;
    names_resolve(w->index->names, NULL, path, s->was, s->id, &before);
    if (before.file == NO_FILE || before.rule == NAMES_SELF ||
        !wants_change(s, &site, &before, &format))
        return false;
    format = is_whole_path(path, names_path(w->index->names, before.file))
                 ? LINKS_ABSOLUTE
                 : LINKS_SHORTEST;
    bool with_md = str_eq_nocase(path_extension(path), STR("md"));
    if (!spell_path(w, before.file, s->is, format, with_md, &now) || str_eq(now, path))
        return false;
    size_t at = (size_t)(path.p - text.p);
    *out = arena_printf(s->planner->arena, STR_FMT STR_FMT STR_FMT,
                        STR_ARG(str_slice(text, 0, at)), STR_ARG(now),
                        STR_ARG(str_skip(text, at + path.n)));
    return true;
}

static bool new_folder(const struct source *s, str folder, str *out)
{
    const struct planner *p = s->planner;
    if (p->folder.n == 0 ||
        !(str_eq(folder, p->folder) || path_is_below(p->folder, folder)))
        return false;
    *out = arena_printf(p->arena, STR_FMT STR_FMT, STR_ARG(p->folder_to),
                        STR_ARG(str_skip(folder, p->folder.n)));
    return true;
}

static bool new_path(const struct source *s, str path, str *out)
{
    const struct file *f = index_find(s->planner->index, path);
    if (f == NULL || !(s->planner->marks[f->id] & MARK_MOVED))
        return false;
    *out = world_path(s->world, f->id);
    return true;
}

static bool new_name(void *arg, enum use_kind kind, str value, str *out)
{
    switch (kind) {
    case USE_FOLDER:
        return new_folder(arg, value, out);
    case USE_PATH:
        return new_path(arg, value, out);
    case USE_LINK:
        return new_link(arg, value, out);
    default:
        return false;
    }
}

/* --- files --- */

static void warn(const struct source *s)
{
    str path = utf8_cut(s->is, 200);
    if (s->lost > 0)
        planner_warn(s->planner,
                     "links lost in '" STR_FMT
                     "': %zu (no link can contain the new name)",
                     STR_ARG(path), s->lost);
    if (s->garbled)
        planner_warn(s->planner,
                     "in '" STR_FMT "' the new name is read as markup, so links may be "
                     "lost",
                     STR_ARG(path));
    if (s->converted > 0)
        planner_warn(s->planner,
                     "links in '" STR_FMT "' that become [text](path): %zu (the new name "
                     "has characters that [[...]] cannot contain)",
                     STR_ARG(path), s->converted);
}

static void rewrite_file(struct planner *p, struct world *w, file_id id)
{
    struct rename_visit v = {
        .arena = p->arena,
        .file = index_file(p->index, id),
        .only = p->marks[id] & MARK_MOVED ? NULL : p,
        .splices = {.arena = p->arena},
    };
    struct source s = {
        .planner = p,
        .world = w,
        .id = id,
        .was = v.file->path,
        .is = arena_str(p->arena, world_path(w, id)),
        .moved = p->marks[id] & MARK_MOVED,
    };
    rename_visit_links(&v, rewrite, &s);
    rename_visit_bases(&v, new_name, &s);
    rename_visit_queries(&v, p->index->names, new_name, &s);
    v.odd = s.odd;
    const struct rename_rewrite *now = planner_add(p, &v, s.is);
    s.garbled = now != NULL && s.odd && (v.garbled || !reads_back(&s, v.file, now->text));
    warn(&s);
}

void rename_links(struct planner *p, struct world *w)
{
    file_id next = 0;
    for (const struct file *f; (f = planner_next(p, &next)) != NULL;)
        rewrite_file(p, w, f->id);
}
