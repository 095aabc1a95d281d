/*
 * Any steps on any canvas: what comes out is a valid canvas, in which everything that no
 * step has removed still has its id.
 *
 * Input: the canvas and the steps as JSON, with an RS byte in between.
 */
#include "base/err.h"
#include "vault/forms/canvas.h"
#include "vault/forms/canvas_edit.h"

static bool find(void *arg, str word, str *path, struct err *err)
{
    *path = word;
    return word.n > 0 || err_named(err, E_FILE_NOT_FOUND, "no file");
}

static void check(struct arena *a, str text, const struct canvas_edited *out)
{
    struct canvas_map was, is;
    struct err err;
    size_t gone = 0;
    if (!canvas_check(a, out->text, &err) || !canvas_map_read(a, out->text, &is, &err))
        BUG("the result is not valid: %s", err.msg);
    if (!canvas_map_read(a, text, &was, &err))
        BUG("it was not valid: %s", err.msg);
    for (size_t i = 0; i < was.n_nodes; i++)
        gone += canvas_node_with_id(&is, was.nodes[i].id) == CANVAS_NO_NODE;
    if (gone > out->n_did)
        BUG("%zu nodes are gone after %zu steps", gone, out->n_did);
    canvas_nest(&is);
    size_t *order = canvas_order(&is);
    for (size_t i = 0; i < is.n_nodes; i++)
        if (order[i] >= is.n_nodes)
            BUG("node %zu is not in the order", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    str steps = {(const char *)data, size}, text = {0};
    struct canvas_edit edit = {.find = find};
    struct canvas_edited out;
    struct err err;
    (void)str_next(&steps, '\x1e', &text);
    if (json_parse(&a, steps, &edit.steps, &err) && edit.steps->type == JSON_ARRAY &&
        canvas_edit(&a, text, &edit, &out, &err))
        check(&a, text, &out);
    arena_release(&a);
    return 0;
}
