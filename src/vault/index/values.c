/*
 * A table from the hash of a name and a value to the notes. Only hashes are kept: if two
 * are equal, an answer has too many notes, which is allowed.
 */
#include "vault/index/values.h"

#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/inline.h"
#include "vault/index/derived.h"
#include "vault/index/ids.h"

struct values_entry {
    uint64_t key; /* 0: free */
    struct ids notes;
};

struct values {
    struct derived derived;
    struct values_entry *entries;
    size_t n, mask;       /* n: in use, also those whose notes are gone */
    struct arena scratch; /* of the writer */
};

enum values_entry_kind { HAVING, IN_TASKS, TEXT, NUMBER, OTHER };

static void values_clear(void *t)
{
    struct values *v = t;
    for (size_t i = 0; v->entries != NULL && i <= v->mask; i++)
        free(v->entries[i].notes.at);
    free(v->entries);
    v->entries = NULL;
    v->n = v->mask = 0;
}

static void values_release(void *t)
{
    struct values *v = t;
    arena_release(&v->scratch);
}

static size_t values_memory(const void *t)
{
    const struct values *v = t;
    size_t n = sizeof(*v);
    for (size_t i = 0; v->entries != NULL && i <= v->mask; i++)
        n += sizeof(*v->entries) + v->entries[i].notes.cap * sizeof(file_id);
    return n;
}

/* --- the table --- */

static uint64_t values_key(struct arena *a, str name, enum values_entry_kind kind,
                           str value)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, name);
    sbuf_char(&b, '\0');
    sbuf_char(&b, (char)kind);
    sbuf_add(&b, value);
    uint64_t hash = hash_table(sbuf_str(&b));
    return hash != 0 ? hash : 1;
}

/* The entry of key, or the free one for it; there are entries. */
static struct values_entry *values_slot(const struct values *v, uint64_t key)
{
    size_t at = key & v->mask;
    while (v->entries[at].key != 0 && v->entries[at].key != key)
        at = (at + 1) & v->mask;
    return &v->entries[at];
}

/* Entries without notes are left behind. */
static void values_grow(struct values *v)
{
    enum { FIRST = 256 };
    struct values_entry *old = v->entries;
    size_t n_old = old != NULL ? v->mask + 1 : 0, used = 0;
    for (size_t i = 0; i < n_old; i++)
        used += old[i].notes.n > 0;
    size_t size = FIRST;
    while (size < 4 * used)
        size = size_mul(size, 2);
    v->entries = mem_zero(size_mul(size, sizeof(*v->entries)));
    v->mask = size - 1;
    v->n = used;
    for (size_t i = 0; i < n_old; i++) {
        if (old[i].notes.n > 0)
            *values_slot(v, old[i].key) = old[i];
        else
            free(old[i].notes.at);
    }
    free(old);
}

static struct values_entry *values_take(struct values *v, uint64_t key)
{
    if (v->entries == NULL || 2 * v->n > v->mask)
        values_grow(v);
    struct values_entry *e = values_slot(v, key);
    v->n += e->key == 0;
    e->key = key;
    return e;
}

/* --- the values of a note --- */

bool values_is_plain(str text)
{
    return text.n > 0 && (is_letter(text.p[0]) || ((unsigned char)text.p[0] & 0x80) != 0);
}

/* What to do with the note of an entry: ids_add() or ids_remove(). */
typedef void values_step(struct ids *notes, file_id id);

struct values_visit {
    struct values *values;
    values_step *step;
    file_id id;
    str name; /* folded */
};

static void visit_key(const struct values_visit *t, enum values_entry_kind kind,
                      str value)
{
    uint64_t key = values_key(&t->values->scratch, t->name, kind, value);
    t->step(&values_take(t->values, key)->notes, t->id);
}

static str number_bytes(const double *number)
{
    return (str){(const char *)number, sizeof(*number)};
}

