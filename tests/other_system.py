"""Makes this process look more like one on Windows, then runs a command: `python tests/other_system.py parse ...`.

What only POSIX systems have is taken away from Python: modules, and names in `os` and `signal`. Pipes are cp1252, as
Windows has them. Opening a text file without naming its encoding is an error if spanlin does it. Windows itself differs
in more: in its paths, its locked files, its processes.
"""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import warnings

MODULES = {"crypt", "fcntl", "grp", "nis", "ossaudiodev", "pty", "pwd", "resource", "syslog", "termios", "tty"}
_OS_NAMES = """
    chown chroot ctermid fchdir fchmod fchown fork forkpty fpathconf getegid geteuid getgid getgroups getloadavg
    getpgid getpgrp getpriority getresuid getuid initgroups killpg lchown lockf mkfifo mknod nice openpty pathconf
    posix_fadvise posix_fallocate posix_spawn pread preadv pwrite pwritev register_at_fork sched_getaffinity
    sched_setaffinity sched_yield sendfile setegid seteuid setgid setgroups setpgid setpriority setsid setuid
    statvfs sync sysconf tcgetpgrp uname wait wait3 wait4 waitid O_ASYNC O_CLOEXEC O_DIRECT O_DIRECTORY O_DSYNC
    O_NOATIME O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC O_TMPFILE
"""
_SIGNAL_NAMES = """
    SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG
    SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH alarm getitimer pause pthread_kill pthread_sigmask setitimer siginterrupt
    sigpending sigtimedwait sigwait sigwaitinfo
"""

LIBRARIES = ("click", "multiprocessing.util", "numpy", "onnxruntime", "rich.progress", "subprocess", "tokenizers")
OS_NAMES, SIGNAL_NAMES = _OS_NAMES.split(), _SIGNAL_NAMES.split()


def become_another_system() -> None:
    """Take away what only POSIX systems have."""
    # Libraries see the system as it is: they know what they may use here.
    for library in LIBRARIES:
        importlib.import_module(library)
    sys.modules.update(dict.fromkeys(MODULES, None))  # type: ignore[arg-type]  # none: imports of it fail
    for module, names in ((os, OS_NAMES), (signal, SIGNAL_NAMES)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(encoding="cp1252")
    warnings.filterwarnings("error", category=EncodingWarning, module=r"spanlin\b")


if __name__ == "__main__":
    assert sys.flags.warn_default_encoding, "start it with -X warn_default_encoding"
    become_another_system()
    from spanlin.cli.main import main

    main()
