#include "vault/ask/schema.h"

#include "base/array.h"
#include "base/map.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/ask/guidance.h"
#include "vault/eval/value_date.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/values.h"
#include "vault/note/frontmatter.h"
#include "vault/note/obsidian.h"
#include "vault/note/policy.h"
#include "vault/note/prop.h"

enum { QUOTED_MAX = 80 }; /* bytes of a value in a message */

enum schema_type {
    TYPE_ANY,
    TYPE_TEXT,
    TYPE_LIST,
    TYPE_NUMBER,
    TYPE_CHECKBOX,
    TYPE_DATE,
    TYPE_DATETIME,
};

struct schema_rule {
    str key, folded;
    enum schema_type type;
    const struct prop *values; /* a list, or NULL */
    bool required;
    uint32_t line;
    const char *broken; /* why it says nothing; NULL: it does */
};

struct schema {
    str path;
    const struct prop *about; /* schema-for: a text or a list; NULL: its folder */
    struct schema_rule *rules;
    size_t n_rules;
};

/* --- reading --- */

static const struct prop *schema_member(const struct prop *map, str key)
{
    struct frontmatter fm = {.props = (struct prop *)map};
    return map != NULL ? frontmatter_get(&fm, key) : NULL;
}

bool schema_is(const struct prop *props)
{
    const struct prop *p = schema_member(props, STR(SCHEMA_PROPERTY));
    return p != NULL && p->type == PROP_MAP;
}

/* Obsidian's names of types, and those that its users know from the app. */
static bool schema_find_type(str name, enum schema_type *out)
{
    static const struct {
        const char *name;
        enum schema_type type;
    } types[] = {
        {"any", TYPE_ANY},           {"text", TYPE_TEXT},         {"list", TYPE_LIST},
        {"multitext", TYPE_LIST},    {"tags", TYPE_LIST},         {"aliases", TYPE_LIST},
        {"number", TYPE_NUMBER},     {"checkbox", TYPE_CHECKBOX}, {"date", TYPE_DATE},
        {"datetime", TYPE_DATETIME},
    };
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (str_eq_nocase(name, str_c(types[i].name))) {
            *out = types[i].type;
            return true;
        }
    return false;
}

static void schema_read_type(const struct prop *p, struct schema_rule *out)
{
    if (p->type != PROP_TEXT || !schema_find_type(p->text, &out->type))
        out->broken = "there are the types text, list, number, checkbox, date, datetime, "
                      "tags, aliases and any";
}

static void schema_read_values(const struct prop *p, struct schema_rule *out)
{
    if (p->type == PROP_LIST)
        out->values = p;
    else
        out->broken = "values is a list";
}

static void schema_read_map(const struct prop *map, struct schema_rule *out)
{
    for (const struct prop *p = map->child; p != NULL && out->broken == NULL; p = p->next)
        if (str_eq_nocase(p->key, STR("type")))
            schema_read_type(p, out);
        else if (str_eq_nocase(p->key, STR("values")))
            schema_read_values(p, out);
        else if (str_eq_nocase(p->key, STR("required")) && p->type == PROP_BOOL)
            out->required = p->flag;
        else
            out->broken = "a property has type, values, and required: true or false";
}

static struct schema_rule schema_read_rule(struct arena *a, const struct prop *p)
{
    struct schema_rule rule = {
        .key = p->key, .folded = utf8_fold(a, p->key), .line = p->line};
    switch (p->type) {
    case PROP_NULL:
        break;
    case PROP_LIST:
        rule.values = p;
        break;
    case PROP_MAP:
        schema_read_map(p, &rule);
        break;
    default:
        schema_read_type(p, &rule);
        break;
    }
    return rule;
}

static struct schema schema_read(struct arena *a, const struct file *f)
{
    const struct prop *map = schema_member(f->props, STR(SCHEMA_PROPERTY));
    struct schema s = {.path = f->path,
                       .about = schema_member(f->props, STR(SCHEMA_FOR))};
    for (const struct prop *p = map->child; p != NULL; p = p->next)
        if (s.n_rules < SCHEMA_PROPERTIES_MAX)
            *ARRAY_ADD(a, s.rules, s.n_rules) = schema_read_rule(a, p);
    return s;
}

