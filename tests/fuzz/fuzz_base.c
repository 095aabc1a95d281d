/*
 * A base that can be read has views, and its texts are where it says; a name in it that
 * is replaced by itself leaves the file as it is.
 */
#include "vault/change/rename_parts.h"
#include "vault/eval/base.h"
#include "vault/forms/base_file.h"
#include "vault/forms/code_block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct base *b, const struct base_text *t)
{
    if (t->raw.start > t->raw.end || t->raw.end > b->source.text.n)
        BUG("a text is outside of the base");
    for (size_t i = 0; i < t->text.n; i += 7) {
        struct span at = base_source_in_scalar(&b->source, t->raw, t->text, i);
        if (at.start > at.end || at.end > b->source.text.n ||
            base_source_place(&b->source, at.end) > b->source.file.n)
            BUG("a place is outside of the file");
    }
}

static void check_base(struct arena *a, const struct base_source *source)
{
    struct base b;
    struct err err = {0};
    if (!base_read(a, source, &b, &err)) {
        if (!str_starts(str_c(err.msg), STR("line ")))
            BUG("no place: %s", err.msg);
        return;
    }
    if (b.n_views == 0 || base_find_view(&b, STR("")) != &b.views[0])
        BUG("no view");
    for (size_t i = 0; i < b.formulas.n; i++)
        check_text(&b, &b.formulas.items[i].value);
    if (!base_check(a, &b, &err) && !str_starts(str_c(err.msg), STR("line ")) &&
        err.code != ERR_LIMIT)
        BUG("no place: %s", err.msg);
}

static bool same_name(void *arg, enum use_kind kind, str value, str *out)
{
    (void)arg;
    (void)kind;
    *out = value;
    return true;
}

static void check_rename(struct arena *a, str path, str text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)text.n};
    struct file *f = file_make(&scratch, path, &info, text);
    struct rename_visit v = {.arena = a, .file = f, .splices = {.arena = a}};
    rename_visit_bases(&v, same_name, NULL);
    rename_splice_sort(&v.splices);
    struct file *again =
        file_make(&scratch, path, &info, rename_splice_apply(&v.splices, f->text));
    if (f->has_queries != again->has_queries)
        BUG("a base was lost");
    file_free(again);
    file_free(f);
    arena_release(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    str text = {(const char *)data, size};
    struct base_source source;
    struct note note;
    struct span block;
    base_source_of_file(&a, text, &source);
    check_base(&a, &source);
    note_scan(&a, text, &note);
    for (uint32_t i = 0; code_block_next(&note, STR("base"), &i, &block);) {
        base_source_of_block(&a, &note, block, &source);
        check_base(&a, &source);
    }
    check_rename(&a, STR("a.base"), text);
    check_rename(&a, STR("a.md"), text);
    arena_release(&a);
    return 0;
}
