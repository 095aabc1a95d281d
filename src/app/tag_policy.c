#include "app/tag_policy.h"

#include "base/sbuf.h"

/* The texts of the property tags, then the tags of the body. */
static struct str_list tags_of(struct arena *a, str text)
{
    struct note note;
    struct frontmatter fm;
    note_scan(a, text, &note);
    frontmatter_read(a, span_of(text, note.frontmatter), 1, &fm);
    const struct prop *p = frontmatter_get(&fm, STR("tags"));
    bool many = p != NULL && p->type == PROP_LIST;
    struct str_list list = {.items =
                                ARENA_ARRAY(a, str, note.n_tags + (many ? p->n : 1) + 1)};
    for (const struct prop *c = many ? p->child : p; c != NULL; c = many ? c->next : NULL)
        list.items[list.n++] = str_skip(c->text, str_starts(c->text, STR("#")));
    for (uint32_t i = 0; i < note.n_tags; i++)
        list.items[list.n++] = span_of(text, note.tags[i].name);
    return list;
}

static bool has(const struct str_list *list, str tag)
{
    for (size_t i = 0; i < list->n; i++)
        if (frontmatter_same_name(list->items[i], tag))
            return true;
    return false;
}

/* Not the one above another that is only there because of it. */
static bool is_used(const struct index *x, str tag)
{
    struct tag found;
    return tags_find(x->tags, tag, &found) && found.notes > 0;
}

str tag_policy_stranger(const struct index *x, struct arena *a, str before, str after)
{
    struct str_list had = {0}, has_now = tags_of(a, after);
    bool known = false;
    if (tags_count(x->tags) == 0)
        return (str){0};
    for (size_t i = 0; i < has_now.n; i++) {
        str tag = has_now.items[i];
        if (tag.n == 0 || is_used(x, tag))
            continue;
        if (!known)
            had = tags_of(a, before);
        known = true;
        if (!has(&had, tag))
            return tag;
    }
    return (str){0};
}

str tag_policy_allowed(const struct index *x, struct arena *a)
{
    struct sbuf out = SBUF_ON(a);
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < tags_count(x->tags); i++) {
        struct tag t = tags_at(x->tags, i);
        if (t.notes > 0 && shown == TAG_POLICY_LISTED)
            more++;
        else if (t.notes > 0)
            sbuf_printf(&out, "%s" STR_FMT, shown++ > 0 ? ", " : "", STR_ARG(t.name));
    }
    if (more > 0)
        sbuf_printf(&out, " and %zu more", more);
    return sbuf_str(&out);
}

str tag_policy_refusal(const struct index *x, struct arena *a, str tag)
{
    return arena_printf(a,
                        "Tag '" STR_FMT "' not in allowed list. Allowed: " STR_FMT
                        ".\nAsk user before creating new tags.",
                        STR_ARG(tag), STR_ARG(tag_policy_allowed(x, a)));
}
