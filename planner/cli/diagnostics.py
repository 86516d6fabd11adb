"""What the command line says on stderr, and the exit codes: the one place for both.

Codes are those of sysexits.h where it has one: 0 well, 1 findings or a question answered with no, 2 usage (unknown
command, option, name or value), 65 bad data, 66 no such file, 69 server unavailable, 70 internal error, 73 cannot
create, 74 input/output, 75 busy, 77 permission or read-only, 78 configuration, 130 interrupted, 141 nobody reads on.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from typer import Exit

if TYPE_CHECKING:
    from typer.exceptions import TyperException

    from planner.model.fields import InputError

OK, FINDINGS, USAGE, NO_MEMORY, INTERRUPTED, NOBODY_READS = 0, 1, 2, 70, 130, 141


class CommandError(Exception):
    """One clear sentence, and the exit code that the command ends with."""

    def __init__(self, message: str, exit_code: int = USAGE) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class _ClosedOutput(io.TextIOBase):
    """Stands for a stdout that was closed before the program began: what is written to it fails aloud."""

    def write(self, text: str) -> int:
        if text:
            raise OSError(errno.EBADF, "standard output is closed")
        return 0


def prepare_streams() -> None:
    """Let stdout and stderr take any text, whatever their encoding: what it lacks becomes a question mark.

    A stdout that is closed takes none: whoever writes to it gets an OSError.
    """
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def say(text: str) -> None:
    """One message on stderr: plain, harmless, without passwords."""
    from planner.model.fields import printable
    from planner.store.redaction import redact

    if sys.stderr is None:
        return
    with suppress(OSError, ValueError):
        for line in as_called(redact(text)).splitlines() or [""]:
            sys.stderr.write(printable(line) + "\n")
        sys.stderr.flush()


CALLED_AS = "PLANNER_COMMAND"
"""Names the command by which a checkout starts the program, where no `planner` is installed."""


def as_called(text: str) -> str:
    """``text`` with the commands that it names as they work here."""
    command = os.environ.get(CALLED_AS, "")
    return _COMMAND.sub(lambda _: f"`{command}", text) if command else text


_COMMAND = re.compile(r"`planner(?=[ `])")

LONGEST_QUOTE, LONGEST_WORD, LONGEST_LINE = 120, 250, 2000
"""Characters of a quoted text, of a word such as a path, and of a line in a message; more is cut in the middle."""

_QUOTE = re.compile(r"(?<!\w)'(.*?)'(?!\w)")
_WORD = re.compile(rf"[^\s']{{{LONGEST_WORD + 1},}}")


def brief(message: str) -> str:
    """``message`` with what somebody typed or a file held cut to a length that can be read."""
    lines = []
    for line in message.split("\n"):
        short = _QUOTE.sub(lambda found: f"'{_cut(found[1], LONGEST_QUOTE)}'", line)
        lines.append(_cut(_WORD.sub(lambda found: _cut(found[0], LONGEST_WORD), short), LONGEST_LINE))
    return "\n".join(lines)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 1]}…{text[-end:]}"


@contextmanager
def names_from_the_command_line() -> Iterator[None]:
    """What is not found under a name that was typed is a matter of usage, not a missing file."""
    from planner.store.errors import NotFoundError

    try:
        yield
    except NotFoundError as error:
        raise CommandError(str(error), USAGE) from None


@contextmanager
def stored_data() -> Iterator[None]:
    """A value that is refused although nobody typed it is bad data."""
    from planner.model.fields import InputError
    from planner.store.errors import DATA

    try:
        yield
    except InputError as error:
        raise CommandError(str(error), DATA) from None


def guarded(command: Callable[[], object]) -> int:
    """Run ``command`` and turn whatever it raises into one sentence on stderr and the exit code."""
    try:
        result = command()
        _flush()
    except Exit as end:
        return end.exit_code
    except KeyboardInterrupt:
        say("Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return NOBODY_READS
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else OK if error.code is None else USAGE
    except Exception as error:  # noqa: BLE001 - the one place where everything ends in a sentence
        try:
            message, code = explained(error)
            say(brief(message))
        except MemoryError:
            # What tells of an error needs memory too.
            sys.stderr.write("There is not enough memory; what was saved is unharmed.\n")
            return NO_MEMORY
        return code
    return result if isinstance(result, int) and not isinstance(result, bool) else OK


def explained(error: Exception) -> tuple[str, int]:
    """The sentence for ``error`` and the exit code."""
    from typer import Abort
    from typer.exceptions import TyperException

    from planner.model.fields import InputError
    from planner.store.errors import ConflictError

    if isinstance(error, TyperException):
        return _usage(error)
    if isinstance(error, InputError):
        return str(error), _input_code(error)
    if isinstance(error, ConflictError):
        return f"{error} Look at it with `planner history`; repeat with --force to write over it.", error.exit_code
    if isinstance(error, Abort):
        return "Nothing was changed.", FINDINGS
    code = getattr(error, "exit_code", None)
    if isinstance(code, int):
        return str(error), code
    if isinstance(error, OSError):
        return _os_error(error)
    return _internal(error)


def _usage(error: TyperException) -> tuple[str, int]:
    context = getattr(error, "ctx", None)
    words = getattr(error, "format_message", error.__str__)()
    code = getattr(error, "exit_code", USAGE)
    if type(error).__name__ == "NoArgsIsHelpError":
        return words, code
    sentence = words.strip()
    if sentence[-1:] not in ".?!":
        sentence += "."
    if context is not None:
        sentence += f" `{context.command_path} --help` shows what there is."
    return sentence, code


def _input_code(error: InputError) -> int:
    from catalog.errors import BadFileError, MissingFileError
    from planner.store.errors import DATA, NO_INPUT

    if isinstance(error, MissingFileError):
        return NO_INPUT
    return DATA if isinstance(error, BadFileError) else USAGE


def _os_error(error: OSError) -> tuple[str, int]:
    from planner.store import errors

    by_errno = {
        errno.ENOENT: errors.NO_INPUT,
        errno.ENOTDIR: errors.NO_INPUT,
        errno.EISDIR: errors.NO_INPUT,
        errno.EACCES: errors.PERMISSION,
        errno.EPERM: errors.PERMISSION,
        errno.EROFS: errors.PERMISSION,
        errno.EEXIST: errors.CANNOT_CREATE,
    }
    reason = error.strerror or str(error) or type(error).__name__
    what = f"{error.filename}: {reason}" if error.filename else f"Reading or writing failed: {reason}"
    return f"{what}.", by_errno.get(error.errno or 0, errors.IO)


def _internal(error: Exception) -> tuple[str, int]:
    from planner.cli import log
    from planner.store.errors import INTERNAL

    if isinstance(error, MemoryError):
        return "There is not enough memory; nothing was changed.", INTERNAL
    where = log.record(error)
    at = f"The details are in {where}." if where else "Its details could not be written to a file."
    return f"An error inside the planner ({type(error).__name__}); what was saved is unharmed. {at}", INTERNAL


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _let_go_of_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's own last flush stays quiet."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def confirm(question: str, yes: bool) -> None:
    """Ask before something that cannot be undone; ``yes`` answers beforehand.

    Raises CommandError where the answer is no (1), or where nobody can be asked (2).
    """
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise CommandError(f"{question} Nothing was changed: repeat with --yes to do it.", USAGE)
    from typer import confirm as ask

    from planner.model.fields import printable

    if not ask(printable(brief(question)), err=True):
        raise CommandError("Nothing was changed.", FINDINGS)
