#include "vault/forms/canvas_step.h"

#include "base/near.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/forms/canvas_edit.h"

static const char *const verbs[] = {"add", "change", "connect", "disconnect", "remove"};

enum {
    ADD = 1 << CANVAS_ADD,
    CHANGE = 1 << CANVAS_CHANGE,
    CONNECT = 1 << CANVAS_CONNECT,
    CUT = 1 << CANVAS_CUT,
};

enum member_kind { WORD, COLOR, SIDE, END, PLACE, SIZE, WORDS };

static const struct canvas_member {
    const char *key;
    enum member_kind kind;
    unsigned verbs;
} members[] = {
    {"text", WORD, ADD | CHANGE},
    {"file", WORD, ADD | CHANGE},
    {"url", WORD, ADD | CHANGE},
    {"label", WORD, ADD | CHANGE | CONNECT},
    {"color", COLOR, ADD | CHANGE | CONNECT},
    {"in", WORD, ADD | CHANGE},
    {"near", WORD, ADD | CHANGE},
    {"side", SIDE, ADD | CHANGE},
    {"around", WORDS, ADD},
    {"x", PLACE, ADD | CHANGE},
    {"y", PLACE, ADD | CHANGE},
    {"width", SIZE, ADD | CHANGE},
    {"height", SIZE, ADD | CHANGE},
    {"to", WORD, CONNECT | CUT},
    {"fromSide", SIDE, CONNECT | CHANGE},
    {"toSide", SIDE, CONNECT | CHANGE},
    {"fromEnd", END, CONNECT | CHANGE},
    {"toEnd", END, CONNECT | CHANGE},
};

/* --- values --- */

static bool is_color(str s)
{
    size_t hex = 0;
    if (s.n == 1)
        return s.p[0] >= '1' && s.p[0] <= '6';
    while (hex + 1 < s.n && is_hex(s.p[hex + 1]))
        hex++;
    return s.n == 7 && s.p[0] == '#' && hex == 6;
}

static bool is_one_of(str s, const char *const *words)
{
    while (*words != NULL && !str_eq(s, str_c(*words)))
        words++;
    return *words != NULL;
}

static bool check_word(const struct json *j, struct err *err)
{
    if (j->type != JSON_STRING)
        return err_named(err, E_INVALID_ARGUMENT, STR_FMT " must be a text",
                         STR_ARG(j->key));
    return j->text.n <= CANVAS_TEXT_MAX ||
           err_set(err, ERR_LIMIT, STR_FMT " is longer than %d bytes", STR_ARG(j->key),
                   CANVAS_TEXT_MAX);
}

static bool check_number(const struct json *j, double least, double most, struct err *err)
{
    double n;
    if (json_num(j, &n) && n >= least && n <= most)
        return true;
    return err_named(err, E_INVALID_ARGUMENT, STR_FMT " must be a number, %.0f to %.0f",
                     STR_ARG(j->key), least, most);
}

static bool check_words(const struct json *j, struct err *err)
{
    bool ok = j->type == JSON_ARRAY && j->n > 0 && j->n <= CANVAS_NODES_MAX;
    for (const struct json *w = ok ? j->child : NULL; w != NULL; w = w->next)
        ok = ok && w->type == JSON_STRING;
    return ok || err_named(err, E_INVALID_ARGUMENT, STR_FMT " must be a list of nodes",
                           STR_ARG(j->key));
}

static bool check_value(const struct json *j, enum member_kind kind, struct err *err)
{
    static const char *const ends[] = {"none", "arrow", NULL};
    if (kind == WORDS)
        return check_words(j, err);
    if (kind == PLACE)
        return check_number(j, -CANVAS_FAR_MAX, CANVAS_FAR_MAX, err);
    if (kind == SIZE)
        return check_number(j, CANVAS_SIZE_MIN, CANVAS_SIZE_MAX, err);
    if (!check_word(j, err))
        return false;
    if (kind == COLOR && !is_color(j->text))
        return err_named(err, E_INVALID_ARGUMENT,
                         "color is \"1\" red, \"2\" orange, \"3\" yellow, \"4\" green, "
                         "\"5\" cyan, \"6\" purple, or #rrggbb");
    if (kind == SIDE && !is_one_of(j->text, canvas_sides))
        return err_named(err, E_INVALID_ARGUMENT,
                         STR_FMT " is right, bottom, left or top", STR_ARG(j->key));
    if (kind == END && !is_one_of(j->text, ends))
        return err_named(err, E_INVALID_ARGUMENT, STR_FMT " is none or arrow",
                         STR_ARG(j->key));
    return true;
}

/* --- members --- */

static bool no_such_member(struct arena *a, str key, enum canvas_verb verb,
                           struct err *err)
{
    enum { SLIPS = 2 };
    struct near_search near;
    struct sbuf all = SBUF_ON(a);
    near_search(&near, key, SLIPS);
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        if ((members[i].verbs & (1u << verb)) == 0)
            continue;
        sbuf_printf(&all, "%s%s", all.n > 0 ? ", " : "", members[i].key);
        (void)near_offer(&near, str_c(members[i].key));
    }
    key = utf8_cut(key, 40);
    if (near.best.n > 0)
        return err_named(err, E_INVALID_ARGUMENT,
                         "%s has no '" STR_FMT "'; did you mean '" STR_FMT "'?",
                         verbs[verb], STR_ARG(key), STR_ARG(near.best));
    return err_named(err, E_INVALID_ARGUMENT, "%s has no '" STR_FMT "'%s" STR_FMT,
                     verbs[verb], STR_ARG(key), all.n > 0 ? ": it may have " : "",
                     STR_ARG(sbuf_str(&all)));
}

