#include "vault/meaning/mapped.h"

#include "base/os/file.h"
#include "base/os/memory.h"

bool mapped_open(const char *path, const char *what, struct mapped *out, struct err *err)
{
    struct file_stat st;
    AUTO_CLOSE int fd = file_open(FILE_CWD, path, FILE_FOLLOW);
    if (fd < 0 || !file_stat(fd, &st))
        return err_sys(err, "the %s cannot be opened", what);
    if (st.type != FILE_REGULAR || st.size == 0)
        return err_set(err, ERR_INVALID, "the %s is not a file, or it is empty", what);
    int lease = memory_lease(fd);
    size_t n = (size_t)st.size;
    void *map = lease != MEMORY_NO_LEASE && file_stat(fd, &st) && (size_t)st.size == n
                    ? memory_map(fd, n, MEMORY_READ, 0)
                    : memory_map_copy(fd, n, 0);
    if (map == NULL) {
        memory_lease_end(lease);
        return err_sys(err, "the %s cannot be mapped", what);
    }
    if (lease != MEMORY_NO_LEASE)
        memory_lease_pages(lease, map, n);
    *out = (struct mapped){{map, n}, lease};
    return true;
}

void mapped_rest(const struct mapped *m)
{
    if (m->lease != MEMORY_NO_LEASE)
        memory_lease_drop_pages(m->lease, m->bytes.p, m->bytes.n);
}

void mapped_close(struct mapped *m)
{
    if (m->bytes.p != NULL) {
        memory_lease_end(m->lease);
        memory_unmap(m->bytes.p, m->bytes.n);
    }
    *m = (struct mapped){0};
}
