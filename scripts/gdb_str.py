"""Print a str (base/str.h) as its text. Use: gdb -x scripts/gdb_str.py PROGRAM"""
import gdb
import gdb.printing

SHOWN_MAX = 2000  # bytes


class StrPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        pointer, size = self.value["p"], int(self.value["n"])
        if int(pointer) == 0:
            return "(none)" if size == 0 else f"(broken: NULL with {size} bytes)"
        try:
            text = pointer.string("utf-8", "backslashreplace", length=min(size, SHOWN_MAX))
        except gdb.MemoryError:
            return f"(broken: {int(pointer):#x} with {size} bytes)"
        return '"' + text + '"' + (f"... ({size} bytes)" if size > SHOWN_MAX else "")


printers = gdb.printing.RegexpCollectionPrettyPrinter("vaultd")
printers.add_printer("str", "^str$", StrPrinter)
gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)
