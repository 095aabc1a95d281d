/* A new name for a tag and all its nested tags. */
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/ask/find.h"
#include "vault/change/rename_parts.h"
#include "vault/eval/uses.h"
#include "vault/forms/canvas.h"
#include "vault/index/file.h"
#include "vault/index/tags.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"

struct rename_tag_job {
    struct planner *planner;
    str folded;            /* the old name */
    size_t depth;          /* slashes in it */
    str name;              /* the new one */
    struct splices **done; /* by file: what was rewritten in it; or NULL */
};

/* Length of the old name at the start of a tag, up to its end or a '/'; 0 if none. */
static size_t matches(const struct rename_tag_job *j, str tag)
{
    size_t end = 0, slashes = 0;
    while (end < tag.n && (tag.p[end] != '/' || slashes++ < j->depth))
        end++;
    struct arena scratch = {0};
    bool same = str_eq(utf8_fold(&scratch, str_slice(tag, 0, end)), j->folded);
    arena_release(&scratch);
    return same ? end : 0;
}

/* Whether a text property is a tag at all. */
static bool is_one_word(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == ',')
            return false;
    return true;
}

/* --- in a file --- */

static void rename_in_body(const struct rename_tag_job *j, struct rename_visit *v)
{
    const struct note *n = &v->file->note;
    for (uint32_t i = 0; i < n->n_tags; i++) {
        struct span tag = n->tags[i].name;
        size_t end = matches(j, span_of(n->text, tag));
        if (end == 0)
            continue;
        rename_splice_add(&v->splices, tag.start, tag.start + end, j->name);
        v->links++;
    }
}

static void rename_in_value(const struct rename_tag_job *j, struct rename_visit *v,
                            const struct prop *p)
{
    const struct file *f = v->file;
    size_t hash = str_starts(p->text, STR("#"));
    bool valid = p->type == PROP_TEXT && is_one_word(p->text);
    size_t end = valid ? matches(j, str_skip(p->text, hash)) : 0;
    if (end == 0)
        return;
    struct splices s = {.arena = v->arena};
    rename_splice_add(&s, hash, hash + end, j->name);
    struct span raw = {f->note.frontmatter.start + p->start,
                       f->note.frontmatter.start + p->end};
    str text;
    if (!quote_yaml(v->arena, span_of(f->text, raw), p->text,
                    rename_splice_apply(&s, p->text), &text))
        return;
    rename_splice_add(&v->splices, raw.start, raw.end, text);
    v->links++;
}

static void rename_in_properties(const struct rename_tag_job *j, struct rename_visit *v)
{
    struct frontmatter fm = {.props = (struct prop *)v->file->props};
    const struct prop *tags = frontmatter_get(&fm, STR("tags"));
    if (tags == NULL)
        return;
    if (tags->type != PROP_LIST)
        rename_in_value(j, v, tags);
    for (const struct prop *p = tags->child; tags->type == PROP_LIST && p; p = p->next)
        rename_in_value(j, v, p);
}

/* In a base a tag may begin with '#' or not. */
static bool rename_in_base(void *arg, enum use_kind kind, str value, str *out)
{
    const struct rename_tag_job *j = arg;
    size_t hash = str_starts(value, STR("#"));
    size_t end = kind == USE_TAG ? matches(j, str_skip(value, hash)) : 0;
    if (end == 0)
        return false;
    *out = arena_printf(j->planner->arena, "%s" STR_FMT STR_FMT, hash > 0 ? "#" : "",
                        STR_ARG(j->name), STR_ARG(str_skip(value, hash + end)));
    return true;
}

/* --- in a canvas --- */

static void rename_in_card(const struct rename_tag_job *j, struct rename_visit *v,
                           const struct canvas_text *t)
{
    struct splices s = {.arena = v->arena};
    struct note n;
    note_scan(v->arena, t->value, &n);
    for (uint32_t i = 0; i < n.n_tags; i++) {
        struct span tag = n.tags[i].name;
        size_t end = matches(j, span_of(n.text, tag));
        if (end > 0)
            rename_splice_add(&s, tag.start, tag.start + end, j->name);
    }
    if (s.n == 0)
        return;
    size_t start = (size_t)(t->raw.p - v->file->text.p);
    v->links += s.n;
    rename_splice_add(&v->splices, start, start + t->raw.n,
                      quote_json(v->arena, t->raw, &s));
}

