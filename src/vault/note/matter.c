#include "vault/note/matter.h"

#include "vault/note/frontmatter.h"
#include "vault/note/frontmatter_edit.h"
#include "vault/note/note.h"
#include "vault/note/prop.h"
#include "vault/note/yaml_dump.h"

/* Make a new block, and check that it reads back as props. */
static bool new_block(struct arena *a, const struct prop *props, str *out,
                      struct err *err)
{
    struct sbuf block = SBUF_ON(a);
    struct frontmatter read;
    yaml_dump(&block, props);
    frontmatter_read(a, sbuf_str(&block), 2, &read);
    if (read.broken) {
        *err = read.why;
        return false;
    }
    if (!prop_same(read.props, props))
        return err_set(err, ERR_INTERNAL,
                       "the properties could not be read back unchanged: "
                       "nothing was written");
    *out = sbuf_str(&block);
    return true;
}

static bool matter_merge(struct arena *a, const struct prop *props, str content, str *out,
                         struct err *err)
{
    struct frontmatter_edit *edits = ARENA_ARRAY(a, struct frontmatter_edit, props->n);
    struct frontmatter_edited edited;
    size_t n = 0;
    for (const struct prop *p = props->child; p != NULL; p = p->next)
        edits[n++] =
            (struct frontmatter_edit){.op = FRONTMATTER_SET, .key = p->key, .value = p};
    if (!frontmatter_edit(a, content, edits, n, &edited, err))
        return false;
    *out = edited.text;
    return true;
}

bool matter_write(struct arena *a, const struct prop *props, str content, str *out,
                  struct err *err)
{
    struct sbuf text = SBUF_ON(a);
    struct note note;
    str block;
    if (props == NULL || props->n == 0) {
        *out = content;
        return true;
    }
    note_scan(a, content, &note);
    if (note.has_frontmatter) {
        if (!matter_merge(a, props, content, &block, err))
            return false;
        sbuf_add(&text, block);
    } else {
        if (!new_block(a, props, &block, err))
            return false;
        sbuf_printf(&text, "---\n" STR_FMT "---\n", STR_ARG(block));
        sbuf_add(&text, content);
    }
    if (!str_ends(sbuf_str(&text), STR("\n")) || content.n == 0)
        sbuf_char(&text, '\n');
    *out = sbuf_str(&text);
    return true;
}
