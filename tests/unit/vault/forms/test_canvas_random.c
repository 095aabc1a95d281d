/*
 * Random steps on small canvases whose groups share edges, are equal or cross each other.
 * What must hold is checked with a reader and rectangles of our own: only the groups around
 * the place change, and they only grow; the node is in its group and covers no other; groups
 * that were in each other still are.
 */
#include "base/json.h"
#include "base/sbuf.h"
#include "check.h"
#include "random.h"
#include "rounds.h"
#include "vault/forms/canvas_edit.h"

enum { TRIALS = 1000, NODES_MAX = 9, PADDING = 20 };

struct box {
    str id, raw;
    double left, top, right, bottom;
    bool group;
};

struct boxes {
    struct box at[NODES_MAX + 4];
    size_t n;
};

static bool holds(const struct box *outer, const struct box *inner, double padding)
{
    return outer->left + padding <= inner->left && outer->top + padding <= inner->top &&
           outer->right - padding >= inner->right &&
           outer->bottom - padding >= inner->bottom;
}

static bool touch(const struct box *a, const struct box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom &&
           b->top < a->bottom;
}

static double number(const struct json *j, const char *key)
{
    int64_t n = 0;
    const struct json *member = json_get(j, str_c(key));
    assert_true(member != NULL && str_to_int(member->raw, &n));
    return (double)n;
}

static struct boxes read_boxes(struct arena *a, str text)
{
    const struct json *root;
    struct boxes out = {0};
    struct err err;
    assert_true(json_parse(a, text, &root, &err));
    for (const struct json *j = json_get(root, STR("nodes"))->child; j; j = j->next) {
        struct box *b = &out.at[out.n++];
        assert_true(out.n < COUNT_OF(out.at));
        b->id = json_get_str(j, STR("id"));
        b->raw = j->raw;
        b->left = number(j, "x");
        b->top = number(j, "y");
        b->right = b->left + number(j, "width");
        b->bottom = b->top + number(j, "height");
        b->group = str_eq(json_get_str(j, STR("type")), STR("group"));
    }
    return out;
}

static const struct box *with_id(const struct boxes *all, str id)
{
    for (size_t i = 0; i < all->n; i++)
        if (str_eq(all->at[i].id, id))
            return &all->at[i];
    return NULL;
}

static str random_canvas(struct arena *a, struct random *r)
{
    struct sbuf b = SBUF_ON(a);
    unsigned n = 2 + random_below(r, NODES_MAX - 2);
    sbuf_add(&b, STR("{\"nodes\":["));
    for (unsigned i = 0; i < n; i++) {
        bool group = !random_one_in(r, 3);
        sbuf_printf(&b, "%s{\"id\":\"n%u\",\"type\":\"%s\",%s\"x\":%u,\"y\":%u,",
                    i > 0 ? "," : "", i, group ? "group" : "text",
                    group ? "" : "\"text\":\"t\",", 20 * random_below(r, 3),
                    20 * random_below(r, 3));
        sbuf_printf(&b, "\"width\":%u,\"height\":%u}",
                    group ? 300 + 20 * random_below(r, 4) : 60,
                    group ? 100 + 20 * random_below(r, 4) : 40);
    }
    sbuf_add(&b, STR("],\"edges\":[]}"));
    return sbuf_str(&b);
}

struct trial {
    struct arena *arena;
    const char *row;
    struct boxes was, is;
    struct box anchor; /* the group or node that the step names */
    bool in_group;
    str moved; /* the node that is moved; empty: a new one */
};

static bool edit(struct trial *t, str text, str steps, str *out)
{
    const struct json *j;
    struct err err;
    struct canvas_edited done;
    assert_true(json_parse(t->arena, steps, &j, &err));
    struct canvas_edit e = {.steps = j};
    bool ok = canvas_edit(t->arena, text, &e, &done, &err);
    if (ok)
        *out = done.text;
    return ok;
}

/* Of two groups with the same rectangle, the first is around the other. */
static bool is_around_anchor(const struct trial *t, const struct box *b)
{
    const struct box *anchor = with_id(&t->was, t->anchor.id);
    return b->group && holds(b, anchor, 0) &&
           (b <= anchor || !anchor->group || !holds(anchor, b, 0));
}