static bool check_member(struct arena *a, const struct json *j, enum canvas_verb verb,
                         struct err *err)
{
    bool clears = verb == CANVAS_CHANGE && j->type == JSON_NULL &&
                  (str_eq(j->key, STR("label")) || str_eq(j->key, STR("color")));
    for (size_t i = 0; i < COUNT_OF(members); i++)
        if (str_eq(j->key, str_c(members[i].key)) && (members[i].verbs & (1u << verb)))
            return clears || check_value(j, members[i].kind, err);
    return no_such_member(a, j->key, verb, err);
}

static bool find_verb(const struct json *step, struct canvas_step *out, struct err *err)
{
    size_t found = 0;
    for (size_t i = 0; i < COUNT_OF(verbs); i++)
        if (json_get(step, str_c(verbs[i])) != NULL) {
            out->verb = (enum canvas_verb)i;
            found++;
        }
    if (found != 1)
        return err_named(err, E_INVALID_ARGUMENT,
                         "a step has one of add, change, connect, disconnect, remove");
    const struct json *target = json_get(step, str_c(verbs[out->verb]));
    if (!json_is(target, JSON_STRING) || target->text.n == 0)
        return err_named(err, E_INVALID_ARGUMENT, "%s needs %s", verbs[out->verb],
                         out->verb == CANVAS_ADD ? "a type: text, file, link or group"
                                                 : "the id or title of a node");
    out->target = target->text;
    return true;
}

/* The type to add, and that what such a node shows is given. */
static bool check_add(struct canvas_step *s, struct err *err)
{
    int type = 0;
    while (canvas_types[type] != NULL && !str_eq(s->target, str_c(canvas_types[type])))
        type++;
    if (canvas_types[type] == NULL)
        return err_named(err, E_INVALID_ARGUMENT,
                         "no type '" STR_FMT "': add text, file, link or group",
                         STR_ARG(utf8_cut(s->target, 40)));
    s->type = (enum canvas_type)type;
    for (int i = 0; canvas_contents[i] != NULL; i++) {
        bool has = canvas_step_has(s, canvas_contents[i]);
        if (has && i != type)
            return err_named(err, E_INVALID_ARGUMENT, "a %s has no %s",
                             canvas_types[type], canvas_contents[i]);
        if (!has && i == type && type != CANVAS_IS_GROUP)
            return err_named(err, E_INVALID_ARGUMENT, "to add a %s, give %s",
                             canvas_types[type], canvas_contents[i]);
    }
    return s->type == CANVAS_IS_GROUP || !canvas_step_has(s, "around") ||
           err_named(err, E_INVALID_ARGUMENT, "around is for groups");
}

/* x and y come together, and instead of a request. */
static bool check_place(const struct canvas_step *s, struct err *err)
{
    bool x = canvas_step_has(s, "x"), y = canvas_step_has(s, "y");
    bool in = canvas_step_has(s, "in"), by = canvas_step_has(s, "near");
    bool around = canvas_step_has(s, "around");
    if (s->verb == CANVAS_ADD && x != y)
        return err_named(err, E_INVALID_ARGUMENT, "give both x and y, or neither");
    if ((x || y) + (in || by) + around > 1)
        return err_named(err, E_INVALID_ARGUMENT,
                         "give x and y, or in and near, or around, not several");
    return by || !canvas_step_has(s, "side") ||
           err_named(err, E_INVALID_ARGUMENT, "side needs near");
}

bool canvas_step_read(struct arena *a, const struct json *j, struct canvas_step *out,
                      struct err *err)
{
    *out = (struct canvas_step){.json = j};
    if (j->type != JSON_OBJECT)
        return err_named(err, E_INVALID_ARGUMENT, "a step is an object");
    if (!find_verb(j, out, err))
        return false;
    for (const struct json *m = j->child; m != NULL; m = m->next)
        if (!str_eq(m->key, str_c(verbs[out->verb])) &&
            !check_member(a, m, out->verb, err))
            return false;
    return (out->verb != CANVAS_ADD || check_add(out, err)) && check_place(out, err);
}

/* --- asking --- */

str canvas_step_str(const struct canvas_step *s, const char *key)
{
    return json_get_str(s->json, str_c(key));
}

bool canvas_step_num(const struct canvas_step *s, const char *key, double *out)
{
    return json_num(json_get(s->json, str_c(key)), out);
}

bool canvas_step_has(const struct canvas_step *s, const char *key)
{
    return json_get(s->json, str_c(key)) != NULL;
}

enum canvas_side canvas_step_side(const struct canvas_step *s, const char *key)
{
    str word = canvas_step_str(s, key);
    int i = 0;
    while (canvas_sides[i] != NULL && !str_eq(word, str_c(canvas_sides[i])))
        i++;
    return (enum canvas_side)i;
}
