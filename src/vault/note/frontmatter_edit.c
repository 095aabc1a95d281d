#include "vault/note/frontmatter_edit.h"

#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/frontmatter_splice.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"
#include "vault/note/readback.h"

enum { FIRST_LINE = 2, KEY_SHOWN = 60 };

/* The block between two edits. Each edit makes the next block in the other arena. */
struct edit_work {
    struct arena arenas[2];
    int turn; /* the arena that holds now and block */
    str eol;
    str block;
    struct frontmatter now;
    struct err *err;
};

static str frontmatter_edit_shown(str key)
{
    return utf8_cut(key, KEY_SHOWN);
}

/* --- the value a property should have --- */

static bool is_tags(str key)
{
    return str_eq_nocase(key, STR("tags"));
}

static str frontmatter_edit_without_hash(str tag)
{
    return str_starts(tag, STR("#")) ? str_skip(tag, 1) : tag;
}

static bool same_item(bool tags, const struct prop *a, const struct prop *b)
{
    if (tags && a->type == PROP_TEXT && b->type == PROP_TEXT)
        return prop_same_name(frontmatter_edit_without_hash(a->text),
                              frontmatter_edit_without_hash(b->text));
    return prop_same(a, b);
}

/* The items of a list, or the single value; none if it is empty. */
static struct prop *frontmatter_edit_items_of(struct arena *a, const struct prop *p)
{
    if (prop_is_empty(p))
        return NULL;
    return p->type == PROP_LIST ? p->child : prop_copy(a, p);
}

static bool has_item(const struct prop *items, bool tags, const struct prop *item)
{
    for (; items != NULL; items = items->next)
        if (same_item(tags, items, item))
            return true;
    return false;
}

/* The list with the new items added; NULL if it has all of them. */
static const struct prop *added(struct arena *a, const struct prop *now,
                                const struct frontmatter_edit *e)
{
    bool tags = is_tags(e->key);
    struct prop *first = NULL, **link = &first;
    for (const struct prop *x = frontmatter_edit_items_of(a, now); x != NULL;
         x = x->next) {
        *link = prop_copy(a, x);
        link = &(*link)->next;
    }
    struct prop **added = link;
    for (const struct prop *x = frontmatter_edit_items_of(a, e->value); x != NULL;
         x = x->next) {
        if (has_item(first, tags, x))
            continue;
        *link = prop_copy(a, x);
        if (tags && x->type == PROP_TEXT)
            (*link)->text = frontmatter_edit_without_hash(x->text);
        link = &(*link)->next;
    }
    return *added != NULL ? prop_of_items(a, first) : NULL;
}

/* The list without the items; NULL if it has none of them. */
static const struct prop *taken(struct arena *a, const struct prop *now,
                                const struct frontmatter_edit *e)
{
    bool tags = is_tags(e->key), any = false;
    const struct prop *gone = frontmatter_edit_items_of(a, e->value);
    struct prop *first = NULL, **link = &first;
    for (const struct prop *x = frontmatter_edit_items_of(a, now); x != NULL;
         x = x->next) {
        if (has_item(gone, tags, x)) {
            any = true;
            continue;
        }
        *link = prop_copy(a, x);
        link = &(*link)->next;
    }
    return any ? prop_of_items(a, first) : NULL;
}

/* The value that member should have; *out is NULL if it has it already. */
static bool wanted(struct edit_work *w, const struct frontmatter_edit *e,
                   const struct prop *member, const struct prop **out)
{
    struct arena *a = &w->arenas[w->turn];
    *out = e->value;
    if (e->op != FRONTMATTER_SET) {
        if (member != NULL && member->type == PROP_MAP)
            return err_set(w->err, ERR_INVALID, "'" STR_FMT "' is not a list",
                           STR_ARG(frontmatter_edit_shown(e->key)));
        if (e->value->type == PROP_LIST && e->value->n > FRONTMATTER_ITEMS_MAX)
            return err_set(w->err, ERR_LIMIT, "more than %d items",
                           FRONTMATTER_ITEMS_MAX);
        *out = e->op == FRONTMATTER_ADD ? added(a, member, e) : taken(a, member, e);
    }
    if (*out != NULL && member != NULL && prop_same(*out, member))
        *out = NULL;
    return true;
}

