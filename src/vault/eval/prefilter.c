#include "vault/eval/prefilter.h"

#include <math.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/function.h"
#include "vault/eval/property.h"
#include "vault/eval/task_field.h"
#include "vault/eval/value_date.h"
#include "vault/index/graph.h"
#include "vault/index/ids.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/index/tags.h"
#include "vault/index/tasks.h"
#include "vault/index/values.h"

static const struct prefilter_files all_files = {.all = true};

static struct prefilter_files some(struct ids ids)
{
    return (struct prefilter_files){.ids = ids.at, .n = ids.n};
}

/* --- several sets --- */

static int prefilter_by_id(const void *a, const void *b)
{
    file_id x = *(const file_id *)a, y = *(const file_id *)b;
    return (x > y) - (x < y);
}

static struct prefilter_files either(struct arena *a, struct prefilter_files x,
                                     struct prefilter_files y)
{
    if (x.all || y.all)
        return all_files;
    if (x.n == 0 || y.n == 0)
        return x.n == 0 ? y : x;
    size_t all = x.n + y.n, n = 0;
    file_id *ids = ARENA_ARRAY(a, file_id, all);
    memcpy(ids, x.ids, x.n * sizeof(*ids));
    memcpy(ids + x.n, y.ids, y.n * sizeof(*ids));
    sort_items(ids, all, sizeof(*ids), prefilter_by_id);
    for (size_t i = 0; i < all; i++)
        if (n == 0 || ids[i] != ids[n - 1])
            ids[n++] = ids[i];
    return (struct prefilter_files){.ids = ids, .n = n};
}

/* One of the two is enough: a match must be in both. */
struct prefilter_files prefilter_both(struct prefilter_files x, struct prefilter_files y)
{
    return x.all || (!y.all && y.n < x.n) ? y : x;
}

/* --- properties --- */

/* A dotted name is a member of a map, or has a dot. */
static struct prefilter_files named(const struct index *x, struct arena *a,
                                    const struct field *f,
                                    struct ids (*find)(const struct values *v, str name))
{
    const struct values *v = index_values(x);
    struct prefilter_files found = some(find(v, f->path[0]));
    if (f->n_path > 1)
        found = either(a, found, some(find(v, utf8_fold(a, f->name))));
    return found;
}

struct prefilter_files prefilter_having(const struct index *x, struct arena *a,
                                        const struct field *f)
{
    return named(x, a, f, values_having);
}

struct prefilter_files prefilter_having_any(const struct index *x, struct arena *a,
                                            const struct field *f)
{
    return either(a, prefilter_having(x, a, f), named(x, a, f, values_in_tasks));
}

static struct prefilter_files having(struct eval *e, const struct field *f)
{
    return f->in_tasks ? prefilter_having_any(e->index, e->reader.arena, f)
                       : prefilter_having(e->index, e->reader.arena, f);
}

/* Notes whose property may equal a constant. */
static struct prefilter_files equal_to(struct eval *e, const struct field *f,
                                       const struct value *want)
{
    const struct values *v = index_values(e->index);
    str name = f->path[0], text = want->type == VALUE_LINK ? want->path : want->text;
    struct ids same = {0};
    if (want->type == VALUE_NULL || want->type == VALUE_ERROR)
        return all_files;
    if (f->n_path > 1)
        return having(e, f);
    if (want->type == VALUE_NUMBER && !isnan(want->real))
        same = values_with_number(v, name, want->real);
    else if (want->type == VALUE_BOOL)
        same = values_with_text(v, name, want->truth ? STR("true") : STR("false"));
    else if (want->type == VALUE_LINK ||
             (want->type == VALUE_TEXT && values_is_plain(text)))
        same = values_with_text(v, name, utf8_fold(e->reader.arena, text));
    else if (want->type != VALUE_DATE)
        return having(e, f);
    return either(e->reader.arena, some(same), some(values_with_other(v, name)));
}

/* The property that x is, or a member or moved date of one; NULL if it is not. */
static const struct field *property_of(const struct expr *x)
{
    while (x->kind == EXPR_MEMBER || (x->kind == EXPR_BINARY && x->op < EXPR_EQUAL))
        x = x->kids[0];
    return x->kind == EXPR_FIELD && x->field->kind == FIELD_PROPERTY ? x->field : NULL;
}

/* --- tags, folders, links, times --- */

static struct prefilter_files with_tag(struct eval *e, const struct value *want)
{
    struct tag tag;
    if (want->type != VALUE_TAG && want->type != VALUE_TEXT)
        return all_files;
    if (!tags_find(e->index->tags, want->text, &tag))
        return (struct prefilter_files){0};
    return (struct prefilter_files){.ids = tag.files, .n = tag.all};
}

