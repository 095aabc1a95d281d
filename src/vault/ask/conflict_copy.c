#include "vault/ask/conflict_copy.h"

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"

static size_t digits_at(str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && is_digit(s.p[at + n]))
        n++;
    return n;
}

static size_t last_of(str s, str mark)
{
    size_t found = STR_NONE;
    for (size_t at = 0, next; (next = str_find(str_skip(s, at), mark)) != STR_NONE;)
        found = at + next, at = found + 1;
    return found;
}

/* Where "MARK" with a date after it begins, at the end of a stem: of Syncthing, of ownCloud. */
static size_t conflict_date(str stem, str mark, char end)
{
    size_t at = last_of(stem, mark), date = at + mark.n;
    if (at == STR_NONE || at == 0 || digits_at(stem, date) != 8 || date + 8 >= stem.n ||
        stem.p[date + 8] != '-' || digits_at(stem, date + 9) != 6)
        return STR_NONE;
    bool more = date + 15 < stem.n && stem.p[date + 15] == end;
    return (end == '\0' ? date + 15 == stem.n : more) ? at : STR_NONE;
}

/* Where " (… conflicted copy …)" or " (conflict 2026-…)" begins, at the end of a stem. */
static size_t bracketed(struct arena *a, str stem)
{
    size_t at = str_find_last(stem, '(');
    if (at == STR_NONE || at < 2 || stem.p[at - 1] != ' ' || !str_ends(stem, STR(")")))
        return STR_NONE;
    str said = utf8_fold(a, str_skip(stem, at + 1)), ours = STR("conflict ");
    bool is = str_find(said, STR("conflicted copy")) != STR_NONE ||
              (str_starts(said, ours) && digits_at(said, ours.n) == 4);
    return is ? at - 1 : STR_NONE;
}

/* "Plan.md.conflict1" of rclone bisync, and "Plan.md..path1" of its older versions. */
static str of_bisync(str name)
{
    static const str marks[] = {{".conflict", 9}, {"..path", 6}};
    for (size_t i = 0; i < COUNT_OF(marks); i++) {
        size_t at = last_of(name, marks[i]);
        if (at == STR_NONE || at == 0 || digits_at(name, at + marks[i].n) == 0 ||
            at + marks[i].n + digits_at(name, at + marks[i].n) != name.n)
            continue;
        return str_slice(name, 0, at);
    }
    return (str){0};
}

str conflict_copy_of(struct arena *a, str path)
{
    str name = path_name(path), ending = path_extension(name);
    if (str_starts(ending, STR("sync-conflict-"))) /* of a file without one */
        ending = STR("");
    str stem = str_slice(name, 0, name.n - (ending.n > 0 ? ending.n + 1 : 0));
    str original = of_bisync(name);
    size_t end = conflict_date(stem, STR(".sync-conflict-"), '-');
    if (end == STR_NONE)
        end = conflict_date(stem, STR("_conflict-"), '\0');
    if (end == STR_NONE)
        end = bracketed(a, stem);
    if (original.n == 0 && end != STR_NONE)
        original = arena_printf(a, STR_FMT STR_FMT, STR_ARG(str_slice(stem, 0, end)),
                                STR_ARG(str_skip(name, stem.n)));
    return original.n > 0 ? path_join(a, path_folder(path), original) : (str){0};
}