/* --- one edit --- */

/* One edit, resolved for one member; member is NULL if it is new. */
struct edit_step {
    enum frontmatter_op op; /* SET, UNSET or RENAME */
    const struct prop *member;
    str key; /* after the edit */
    const struct prop *value;
};

/* Whether the properties differ exactly as the step says. */
static bool frontmatter_edit_is_right(const struct prop *before, const struct prop *after,
                                      const struct edit_step *step)
{
    const struct prop *y = after->child;
    for (const struct prop *x = before->child; x != NULL; x = x->next) {
        bool target = x == step->member;
        if (target && step->op == FRONTMATTER_UNSET)
            continue;
        const struct prop *value =
            target && step->op == FRONTMATTER_SET ? step->value : x;
        if (y == NULL || !str_eq(y->key, target ? step->key : x->key) ||
            !prop_same(y, value))
            return false;
        y = y->next;
    }
    if (step->member != NULL)
        return y == NULL;
    return y != NULL && y->next == NULL && str_eq(y->key, step->key) &&
           prop_same(y, step->value);
}

static bool frontmatter_edit_refuse(struct edit_work *w, const struct edit_step *step,
                                    const struct err *why)
{
    const struct prop *m = step->member;
    str key = frontmatter_edit_shown(m != NULL ? m->key : step->key);
    if (why->code == ERR_LIMIT)
        return err_set(w->err, ERR_LIMIT, "the properties would exceed a limit: %s",
                       why->msg);
    if (m != NULL &&
        str_find_char(str_slice(w->block, m->key_start, m->end), '&') != STR_NONE)
        return err_set(w->err, ERR_INVALID,
                       "line %u: '" STR_FMT "' is repeated elsewhere by an alias (*)",
                       m->line, STR_ARG(key));
    return err_set(w->err, ERR_INTERNAL,
                   "'" STR_FMT "' could not be edited without changing something else; "
                   "nothing was changed",
                   STR_ARG(key));
}

/* Continue with block if it is right. */
static bool accept(struct edit_work *w, const struct edit_step *step, str block)
{
    struct arena *a = &w->arenas[!w->turn];
    struct frontmatter next;
    frontmatter_read(a, block, FIRST_LINE, &next);
    if (next.broken || !frontmatter_edit_is_right(w->now.props, next.props, step))
        return frontmatter_edit_refuse(w, step, &next.why);
    w->block = block;
    w->now = next;
    w->turn = !w->turn;
    return true;
}

static bool frontmatter_edit_run(struct edit_work *w, const struct edit_step *step)
{
    struct arena *a = &w->arenas[!w->turn];
    arena_reset(a);
    struct splice s = {
        .arena = a, .block = w->block, .root = w->now.props, .eol = w->eol};
    str block;
    bool ok = true;
    if (step->member == NULL)
        block = splice_append(&s, step->key, step->value);
    else if (step->op == FRONTMATTER_UNSET)
        block = splice_drop(&s, step->member);
    else if (step->op == FRONTMATTER_RENAME)
        ok = splice_rename(&s, step->member, step->key, &block);
    else
        ok = splice_put(&s, step->member, step->value, &block);
    if (!ok)
        return err_set(
            w->err, ERR_INVALID,
            "line %u: the key '" STR_FMT "' is written in a way that cannot be "
            "edited here; write 'key: value'",
            step->member->line, STR_ARG(frontmatter_edit_shown(step->member->key)));
    return accept(w, step, block);
}

static bool frontmatter_edit_check_name(struct edit_work *w, str key)
{
    if (key.n > PROP_KEY_MAX)
        return err_set(w->err, ERR_LIMIT, "a property's name is longer than %d bytes",
                       PROP_KEY_MAX);
    bool ok = key.n > 0 && utf8_valid(key);
    for (size_t i = 0; i < key.n; i++)
        ok = ok && (uint8_t)key.p[i] >= ' ' && key.p[i] != 0x7F;
    if (!ok)
        return err_set(w->err, ERR_INVALID,
                       "a property's name must be text on one line, and not empty");
    return true;
}