static int schema_by_path(const void *a, const void *b)
{
    const struct schema *x = a, *y = b;
    return str_cmp(x->path, y->path);
}

void schemas_learn(const struct index *x, const struct obsidian *types, struct arena *a,
                   struct schemas *out)
{
    struct ids ids = values_having(index_values(x), STR(SCHEMA_PROPERTY));
    *out = (struct schemas){.types = types};
    for (size_t i = 0; i < ids.n; i++) {
        const struct file *f = index_file(x, ids.at[i]);
        if (f != NULL && schema_is(f->props))
            *ARRAY_ADD(a, out->items, out->n) = schema_read(a, f);
    }
    if (out->n > 1)
        sort_items(out->items, out->n, sizeof(*out->items), schema_by_path);
    out->ignored = out->n > SCHEMAS_MAX ? out->n - SCHEMAS_MAX : 0;
    out->n -= out->ignored;
}

/* --- which notes --- */

/* Also one below it: #book/novel is a #book. */
static bool schema_has_tag(const struct file *f, str tag)
{
    for (size_t i = 0; i < f->tags.n; i++) {
        str has = f->tags.items[i];
        bool nested = has.n > tag.n && has.p[tag.n] == '/';
        if (prop_same_name(nested ? str_slice(has, 0, tag.n) : has, tag))
            return true;
    }
    return false;
}

static bool schema_means(const struct prop *about, const struct file *f)
{
    str text = str_trim(about->text);
    if (about->type != PROP_TEXT || text.n == 0)
        return false;
    if (str_starts(text, STR("#")))
        return schema_has_tag(f, str_skip(text, 1));
    if (str_ends(text, STR("/")))
        text = str_slice(text, 0, text.n - 1);
    text = str_skip(text, str_starts(text, STR("/")));
    return path_is_below(text, f->path);
}

static bool schema_is_about(const struct schema *s, const struct file *f)
{
    if (s->about == NULL || prop_is_empty(s->about))
        return path_is_below(path_folder(s->path), f->path);
    if (s->about->type != PROP_LIST)
        return schema_means(s->about, f);
    for (const struct prop *p = s->about->child; p != NULL; p = p->next)
        if (schema_means(p, f))
            return true;
    return false;
}

static bool schema_is_in(str folder, const struct file *f)
{
    return folder.n > 0 && path_is_below(folder, f->path);
}

static bool schemas_leave_out(const struct schemas *s, const struct file *f)
{
    return f->kind != FILE_NOTE || f->excluded || f->unread || f->problem.n > 0 ||
           guidance_is_rule(f->path) || policy_is_rule(f->path) ||
           (s->types != NULL && (schema_is_in(obsidian_templates(s->types).folder, f) ||
                                 schema_is_in(obsidian_templater_folder(s->types), f)));
}

/* --- judging --- */

struct schema_judge {
    const struct schemas *schemas;
    struct arena *arena;
    const struct file *file;
    struct map known;          /* the names of its properties, folded */
    const struct prop **props; /* by their number */
    size_t n_props;
    struct map ruled; /* names whose type or values a schema says, folded */
    struct schema_problem *found;
    size_t n;
};

/* Of several of the same name, the first. */
static void schema_know_props(struct schema_judge *j)
{
    const struct prop *map = j->file->props;
    j->known.arena = j->ruled.arena = j->arena;
    for (const struct prop *p = map != NULL ? map->child : NULL; p != NULL; p = p->next)
        if (map_add(&j->known, utf8_fold(j->arena, p->key)) == j->n_props)
            *ARRAY_ADD(j->arena, j->props, j->n_props) = p;
}

static const char *schema_type_words(enum schema_type type)
{
    static const char *const words[] = {
        [TYPE_ANY] = "anything",
        [TYPE_TEXT] = "a text",
        [TYPE_LIST] = "a list",
        [TYPE_NUMBER] = "a number",
        [TYPE_CHECKBOX] = "a checkbox (true or false)",
        [TYPE_DATE] = "a date (2026-11-16)",
        [TYPE_DATETIME] = "a date and time (2026-11-16T10:00)",
    };
    return words[type];
}

