#include "vault/ask/prompt_note.h"

#include "base/sbuf.h"
#include "vault/ask/guidance.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/note/frontmatter.h"
#include "vault/note/prop.h"

static const struct prop *prompt_note_member(const struct prop *map, str key)
{
    const struct prop *p = map != NULL && map->type == PROP_MAP ? map->child : NULL;
    while (p != NULL && !prop_same_name(p->key, key))
        p = p->next;
    return p;
}

static str member_text(const struct prop *map, str key)
{
    const struct prop *p = prompt_note_member(map, key);
    return p != NULL && p->type == PROP_TEXT ? str_trim(p->text) : (str){0};
}

static struct prompt_argument read_argument(const struct prop *p)
{
    if (p->type == PROP_TEXT)
        return (struct prompt_argument){.name = str_trim(p->text)};
    const struct prop *required = prompt_note_member(p, STR("required"));
    return (struct prompt_argument){
        .name = member_text(p, STR("name")),
        .about = member_text(p, STR("description")),
        .required = required != NULL && required->type == PROP_BOOL && required->flag};
}

static void read_arguments(struct arena *a, struct prompt_note *p)
{
    const struct prop *list = prompt_note_member(p->file->props, STR("arguments"));
    if (list == NULL || list->type != PROP_LIST)
        return;
    p->arguments = ARENA_ARRAY(a, struct prompt_argument, PROMPT_ARGUMENTS_MAX);
    for (const struct prop *i = list->child;
         i != NULL && p->n_arguments < PROMPT_ARGUMENTS_MAX; i = i->next) {
        struct prompt_argument argument = read_argument(i);
        if (argument.name.n > 0)
            p->arguments[p->n_arguments++] = argument;
    }
}

static str prompt_note_name_of(const struct prompt_note *earlier, size_t n, str path)
{
    str title = file_title(path);
    for (size_t i = 0; i < n; i++)
        if (str_eq(earlier[i].name, title))
            return str_slice(path, 0, path.n - STR(".md").n);
    return title;
}

size_t prompt_notes(const struct index *x, struct arena *a, struct prompt_note **out)
{
    const struct file **files;
    size_t tagged = index_tagged(x, a, STR("prompt"), &files), n = 0;
    struct prompt_note *notes = ARENA_ARRAY(a, struct prompt_note, PROMPT_NOTES_MAX);
    for (size_t i = 0; i < tagged && n < PROMPT_NOTES_MAX; i++) {
        if (files[i]->kind != FILE_NOTE)
            continue;
        struct prompt_note *p = &notes[n];
        *p = (struct prompt_note){.file = files[i],
                                  .name = prompt_note_name_of(notes, n, files[i]->path),
                                  .about = guidance_description(files[i])};
        read_arguments(a, p);
        n++;
    }
    *out = notes;
    return n;
}

/* Which argument "{{ name }}" at the start of text means, and how long that is. */
static bool find_argument(const struct prompt_note *p, str text, size_t *argument,
                          size_t *length)
{
    size_t end = str_find(text, STR("}}"));
    if (!str_starts(text, STR("{{")) || end == STR_NONE)
        return false;
    str name = str_trim(str_slice(text, 2, end));
    *length = end + 2;
    for (*argument = 0; *argument < p->n_arguments; ++*argument)
        if (str_eq(p->arguments[*argument].name, name))
            return true;
    return false;
}

str prompt_note_fill(struct arena *a, const struct prompt_note *p, const str *values)
{
    str rest = guidance_text(p->file);
    struct sbuf out = SBUF_ON(a);
    for (size_t open; (open = str_find(rest, STR("{{"))) != STR_NONE;) {
        sbuf_add(&out, str_slice(rest, 0, open));
        rest = str_skip(rest, open);
        size_t argument, length;
        bool found = find_argument(p, rest, &argument, &length);
        sbuf_add(&out, found ? values[argument] : str_slice(rest, 0, 1));
        rest = str_skip(rest, found ? length : 1);
    }
    sbuf_add(&out, rest);
    return sbuf_str(&out);
}