static bool rename_one(struct edit_work *w, const struct frontmatter_edit *e,
                       const struct prop *member)
{
    if (!frontmatter_edit_check_name(w, e->to))
        return false;
    if (member == NULL)
        return err_set(w->err, ERR_NOT_FOUND, "no such property '" STR_FMT "'",
                       STR_ARG(frontmatter_edit_shown(e->key)));
    const struct prop *there = frontmatter_get(&w->now, e->to);
    if (there != NULL && there != member)
        return err_set(w->err, ERR_EXISTS, "the property '" STR_FMT "' exists already",
                       STR_ARG(frontmatter_edit_shown(there->key)));
    if (str_eq(member->key, e->to))
        return true;
    return frontmatter_edit_run(
        w, &(struct edit_step){FRONTMATTER_RENAME, member, e->to, NULL});
}

static bool edit_one(struct edit_work *w, const struct frontmatter_edit *e)
{
    const struct prop *member = frontmatter_get(&w->now, e->key), *value;
    if (!frontmatter_edit_check_name(w, e->key))
        return false;
    if (e->op == FRONTMATTER_RENAME)
        return rename_one(w, e, member);
    if (e->op == FRONTMATTER_UNSET)
        return member == NULL ||
               frontmatter_edit_run(
                   w, &(struct edit_step){e->op, member, member->key, NULL});
    if (!wanted(w, e, member, &value))
        return false;
    str key = member != NULL ? member->key : e->key;
    return value == NULL ||
           frontmatter_edit_run(w,
                                &(struct edit_step){FRONTMATTER_SET, member, key, value});
}

/* --- the note around it --- */

static bool read_block(struct edit_work *w, const struct note *note)
{
    str block = span_of(note->text, note->frontmatter);
    str lines = str_skip(note->text, note->bom);
    w->block = block;
    w->eol = text_line_ending(block.n > 0 ? block : lines);
    frontmatter_read(&w->arenas[0], block, FIRST_LINE, &w->now);
    if (w->now.broken)
        return err_caused(w->err, &w->now.why, E_BROKEN_FRONTMATTER, "%s",
                          w->now.why.msg);
    if (note->has_frontmatter &&
        !str_ends(str_slice(note->text, 0, note->frontmatter.end), STR("\n")))
        return err_named(
            w->err, E_BROKEN_FRONTMATTER,
            "line %d, column 1: lines of properties must end with LF or CRLF, "
            "not with CR alone",
            FIRST_LINE);
    return true;
}

/* Whether the block has no properties and no comments. */
static bool is_void(const struct edit_work *w)
{
    return w->now.props->n == 0 && str_find_char(w->block, '#') == STR_NONE;
}

/* gone: without the block. */
static str put_together(struct arena *a, const struct edit_work *w,
                        const struct note *note, bool gone)
{
    struct sbuf out = SBUF_ON(a);
    str text = note->text;
    size_t start = note->has_frontmatter && !gone ? note->frontmatter.start : note->bom;
    size_t rest = note->has_frontmatter && !gone ? note->frontmatter.end : note->body;
    sbuf_room(&out, text.n + w->block.n + 16);
    sbuf_add(&out, str_slice(text, 0, start));
    if (!note->has_frontmatter)
        sbuf_printf(&out, "---" STR_FMT, STR_ARG(w->eol));
    if (!gone)
        sbuf_add(&out, w->block);
    if (!note->has_frontmatter)
        sbuf_printf(&out, "---" STR_FMT, STR_ARG(w->eol));
    sbuf_add(&out, str_skip(text, rest));
    return sbuf_str(&out);
}

/* Scan the new text: its properties are the block, and the body is what it was. */
static bool reads_back(const struct edit_work *w, const struct note *note, str text,
                       bool gone)
{
    struct arena scratch = {0};
    struct note is;
    note_scan(&scratch, text, &is);
    struct edit_range cut = {note->bom, note->body}, put = {is.bom, is.body};
    struct readback r = {.was = note, .is = &is, .cut = &cut, .put = &put, .n = 1};
    bool same = is.has_frontmatter == !gone &&
                (gone || str_eq(span_of(text, is.frontmatter), w->block)) &&
                str_eq(str_skip(text, is.body), str_skip(note->text, note->body)) &&
                readback_problem(&scratch, &r, "", "").n == 0;
    arena_release(&scratch);
    return same;
}