static void rename_in_canvas(const struct rename_tag_job *j, struct rename_visit *v)
{
    struct canvas_text *texts;
    struct err ignored; /* a broken canvas has no texts */
    size_t n = 0;
    if (v->file->kind == FILE_CANVAS && !v->file->unread &&
        !canvas_texts(v->arena, v->file->text, &texts, &n, &ignored))
        n = 0;
    for (size_t i = 0; i < n; i++)
        rename_in_card(j, v, &texts[i]);
}

/* Whether the file may have it in places where tags are not indexed. */
static bool may_name_tag(const struct file *f)
{
    return f->has_queries || (f->kind == FILE_CANVAS && !f->unread &&
                              str_find_char(f->text, '#') != STR_NONE);
}

static void rename_in(struct rename_tag_job *j, const struct file *f)
{
    struct arena *a = j->planner->arena;
    struct rename_visit v = {.arena = a, .file = f, .splices = {.arena = a}};
    rename_in_properties(j, &v);
    rename_in_body(j, &v);
    rename_visit_bases(&v, rename_in_base, j);
    rename_visit_queries(&v, j->planner->index->names, rename_in_base, j);
    rename_in_canvas(j, &v);
    planner_add(j->planner, &v, f->path);
    if (v.splices.n > 0) {
        j->done[f->id] = ARENA_NEW(a, struct splices);
        *j->done[f->id] = v.splices;
    }
}

/* --- what is left --- */

static bool is_of_tag(char c)
{
    return is_alnum(c) || (unsigned char)c >= 0x80 || c == '_' || c == '-' || c == '/';
}

/* Whether text has the tag at byte `at`, a '#', as people write tags: not in an address or
 * after the name of a note. */
static bool is_written(const struct rename_tag_job *j, str text, size_t at)
{
    char before = at > 0 ? text.p[at - 1] : ' ';
    if ((unsigned char)before > ' ' && before != '`' && before != '%' && before != '(' &&
        before != ',')
        return false;
    str rest = str_skip(text, at + 1);
    size_t end = 0;
    while (end < rest.n && is_of_tag(rest.p[end]))
        end++;
    return matches(j, str_slice(rest, 0, end)) > 0;
}

/* Whether the tag at that byte was rewritten, in a base or query. */
static bool is_done(const struct rename_tag_job *j, const struct file *f, size_t at)
{
    const struct splices *s = j->done[f->id];
    for (size_t i = 0; s != NULL && i < s->n; i++)
        if (s->items[i].start <= at && at < s->items[i].end)
            return true;
    return false;
}

/* Count the places in f that look like the tag and are not one: in code or comments. */
static size_t count_left(const struct rename_tag_job *j, const struct file *f)
{
    const struct note *n = &f->note;
    size_t left = 0, at = n->frontmatter.end;
    for (uint32_t next = 0; at < f->text.n; at++) {
        const char *hash = memchr(f->text.p + at, '#', f->text.n - at);
        if (hash == NULL)
            break;
        at = (size_t)(hash - f->text.p);
        while (next < n->n_tags && n->tags[next].name.start <= at)
            next++;
        bool tag = next < n->n_tags && n->tags[next].name.start == at + 1;
        left += !tag && !is_done(j, f, at + 1) && is_written(j, f->text, at);
    }
    return left;
}

static void warn_left(struct rename_tag_job *j)
{
    enum { NAMED = 5 };
    struct planner *p = j->planner;
    struct sbuf names = SBUF_ON(p->arena);
    size_t left = 0, files = 0;
    for (file_id id = 0; id < p->index->n && !p->stopped; id++) {
        const struct file *f = index_file(p->index, id);
        size_t n = f != NULL && f->kind == FILE_NOTE ? count_left(j, f) : 0;
        if (n > 0 && files++ < NAMED)
            sbuf_printf(&names, "%s'" STR_FMT "'", names.n > 0 ? ", " : "",
                        STR_ARG(utf8_cut(f->path, 60)));
        left += n;
        p->stopped = stop_now(p->stop);
    }
    if (left > 0)
        planner_warn(p, "left in code or comments: %zu, in " STR_FMT "%s", left,
                     STR_ARG(sbuf_str(&names)), files > NAMED ? " and others" : "");
}

