"""Exit codes."""

FINE = 0
WRONG_DATA = 1  # a table, a model or a file is not what it should be
USAGE = 2  # the command itself cannot be meant
INTERRUPTED = 130  # 128 + SIGINT, as shells expect
HUNG_UP = 129  # 128 + SIGHUP: the terminal is gone
TERMINATED = 143  # 128 + SIGTERM
