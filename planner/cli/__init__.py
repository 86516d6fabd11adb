"""The command line: one module a group of commands; stdout is data, stderr is talk, exit codes are an API."""
