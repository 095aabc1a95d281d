/* A delivery that is not signed with the secret never starts a pull. */
#include <stdlib.h>
#include <unistd.h>

#include "app/web/webhook.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECRET "a secret of the forge"

static struct webhook *make_hook(void)
{
    char file[] = "/tmp/vaultd-fuzz-webhook-XXXXXX";
    struct webhook *hook;
    struct err err;
    int fd = mkstemp(file);
    if (fd < 0 || write(fd, SECRET, sizeof(SECRET) - 1) != sizeof(SECRET) - 1 ||
        !webhook_create(str_c(file), NULL, &hook, &err))
        abort();
    close(fd);
    unlink(file);
    return hook;
}

/* The input: one value for the headers of every forge per line, then the body. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct webhook *hook;
    static const char *const names[] = {"X-Hub-Signature-256", "X-Gitea-Signature",
                                        "X-Gitlab-Token", "X-GitHub-Event",
                                        "X-GitHub-Delivery"};
    struct http_header headers[COUNT_OF(names)];
    struct http_request r = {.headers = headers};
    str rest = {(const char *)data, size}, value;
    if (hook == NULL)
        hook = make_hook();
    for (size_t i = 0; i < COUNT_OF(names) && str_next(&rest, '\n', &value); i++)
        if (value.n > 0)
            headers[r.n_headers++] = (struct http_header){str_c(names[i]), value};
    r.body = rest;
    enum webhook_answer answer = webhook_judge(hook, &r, 1000);
    if (answer != WEBHOOK_REFUSED &&
        !str_eq(http_header(&r, STR("X-Gitlab-Token")), STR(SECRET)))
        BUG("a delivery without the secret");
    return 0;
}
