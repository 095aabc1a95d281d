#include "vault/guidance.h"

#include "base/path.h"

static const char *const rule_names[] = {"CLAUDE.md", "AGENTS.md"};

static bool is_rule(str path)
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

static void add_notes(const struct index *x, struct arena *a, struct guidance *g)
{
    size_t n = index_tagged(x, a, STR(GUIDANCE_TAG), &g->notes);
    for (size_t i = 0; i < n; i++)
        if (!is_rule(g->notes[i]->path))
            g->notes[g->n_notes++] = g->notes[i];
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
    add_notes(x, a, out);
}

str guidance_description(const struct file *f)
{
    for (const struct prop *p = f->props != NULL ? f->props->child : NULL; p != NULL;
         p = p->next)
        if (frontmatter_same_name(p->key, STR("description")))
            return str_trim(p->text);
    return (str){0};
}

str guidance_text(const struct file *f)
{
    return str_skip(f->text, f->note.body);
}
