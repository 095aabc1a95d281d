#include "vault/ask/guidance.h"

#include "base/path.h"
#include "vault/index/index.h"
#include "vault/note/frontmatter.h"
#include "vault/note/prop.h"

static const char *const rule_names[] = {"CLAUDE.md", "AGENTS.md"};

bool guidance_is_rule(str path)
{
    str name = path_name(path);
    for (size_t i = 0; i < COUNT_OF(rule_names); i++)
        if (str_eq(name, str_c(rule_names[i])))
            return true;
    return false;
}

static void add_rules(const struct index *x, struct arena *a, str folder,
                      struct guidance *g)
{
    for (size_t i = 0; i < COUNT_OF(rule_names); i++) {
        const struct file *f = index_find(x, path_join(a, folder, str_c(rule_names[i])));
        if (f != NULL && !f->unread)
            g->rules[g->n_rules++] = f;
    }
}

static bool guidance_has_tag(const struct file *f)
{
    for (size_t i = 0; i < f->tags.n; i++)
        if (str_eq_nocase(f->tags.items[i], STR(GUIDANCE_TAG)))
            return true;
    return false;
}

size_t guidance_notes(const struct index *x, struct arena *a, const struct file ***out)
{
    size_t n = index_tagged(x, a, STR(GUIDANCE_TAG), out), kept = 0;
    for (size_t i = 0; i < n; i++)
        if (guidance_has_tag((*out)[i]))
            (*out)[kept++] = (*out)[i];
    return kept;
}

void guidance_for(const struct index *x, struct arena *a, str path, struct guidance *out)
{
    size_t folders = 2; /* the root, and path itself, which may be a folder */
    for (size_t i = 0; i < path.n; i++)
        folders += path.p[i] == '/';
    *out = (struct guidance){
        .rules = ARENA_ARRAY(a, const struct file *, folders *COUNT_OF(rule_names))};
    add_rules(x, a, STR(""), out);
    for (size_t i = 1; i <= path.n; i++)
        if (i == path.n || path.p[i] == '/')
            add_rules(x, a, str_slice(path, 0, i), out);
    size_t n = guidance_notes(x, a, &out->notes);
    for (size_t i = 0; i < n; i++)
        if (!guidance_is_rule(out->notes[i]->path))
            out->notes[out->n_notes++] = out->notes[i];
}

static const struct prop *description_of(const struct file *f)
{
    const struct prop *p = f->props != NULL ? f->props->child : NULL;
    while (p != NULL && !prop_same_name(p->key, STR("description")))
        p = p->next;
    return p;
}

str guidance_description(const struct file *f)
{
    const struct prop *p = description_of(f);
    if (p != NULL && p->type == PROP_LIST)
        p = p->child;
    return p != NULL && p->type != PROP_NULL ? str_trim(p->text) : (str){0};
}

bool guidance_is_described(const struct file *f)
{
    const struct prop *p = description_of(f);
    return p != NULL && p->type != PROP_NULL &&
           (p->child != NULL || str_trim(p->text).n > 0);
}

str guidance_text(const struct file *f)
{
    return str_skip(f->text, f->note.body);
}