/* Whether the groups around the anchor are in each other, so that all of them must hold. */
static bool is_chain(const struct trial *t)
{
    for (size_t i = 0; i < t->was.n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct box *x = &t->was.at[i], *y = &t->was.at[k];
            if (is_around_anchor(t, x) && is_around_anchor(t, y) && !holds(x, y, 0) &&
                !holds(y, x, 0))
                return false;
        }
    return true;
}

static const struct box *placed(const struct trial *t)
{
    for (size_t i = 0; i < t->is.n; i++)
        if (t->moved.n > 0 ? str_eq(t->is.at[i].id, t->moved)
                           : with_id(&t->was, t->is.at[i].id) == NULL)
            return &t->is.at[i];
    fail_msg("%s: the node is gone", t->row);
    return NULL;
}

static bool moves_along(const struct trial *t, const struct box *was)
{
    const struct box *moved = with_id(&t->was, t->moved);
    return moved != NULL && moved->group && holds(moved, was, 0);
}

static void check_others(const struct trial *t, const struct box *node)
{
    for (size_t i = 0; i < t->was.n; i++) {
        const struct box *was = &t->was.at[i], *is = with_id(&t->is, was->id);
        CHECK(t->row, is != NULL);
        if (is == node || moves_along(t, was))
            continue;
        if (is_around_anchor(t, was)) {
            CHECK(t->row, holds(is, was, 0));
            if (t->in_group || !str_eq(was->id, t->anchor.id))
                CHECK(t->row, !is_chain(t) || holds(is, node, 0));
        } else {
            CHECK(t->row, str_eq(is->raw, was->raw));
        }
        if (!was->group)
            CHECK(t->row, !touch(is, node));
    }
}

static void check_trial(struct trial *t)
{
    const struct box *node = placed(t);
    if (t->in_group)
        CHECK(t->row, holds(with_id(&t->is, t->anchor.id), node, PADDING));
    check_others(t, node);
}

static void one_trial(struct arena *a, struct random *r, unsigned *done)
{
    struct trial t = {.arena = a};
    str text = random_canvas(a, r), out;
    t.was = read_boxes(a, text);
    t.anchor = t.was.at[random_below(r, (uint32_t)t.was.n)];
    t.in_group = t.anchor.group && random_one_in(r, 2);
    const char *where = t.in_group ? "in" : "near";
    str other = t.was.at[random_below(r, (uint32_t)t.was.n)].id, steps;
    if (random_one_in(r, 2)) {
        t.moved = other;
        steps = arena_printf(a, "[{\"change\":\"" STR_FMT "\",\"%s\":\"" STR_FMT "\"}]",
                             STR_ARG(other), where, STR_ARG(t.anchor.id));
    } else {
        steps = arena_printf(
            a, "[{\"add\":\"text\",\"text\":\"new\",\"%s\":\"" STR_FMT "\"}]", where,
            STR_ARG(t.anchor.id));
    }
    t.row = arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(text), STR_ARG(steps)).p;
    if (!edit(&t, text, steps, &out))
        return;
    t.is = read_boxes(a, out);
    check_trial(&t);
    ++*done;
    /* one more group around what is there, and something in it */
    steps = arena_printf(a,
                         "[{\"add\":\"group\",\"label\":\"G\",\"around\":[\"" STR_FMT
                         "\"]},{\"add\":\"group\",\"label\":\"H\",\"around\":[\"" STR_FMT
                         "\"]},{\"add\":\"text\",\"text\":\"x\",\"in\":\"G\"}]",
                         STR_ARG(other), STR_ARG(other));
    (void)edit(&t, out, steps, &out);
}

static void test_random_steps(void **state)
{
    struct random r = {4711};
    unsigned done = 0, n = (unsigned)rounds(TRIALS);
    for (unsigned i = 0; i < n; i++) {
        struct arena a = {0};
        one_trial(&a, &r, &done);
        arena_release(&a);
    }
    print_message("# %u canvases, %u of them changed\n", n, done);
    CHECK("most steps are possible", done > n / 4);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
