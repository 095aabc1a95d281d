/* The pages of a PDF, as text and as pictures. Reading them takes a while, so a call is run
 * again on a worker, and waits there for its turn. */
#include "app/answers/read.h"
#include "app/setup/app.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/attachment.h"
#include "base/pool.h"
#include "mcp/call.h"
#include "pdf/pdf.h"
#include "pdf/pdf_cache.h"
#include "picture/picture.h"
#include "vault/text/media.h"
#include "vault/vault.h"

static const struct pdf_how for_call = {0};

bool attachment_has_pages(struct mcp_call *call, str path)
{
    return app_of(call)->pdf != NULL && str_eq(media_type(path), STR("application/pdf"));
}

/* A PDF that is being read, kept while its call is run again. */
struct pdf_pages {
    str path, bytes; /* of the file that was read last */
    int runs;        /* so far */
};

static const struct mcp_kept pdf_pages_kept = {sizeof(struct pdf_pages)};

/* Read the file, and leave the worker to others while the programs run. */
static bool begin_paging(struct mcp_call *call, str path, struct pdf_pages *p,
                         struct err *err)
{
    if (!str_eq(p->path, path)) {
        p->path = (str){0};
        if (!vault_bytes(tool_vault(call), call->arena, path, PDF_FILE_MAX, &p->bytes,
                         err))
            return false;
        p->path = path;
    }
    return pool_leave() ||
           err_named(err, E_BUSY, "too many calls are waiting: try again later");
}

/* Name the file, and what else can be done with it. */
static bool say_what_else(str path, struct err *err)
{
    if (err->name != E_NOT_TEXT && err->name != E_FILE_TOO_LARGE &&
        err->name != E_TIMEOUT)
        return false;
    struct err why = *err;
    err_named(err, why.name, "'" STR_FMT "': %s", STR_ARG(path), why.msg);
    return err_hint(err, "view file gives the file as it is");
}

/* Whether the call is run again: on a worker, or when others are done. */
static bool try_later(struct mcp_call *call, str path, struct pdf_pages *p,
                      struct err *err)
{
    if (p->runs > 0 && err->name != E_BUSY)
        return say_what_else(path, err);
    return attachment_run_later(call, &p->runs);
}

static bool read_pages(struct mcp_call *call, str path, struct pdf_pages *p,
                       uint32_t first, uint32_t last, struct pdf *out, struct err *err)
{
    if (!begin_paging(call, path, p, err))
        return false;
    bool ok = first == 0
                  ? pdf_cache_read(app_of(call)->pdf, call->arena, p->bytes, &for_call,
                                   out, err)
                  : pdf_read(call->arena, p->bytes, first, last, &for_call, out, err);
    pool_return();
    return ok;
}

bool attachment_pages(struct mcp_call *call, str path, uint32_t first, uint32_t last,
                      struct pdf *out, bool *later, struct err *err)
{
    struct pdf_pages *p = mcp_kept(call, &pdf_pages_kept);
    *later = false;
    if (p->runs > 0 && read_pages(call, path, p, first, last, out, err))
        return true;
    *later = try_later(call, path, p, err);
    return *later;
}

/* --- pictures --- */

static bool answer_page(struct mcp_call *call, str path, uint32_t page, str png,
                        struct err *err)
{
    struct picture picture;
    enum picture_kind kind = PICTURE_PNG;
    str shown = png;
    if (!picture_read(png, &picture))
        return err_named(err, E_NOT_TEXT, "page %u of '" STR_FMT "' cannot be shown",
                         page, STR_ARG(path));
    if (!picture_fits(&picture, png.n) &&
        !attachment_copy(call, png, &picture, &shown, &kind, err))
        return false;
    str type = kind == PICTURE_JPEG ? STR("image/jpeg") : STR("image/png");
    mcp_image(call, shown, type);
    struct read_image image = {.path = path, .mime = type, .size = shown.n, .page = page};
    return tool_answer(call, &read_image_shape, &image, TOOL_NO_BUDGET);
}

static bool draw_page(struct mcp_call *call, str path, struct pdf_pages *p, uint32_t page,
                      str *png, struct err *err)
{
    if (!begin_paging(call, path, p, err))
        return false;
    bool ok =
        pdf_picture(call->arena, p->bytes, page, PICTURE_SIDE_MAX, &for_call, png, err);
    pool_return();
    return ok;
}

bool attachment_page(struct mcp_call *call, str path, uint32_t page, struct err *err)
{
    struct pdf_pages *p = mcp_kept(call, &pdf_pages_kept);
    str png;
    return (p->runs > 0 && draw_page(call, path, p, page, &png, err) &&
            answer_page(call, path, page, png, err)) ||
           try_later(call, path, p, err);
}