static str schema_words(struct arena *a, const struct prop *p)
{
    str text = utf8_cut(p->text, QUOTED_MAX);
    switch (p->type) {
    case PROP_BOOL:
        return p->flag ? STR("true") : STR("false");
    case PROP_INT:
    case PROP_FLOAT:
        return arena_printf(a, "the number " STR_FMT, STR_ARG(text));
    case PROP_LIST:
        return STR("a list");
    case PROP_MAP:
        return STR("a map");
    default:
        return arena_printf(a, "the text '" STR_FMT "'", STR_ARG(text));
    }
}

static bool schema_is_date(const struct prop *p, bool timed)
{
    struct date d;
    return p->type == PROP_TEXT && date_parse(p->text, 0, &d) == p->text.n &&
           (timed || !d.timed);
}

static bool schema_is_scalar(const struct prop *p)
{
    return p->type != PROP_LIST && p->type != PROP_MAP;
}

static bool schema_fits_list(const struct prop *p)
{
    for (const struct prop *c = p->child; c != NULL; c = c->next)
        if (!schema_is_scalar(c))
            return false;
    return p->type == PROP_LIST || p->type == PROP_TEXT;
}

/* As Obsidian does: a number is shown as a text, and a text as a list of one. */
static bool schema_fits(enum schema_type type, const struct prop *p)
{
    bool number = p->type == PROP_INT || p->type == PROP_FLOAT;
    switch (type) {
    case TYPE_TEXT:
        return p->type == PROP_TEXT || number;
    case TYPE_LIST:
        return schema_fits_list(p) || number;
    case TYPE_NUMBER:
        return number;
    case TYPE_CHECKBOX:
        return p->type == PROP_BOOL;
    case TYPE_DATE:
        return schema_is_date(p, false);
    case TYPE_DATETIME:
        return schema_is_date(p, true);
    default:
        return true;
    }
}

static struct schema_problem *schema_add(struct schema_judge *j, str key,
                                         const struct prop *value)
{
    struct schema_problem *p = j->n < SCHEMA_PROBLEMS_MAX
                                   ? ARRAY_ADD(j->arena, j->found, j->n)
                                   : ARENA_NEW(j->arena, struct schema_problem);
    *p = (struct schema_problem){
        .key = key, .value = value, .line = value != NULL ? value->line : 0};
    return p;
}

static void schema_check_type(struct schema_judge *j, enum schema_type type,
                              const struct prop *p, str by)
{
    if (schema_fits(type, p))
        return;
    struct schema_problem *found = schema_add(j, p->key, p);
    found->kind = SCHEMA_WRONG_TYPE;
    found->message =
        arena_printf(j->arena, "'" STR_FMT "' is %s, but here " STR_FMT " (" STR_FMT ")",
                     STR_ARG(utf8_cut(p->key, QUOTED_MAX)), schema_type_words(type),
                     STR_ARG(schema_words(j->arena, p)), STR_ARG(by));
}

static bool schema_allows(const struct prop *values, const struct prop *p)
{
    for (const struct prop *v = values->child; v != NULL; v = v->next)
        if (prop_same(v, p))
            return true;
    return false;
}

static str schema_list_values(struct arena *a, const struct prop *values)
{
    struct sbuf b = SBUF_ON(a);
    size_t n = 0;
    for (const struct prop *v = values->child; v != NULL && n < SCHEMA_SHOWN; v = v->next)
        sbuf_printf(&b, "%s'" STR_FMT "'", n++ > 0 ? ", " : "",
                    STR_ARG(utf8_cut(v->text, QUOTED_MAX)));
    if (values->n > n)
        sbuf_printf(&b, " and %zu more", values->n - n);
    return sbuf_str(&b);
}

static void schema_check_values(struct schema_judge *j, const struct schema_rule *r,
                                const struct prop *p, str by)
{
    bool list = p->type == PROP_LIST;
    const struct prop *bad = p;
    if (list)
        for (bad = p->child; bad != NULL && schema_allows(r->values, bad);)
            bad = bad->next;
    if (bad == NULL || (!list && schema_allows(r->values, p)))
        return;
    struct schema_problem *found = schema_add(j, p->key, p);
    found->kind = SCHEMA_WRONG_VALUE;
    found->message = arena_printf(j->arena,
                                  "'" STR_FMT "' is one of " STR_FMT ", but here " STR_FMT
                                  " (" STR_FMT ")",
                                  STR_ARG(utf8_cut(p->key, QUOTED_MAX)),
                                  STR_ARG(schema_list_values(j->arena, r->values)),
                                  STR_ARG(schema_words(j->arena, bad)), STR_ARG(by));
}