/* Files number from to to by path. */
static struct prefilter_files by_path(const struct index *x, struct arena *a, size_t from,
                                      size_t to)
{
    file_id *ids = ARENA_ARRAY(a, file_id, to - from);
    for (size_t i = from; i < to; i++)
        ids[i - from] = index_nth(x, i)->id;
    return (struct prefilter_files){.ids = ids, .n = to - from};
}

struct prefilter_files prefilter_folder(const struct index *x, struct arena *a,
                                        str folder, bool spelt)
{
    const str *folders;
    size_t n = index_folders(x, &folders);
    struct prefilter_files found = {0};
    if (folder.n == 0)
        return all_files;
    for (size_t i = 0; i < n; i++) {
        str name = spelt ? folders[i] : utf8_fold(a, folders[i]);
        if (!str_eq(name, folder))
            continue;
        str first = arena_printf(a, STR_FMT "/", STR_ARG(folders[i]));
        str after = arena_printf(a, STR_FMT "0", STR_ARG(folders[i])); /* '/' + 1 */
        found =
            either(a, found, by_path(x, a, index_after(x, first), index_after(x, after)));
    }
    return found;
}

static struct prefilter_files in_folder(struct eval *e, const struct value *want,
                                        bool spelt)
{
    str folder = want->text;
    if (want->type != VALUE_TEXT)
        return all_files;
    while (str_ends(folder, STR("/")))
        folder.n--;
    return prefilter_folder(e->index, e->reader.arena, folder, spelt);
}

/* Files that link to a file, and itself. */
static struct prefilter_files linking_to(struct eval *e, file_id target)
{
    struct graph_edge *edges;
    struct arena *a = e->reader.arena;
    size_t n = graph_backlinks(e->index->graph, a, target, &edges);
    file_id *ids = ARENA_ARRAY(a, file_id, n + 1);
    for (size_t i = 0; i < n; i++)
        ids[i] = edges[i].file;
    ids[n] = target;
    return (struct prefilter_files){.ids = ids, .n = n + 1};
}

/* A text leads to the same file from everywhere only if no other has that name. */
static struct prefilter_files with_link(struct eval *e, const struct value *to)
{
    struct names_answer answer = {.file = NO_FILE};
    if (to->type == VALUE_FILE)
        return linking_to(e, to->target);
    if (to->type != VALUE_TEXT || str_starts(to->text, STR(".")) ||
        str_starts(to->text, STR("[[")))
        return all_files;
    str path = str_slice(to->text, 0, str_find_char(to->text, '#'));
    if (path.n > 0)
        names_resolve(e->index->names, e->reader.arena, path, (str){0}, NO_FILE, &answer);
    return answer.file != NO_FILE && answer.n_others == 0 ? linking_to(e, answer.file)
                                                          : all_files;
}

/* Files that are newer, or older, than a moment; days count as a whole. */
static struct prefilter_files by_time(struct eval *e, enum expr_op op,
                                      const struct value *than)
{
    enum { DAY = 86400 };
    const file_id *ids;
    if (than->type != VALUE_DATE)
        return all_files;
    bool newer = op == EXPR_GREATER || op == EXPR_GREATER_EQUAL;
    int64_t bound = than->date.seconds - e->reader.utc_offset + (newer ? -DAY : DAY);
    size_t n = index_newest(e->index, &ids), low = 0, high = n;
    while (low < high) { /* the first that is not newer than the bound */
        size_t middle = low + (high - low) / 2;
        if (e->index->files[ids[middle]]->info.mtime > bound)
            low = middle + 1;
        else
            high = middle;
    }
    return newer ? (struct prefilter_files){.ids = ids, .n = low}
                 : (struct prefilter_files){.ids = ids + low, .n = n - low};
}

/* --- tasks that are due --- */

bool prefilter_is_due(const struct expr *x)
{
    return x->kind == EXPR_FIELD && x->field->kind == FIELD_TASK_FIELD &&
           task_field_is_due(x->field->task);
}

/* The days that a comparison of a due date with a constant leaves, or its existence;
 * false if x is neither. */
