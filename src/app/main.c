#include "app/commands.h"
#include "app/web/pid1.h"

int main(int argc, char **argv)
{
    init_if_first();
    return commands_run(argc, argv);
}
