#include "app/commands.h"
#include "app/web/pid1.h"
#include "base/hash.h"
#include "base/os/library.h"

int main(int argc, char **argv)
{
    library_keep_modules_out();
    hash_keep_modules_out();
    init_if_first();
    return commands_run(argc, argv);
}