static bool days_of(const struct expr *x, struct prefilter_days *out)
{
    enum { DAY = 86400 };
    bool exists = x->kind == EXPR_UNARY && x->op == EXPR_EXISTS;
    bool compares = x->kind == EXPR_BINARY && x->n == 2 && x->op >= EXPR_EQUAL &&
                    x->op <= EXPR_GREATER_EQUAL && x->op != EXPR_NOT_EQUAL;
    *out = (struct prefilter_days){INT32_MIN, INT32_MAX};
    if ((!exists && !compares) || !prefilter_is_due(x->kids[0]))
        return false;
    if (exists)
        return true;
    const struct value *right = &x->kids[1]->value;
    if (x->kids[1]->kind != EXPR_LITERAL || right->type != VALUE_DATE)
        return false;
    int32_t day = (int32_t)(date_day(right->date).seconds / DAY);
    bool before = x->op == EXPR_LESS || x->op == EXPR_LESS_EQUAL;
    bool after = x->op == EXPR_GREATER || x->op == EXPR_GREATER_EQUAL;
    *out = (struct prefilter_days){before ? INT32_MIN : day, after ? INT32_MAX : day};
    return true;
}

/* Whether a task of the note has no due date, but an inline field of that name: one that
 * is not where the Tasks plugin reads it. */
static bool has_stray(struct eval *e, const struct file *f, str name)
{
    const struct note *n = &f->note;
    const struct tasks_item *items = tasks_of(index_tasks(e->index), f->id);
    struct value ignored;
    for (uint32_t i = 0, k = 0; i < f->n_fields && items != NULL; i++) {
        if (!f->fields[i].of_task)
            continue;
        while (k < n->n_tasks && n->tasks[k].line < f->fields[i].item)
            k++;
        if (k < n->n_tasks && items[k].dates[TASK_DUE_ON] <= TASK_BAD_DATE &&
            property_of_task(&e->reader, &(struct property_place){f, &n->tasks[k]}, name,
                             &ignored))
            return true;
    }
    return false;
}

struct prefilter_files prefilter_not_by_due(struct eval *e, const struct field *due)
{
    struct arena *a = e->reader.arena;
    struct prefilter_files fields = named(e->index, a, due, values_in_tasks);
    file_id *stray = ARENA_ARRAY(a, file_id, fields.n);
    size_t n = 0;
    for (size_t i = 0; i < fields.n; i++)
        if (has_stray(e, e->index->files[fields.ids[i]], due->path[0]))
            stray[n++] = fields.ids[i];
    return either(a, prefilter_having(e->index, a, due),
                  (struct prefilter_files){.ids = stray, .n = n});
}

/* A property may take the place of a due date. */
static struct prefilter_files with_due(struct eval *e, const struct expr *x)
{
    const struct field *f = x->kids[0]->field;
    struct prefilter_days days;
    if (!days_of(x, &days))
        return all_files;
    struct prefilter_files due = some(task_field_due(f->tasks, days.first, days.last));
    if (f->n_path == 0)
        return due;
    return either(e->reader.arena, due, prefilter_not_by_due(e, f));
}

void prefilter_due_days(const struct expr *x, struct prefilter_days *days, bool *others)
{
    struct prefilter_days more;
    if (x->kind == EXPR_ALL || (x->kind == EXPR_ANY && x->n == 1))
        for (size_t i = 0; i < x->n; i++)
            prefilter_due_days(x->kids[i], days, others);
    if (!days_of(x, &more))
        return;
    days->first = more.first > days->first ? more.first : days->first;
    days->last = more.last < days->last ? more.last : days->last;
    *others = false;
}

/* --- comparisons --- */

static bool is_file_field(const struct expr *x, const char *name)
{
    return x->kind == EXPR_MEMBER && x->kids[0]->kind == EXPR_FILE &&
           str_eq(x->text, str_c(name));
}

static bool prefilter_is_field(const struct expr *x, enum field_kind kind,
                               const char *name)
{
    return (x->kind == EXPR_FIELD && x->field->kind == kind && !x->field->length) ||
           is_file_field(x, name);
}

/* left op a constant. */
static struct prefilter_files with_constant(struct eval *e, enum expr_op op,
                                            const struct expr *left,
                                            const struct value *right)
{
    const struct field *property = property_of(left);
    bool ordered = op >= EXPR_LESS && op <= EXPR_GREATER_EQUAL;
    bool any = e->dialect->compares.any_item;
    if (op == EXPR_NOT_EQUAL)
        return all_files;
    if (property != NULL && left->kind == EXPR_FIELD && op == EXPR_EQUAL)
        return equal_to(e, property, right);
    if (property != NULL &&
        (right->type == VALUE_NULL || e->dialect->compares.across_types))
        return all_files;
    if (property != NULL)
        return having(e, property);
    if (ordered && prefilter_is_field(left, FIELD_FILE_MODIFIED, "mtime"))
        return by_time(e, op, right);
    if (!any || (op != EXPR_EQUAL && op != EXPR_CONTAINS && op != EXPR_BELOW))
        return all_files;
    if (prefilter_is_field(left, FIELD_FILE_TAGS, "tags") && op != EXPR_BELOW)
        return with_tag(e, right);
    if (prefilter_is_field(left, FIELD_FILE_FOLDER, "folder") && op == EXPR_BELOW)
        return in_folder(e, right, false);
    if (prefilter_is_field(left, FIELD_FILE_LINKS, "links") && right->target != NO_FILE &&
        (right->type == VALUE_LINK || right->type == VALUE_TEXT) && op != EXPR_BELOW)
        return linking_to(e, right->target);
    return all_files;
}

