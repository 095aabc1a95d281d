/*
 * The least that an MCP server over stdio can do: read a line, find the id, write a
 * canned answer. No JSON is parsed and no rule of the protocol is kept; it exists to
 * be compared with.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 64 << 10 };

#define ANSWER "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello, vault\"}]}"

/* Answer one line, if it has an id. */
static int answer(const char *line, size_t n)
{
    static const char key[] = "\"id\":";
    const char *id = memmem(line, n, key, sizeof(key) - 1);
    if (id == NULL)
        return 0;
    id += sizeof(key) - 1;
    const char *end = memchr(id, ',', n - (size_t)(id - line));
    char out[256];
    int len = snprintf(out, sizeof(out), "{\"jsonrpc\":\"2.0\",\"id\":%.*s," ANSWER "}\n",
                       end == NULL ? 0 : (int)(end - id), id);
    return write(STDOUT_FILENO, out, (size_t)len) == len ? 0 : -1;
}

int main(void)
{
    static char in[LINE_MAX_BYTES];
    size_t have = 0;
    for (;;) {
        ssize_t k = read(STDIN_FILENO, in + have, sizeof(in) - have);
        if (k <= 0)
            return 0;
        have += (size_t)k;
        char *line = in, *end;
        while ((end = memchr(line, '\n', have)) != NULL) {
            size_t n = (size_t)(end - line);
            if (answer(line, n) != 0)
                return 1;
            line = end + 1;
            have -= n + 1;
        }
        memmove(in, line, have);
    }
}
