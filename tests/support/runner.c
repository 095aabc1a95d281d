/*
 * The unit tests of a room are one program: `program NAME` runs the tests of test_NAME.c, and without a name it lists
 * the files. ONLY=PATTERN runs the tests whose names match, as in ONLY='test_move*' program rename.
 */
#include <stdio.h>
#include <string.h>

#include "base/os/self.h"
#include "check.h"

static struct test_file *files;

void test_file_add(struct test_file *file)
{
    file->next = files;
    files = file;
}

/* Whether path ends with "test_NAME.c". */
static bool is_named(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t n = strlen(name);
    return strncmp(base, "test_", 5) == 0 && strncmp(base + 5, name, n) == 0 &&
           strcmp(base + 5 + n, ".c") == 0;
}

int main(int argc, char **argv)
{
    argv = self_start(&argc, argv);
    const char *only = getenv("ONLY"), *output = getenv("CMOCKA_MESSAGE_OUTPUT");
    if (only)
        cmocka_set_test_filter(only);
    if (output &&
        strcmp(output, "TAP") == 0) /* also after a test has cleared the environment */
        cmocka_set_message_output(CM_OUTPUT_TAP);
    for (struct test_file *f = files; f; f = f->next)
        if (argc > 1 && is_named(f->path, argv[1]))
            return f->run(argc - 1, argv + 1);
    fprintf(stderr, "usage: %s NAME, for one of\n", argv[0]);
    for (struct test_file *f = files; f; f = f->next)
        fprintf(stderr, "  %s\n", f->path);
    return 2;
}