/* The new note. An empty block stays if the text below it would be read as properties. */
static bool finish(struct arena *a, const struct edit_work *w, const struct note *note,
                   str *out)
{
    bool gone = is_void(w);
    *out = put_together(a, w, note, gone);
    if (reads_back(w, note, *out, gone))
        return true;
    *out = put_together(a, w, note, false);
    return (gone && reads_back(w, note, *out, false)) ||
           err_named(w->err, E_INVALID_CONTENT,
                     "the properties could not be edited without changing the text below "
                     "them; nothing was changed");
}

/* The lines that changed: all but the equal lines at the start and at the end. */
static void find_lines(str old, struct frontmatter_edited *out)
{
    str result = out->text;
    size_t most = old.n < result.n ? old.n : result.n, start = 0, tail = 0;
    while (start < most && old.p[start] == result.p[start])
        start++;
    start = text_line_start(result, start);
    while (tail < most - start &&
           old.p[old.n - 1 - tail] == result.p[result.n - 1 - tail])
        tail++;
    size_t end = result.n - tail;
    if (end > start && !text_begins_line(result, end))
        end = text_next_line(result, end);
    size_t last = end > start ? end - 1 : start;
    out->line_start = 1 + (uint32_t)text_count_ends(result, 0, start);
    out->line_end = 1 + (uint32_t)text_count_ends(result, 0, last);
}

static void add_change(struct frontmatter_edited *out, const struct frontmatter *before,
                       const struct frontmatter *after, str key)
{
    const struct prop *x = frontmatter_get(before, key), *y = frontmatter_get(after, key);
    if ((x == NULL && y == NULL) ||
        (x != NULL && y != NULL && str_eq(x->key, y->key) && prop_same(x, y)))
        return;
    for (size_t i = 0; i < out->n_changes; i++)
        if (out->changes[i].before == x && out->changes[i].after == y)
            return;
    out->changes[out->n_changes++] = (struct frontmatter_change){
        .key = y != NULL ? y->key : x->key, .before = x, .after = y};
}

static bool frontmatter_edit_report(struct arena *a, const struct note *note,
                                    const struct edit_work *w,
                                    const struct frontmatter_edit *edits, size_t n,
                                    struct frontmatter_edited *out)
{
    struct frontmatter before, after;
    str block = span_of(note->text, note->frontmatter);
    *out = (struct frontmatter_edited){.text = note->text};
    if (str_eq(block, w->block))
        return true;
    if (!finish(a, w, note, &out->text))
        return false;
    frontmatter_read(a, block, FIRST_LINE, &before);
    frontmatter_read(a, arena_str(a, w->block), FIRST_LINE, &after);
    out->changes = ARENA_ARRAY(a, struct frontmatter_change, 2 * n);
    for (size_t i = 0; i < n; i++) {
        add_change(out, &before, &after, edits[i].key);
        if (edits[i].op == FRONTMATTER_RENAME)
            add_change(out, &before, &after, edits[i].to);
    }
    find_lines(note->text, out);
    return true;
}

bool frontmatter_edit(struct arena *a, str text, const struct frontmatter_edit *edits,
                      size_t n, struct frontmatter_edited *out, struct err *err)
{
    if (n > FRONTMATTER_EDITS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d edits", FRONTMATTER_EDITS_MAX);
    struct arena scratch = {0};
    struct note note;
    struct edit_work w = {.err = err};
    note_scan(&scratch, text, &note);
    bool ok = read_block(&w, &note);
    for (size_t i = 0; ok && i < n; i++)
        ok = edit_one(&w, &edits[i]);
    ok = ok && frontmatter_edit_report(a, &note, &w, edits, n, out);
    arena_release(&w.arenas[0]);
    arena_release(&w.arenas[1]);
    arena_release(&scratch);
    return ok;
}
