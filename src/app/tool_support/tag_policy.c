#include "app/tool_support/tag_policy.h"

#include "base/array.h"
#include "base/sbuf.h"
#include "vault/index/tags.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"

static void add_tag(struct arena *a, struct str_list *list, str tag)
{
    *ARRAY_ADD(a, list->items, list->n) = str_skip(tag, str_starts(tag, STR("#")));
}

/* A list, or a text with commas or spaces between tags. Of a map the keys count as tags,
 * so that it cannot bypass the policy. */
static void add_tags(struct arena *a, struct str_list *list, const struct prop *p)
{
    str rest = p->text, word;
    for (const struct prop *c = p->child; c != NULL; c = c->next)
        add_tag(a, list, p->type == PROP_LIST ? c->text : c->key);
    for (size_t i = 0; p->child == NULL && i < rest.n; i += word.n + 1) {
        size_t n = i;
        while (n < rest.n && rest.p[n] != ',' && rest.p[n] != ' ')
            n++;
        word = str_slice(rest, i, n);
        add_tag(a, list, word);
    }
}

/* The tags among the properties. */
static struct str_list tags_of(struct arena *a, str text)
{
    static const char *const keys[] = {"tags", "tag"};
    struct note note;
    struct frontmatter fm;
    struct str_list list = {0};
    note_scan(a, text, &note);
    frontmatter_read(a, span_of(text, note.frontmatter), 1, &fm);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        const struct prop *p = frontmatter_get(&fm, str_c(keys[i]));
        if (p != NULL)
            add_tags(a, &list, p);
    }
    return list;
}

static bool has(const struct str_list *list, str tag)
{
    for (size_t i = 0; i < list->n; i++)
        if (prop_same_name(list->items[i], tag))
            return true;
    return false;
}

/* A parent tag that exists only because of a nested one does not count. */
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
