/* Nothing but a room is linked with this: see meson.build. */
int main(void)
{
    return 0;
}