/* Other tags that begin with the old name, which people may have meant, too. */
static void warn_similar(struct rename_tag_job *j)
{
    enum { NAMED = 5 };
    struct planner *p = j->planner;
    const struct tags *tags = p->index->tags;
    struct arena scratch = {0};
    struct sbuf names = SBUF_ON(p->arena);
    size_t found = 0;
    for (size_t i = 0; i < tags_count(tags); i++) {
        str name = tags_at(tags, i).name;
        arena_reset(&scratch);
        str folded = utf8_fold(&scratch, name);
        if (!str_starts(folded, j->folded) || matches(j, name) > 0)
            continue;
        if (found++ < NAMED)
            sbuf_printf(&names, "%s#" STR_FMT, names.n > 0 ? ", " : "", STR_ARG(name));
    }
    arena_release(&scratch);
    if (found > 0)
        planner_warn(p, "left, as another tag: " STR_FMT "%s", STR_ARG(sbuf_str(&names)),
                     found > NAMED ? " and others" : "");
}

static bool rename_tag_has_tag(const struct rename_tag_job *j, const struct file *f)
{
    for (size_t i = 0; i < f->tags.n; i++)
        if (matches(j, f->tags.items[i]) > 0)
            return true;
    return false;
}

/* --- in the vault --- */

static str rename_tag_without_hash(str tag)
{
    return str_starts(tag, STR("#")) ? str_skip(tag, 1) : tag;
}

/* Whether "#name" is read as that tag. */
static bool rename_tag_is_tag(struct arena *a, str name)
{
    struct note n;
    struct sbuf text = SBUF_ON(a);
    sbuf_char(&text, '#');
    sbuf_add(&text, name);
    note_scan(a, sbuf_str(&text), &n);
    return n.n_tags == 1 && str_eq(span_of(n.text, n.tags[0].name), name);
}

static void warn_merge(struct rename_tag_job *j)
{
    struct tag there;
    if (str_eq(utf8_fold(j->planner->arena, j->name), j->folded) ||
        !tags_find(j->planner->index->tags, j->name, &there))
        return;
    planner_warn(j->planner,
                 "the tag '" STR_FMT "' already exists (notes: %zu): the two are merged",
                 STR_ARG(there.name), there.all);
}

bool rename_tag(const struct index *x, struct arena *a, str tag, str new_tag,
                const struct stop *stop, struct rename_plan *out, struct err *err)
{
    struct planner p = planner_on(x, a, stop);
    tag = rename_tag_without_hash(tag);
    new_tag = rename_tag_without_hash(new_tag);
    struct rename_tag_job j = {
        .planner = &p, .folded = utf8_fold(a, tag), .name = arena_str(a, new_tag)};
    j.done = ARENA_ARRAY(a, struct splices *, x->n);
    for (size_t i = 0; i < tag.n; i++)
        j.depth += tag.p[i] == '/';
    if (!rename_tag_is_tag(a, j.name))
        return err_set(err, ERR_INVALID,
                       "'" STR_FMT "' is not a tag: use only letters, digits, '_', '-' "
                       "and '/', and at least one non-digit",
                       STR_ARG(utf8_cut(new_tag, 80)));
    warn_merge(&j);
    size_t found = 0;
    for (file_id id = 0; id < x->n; id++) {
        const struct file *f = index_file(x, id);
        bool tagged = f != NULL && rename_tag_has_tag(&j, f);
        if (!tagged && (f == NULL || !may_name_tag(f)))
            continue;
        if ((p.stopped = stop_now(stop)))
            break;
        rename_in(&j, f);
        found += tagged;
    }
    if (found == 0 && !p.stopped)
        return find_no_tag(x, a, tag, err);
    if (!p.stopped) {
        warn_left(&j);
        warn_similar(&j);
    }
    return planner_done(&p, out, err);
}
