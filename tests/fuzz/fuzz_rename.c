/*
 * Whatever is in a vault and wherever its files are moved, links keep their meaning and
 * all other bytes stay. The input consists of lines: ">from|to" moves a file, "=path"
 * begins one, and a leading digit is the link format.
 */
#include "base/path.h"
#include "rename_verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOVES_MAX = 4 };

struct input {
    struct arena arena;
    struct index *index;
    struct rename_move moves[MOVES_MAX];
    size_t n_moves;
};

static bool take_move(struct input *in, str line)
{
    struct err err;
    str from;
    (void)str_next(&line, '|', &from);
    struct rename_move *m = &in->moves[in->n_moves];
    if (in->n_moves == MOVES_MAX || !path_clean(&in->arena, from, &m->from, &err) ||
        !path_clean(&in->arena, line, &m->to, &err) ||
        file_kind_of(m->from) != file_kind_of(m->to))
        return false;
    in->n_moves++;
    return true;
}

static bool take_file(struct input *in, str line, str *rest)
{
    struct err err;
    str path;
    if (!path_clean(&in->arena, line, &path, &err) || path.n == 0)
        return false;
    size_t end = str_find(*rest, STR("\n=")) + 1; /* 0 if there is none */
    str text = str_slice(*rest, 0, end > 0 ? end : rest->n);
    *rest = str_skip(*rest, text.n);
    vault_put(in->index, path, text);
    return true;
}

static void check(struct input *in, enum obsidian_link_format format)
{
    struct rename_plan plan;
    struct err err;
    str where;
    if (!rename_files(in->index, format, &in->arena, in->moves, in->n_moves, NULL, &plan,
                      &err))
        return;
    const char *wrong =
        plan.n_warnings == 0 ? verify_plan(in->index, &plan, &where) : NULL;
    if (wrong != NULL)
        BUG("in '" STR_FMT "' %s", STR_ARG(where), wrong);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {.index = index_create()};
    str rest = {(const char *)data, size}, line;
    char format = size > 0 ? (char)data[0] : '0';
    bool ok = true;
    while (ok && str_next(&rest, '\n', &line)) {
        if (str_starts(line, STR(">")))
            ok = take_move(&in, str_skip(line, 1));
        else if (str_starts(line, STR("=")))
            ok = take_file(&in, str_skip(line, 1), &rest);
    }
    if (ok)
        check(&in, (enum obsidian_link_format)((unsigned char)format % 3));
    index_free(in.index);
    arena_release(&in.arena);
    return 0;
}
