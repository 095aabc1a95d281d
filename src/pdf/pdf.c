#include "pdf/pdf.h"

#include "base/array.h"
#include "base/os/thread.h"
#include "base/process.h"
#include "base/spawn.h"
#include "base/system_path.h"
#include "base/text.h"
#include "base/utf8.h"

bool pdf_is_installed(void)
{
    static const char *const programs[] = {"pdfinfo", "pdftotext", "pdftoppm"};
    struct arena a = {0};
    bool all = true;
    for (size_t i = 0; i < COUNT_OF(programs); i++)
        all = all && process_find(&a, programs[i], process_path()) != NULL;
    arena_release(&a);
    return all;
}

/* --- confinement --- */

static const struct sandbox_rule places[] = {
    {"/usr", SANDBOX_RUN},
    {"/bin", SANDBOX_RUN},
    {"/lib", SANDBOX_RUN},
    {"/lib32", SANDBOX_RUN},
    {"/lib64", SANDBOX_RUN},
    {"/nix/store", SANDBOX_RUN},
    {"/gnu/store", SANDBOX_RUN},
    {"/etc/ld.so.cache", SANDBOX_READ},
    {"/etc/fonts", SANDBOX_READ},
    {"/var/cache/fontconfig", SANDBOX_READ},
    {"/dev/null", SANDBOX_READ | SANDBOX_USE},
};

size_t pdf_needs(struct arena *a, const struct sandbox_rule **out)
{
    struct sandbox_rule *rules = NULL;
    size_t n = 0;
    str path = str_c(process_path()), folder;
    for (size_t i = 0; i < COUNT_OF(places); i++)
        *ARRAY_ADD(a, rules, n) = places[i];
    while (system_path_next(a, &path, &folder))
        *ARRAY_ADD(a, rules, n) =
            (struct sandbox_rule){arena_str(a, folder).p, SANDBOX_RUN};
    *out = rules;
    return n;
}

static void confine_once(void)
{
    struct arena a = {0};
    struct sandbox reader = {.isolated = true};
    reader.n_rules = pdf_needs(&a, &reader.rules);
    spawn_confine(SPAWN_READER, &reader);
    arena_release(&a);
}

void pdf_confine(void)
{
    static struct once once = ONCE_INIT;
    once_run(&once, confine_once);
}

/* --- running --- */

static bool run_program(struct arena *a, const char *const argv[], str bytes,
                        size_t out_max, const struct pdf_how *how,
                        struct process_result *out, struct err *err)
{
    const char *env[] = {arena_printf(a, "PATH=%s", process_path()).p, "LC_ALL=C.UTF-8",
                         "HOME=/nonexistent", NULL};
    struct process p = {.argv = argv,
                        .env = env,
                        .folder = "/",
                        .input = bytes,
                        .out_max = out_max,
                        .ms = PDF_MS,
                        .stop = how->stop,
                        .nice = how->background ? 19 : 0,
                        .hostile = true,
                        .memory = PDF_MEMORY,
                        .cpu = PDF_SECONDS};
    pdf_confine();
    return process_run(a, &p, out, err);
}

/* Why a program did not do its work. */
static bool pdf_fail(const struct process_result *r, struct err *err)
{
    enum { SIGNALS = 128 };
    if (str_find(r->errors, STR("Incorrect password")) != STR_NONE)
        return err_named(err, E_NOT_TEXT, "the PDF is encrypted and needs a password");
    if (str_find(r->errors, STR("Out of memory")) != STR_NONE)
        return err_named(err, E_FILE_TOO_LARGE,
                         "reading the PDF takes more than %d MiB of memory",
                         PDF_MEMORY >> 20);
    if (r->code > SIGNALS)
        return err_named(err, E_NOT_TEXT,
                         "reading the PDF failed: it is damaged, or needs more than %d "
                         "seconds or %d MiB of memory",
                         PDF_SECONDS, PDF_MEMORY >> 20);
    return err_named(err, E_NOT_TEXT, "the PDF is damaged");
}

static bool check_bytes(str bytes, struct err *err)
{
    enum { LOOKED_AT = 1024 }; /* as readers do: some have bytes before the header */
    if (bytes.n > PDF_FILE_MAX)
        return err_named(err, E_FILE_TOO_LARGE,
                         "the PDF has %zu MiB; at most %d MiB are read", bytes.n >> 20,
                         PDF_FILE_MAX >> 20);
    if (str_find(str_slice(bytes, 0, LOOKED_AT), STR("%PDF-")) == STR_NONE)
        return err_named(err, E_NOT_TEXT, "the file is not a PDF");
    return pdf_is_installed() ||
           err_named(err, E_NOT_SET_UP,
                     "PDF files cannot be read on this machine: install poppler-utils");
}

/* --- pages and title --- */

/* A title may contain line breaks, but everything after the pages is pdfinfo's own, so
 * the last of these lines is the real one. */
