/*
 * After an edit, the text is scanned again (readback.h). What is outside of the edited lines
 * must be what and where it was.
 */
#include "base/text.h"
#include "vault/note/edit_parts.h"
#include "vault/note/note.h"
#include "vault/note/readback.h"

/* The lines of an edit, and the white space after them: nothing begins or ends in it. */
static struct edit_range rest_range(str text, struct edit_range r)
{
    r.start = text_line_start(text, r.start);
    if (r.end > edit_text_start(text) && !text_begins_line(text, r.end))
        r.end = text_next_line(text, r.end);
    while (r.end < text.n && is_space(text.p[r.end]))
        r.end++;
    return r;
}

/* What differs, as a sentence with one of the verbs; empty: nothing. */
static str rest_problem(struct edit_job *j, const struct note *is, const char *is_lost,
                        const char *is_new)
{
    struct edit_result *out = j->out;
    if (out->text.p == j->text.p)
        return (str){0};
    if (j->note.text.p != j->text.p) /* edits of exact text have not needed it */
        note_scan(j->arena, j->text, &j->note);
    struct edit_range cut = rest_range(j->text, out->was),
                      put = rest_range(out->text, out->is);
    struct readback r = {.was = &j->note, .is = is, .cut = &cut, .put = &put, .n = 1};
    return readback_problem(j->arena, &r, is_lost, is_new);
}

/* --- the new text --- */

/* Whether the new text has the things that it has alone. */
static bool is_read_as_meant(struct edit_job *j, const struct note *there)
{
    struct arena scratch = {0};
    struct note alone;
    struct sbuf apart = SBUF_ON(&scratch);
    if (j->put.start == j->note.bom)
        return true;
    sbuf_char(&apart, '\n'); /* properties are only at the start of a note */
    sbuf_add(&apart, str_slice(j->out->text, j->put.start, j->put.end));
    note_scan(&scratch, sbuf_str(&apart), &alone);
    const struct edit_range cut[] = {{0, 1}, {apart.n, apart.n}},
                            put[] = {{0, j->put.start}, {j->put.end, there->text.n}};
    struct readback r = {
        .was = &alone, .is = there, .cut = cut, .put = put, .n = 2, .starts = true};
    bool same = readback_open_block(there, j->put.start) == NULL &&
                readback_problem(&scratch, &r, "", "").n == 0;
    arena_release(&scratch);
    return same;
}

bool edit_is_sound(struct edit_job *j)
{
    struct arena scratch = {0};
    struct note is;
    note_scan(&scratch, j->out->text, &is);
    j->sound = rest_problem(j, &is, "", "").n == 0 && is_read_as_meant(j, &is);
    arena_release(&scratch);
    return j->sound;
}

bool edit_check_rest(struct edit_job *j)
{
    struct arena scratch = {0};
    struct note is;
    if (j->sound)
        return true;
    note_scan(&scratch, j->out->text, &is);
    str problem = rest_problem(j, &is, "would no longer be", "would become");
    if (problem.n == 0 && !j->raw && !is_read_as_meant(j, &is))
        edit_warn(j->out, STR("at this place, the new text is read as part of what is "
                              "around it"));
    arena_release(&scratch);
    return problem.n == 0 ||
           err_named(j->err, E_INVALID_CONTENT,
                     "the rest of the note would mean something else: " STR_FMT
                     "; close what the text opens (code, math, comments), or change both "
                     "as exact text",
                     STR_ARG(problem));
}

void edit_warn_rest(struct edit_job *j)
{
    struct arena scratch = {0};
    struct note is;
    note_scan(&scratch, j->out->text, &is);
    str problem = rest_problem(j, &is, "is no longer", "is now");
    arena_release(&scratch);
    if (problem.n > 0)
        edit_warn(j->out,
                  arena_printf(j->arena,
                               "the rest of the note means something else now: " STR_FMT,
                               STR_ARG(problem)));
}