static struct prefilter_files compared(struct eval *e, const struct expr *x)
{
    struct prefilter_files found = {0};
    const struct field *property = property_of(x->kids[0]);
    if (prefilter_is_due(x->kids[0]))
        return with_due(e, x);
    if (property != NULL && x->op > EXPR_NOT_EQUAL && !e->dialect->compares.across_types)
        return having(e, property); /* what is missing is never less or greater */
    if (x->n == 2 && x->kids[0]->kind == EXPR_LITERAL && x->op < EXPR_CONTAINS)
        return with_constant(e, expr_mirrored(x->op), x->kids[1], &x->kids[0]->value);
    for (size_t i = 1; i < x->n && !found.all; i++) {
        if (x->kids[i]->kind != EXPR_LITERAL)
            return all_files; /* it may be missing, too */
        found = either(e->reader.arena, found,
                       with_constant(e, x->op, x->kids[0], &x->kids[i]->value));
    }
    return found;
}

/* --- calls --- */

typedef struct prefilter_files prefilter_argument(struct eval *e, const struct value *v);

static struct prefilter_files in_spelt_folder(struct eval *e, const struct value *v)
{
    return in_folder(e, v, true);
}

/* Any of the arguments, which must be constants. */
static struct prefilter_files any_argument(struct eval *e, const struct expr *x,
                                           prefilter_argument *fn)
{
    struct prefilter_files found = {0};
    for (size_t i = 1; i < x->n && !found.all; i++)
        found = either(e->reader.arena, found,
                       x->kids[i]->kind == EXPR_LITERAL ? fn(e, &x->kids[i]->value)
                                                        : all_files);
    return found;
}

static struct prefilter_files called(struct eval *e, const struct expr *x)
{
    const struct function *f = x->function;
    if (f == NULL || x->n < 2)
        return all_files;
    const struct field *property = property_of(x->kids[0]);
    if (property != NULL && x->kind == EXPR_METHOD)
        return f->flags & FUNCTION_NEEDS_SELF ? having(e, property) : all_files;
    if (is_file_field(x->kids[0], "tags") && (f->flags & FUNCTION_CONTAINS) != 0)
        return any_argument(e, x, with_tag); /* the first of all called `contains` */
    if (x->kids[0]->kind != EXPR_FILE)
        return all_files;
    if (f->flags & FUNCTION_HAS_TAG)
        return any_argument(e, x, with_tag);
    if (f->flags & FUNCTION_IN_FOLDER)
        return any_argument(e, x, in_spelt_folder);
    return f->flags & FUNCTION_HAS_LINK ? any_argument(e, x, with_link) : all_files;
}

/* --- the whole filter --- */

static struct prefilter_files alone(struct eval *e, const struct expr *x)
{
    const struct field *property = property_of(x);
    return property != NULL ? having(e, property) : all_files;
}

static struct prefilter_files prefilter_joined(struct eval *e, const struct expr *x)
{
    bool both = x->kind == EXPR_ALL;
    struct prefilter_files found = both ? all_files : (struct prefilter_files){0};
    for (size_t i = 0; i < x->n; i++)
        found = both ? prefilter_both(found, prefilter(e, x->kids[i]))
                     : either(e->reader.arena, found, prefilter(e, x->kids[i]));
    return found;
}

struct prefilter_files prefilter(struct eval *e, const struct expr *x)
{
    switch (x->kind) {
    case EXPR_ALL:
    case EXPR_ANY:
        return prefilter_joined(e, x);
    case EXPR_FIELD:
    case EXPR_MEMBER:
        return alone(e, x);
    case EXPR_UNARY:
        if (prefilter_is_due(x->kids[0]))
            return with_due(e, x);
        return x->op == EXPR_TRUE || x->op == EXPR_EXISTS ? alone(e, x->kids[0])
                                                          : all_files;
    case EXPR_BINARY:
        return x->op >= EXPR_EQUAL ? compared(e, x) : all_files;
    case EXPR_CALL:
    case EXPR_METHOD:
        return called(e, x);
    default:
        return all_files;
    }
}