static void read_info(struct arena *a, str printed, struct pdf *out)
{
    static const str title = STR("Title:"), pages = STR("Pages:");
    str line;
    while (str_next(&printed, '\n', &line)) {
        int64_t n;
        if (str_starts(line, title) && out->title.n == 0 && utf8_valid(line))
            out->title = utf8_cut(str_trim(str_skip(line, title.n)), PDF_TITLE_MAX);
        if (str_starts(line, pages) && str_to_int(str_trim(str_skip(line, pages.n)), &n))
            out->pages = n > 0 && n <= INT32_MAX ? (uint32_t)n : 0;
    }
    if (!text_is_printable(out->title))
        out->title = (str){0};
    out->title = arena_str(a, out->title);
}

static bool look_at(struct arena *a, str bytes, const struct pdf_how *how,
                    struct pdf *out, struct err *err)
{
    enum { INFO_MAX = 64 << 10 };
    static const char *const argv[] = {"pdfinfo", "-enc", "UTF-8", "-", NULL};
    struct process_result r;
    if (!run_program(a, argv, bytes, INFO_MAX, how, &r, err))
        return false;
    read_info(a, r.out, out);
    return (r.code == 0 && out->pages > 0) || pdf_fail(&r, err);
}

static bool has_page(const struct pdf *p, uint32_t page, struct err *err)
{
    return (page >= 1 && page <= p->pages) ||
           err_named(err, E_INVALID_RANGE, "there is no page %u: the PDF has %u page%s",
                     page, p->pages, p->pages == 1 ? "" : "s");
}

/* --- text --- */

static bool take_text(struct arena *a, str bytes, uint32_t first, uint32_t last,
                      const struct pdf_how *how, struct pdf *out, struct err *err)
{
    enum { PRINTED_MAX = 4 * PDF_TEXT_MAX }; /* with spaces that are dropped */
    const char *argv[] = {"pdftotext",
                          "-enc",
                          "UTF-8",
                          "-f",
                          arena_printf(a, "%u", first).p,
                          "-l",
                          arena_printf(a, "%u", last).p,
                          "-",
                          "-",
                          NULL};
    struct process_result r = {0};
    bool ran = run_program(a, argv, bytes, PRINTED_MAX, how, &r, err);
    bool too_much = !ran && err->code == ERR_LIMIT;
    if (!ran && !too_much)
        return false;
    if (ran && r.code != 0)
        return pdf_fail(&r, err);
    bool cut = pdf_clean(a, r.out, PDF_TEXT_MAX, &out->text);
    out->cut = cut || too_much || (last < out->pages && first == 1);
    return true;
}

static bool read_now(struct arena *a, str bytes, uint32_t first, uint32_t last,
                     const struct pdf_how *how, struct pdf *out, struct err *err)
{
    struct pdf p = {0};
    if (!look_at(a, bytes, how, &p, err) || !has_page(&p, first, err))
        return false;
    if (last == 0 || last > p.pages)
        last = p.pages;
    if (last < first)
        return err_named(err, E_INVALID_RANGE, "page %u comes after page %u", first,
                         last);
    if (last - first >= PDF_PAGES_MAX)
        last = first + PDF_PAGES_MAX - 1;
    if (!take_text(a, bytes, first, last, how, &p, err))
        return false;
    *out = p;
    return true;
}

/* --- the limit for calls: global, because it is for the machine --- */

static atomic_int running;

static bool enter_place(const struct pdf_how *how, struct err *err)
{
    if (how->background || atomic_fetch_add(&running, 1) < PDF_AT_ONCE)
        return true;
    atomic_fetch_sub(&running, 1);
    return err_named(err, E_BUSY, "other PDF files are being read: try again later");
}

static void leave_place(const struct pdf_how *how)
{
    if (!how->background)
        atomic_fetch_sub(&running, 1);
}

bool pdf_read(struct arena *a, str bytes, uint32_t first, uint32_t last,
              const struct pdf_how *how, struct pdf *out, struct err *err)
{
    if (!check_bytes(bytes, err) || !enter_place(how, err))
        return false;
    bool ok = read_now(a, bytes, first, last, how, out, err);
    leave_place(how);
    return ok;
}

/* --- a picture --- */

static bool draw(struct arena *a, str bytes, uint32_t page, unsigned side,
                 const struct pdf_how *how, str *out, struct err *err)
{
    const char *number = arena_printf(a, "%u", page).p;
    const char *argv[] = {"pdftoppm", "-png",      "-singlefile",
                          "-f",       number,      "-l",
                          number,     "-scale-to", arena_printf(a, "%u", side).p,
                          "-",        NULL};
    struct pdf p = {0};
    struct process_result r;
    if (!look_at(a, bytes, how, &p, err) || !has_page(&p, page, err) ||
        !run_program(a, argv, bytes, PDF_PICTURE_MAX, how, &r, err))
        return false;
    if (r.code != 0 || r.out.n == 0)
        return pdf_fail(&r, err);
    *out = r.out;
    return true;
}

bool pdf_picture(struct arena *a, str bytes, uint32_t page, unsigned side,
                 const struct pdf_how *how, str *out, struct err *err)
{
    if (!check_bytes(bytes, err) || !enter_place(how, err))
        return false;
    bool ok = draw(a, bytes, page, side, how, out, err);
    leave_place(how);
    return ok;
}
