/*
 * Any edit of any properties is refused, or does exactly what it should: it reads back,
 * and the bytes of all other members and of the body are unchanged.
 *
 * Input: the operation, the member, the kind of value; the properties; after an RS byte
 * the text of the value.
 */
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"

enum { HEAD = 3 };

static const str body = STR("# Body\n\n---\na: b\n---\n");

struct block {
    str text;
    struct frontmatter f;
};

static void read_note(struct arena *a, str text, struct block *out)
{
    struct note note;
    note_scan(a, text, &note);
    if (!str_eq(str_skip(text, note.body), body))
        BUG("the body has changed");
    out->text = span_of(text, note.frontmatter);
    frontmatter_read(a, out->text, 2, &out->f);
}

static const struct prop *nth(const struct prop *map, size_t n)
{
    const struct prop *m = map->child;
    while (m != NULL && n-- > 0)
        m = m->next;
    return m;
}

static const struct prop *make_value(struct arena *a, uint8_t kind, str text)
{
    static const char *const values[] = {
        "null",
        "true",
        "-1.5e3",
        "[]",
        "{}",
        "[\"a\",\"b\",null,[1,[]],{\"c\":\"d: e\"}]",
        "{\"a\":{\"b\":[\"c\\nd\"]},\"e\":null}",
        "[\"#x\",\"y\"]",
    };
    const struct json *j;
    struct prop *p;
    struct err err = {0};
    if (kind % 16 >= COUNT_OF(values)) {
        p = prop_of_text(a, utf8_valid(text) ? text : STR("1"));
        return kind % 2 == 0 ? p : prop_of_items(a, p);
    }
    if (!json_parse(a, str_c(values[kind % 16]), &j, &err) ||
        !prop_of_json(a, j, &p, &err))
        BUG("%s", err.msg);
    return p;
}

static str bytes_of(const struct block *b, const struct prop *m)
{
    return str_slice(b->text, m->key_start, m->end);
}

static void check_others(const struct block *before, const struct block *after,
                         const struct frontmatter_edit *e)
{
    const struct prop *target = frontmatter_get(&before->f, e->key);
    const struct prop *y = after->f.props->child;
    for (const struct prop *x = before->f.props->child; x != NULL; x = x->next) {
        if (x == target) {
            y = e->op == FRONTMATTER_UNSET ? y : y->next;
            continue;
        }
        str is = str_trim_line(bytes_of(after, y));
        if (!str_eq(str_trim_line(bytes_of(before, x)), is))
            BUG("'" STR_FMT "' was touched: " STR_FMT, STR_ARG(x->key), STR_ARG(is));
        y = y->next;
    }
}

static void check_target(const struct block *before, const struct block *after,
                         const struct frontmatter_edit *e)
{
    const struct prop *was = frontmatter_get(&before->f, e->key);
    const struct prop *is = frontmatter_get(&after->f, e->key);
    bool ok = true;
    if (e->op == FRONTMATTER_SET)
        ok = is != NULL && prop_same(is, e->value);
    else if (e->op == FRONTMATTER_UNSET)
        ok = is == NULL || is->key_start != was->key_start;
    else if (e->op == FRONTMATTER_RENAME)
        ok = prop_same(frontmatter_get(&after->f, e->to), was);
    if (!ok)
        BUG("'" STR_FMT "' is not as it should be", STR_ARG(e->key));
}

static void check(struct arena *a, const struct block *before, str note,
                  const struct frontmatter_edit *e)
{
    struct frontmatter_edited out, again;
    struct err err = {0};
    struct block after;
    if (!frontmatter_edit(a, note, e, 1, &out, &err)) {
        if (err.code == ERR_NONE || err.msg[0] == '\0')
            BUG("no reason");
        return;
    }
    read_note(a, out.text, &after);
    if (after.f.broken || before->f.broken)
        BUG("edited what is broken: %s", after.f.why.msg);
    check_others(before, &after, e);
    check_target(before, &after, e);
    if (e->op != FRONTMATTER_RENAME &&
        (!frontmatter_edit(a, out.text, e, 1, &again, &err) || again.n_changes > 0) &&
        e->op != FRONTMATTER_UNSET)
        BUG("the same edit again is not a no-op");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    struct arena a = {0};
    struct sbuf note = SBUF_ON(&a);
    str rest = {(const char *)data + HEAD, size - HEAD}, props;
    (void)str_next(&rest, '\x1e', &props);
    sbuf_add(&note, STR("---\n"));
    sbuf_add(&note, props);
    sbuf_add(&note, STR("\n---\n"));
    sbuf_add(&note, body);
    struct note scanned;
    note_scan(&a, sbuf_str(&note), &scanned);
    struct block before;
    if (str_eq(str_skip(sbuf_str(&note), scanned.body), body)) {
        read_note(&a, sbuf_str(&note), &before);
        const struct prop *m = before.f.broken ? NULL : nth(before.f.props, data[1] % 16);
        check(&a, &before, sbuf_str(&note),
              &(struct frontmatter_edit){
                  .op = (enum frontmatter_op)(data[0] % 5),
                  .key = m != NULL ? m->key : STR("new key"),
                  .value = make_value(&a, data[2], rest),
                  .to = data[2] % 2 == 0 ? STR("renamed: x") : STR("renamed"),
              });
    }
    arena_release(&a);
    return 0;
}
