#include "vault/ask/check.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "base/utf8.h"

struct options {
    struct cli_common common;
    struct option_list kinds;
    int64_t limit;
    bool all;
};

static const struct option table[] = {
    OPTION(struct options, kinds, OPTION_LIST, "kind", NULL, NULL, "KIND,...",
           "Only findings of that kind, as named above", .letter = 'k'),
    OPTION(struct options, all, OPTION_SWITCH, "all", NULL, NULL, NULL,
           "Also what may well be meant: orphans, empty notes, unused attachments"),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "200", "COUNT",
           "How many to show", .min = 1, .max = 1000000, .letter = 'n'),
    CLI_COMMON,
};

static const enum term_style styles[] = {
    [CHECK_ERROR] = TERM_BAD,
    [CHECK_WARNING] = TERM_WARN,
    [CHECK_INFO] = TERM_FAINT,
};

enum { KIND_MAX = 60 };

static bool read_kinds(const struct options *o, unsigned *out, struct err *err)
{
    static const unsigned meant =
        1u << CHECK_EMPTY | 1u << CHECK_ORPHAN | 1u << CHECK_ATTACHMENT;
    *out = o->all ? 0 : ((1u << CHECK_KINDS) - 1) & ~meant;
    if (o->kinds.n > 0)
        *out = 0;
    for (size_t i = 0; i < o->kinds.n; i++) {
        enum check_kind kind = check_kind_of(o->kinds.items[i]);
        if (kind == CHECK_KINDS)
            return err_set(err, ERR_INVALID,
                           "no kind '" STR_FMT "'; vaultd check --help lists them",
                           STR_ARG(utf8_cut(o->kinds.items[i], KIND_MAX)));
        *out |= 1u << kind;
    }
    return true;
}

static void cli_check_put_json(struct cli *c, const struct check_result *r)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_array(w, STR("findings"));
    for (size_t i = 0; i < r->n; i++) {
        const struct check_finding *f = &r->findings[i];
        jsonw_object(w);
        jsonw_put_str(w, STR("kind"), str_c(check_kind_name(f->kind)));
        jsonw_put_str(w, STR("severity"), str_c(check_severity_name(f->severity)));
        jsonw_put_str(w, STR("path"), index_file(c->index, f->file)->path);
        if (f->line > 0)
            jsonw_put_int(w, STR("line"), f->line);
        jsonw_put_str(w, STR("message"), f->message);
        if (f->suggestion.n > 0)
            jsonw_put_str(w, STR("suggestion"), f->suggestion);
        jsonw_end(w);
    }
    jsonw_end(w);
    jsonw_put_int(w, STR("total"), (int64_t)r->total);
    jsonw_put_object(w, STR("counts"));
    for (int i = 0; i < CHECK_KINDS; i++)
        if (r->counts[i] > 0)
            jsonw_put_int(w, str_c(check_kind_name((enum check_kind)i)),
                          (int64_t)r->counts[i]);
    jsonw_end(w);
    jsonw_end(w);
    cli_json_print(c, &json);
}

static void put_finding(struct cli *c, const struct check_finding *f, bool new_file)
{
    struct term *t = &c->out;
    bool people = t->width > 0;
    term_place(&c->out, index_file(c->index, f->file)->path, f->line, new_file);
    term_put(t, TERM_PLAIN, people ? STR("") : STR(" "));
    term_put(t, styles[f->severity], str_c(check_kind_name(f->kind)));
    term_printf(t, TERM_PLAIN, people ? "  " STR_FMT "\n" : ": " STR_FMT "\n",
                STR_ARG(f->message));
    if (people && f->suggestion.n > 0)
        term_printf(t, TERM_FAINT, "          " STR_FMT "\n", STR_ARG(f->suggestion));
}

static void put_summary(struct cli *c, const struct check_result *r)
{
    if (r->n > 0)
        term_put(&c->out, TERM_PLAIN, STR("\n"));
    term_printf(&c->out, TERM_FAINT, STR_FMT "%s\n",
                STR_ARG(term_count(&c->out, r->total, "finding", "findings")),
                r->n < r->total ? "; more with --limit" : "");
}

static bool cli_check_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct check_limits limits = {.max = (size_t)o->limit};
    struct check_result r;
    if (!read_kinds(o, &limits.kinds, err))
        return false;
    check_vault(c->index, c->arena, &limits, &r);
    c->status = r.problems > 0;
    if (c->json) {
        cli_check_put_json(c, &r);
        return true;
    }
    for (size_t i = 0; i < r.n; i++)
        put_finding(c, &r.findings[i],
                    i == 0 || r.findings[i - 1].file != r.findings[i].file);
    if (c->out.width > 0)
        put_summary(c, &r);
    return true;
}

const struct cli_verb cli_check = {
    .name = "check",
    .arguments = "",
    .about = "Find broken links, ambiguous names, broken properties, duplicate ids",
    .help = "  vaultd check\n"
            "  vaultd check --kind broken_link --json\n\n"
            "Kinds: unread_file, broken_properties, broken_canvas, broken_link,\n"
            "broken_subpath, ambiguous_link, twin_path, duplicate_block_id,\n"
            "duplicate_name; with --all also empty_note, orphan_note,\n"
            "orphan_attachment. Exit code 1: there are errors or warnings.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .run = cli_check_run,
};