static void schema_check_rule(struct schema_judge *j, const struct schema_rule *r, str by)
{
    uint32_t at = map_find(&j->known, r->folded);
    const struct prop *p = at != MAP_NONE ? j->props[at] : NULL;
    if (r->broken != NULL)
        return;
    if (r->type != TYPE_ANY || r->values != NULL)
        (void)map_add(&j->ruled, r->folded);
    if (p != NULL && !prop_is_empty(p)) {
        schema_check_type(j, r->type, p, by);
        if (r->values != NULL && schema_fits(r->type, p))
            schema_check_values(j, r, p, by);
    } else if (r->required) {
        struct schema_problem *found = schema_add(j, r->key, NULL);
        found->kind = SCHEMA_MISSING;
        found->message = arena_printf(
            j->arena, "'" STR_FMT "' is required, but has no value (" STR_FMT ")",
            STR_ARG(utf8_cut(r->key, QUOTED_MAX)), STR_ARG(by));
    }
}

static void schema_check_declared(struct schema_judge *j, const struct prop *p)
{
    const struct schemas *s = j->schemas;
    enum schema_type type;
    if (s->types == NULL || prop_is_empty(p) ||
        !schema_find_type(obsidian_property_type(s->types, p->key), &type) ||
        schema_fits(type, p) ||
        map_find(&j->ruled, utf8_fold(j->arena, p->key)) != MAP_NONE)
        return;
    schema_check_type(j, type, p, STR("types.json of Obsidian"));
}

/* What a schema says about others; *by is itself. */
static void schema_check_itself(struct schema_judge *j, const struct schema *by)
{
    for (size_t i = 0; i < by->n_rules; i++) {
        const struct schema_rule *r = &by->rules[i];
        if (r->broken == NULL)
            continue;
        struct schema_problem *found = schema_add(j, r->key, NULL);
        found->kind = SCHEMA_BROKEN;
        found->line = r->line;
        found->message =
            arena_printf(j->arena, "The schema says nothing about '" STR_FMT "': %s",
                         STR_ARG(utf8_cut(r->key, QUOTED_MAX)), r->broken);
    }
}

size_t schemas_check(const struct schemas *s, struct arena *a, const struct file *f,
                     struct schema_problem **out)
{
    struct schema_judge j = {.schemas = s, .arena = a, .file = f};
    bool schema = schema_is(f->props);
    *out = NULL;
    if (schemas_leave_out(s, f))
        return 0;
    if (schema) {
        struct schema own = schema_read(a, f);
        schema_check_itself(&j, &own);
    }
    schema_know_props(&j);
    for (size_t i = 0; i < s->n && !schema; i++)
        for (size_t k = 0; schema_is_about(&s->items[i], f) && k < s->items[i].n_rules;
             k++)
            schema_check_rule(&j, &s->items[i].rules[k], s->items[i].path);
    for (const struct prop *p = f->props != NULL ? f->props->child : NULL; p != NULL;
         p = p->next)
        schema_check_declared(&j, p);
    *out = j.found;
    return j.n;
}

/* --- what a change brings --- */

static bool schema_same_problem(const struct schema_problem *x,
                                const struct schema_problem *y)
{
    bool same_value = (x->value == NULL) == (y->value == NULL) &&
                      (x->value == NULL || prop_same(x->value, y->value));
    return x->kind == y->kind && prop_same_name(x->key, y->key) && same_value;
}

size_t schemas_check_new(const struct schemas *s, struct arena *a,
                         const struct file *before, const struct file *after,
                         struct schema_problem **out)
{
    struct schema_problem *had = NULL;
    size_t n = schemas_check(s, a, after, out), kept = 0,
           n_had = before != NULL && n > 0 ? schemas_check(s, a, before, &had) : 0;
    for (size_t i = 0; i < n; i++) {
        bool known = false;
        for (size_t k = 0; k < n_had && !known; k++)
            known = schema_same_problem(&had[k], &(*out)[i]);
        if (!known)
            (*out)[kept++] = (*out)[i];
    }
    return kept;
}