static void visit_value(const struct values_visit *t, const struct prop *p)
{
    double number = prop_real(p) + 0.0;
    switch (p->type) {
    case PROP_TEXT:
        visit_key(t, TEXT, utf8_fold(&t->values->scratch, p->text));
        if (!values_is_plain(p->text))
            visit_key(t, OTHER, (str){0});
        break;
    case PROP_BOOL:
        visit_key(t, TEXT, p->flag ? STR("true") : STR("false"));
        break;
    case PROP_INT:
    case PROP_FLOAT:
        visit_key(t, NUMBER, number_bytes(&number));
        break;
    case PROP_LIST:
        for (const struct prop *item = p->child; item != NULL; item = item->next)
            visit_value(t, item);
        break;
    case PROP_NULL:
    case PROP_MAP:
        break;
    }
}

/* A list of an inline field is one text here, so its items are "other" values. */
static void visit_inline(const struct values_visit *t, str text)
{
    if (text.n == 0)
        return;
    visit_key(t, TEXT, utf8_fold(&t->values->scratch, text));
    if (!values_is_plain(text) || str_find_char(text, ',') != STR_NONE)
        visit_key(t, OTHER, (str){0});
}

/* A member of the properties of a note, or an inline field. */
struct values_source {
    const struct prop *prop; /* or NULL */
    str text;                /* of an inline field */
    bool of_task;
};

/* One of the names of a property. */
static void visit_named(const struct values_visit *t, const struct values_source *from)
{
    visit_key(t, from->of_task ? IN_TASKS : HAVING, (str){0});
    if (from->prop != NULL)
        visit_value(t, from->prop);
    else
        visit_inline(t, from->text);
}

static void visit_property(struct values *v, values_step *step, file_id id, str key,
                           const struct values_source *from)
{
    arena_reset(&v->scratch);
    struct values_visit t = {v, step, id, utf8_fold(&v->scratch, key)};
    visit_named(&t, from);
    if (!inline_has_name(key))
        return;
    t.name = inline_name(&v->scratch, key);
    if (t.name.n > 0)
        visit_named(&t, from);
}

static void visit_note(struct values *v, const struct file *f, values_step *step)
{
    if (f->kind != FILE_NOTE || f->excluded)
        return;
    bool any = f->props != NULL && f->props->type == PROP_MAP;
    for (const struct prop *p = any ? f->props->child : NULL; p != NULL; p = p->next)
        visit_property(v, step, f->id, p->key, &(struct values_source){.prop = p});
    for (uint32_t i = 0; i < f->n_fields; i++) {
        const struct inline_field *field = &f->fields[i];
        struct values_source from = {.text = span_of(f->text, field->value),
                                     .of_task = field->of_task};
        visit_property(v, step, f->id, inline_key(f->text, field), &from);
    }
}

static void values_add(void *t, const struct file *f)
{
    visit_note(t, f, ids_add);
}

static void values_remove(void *t, const struct file *f)
{
    visit_note(t, f, ids_remove);
}

const struct derived_kind values_kind = {
    .size = sizeof(struct values),
    .add = values_add,
    .remove = values_remove,
    .clear = values_clear,
    .release = values_release,
    .memory = values_memory,
};

/* --- questions --- */

static struct ids values_find(const struct values *v, str name,
                              enum values_entry_kind kind, str value)
{
    struct arena a = {0};
    uint64_t key = values_key(&a, name, kind, value);
    arena_release(&a);
    return v->entries != NULL ? values_slot(v, key)->notes : (struct ids){0};
}

struct ids values_having(const struct values *v, str name)
{
    return values_find(v, name, HAVING, (str){0});
}

struct ids values_in_tasks(const struct values *v, str name)
{
    return values_find(v, name, IN_TASKS, (str){0});
}

struct ids values_with_text(const struct values *v, str name, str text)
{
    return values_find(v, name, TEXT, text);
}

struct ids values_with_number(const struct values *v, str name, double number)
{
    number += 0.0; /* -0 equals 0 */
    return values_find(v, name, NUMBER, number_bytes(&number));
}

struct ids values_with_other(const struct values *v, str name)
{
    return values_find(v, name, OTHER, (str){0});
}
