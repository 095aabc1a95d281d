/* Groups of rows, and rows made of groups or items. */
#include "base/array.h"
#include "base/sort.h"
#include "vault/eval/eval.h"
#include "vault/eval/plan_parts.h"
#include "vault/eval/value.h"
#include "vault/index/file.h"

/* One value of one row. */
struct plan_group_member {
    struct value value, key;
    size_t row;
};

struct members {
    struct plan_group_member *items;
    size_t n;
};

static int by_key(const void *x, const void *y, void *arg)
{
    const struct plan_group_member *a = x, *b = y;
    const bool *descending = arg;
    int order = value_order(&a->key, &b->key);
    bool nothing = a->key.type == VALUE_NULL || b->key.type == VALUE_NULL;
    if (order != 0)
        return *descending && !nothing ? -order : order;
    return a->row < b->row ? -1 : a->row > b->row;
}

struct value plan_key(struct plan_run *run, const struct value *v)
{
    struct value key = value_key(&run->eval->reader, v);
    bool resolved = v->type == VALUE_LINK && v->target != NO_FILE;
    if (resolved && run->eval->dialect->sorts.texts_apart) {
        struct value title = value_text(file_title(v->path));
        key.text = value_key(&run->eval->reader, &title).text;
        key.path = v->path;
    }
    return key;
}

static void add_member(struct plan_run *run, struct members *list, const struct value *v,
                       size_t row)
{
    *ARRAY_ADD(NULL, list->items, list->n) =
        (struct plan_group_member){.value = *v, .key = plan_key(run, v), .row = row};
}

static void plan_group_add_items(struct plan_run *run, struct members *list,
                                 const struct value *v, size_t row)
{
    struct value_items it = {.list = v};
    struct value nothing = value_null();
    for (struct value item; value_next(&run->eval->reader, &it, &item);)
        add_member(run, list, &item, row);
    if (v->n == 0) /* an empty list is in the group of null */
        add_member(run, list, &nothing, row);
}

static void read_members(struct plan_run *run, const struct plan_step *step,
                         struct members *list)
{
    struct value nothing = value_null();
    bool whole = !step->by_item;
    for (size_t i = 0; i < run->n && list->n < PLAN_MADE_MAX; i++) {
        struct value v = plan_value(run, step->expr, &run->items[i].row,
                                    whole ? run->arena : &run->work);
        if (plan_drops(run, &v))
            continue;
        if (v.type == VALUE_LIST && step->by_item)
            plan_group_add_items(run, list, &v, i);
        else if (whole && step->op == PLAN_GROUP &&
                 (v.type == VALUE_ERROR || value_is_empty(&v)))
            add_member(run, list, &nothing, i);
        else
            add_member(run, list, &v, i);
    }
    bool descending = step->descending;
    if (list->n > 1)
        sort_with(list->items, list->n, sizeof(*list->items), by_key, &descending);
}

/* Of several spellings of a value, the first by bytes is shown. */
static bool is_spelt_before(const struct value *a, const struct value *b)
{
    return str_cmp(a->text, b->text) < 0;
}

static struct plan_group *make_groups(struct plan_run *run, const struct members *list,
                                      bool by_item, size_t *n)
{
    struct plan_group *groups = ARENA_ARRAY(run->arena, struct plan_group, list->n);
    *n = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct plan_group_member *m = &list->items[i];
        bool same = i > 0 && value_order(&m->key, &list->items[i - 1].key) == 0;
        if (!same)
            groups[(*n)++] = (struct plan_group){.key = m->value, .first = i};
        struct plan_group *g = &groups[*n - 1];
        if (same && by_item && is_spelt_before(&m->value, &g->key))
            g->key = m->value;
        g->n++;
        g->count += !same || m->row != list->items[i - 1].row;
    }
    return groups;
}

static int by_count(const void *x, const void *y)
{
    const struct plan_group *a = x, *b = y;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Texts that were made for a key are in the work arena: copy them. */
static void keep_keys(struct plan_run *run, struct plan_group *groups, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        groups[i].key.text = arena_str(run->arena, groups[i].key.text);
        groups[i].key.path = arena_str(run->arena, groups[i].key.path);
    }
}

/* The rows in the order of their groups; one may be in several. */
static void arrange(struct plan_run *run, const struct members *list)
{
    struct plan_item *items = mem_alloc(size_mul(list->n + 1, sizeof(*items)));
    for (size_t i = 0; i < list->n; i++)
        items[i] = run->items[list->items[i].row];
    free(run->items);
    run->items = items;
    run->n = list->n;
}

void plan_group(struct plan_run *run, const struct plan_step *step)
{
    struct members list = {0};
    struct plan_result *out = &run->result;
    if (!step->by_count)
        plan_order(run);
    read_members(run, step, &list);
    out->groups = make_groups(run, &list, step->by_item, &out->n_groups);
    if (step->by_item)
        keep_keys(run, out->groups, out->n_groups);
    if (!step->by_count)
        arrange(run, &list);
    else
        run->n = 0;
    if (step->by_count && out->n_groups > 1)
        sort_items(out->groups, out->n_groups, sizeof(*out->groups), by_count);
    free(list.items);
}

/* --- rows made of others --- */

static const struct row_name *with_name(struct plan_run *run, str name, struct value v,
                                        const struct row_name *next)
{
    struct row_name *n = ARENA_NEW(run->arena, struct row_name);
    *n = (struct row_name){.name = name, .value = v, .next = next};
    return n;
}

static struct value rows_of(struct plan_run *run, const struct members *list,
                            const struct plan_group *g)
{
    struct value *rows = ARENA_ARRAY(run->arena, struct value, g->n);
    for (size_t i = 0; i < g->n; i++) {
        struct row *row = ARENA_NEW(run->arena, struct row);
        *row = run->items[list->items[g->first + i].row].row;
        rows[i] = (struct value){.type = VALUE_ROW, .row = row, .target = NO_FILE};
    }
    return value_list(rows, g->n);
}

void plan_collect(struct plan_run *run, const struct plan_step *step)
{
    struct members list = {0};
    size_t n;
    plan_order(run);
    read_members(run, step, &list);
    struct plan_group *groups = make_groups(run, &list, false, &n);
    struct plan_item *items = mem_zero(size_mul(n + 1, sizeof(*items)));
    for (size_t i = 0; i < n; i++) {
        const struct row_name *names =
            with_name(run, STR("rows"), rows_of(run, &list, &groups[i]), NULL);
        names = with_name(run, STR("key"), groups[i].key, names);
        if (step->name.n > 0)
            names = with_name(run, step->name, groups[i].key, names);
        items[i].row.names = names;
    }
    free(list.items);
    free(run->items);
    run->items = items;
    run->n = n;
}

void plan_flatten(struct plan_run *run, const struct plan_step *step)
{
    struct plan_item *items = NULL;
    size_t n = 0, count;
    plan_order(run);
    for (size_t i = 0; i < run->n && n < PLAN_MADE_MAX && !plan_stopped(run); i++) {
        const struct row *row = &run->items[i].row;
        struct value v = plan_value(run, step->expr, row, run->arena);
        if (plan_drops(run, &v))
            continue;
        const struct value *parts = eval_items(run->eval, &v, &count);
        if (v.type == VALUE_NULL)
            count = 1;
        for (size_t k = 0; k < count && n < PLAN_MADE_MAX; k++) {
            struct row made = *row;
            made.names = with_name(run, step->name, parts[k], row->names);
            *ARRAY_ADD(NULL, items, n) = (struct plan_item){.row = made};
        }
    }
    free(run->items);
    run->items = items;
    run->n = n;
}
