#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command on a terminal: on_terminal.py COLUMNS COMMAND…

Copies what the command wrote to the terminal, and ends with its exit code. Standard error goes to the
terminal, too, unless ERR names a file in the environment. The terminal doesn't control the command: at the
end of a session's leader, Linux drops what nobody has read."""
import fcntl
import os
import pty
import signal
import struct
import sys
import termios


def main():
    columns, command = int(sys.argv[1]), sys.argv[2:]
    main_end, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    attributes = termios.tcgetattr(terminal)
    attributes[1] &= ~termios.OPOST  # line ends as they are
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    child = os.fork()
    if child == 0:
        os.close(main_end)
        err = os.environ.pop("ERR", None)
        os.dup2(terminal, 0)
        os.dup2(terminal, 1)
        os.dup2(os.open(err, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) if err else terminal, 2)
        os.execvp(command[0], command)
    os.close(terminal)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has seen enough
    while True:
        try:
            piece = os.read(main_end, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        os.write(1, piece)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
